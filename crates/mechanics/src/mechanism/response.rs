//! What impulses along the rows of an impact do to the velocities, where there are many coordinates (theory, 4.8).

use super::impact_problem::{INDEPENDENCE, ImpactRow, Side};
use crate::formulation::{Blocks, Lanes};
use crate::linear::{COMPARABLE, Entries, Sparse, add_scaled, dot, independent_rows_of};
use crate::model::Matrix;

/// K = [[M, C^T], [C, 0]] over independent bilateral rows, and K [y; -l] = [n; 0] of each other row n.
#[derive(Clone, Debug)]
pub(super) struct Responses {
    mass: Matrix,
    jacobian: Sparse,
    blocks: Blocks,
    /// Which of the rows of the impact are those of C, and which of these are in use.
    bilateral: Vec<usize>,
    in_use: Vec<usize>,
    others: Vec<Other>,
}

/// A row that is not bilateral, with what its impulse does.
#[derive(Clone, Debug)]
struct Other {
    /// Which of the rows of the impact.
    index: usize,
    row: Entries<f64>,
    velocities: Vec<f64>,
    /// Impulses of the bilateral rows, one per row of C.
    impulses: Vec<f64>,
}

/// Independent ones among the other rows, with QR factors of what their impulses do in the metric of M: y_k = sum r_km z_m.
#[derive(Clone, Debug, Default)]
pub(super) struct Basis {
    /// Places among the others, in the order of the factorization.
    chosen: Vec<usize>,
    directions: Vec<Vec<f64>>,
    /// r_km for m up to k.
    factors: Vec<Vec<f64>>,
}

/// What is left of the response of a row beside the directions found so far.
struct Rest {
    velocities: Vec<f64>,
    momentum: Vec<f64>,
    factors: Vec<f64>,
    /// Square of the part of the row outside the span of the others.
    part: f64,
}

impl Responses {
    /// Factors and solves; none where blocks cannot.
    pub fn new(mass: &Matrix, rows: &[ImpactRow]) -> Option<Self> {
        let (bilateral, others): (Vec<usize>, Vec<usize>) =
            (0..rows.len()).partition(|&i| rows[i].side == Side::Bilateral);
        let mut jacobian = Sparse::default();
        for &i in &bilateral {
            let columns: Vec<usize> = rows[i].row.iter().map(|(j, _)| j).collect();
            let values = jacobian.push(&columns);
            values
                .iter_mut()
                .zip(rows[i].row.iter())
                .for_each(|(slot, (_, value))| *slot = value);
        }
        let mut blocks = Blocks::default();
        let mut in_use: Vec<usize> = (0..bilateral.len()).collect();
        if blocks.factor((&[], &in_use), (mass, 0), &jacobian).is_err() {
            in_use = independent_rows_of(&jacobian, mass.units(), INDEPENDENCE);
            blocks.factor((&[], &in_use), (mass, 0), &jacobian).ok()?;
        }
        let mut responses = Self {
            mass: mass.clone(),
            jacobian,
            blocks,
            bilateral,
            in_use,
            others: Vec::new(),
        };
        responses.others = others.iter().map(|&i| responses.other(i, &rows[i].row)).collect();
        Some(responses)
    }

    fn other(&self, index: usize, row: &Entries<f64>) -> Other {
        let (velocities, impulses) = self.respond(&row.dense(self.mass.width()), |_| 0.0);
        Other {
            index,
            row: row.clone(),
            velocities,
            impulses,
        }
    }

    /// Velocities and bilateral impulses, one per row of C.
    fn respond(&self, right: &[f64], target: impl Fn(usize) -> f64) -> (Vec<f64>, Vec<f64>) {
        let mut lanes = Lanes::default();
        let (mut velocities, mut impulses) = (vec![0.0; right.len()], vec![0.0; self.bilateral.len()]);
        let found = (&mut velocities[..], Some(&mut impulses[..]));
        let matrices = (&*self.mass, &self.jacobian);
        self.blocks.solve(matrices, Some(right), target, found, &mut lanes);
        (velocities, impulses)
    }

    /// Chooses as many independent rows as possible among some, those before `preferred` first; each the earliest of
    /// comparable ones, as [`independent_rows_of`] does.
    pub fn basis(&self, preferred: usize, among: &[usize]) -> Basis {
        let place = |row: &usize| self.others.iter().position(|other| other.index == *row);
        let first: Vec<usize> = among[..preferred].iter().filter_map(place).collect();
        let places: Vec<usize> = first
            .iter()
            .copied()
            .chain(among[preferred..].iter().filter_map(place))
            .collect();
        let mut rests: Vec<Rest> = places.iter().map(|&place| self.rest(place)).collect();
        let mut basis = Basis::default();
        let mut considered = if first.is_empty() { rests.len() } else { first.len() };
        loop {
            let left = &rests[..considered];
            let largest = left.iter().map(|rest| rest.part).fold(0.0, f64::max);
            let pivot = left.iter().position(|rest| rest.part >= COMPARABLE * largest);
            let Some(pivot) = pivot.filter(|_| largest.sqrt() > INDEPENDENCE) else {
                if considered == rests.len() {
                    return basis;
                }
                considered = rests.len();
                continue;
            };
            self.take(pivot, places[pivot], &mut rests, &mut basis);
        }
    }

    fn rest(&self, place: usize) -> Rest {
        let velocities = self.others[place].velocities.clone();
        let momentum: Vec<f64> = self.mass.times(&velocities).collect();
        let part = self.part(place, &momentum);
        Rest {
            velocities,
            momentum,
            factors: Vec::new(),
            part,
        }
    }

    /// Square of the length of what is left of a row over that of the row, both in the sizes of the coordinates.
    fn part(&self, place: usize, momentum: &[f64]) -> f64 {
        let units = self.mass.units();
        let square = |entry: f64, unit: f64| (entry * unit) * (entry * unit);
        let length: f64 = self.others[place]
            .row
            .iter()
            .map(|(j, entry)| square(entry, units[j]))
            .sum();
        let left: f64 = momentum
            .iter()
            .zip(units)
            .map(|(entry, unit)| square(*entry, *unit))
            .sum();
        if length > 0.0 { left / length } else { 0.0 }
    }

    /// Takes a row into the basis, and its direction from the rest of the others.
    fn take(&self, pivot: usize, place: usize, rests: &mut [Rest], basis: &mut Basis) {
        let taken = &mut rests[pivot];
        let length = dot(&taken.velocities, &taken.momentum).sqrt();
        taken.part = 0.0;
        if length.is_nan() || length <= 0.0 {
            return;
        }
        let over = |vector: &[f64]| vector.iter().map(|entry| entry / length).collect::<Vec<f64>>();
        let (direction, momentum) = (over(&taken.velocities), over(&taken.momentum));
        let mut factors = std::mem::take(&mut taken.factors);
        factors.push(length);
        basis.chosen.push(place);
        basis.factors.push(factors);
        for rest in rests {
            let mut along = 0.0;
            // Once more, so that rounding of the first pass is removed too.
            for _ in 0..2 {
                let share = dot(&rest.velocities, &momentum);
                if rest.part == 0.0 || share == 0.0 {
                    break;
                }
                add_scaled(&mut rest.velocities, -share, &direction);
                add_scaled(&mut rest.momentum, -share, &momentum);
                along += share;
            }
            rest.factors.push(along);
        }
        basis.directions.push(direction);
    }

    /// The rows of the impact that are in use, ascending.
    pub fn independent(&self, basis: &Basis) -> Vec<usize> {
        let bilateral = self.in_use.iter().map(|&row| self.bilateral[row]);
        let others = basis.chosen.iter().map(|&place| self.others[place].index);
        let mut independent: Vec<usize> = bilateral.chain(others).collect();
        independent.sort_unstable();
        independent
    }

    /// Solves [[M, R^T], [R, 0]] [y; -J] = `unknowns` in place over the rows in use.
    pub fn solve(&self, basis: &Basis, independent: &[usize], unknowns: &mut [f64]) {
        let (right, targets) = unknowns.split_at(self.mass.width());
        let target = |row: usize| independent.binary_search(&row).map_or(0.0, |k| targets[k]);
        let (mut velocities, mut bilateral) = self.respond(right, |row| target(self.bilateral[row]));
        let (shares, impulses) = basis.solve(|place| {
            let other = &self.others[place];
            target(other.index) - other.row.dot(&velocities)
        });
        for (direction, share) in basis.directions.iter().zip(shares) {
            add_scaled(&mut velocities, share, direction);
        }
        for (&place, impulse) in basis.chosen.iter().zip(&impulses) {
            add_scaled(&mut bilateral, *impulse, &self.others[place].impulses);
        }
        let (found, minus_impulses) = unknowns.split_at_mut(velocities.len());
        found.copy_from_slice(&velocities);
        let of_bilateral = self.bilateral.iter().copied().zip(bilateral);
        let of_others = basis.chosen.iter().map(|&place| self.others[place].index).zip(impulses);
        for (row, impulse) in of_bilateral.chain(of_others) {
            if let Ok(k) = independent.binary_search(&row) {
                minus_impulses[k] = -impulse;
            }
        }
    }
}

impl Basis {
    /// Shares s of the directions and impulses J of the chosen rows, from what the velocities without them leave of the targets:
    /// R^T s = left, R J = s.
    fn solve(&self, left: impl Fn(usize) -> f64) -> (Vec<f64>, Vec<f64>) {
        let mut found: Vec<f64> = self.chosen.iter().map(|&place| left(place)).collect();
        for (k, factors) in self.factors.iter().enumerate() {
            let (before, rest) = found.split_at_mut(k);
            rest[0] = (rest[0] - dot(&factors[..k], before)) / factors[k];
        }
        let shares = found.clone();
        for k in (0..found.len()).rev() {
            found[k] /= self.factors[k][k];
            let (impulse, factors) = (found[k], &self.factors[k][..k]);
            add_scaled(&mut found[..k], -impulse, factors);
        }
        (shares, found)
    }
}
