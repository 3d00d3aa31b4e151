//! The rows of an impact problem, and its solution (theory, section 4).

use std::ops::Range;

use crate::error::{Error, ErrorKind, Result};
use crate::formulation::saddle_mut;
use crate::linear::{Entries, Lu};
use crate::model::Matrix;
use crate::scalar::Scalar;

/// Rows whose direction differs from the others' span by less than this count as dependent.
pub(super) const INDEPENDENCE: f64 = 1e-9;

/// Impulses and velocity errors below this fraction of the largest count as zero.
pub(super) const ZERO: f64 = 1e-11;

/// How much of the rate before an impact comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Returned {
    /// None of it.
    Nothing,
    /// Newton's law: a share that is a number.
    Share(usize),
    /// All of it.
    All,
}

impl Returned {
    /// The share; none where nothing comes back.
    pub fn share<S: Scalar>(self, numbers: &[S]) -> Option<S> {
        match self {
            Self::Nothing => None,
            Self::Share(number) => Some(numbers[number]),
            Self::All => Some(S::from(1.0)),
        }
    }
}

/// Where a row of the impact problem comes from; its condition follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Row `row` of a constraint: c'(v+) + share c'(v-) = 0.
    Constraint {
        constraint: usize,
        row: usize,
        returned: Returned,
    },
    /// A tangential velocity of a contact that stays.
    Tangential { contact: usize, row: usize },
    /// A velocity that stays.
    Velocity(usize),
    /// A velocity that is set to a number (memory).
    Reset { velocity: usize, number: usize },
}

impl Origin {
    /// A row of a constraint that holds after the impact.
    pub fn held(constraint: usize, row: usize) -> Self {
        Self::returning(constraint, row, Returned::Nothing)
    }

    /// A row of a constraint of whose rate something comes back.
    pub fn returning(constraint: usize, row: usize, returned: Returned) -> Self {
        Self::Constraint {
            constraint,
            row,
            returned,
        }
    }
}

/// State before an impact, with numbers followed by memory.
#[derive(Clone, Copy)]
pub(super) struct Before<'a, S> {
    pub t: S,
    pub q: &'a [S],
    pub v: &'a [S],
    pub numbers: &'a [S],
}

/// How a row of the impact problem holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Side {
    /// An equation.
    Bilateral,
    /// An inequality with a non-negative impulse.
    Unilateral,
    /// A row of a contact that sticks, with its share in the direction in which the contact pushes: all rows of the contact are
    /// equations while their impulse pushes; else none of them, and the contact may only open.
    Sticking { contact: usize, share: f64 },
}

/// Rows that hold or give way together: one unilateral row, or all of a contact that sticks.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub rows: Range<usize>,
    /// Share of each row in the direction in which they push.
    pub shares: Vec<f64>,
    /// The contact, if it sticks.
    pub sticking: Option<usize>,
}

impl Unit {
    /// The units among some rows; those of a contact that sticks follow one another.
    pub fn of(rows: &[ImpactRow]) -> Vec<Self> {
        let mut units: Vec<Self> = Vec::new();
        for (i, row) in rows.iter().enumerate() {
            let (sticking, share) = match row.side {
                Side::Bilateral => continue,
                Side::Unilateral => (None, 1.0),
                Side::Sticking { contact, share } => (Some(contact), share),
            };
            match units.last_mut() {
                Some(unit) if sticking.is_some() && unit.sticking == sticking => {
                    unit.rows.end = i + 1;
                    unit.shares.push(share);
                }
                _ => units.push(Self {
                    rows: i..i + 1,
                    shares: vec![share],
                    sticking,
                }),
            }
        }
        units
    }

    /// What one value per row comes to in the direction in which they push.
    pub fn along(&self, value: impl Fn(usize) -> f64) -> f64 {
        self.rows
            .clone()
            .zip(&self.shares)
            .map(|(i, share)| share * value(i))
            .sum()
    }
}

/// A row n of the impact problem: n v+ = target, or n v+ >= target with an impulse that only pushes.
#[derive(Clone, Debug)]
pub(super) struct ImpactRow {
    /// The row.
    pub row: Entries<f64>,
    /// Required value.
    pub target: f64,
    /// Kind.
    pub side: Side,
    /// Where it comes from.
    pub origin: Origin,
    /// Name for messages.
    pub name: String,
}

impl ImpactRow {
    pub fn new(row: Entries<f64>, target: f64, side: Side, origin: Origin, name: &str) -> Self {
        Self {
            row,
            target,
            side,
            origin,
            name: name.to_string(),
        }
    }
}

/// Velocities after an impact and one impulse per row.
#[derive(Clone, Debug)]
pub(super) struct ImpactSolution {
    /// v+.
    pub v: Vec<f64>,
    /// Impulses; zero for rows that do not take part.
    pub impulses: Vec<f64>,
    /// Rows of the linear system that was solved.
    pub independent: Vec<usize>,
    /// Contacts whose impulse would have pulled: they stick no longer, or not at all.
    pub let_go: Vec<usize>,
    /// Sizes of the coordinates, by which velocities and rows are compared.
    pub units: Vec<f64>,
    /// Size of the velocities with or without the unilateral rows: what rounding is measured by.
    pub scale: f64,
}

impl ImpactSolution {
    pub fn scaled(mut self, free: f64) -> Self {
        self.scale = self.speed().max(free);
        self
    }

    /// Largest velocity, over the sizes of the coordinates.
    pub fn speed(&self) -> f64 {
        let sizes = self.v.iter().zip(&self.units);
        sizes.map(|(v, unit)| v.abs() / unit).fold(0.0, f64::max)
    }

    /// The rate of a row at velocities of the sizes of the coordinates.
    pub fn reach(&self, row: &Entries<f64>) -> f64 {
        let rates = row.iter().map(|(i, entry)| entry.abs() * self.units[i]);
        rates.fold(0.0, f64::max)
    }

    /// The same of a row with its zeros.
    pub fn reach_of(&self, row: &[f64]) -> f64 {
        let rates = row.iter().zip(&self.units).map(|(entry, unit)| entry.abs() * unit);
        rates.fold(0.0, f64::max)
    }

    /// Whether a row that was left out holds all the same, to rounding.
    pub fn holds(&self, rows: &[ImpactRow], i: usize) -> bool {
        let row = &rows[i];
        let length = self.reach(&row.row);
        let targets = rows.iter().map(|row| row.target.abs()).fold(0.0, f64::max);
        let scale = (self.scale * length).max(targets);
        (row.row.dot(&self.v) - row.target).abs() <= ZERO * scale
    }
}

/// An impact as solved, for its derivative.
#[derive(Clone, Debug)]
pub(super) struct ImpactPlan {
    /// Rows.
    pub rows: Vec<ImpactRow>,
    /// v-.
    pub before: Vec<f64>,
    /// v+ and impulses.
    pub solution: ImpactSolution,
}

impl ImpactPlan {
    /// An impact whose outcome was found by other means.
    pub fn solved_elsewhere(before: Vec<f64>, v: Vec<f64>, units: &[f64]) -> Self {
        let solution = ImpactSolution {
            v,
            impulses: Vec::new(),
            independent: Vec::new(),
            let_go: Vec::new(),
            units: units.to_vec(),
            scale: 0.0,
        };
        Self {
            rows: Vec::new(),
            before,
            solution,
        }
    }
}

/// Factors of [[M, R^T], [R, 0]] over the given rows.
pub(super) fn saddle(t: f64, mass: &Matrix, rows: &[ImpactRow], independent: &[usize]) -> Result<Lu> {
    let mut lu = Lu::new(mass.width() + independent.len());
    saddle_mut(&mut lu, mass, independent.iter().map(|&i| rows[i].row.iter()));
    lu.balance(mass.width());
    lu.factor().map_err(|_| {
        Error::new(
            ErrorKind::Singular,
            "an impact has no unique outcome: some motion has no inertia",
        )
        .at_time(t)
    })?;
    Ok(lu)
}

/// The unknowns of an impact as it was solved.
pub(super) fn solved<S: Scalar>(plan: &ImpactPlan) -> Vec<S> {
    let solution = &plan.solution;
    let impulses = solution.independent.iter().map(|&i| -solution.impulses[i]);
    solution.v.iter().copied().chain(impulses).map(S::from).collect()
}
