//! Springs and dampers whose ends meet, and bushings that turn by pi: the direction of their force or torque turns round within a
//! step, which neither the motion nor its derivatives resolve.

use crate::error::{Error, ErrorKind, Result};
use crate::mechanism::Mechanism;
use crate::model::force::ForceKind;
use crate::model::{Mode, Model};

/// Distance at which the ends of a spring pass each other within a step, over that at its ends, at which they meet: a quick turn
/// stays farther away.
const BESIDE: f64 = 0.02;

/// The ends of springs along the steps of a run.
#[derive(Debug)]
pub(in crate::run) struct Meetings<'a> {
    model: &'a Model,
    numbers: Vec<f64>,
    /// Springs whose force depends on their direction where their ends meet, or would if a parameter changed, with the vector
    /// between these.
    spans: Vec<(usize, [f64; 3])>,
    /// Bushings, with the relative quaternion of their ends.
    turns: Vec<(usize, [f64; 4])>,
    /// The first meeting of each.
    found: Vec<(usize, f64)>,
}

impl<'a> Meetings<'a> {
    pub fn new(mechanism: &'a Mechanism) -> Self {
        let (model, numbers) = (&mechanism.model, mechanism.model.number_values());
        let mut varied = numbers.clone();
        for (value, number) in varied.iter_mut().zip(&model.numbers) {
            if !number.gradient.is_empty() {
                *value = f64::NAN;
            }
        }
        let turning = (0..model.forces.len()).filter(|&force| model.turns_round(force, &varied));
        let (bushings, springs): (Vec<usize>, Vec<usize>) = turning.partition(|&force| is_bushing(model, force));
        Self {
            model,
            spans: springs.into_iter().map(|force| (force, [0.0; 3])).collect(),
            turns: bushings
                .into_iter()
                .map(|force| (force, [1.0, 0.0, 0.0, 0.0]))
                .collect(),
            numbers,
            found: Vec::new(),
        }
    }

    /// Looks at positions that the motion has come to: at a start, or at the end of a step.
    pub fn visit(&mut self, t: f64, mode: &Mode, q: &[f64], is_start: bool) {
        for (force, span) in &mut self.spans {
            let Some(next) = self.model.span(*force, q, &self.numbers) else {
                continue;
            };
            let known = self.found.iter().any(|(found, _)| found == force);
            let turns = || self.model.turns_round(*force, &self.numbers);
            let meets = match is_start {
                // What turns has no value there.
                true => next == [0.0; 3] && !turns(),
                false => meet(*span, next) && turns(),
            };
            if meets && mode.force_acts(*force) && !known {
                self.found.push((*force, t));
            }
            *span = next;
        }
        for (force, turn) in &mut self.turns {
            let Some(next) = self.model.bushing_turn(*force, q, &self.numbers) else {
                continue;
            };
            // The scalar part is the cosine of half the angle; a quaternion of the motion does not jump to the opposite one.
            let known = self.found.iter().any(|(found, _)| found == force);
            if !is_start && turn[0] * next[0] < 0.0 && mode.force_acts(*force) && !known {
                self.found.push((*force, t));
            }
            *turn = next;
        }
    }

    /// What a report says of them.
    pub fn remarks(&self) -> impl Iterator<Item = String> {
        let turns = |force: usize| self.model.turns_round(force, &self.numbers);
        self.found.iter().filter(move |(force, _)| turns(*force)).map(|&(force, t)| {
            let name = &self.model.forces[force].name;
            if is_bushing(self.model, force) {
                return format!(
                    "\"{name}\" turns by pi at about {t:.6} s: its torque turns round there within a step, so that neither energy nor \
                     motion are accurate from then on"
                );
            }
            format!(
                "the ends of \"{name}\" meet at about {t:.6} s: its force turns round there within a step, so that neither energy \
                 nor motion are accurate from then on"
            )
        })
    }

    /// Refuses derivatives of a motion through them.
    ///
    /// # Errors
    /// Kind `Event`, naming the first.
    pub fn refuse(&self) -> Result<()> {
        let Some(&(force, t)) = self.found.first() else {
            return Ok(());
        };
        let name = &self.model.forces[force].name;
        if is_bushing(self.model, force) {
            let message =
                format!("\"{name}\" turns by pi: its torque turns round there, and the motion has no derivative");
            return Err(Error::new(ErrorKind::Event, message).named(name).at_time(t).advise(
                "raise its torsional stiffness or damping, or turn its marker so that it starts farther from half a turn",
            ));
        }
        let message =
            format!("the ends of \"{name}\" meet: its force turns round there, and the motion has no derivative");
        Err(Error::new(ErrorKind::Event, message).named(name).at_time(t).advise(
            "move an end so that they pass beside each other, or write the force as a load or a spring without natural length and damping, also by no parameter",
        ))
    }
}

fn is_bushing(model: &Model, force: usize) -> bool {
    matches!(model.forces[force].kind, ForceKind::Bushing(_))
}

/// Whether the straight way from one vector to another leads past zero.
fn meet(before: [f64; 3], after: [f64; 3]) -> bool {
    let dot = |a: [f64; 3], b: [f64; 3]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let way: [f64; 3] = std::array::from_fn(|k| after[k] - before[k]);
    let part = -dot(before, way) / dot(way, way);
    let nearest: [f64; 3] = std::array::from_fn(|k| before[k] + part * way[k]);
    let least = dot(before, before).min(dot(after, after));
    (0.0..1.0).contains(&part) && dot(before, after) < 0.0 && dot(nearest, nearest) <= BESIDE * BESIDE * least
}

#[cfg(test)]
mod tests {
    use super::meet;

    #[test]
    fn ends_meet_where_they_pass_each_other_and_not_where_a_spring_turns_quickly() {
        assert!(meet([0.3, 0.0, 0.0], [-0.2, 0.0, 0.0]) && meet([0.3, 1e-4, 0.0], [-0.2, 1e-4, 0.0]));
        let turned = |angle: f64| [angle.cos(), angle.sin(), 0.0];
        assert!(!meet(turned(0.0), turned(1.0)) && !meet(turned(0.0), turned(2.8)));
        assert!(!meet([0.3, 0.0, 0.0], [0.1, 0.0, 0.0]) && !meet([0.0; 3], [0.0; 3]));
    }
}
