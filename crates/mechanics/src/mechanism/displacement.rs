//! The displacement of a mechanism whose coordinates are set: the nearest place that the joints allow (theory, 4.5).
//!
//! M(q-) (q+ - q-) + C(q+)^T mu + E^T nu = 0, c(q+) = 0, E q+ = r: stationary squared distance in the metric of the masses.
//! With rigid bodies in space all of these are by coordinates, and quaternions of length one are among the conditions c.

use super::Mechanism;
use crate::assembly::check_bars;
use crate::linear::{Frozen, Lu};
use crate::model::over::RowOver;
use crate::model::{CoordinateKind, Mode, Model};
use crate::scalar::{Dual64, Scalar};

/// Change of an angle (rad), and of lengths over the size of the mechanism, that one search may bridge: the place that is found
/// then goes on continuously from where the mechanism was.
const LONGEST: f64 = 0.2;

/// Most parts of a displacement at first.
const MOST_PARTS: f64 = 1000.0;

/// Newton steps of a part.
const MOST_STEPS: usize = 30;

/// Opening of a joint, over the size of the mechanism, of a place that was found.
const OPEN: f64 = 1e-11;

/// A displacement, ready to be differentiated.
#[derive(Clone, Debug)]
pub(super) struct Displacement {
    /// Positions before, and after.
    pub from: Vec<f64>,
    pub to: Vec<f64>,
    /// The mode whose rows hold afterwards.
    pub mode: Mode,
    /// Coordinates that are set, with the numbers of their values.
    pub targets: Vec<(usize, usize)>,
    /// Multipliers of the independent rows, of the coordinates that are set, and of the lengths of quaternions.
    pub multipliers: Vec<f64>,
    /// Factors of the Jacobian of the conditions, which is symmetric.
    pub lu: Lu,
    /// Contacts that touch afterwards.
    pub touching: Vec<usize>,
}

/// What a displacement depends on.
struct Origin<'a, S> {
    t: S,
    from: &'a [S],
    numbers: &'a [S],
}

/// What positions after and multipliers leave of the conditions.
fn residual<S: Scalar>(
    model: &Model,
    (mode, targets): (&Mode, &[(usize, usize)]),
    origin: &Origin<S>,
    unknowns: &[S],
) -> Vec<S> {
    let (q, multipliers) = unknowns.split_at(origin.from.len());
    let (of_rows, rest) = multipliers.split_at(mode.independent.len());
    let (of_targets, of_lengths) = rest.split_at(targets.len());
    let change: Vec<S> = q.iter().zip(origin.from).map(|(to, from)| *to - *from).collect();
    let rows = model.acting_rows_at_rest(mode, origin.t, q, origin.numbers);
    let mut residual = model.momentum_over(origin.from, &change, origin.numbers).to_vec();
    for (&row, multiplier) in mode.independent.iter().zip(of_rows) {
        rows[row].row.add_to(*multiplier, &mut residual);
    }
    for ((coordinate, _), multiplier) in targets.iter().zip(of_targets) {
        residual[*coordinate] += *multiplier;
    }
    let lengths = model.frames.iter();
    let lengths = lengths.flat_map(|frame| model.rows_at_rest(frame.unit, origin.t, q, origin.numbers));
    let lengths: Vec<RowOver<S>> = lengths.collect();
    for (length, multiplier) in lengths.iter().zip(of_lengths) {
        length.row.add_to(*multiplier, &mut residual);
    }
    residual.extend(mode.independent.iter().map(|&row| rows[row].c));
    residual.extend(targets.iter().map(|&(i, number)| q[i] - origin.numbers[number]));
    residual.extend(lengths.iter().map(|length| length.c));
    residual
}

impl Displacement {
    /// Looks for the place after, in as many parts as it takes to follow it; none where it is lost.
    pub fn find(
        mechanism: &Mechanism,
        mode: Mode,
        (t, from): (f64, &[f64]),
        targets: Vec<(usize, usize)>,
        numbers: &[f64],
    ) -> Option<Self> {
        let size = |i: usize| match mechanism.model.coordinates[i].kind {
            CoordinateKind::Length => mechanism.sizes.length,
            CoordinateKind::Angle | CoordinateKind::Fraction | CoordinateKind::Quaternion => 1.0,
        };
        let farthest = targets
            .iter()
            .map(|&(i, number)| (numbers[number] - from[i]).abs() / size(i));
        let farthest = farthest.fold(0.0, f64::max);
        let conditions = mode.independent.len() + targets.len() + mechanism.model.frames.len();
        let parts = if mode.rows == 0 && mechanism.model.frames.is_empty() {
            1.0
        } else {
            (farthest / LONGEST).ceil().clamp(1.0, MOST_PARTS)
        };
        let mut search = Self {
            from: from.to_vec(),
            to: from.to_vec(),
            multipliers: vec![0.0; conditions],
            lu: Lu::new(from.len() + conditions),
            mode,
            targets,
            touching: Vec::new(),
        };
        let start = search.clone();
        for parts in [parts, 4.0 * parts, 16.0 * parts] {
            if search.follow(mechanism, t, parts as usize, numbers).is_some() && search.is_closed(mechanism, t, numbers)
            {
                return Some(search);
            }
            search.clone_from(&start);
        }
        None
    }

    /// Follows the place while the coordinates move to their values.
    fn follow(&mut self, mechanism: &Mechanism, t: f64, parts: usize, numbers: &[f64]) -> Option<()> {
        let mut on_the_way = numbers.to_vec();
        for part in 1..=parts {
            let share = part as f64 / parts as f64;
            for &(i, number) in &self.targets {
                let way = numbers[number] - self.from[i];
                on_the_way[number] = if part == parts {
                    numbers[number]
                } else {
                    self.from[i] + share * way
                };
            }
            self.search(mechanism, t, &on_the_way)?;
        }
        Some(())
    }

    /// Newton steps to the place for given values.
    fn search(&mut self, mechanism: &Mechanism, t: f64, numbers: &[f64]) -> Option<()> {
        let model = &mechanism.model;
        let nq = self.from.len();
        let mut unknowns = [&self.to[..], &self.multipliers].concat();
        let mut last = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let (mut step, lu) = self.newton(model, t, numbers, &unknowns)?;
            self.lu = lu;
            self.lu.solve(&mut step);
            unknowns.iter_mut().zip(&step).for_each(|(value, step)| *value -= step);
            let change = model.spread(&step[..nq], [0.0, 0.0]);
            let size = model.spread(&unknowns[..nq], [mechanism.sizes.length, 1.0]);
            let length = f64::max(change[0] / size[0], change[1] / size[1]);
            if !length.is_finite() {
                return None;
            }
            // Once steps no longer shrink they are rounding.
            if length <= 1e-15 || (length <= 1e-12 && length >= 0.5 * last) {
                self.multipliers = unknowns.split_off(nq);
                self.to = unknowns;
                self.targets
                    .iter()
                    .for_each(|&(i, number)| self.to[i] = numbers[number]);
                return Some(());
            }
            last = length;
        }
        None
    }

    /// The residual and the factors of its Jacobian.
    fn newton(&self, model: &Model, t: f64, numbers: &[f64], unknowns: &[f64]) -> Option<(Vec<f64>, Lu)> {
        let n = unknowns.len();
        let constants = |values: &[f64]| values.iter().map(|value| Dual64::from(*value)).collect::<Vec<Dual64>>();
        let (from, numbers, mut unknowns) = (constants(&self.from), constants(numbers), constants(unknowns));
        let origin = Origin {
            t: Dual64::from(t),
            from: &from,
            numbers: &numbers,
        };
        let held = (&self.mode, &self.targets[..]);
        let value = residual(model, held, &origin, &unknowns);
        let mut lu = Lu::new(n);
        let matrix = lu.matrix_mut(n);
        for j in 0..n {
            unknowns[j].eps = 1.0;
            for (i, slope) in residual(model, held, &origin, &unknowns).iter().enumerate() {
                matrix[i * n + j] = slope.eps;
            }
            unknowns[j].eps = 0.0;
        }
        lu.factor().ok()?;
        Some((value.iter().map(|value| value.re).collect(), lu))
    }

    /// Whether all rows hold, those that depend on others too, with every bar along its angle.
    fn is_closed(&self, mechanism: &Mechanism, t: f64, numbers: &[f64]) -> bool {
        let model = &mechanism.model;
        let size = model.spread(&self.to, [mechanism.sizes.length, 1.0]);
        let rows = model.acting_rows_at_rest(&self.mode, t, &self.to, numbers);
        let closed = rows
            .iter()
            .all(|row| row.c.abs() <= OPEN * model.reach(row.row.iter(), size));
        closed && check_bars(model, &self.mode, &self.to, numbers).is_ok()
    }

    /// The unknowns as found.
    fn unknowns<S: Scalar>(&self) -> Vec<S> {
        self.to
            .iter()
            .chain(&self.multipliers)
            .map(|value| S::from(*value))
            .collect()
    }

    /// Positions after over any scalar.
    pub fn over<S: Scalar>(&self, model: &Model, t: S, from: &[S], numbers: &[S]) -> Vec<S> {
        let origin = Origin { t, from, numbers };
        let mut unknowns = self.unknowns::<S>();
        Frozen::new(&self.lu, unknowns.len()).solve(&mut unknowns, |unknowns| {
            residual(model, (&self.mode, &self.targets), &origin, unknowns)
        });
        unknowns.truncate(from.len());
        unknowns
    }
}
