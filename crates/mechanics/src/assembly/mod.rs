//! Initial state: the closed configuration nearest to the guess, and the velocities that fit (theory, section 5).

mod bars;
mod bending;
mod branch;
mod change;
mod dependence;
mod failure;
mod nearest;
mod over;
mod persistence;
mod positions;
mod redundancy;
mod singular;
mod system;
mod tangent;
mod transposed;
mod undetermined;
mod velocities;

pub(crate) use dependence::dependences;
pub use tangent::AssemblyTangent;
pub use undetermined::{Undetermined, Verge, lost_in_passing, undetermined_in};

pub(crate) use bars::check as check_bars;
pub(crate) use singular::singular_joints;

use crate::error::{Error, ErrorKind, Result};
use crate::model::{CoordinateKind, Departure, Mode, Model, Terms};
use dependence::Rows;

/// Largest size of a mechanism.
const MOST: f64 = 1e100;

/// Opening at the guesses, over what positions of the size that the mechanism has there give, from which they may be far off.
const FAR: f64 = 0.3;

/// Assembled positions and velocities.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// Positions, nq.
    pub q: Vec<f64>,
    /// Velocities, nv.
    pub v: Vec<f64>,
    /// Largest residual of a constraint, over the length of its row.
    pub residual: f64,
    /// Whether the positions are nearest to the guess among those around them; if not, they are closed all the same.
    pub nearest: bool,
    /// How it leaves the position, where that is singular.
    pub departure: Option<Departure>,
}

/// Assembles a model at a time: positions nearest to the guesses, velocities nearest to zero.
///
/// # Errors
/// Kind `Assembly`, naming the joint that stays open or the velocity that contradicts, with the nearest configuration; or the
/// joints that make the position singular, with the ways on from there, unless the velocities are along exactly one.
pub fn assemble(model: &Model, t: f64) -> Result<Assembled> {
    check_size(model, t)?;
    let mode = Mode::initial(model);
    let (closing, mut terms) = (mode.closing(model), Terms::of_positions(model));
    let (q, nearest) = positions::positions(model, &closing, t, &mut terms)?;
    failure::check_guesses(model, &q, &terms.numbers)?;
    let mut v = velocities::velocities(model, &mode, t, &q)?;
    let rates = model.coordinate_rates(&q, &v);
    model.assemble_constraints(t, &q, &rates, &closing, &mut terms);
    let rows = Rows {
        model,
        mode: &closing,
        t,
        q: &q,
        v: &rates,
        terms: &terms,
    };
    let left = singular::leave(rows, &mode, &v)?;
    let departure = left.map(|(along, departure)| {
        v = along;
        departure
    });
    let residual = worst_opening(model, &mode, t, &q, &terms).map_or(0.0, |(_, open)| open);
    Ok(Assembled {
        q,
        v,
        residual,
        nearest,
        departure,
    })
}

/// Refuses mechanisms so large that squares of lengths overflow.
fn check_size(model: &Model, t: f64) -> Result<()> {
    let numbers = model.number_values();
    let [size, _] = spread(model, &model.guesses(&numbers), &numbers);
    if size <= MOST {
        return Ok(());
    }
    let message = format!("the mechanism is {size:.1e} large, more than can be computed with");
    Err(Error::new(ErrorKind::Assembly, message)
        .at_time(t)
        .with_value(size)
        .advise("look for places and guesses that are far off, or take another unit of length"))
}

/// Positions of the assembled mechanism where its guesses are farther off than it is large, so that sizes are not measured there; none
/// where they are near, or where it cannot be assembled.
pub fn far_from_guesses(model: &Model, t: f64) -> Option<Vec<f64>> {
    let (numbers, mode) = (model.number_values(), Mode::initial(model).closing(model));
    let guesses = model.guesses(&numbers);
    if relative_opening(model, &mode, t, &guesses, &numbers) <= FAR {
        return None;
    }
    let q = assemble(model, t).ok()?.q;
    let moved = q.iter().zip(&guesses).zip(model.position_kinds());
    let moved = moved.filter(|(_, kind)| *kind == CoordinateKind::Length);
    let farthest = moved.fold(0.0, |most, ((q, guess), _)| f64::max(most, (q - guess).abs()));
    (farthest > model.extent(&q, &numbers)).then_some(q)
}

/// The constraint that is most open at a configuration, with c over the length of its row.
fn worst_opening(model: &Model, mode: &Mode, t: f64, q: &[f64], terms: &Terms) -> Option<(usize, f64)> {
    openings(model, mode, t, q, terms)
        .into_iter()
        .max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Sizes of positions by which the opening of joints is measured: of lengths, and of angles and fractions.
fn spread(model: &Model, q: &[f64], numbers: &[f64]) -> [f64; 2] {
    model.spread(q, [model.extent(q, numbers), 1.0])
}

/// The largest |c| of a row over the change that positions of the size of the mechanism give to it.
fn relative_opening(model: &Model, mode: &Mode, t: f64, q: &[f64], numbers: &[f64]) -> f64 {
    let size = spread(model, q, numbers);
    let constraints = mode.constraints.iter();
    let opening = constraints.flat_map(|&index| {
        let rows = model.rows_at_rest(index, t, q, numbers).into_iter();
        rows.map(move |row| row.c.abs() / model.reach(row.row.iter(), size))
    });
    opening.fold(0.0, |most, open| if open > most || open.is_nan() { open } else { most })
}

/// Every acting constraint with its opening.
fn openings(model: &Model, mode: &Mode, t: f64, q: &[f64], terms: &Terms) -> Vec<(usize, f64)> {
    let opening = |&index: &usize| {
        let rows = model.rows_at_rest(index, t, q, &terms.numbers);
        let most = rows.iter().fold(0.0, |most, row| {
            let length = row.row.max_abs();
            let open = row.c.abs() / if length > 0.0 { length } else { 1.0 };
            if open > most || open.is_nan() { open } else { most }
        });
        (index, most)
    };
    mode.constraints.iter().map(opening).collect()
}
