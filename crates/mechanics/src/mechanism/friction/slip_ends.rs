//! The last of slip in space, as its direction turns (theory, after 4.14).

use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::At;
use crate::linear::dot;
use crate::mechanism::jump::Next;
use crate::mechanism::{Mechanism, Workspace};
use crate::model::quantity::{Motion, Output};
use crate::model::quaternion::cross;
use crate::model::tangential::{Parts, direction};
use crate::model::{Grip, Hold, Mode};
use crate::scalar::each;

/// Turn of the direction for a difference quotient, in radians: what it tells multiplies a slip velocity that is nearly rounding.
const TURN: f64 = 1e-4;

/// Change of a value over its size and the turn, from which it follows from the direction.
const READ: f64 = 1e-7;

/// Largest part across the direction that is held, over that along it.
const MOST_ACROSS: f64 = 10.0;

/// Least deceleration over that along the direction that is held.
const LEAST: f64 = 0.1;

impl Mechanism {
    /// Takes note, of what slips and comes to rest, of what its slip velocity has no part along in the end.
    ///
    /// # Errors
    /// As for the motion.
    pub(super) fn take_ends(&self, before: &[Grip], next: &mut Next, workspace: &mut Workspace) -> Result<()> {
        for k in 0..next.mode.grips.len() {
            let own = next.mode.grips[k];
            if own.hold == Hold::SlipEnds {
                let known = |grip: &&Grip| (grip.friction, grip.hold, grip.held) == (own.friction, own.hold, own.held);
                next.mode.grips[k].ends = match before.iter().find(known) {
                    Some(earlier) => earlier.ends,
                    None => self.ends(k, next, workspace)?,
                };
            }
        }
        Ok(())
    }

    /// The gradient of the time that is left, by the slip velocity: across what a turn of the direction does to the acceleration.
    fn ends(&self, k: usize, next: &Next, workspace: &mut Workspace) -> Result<[f64; 3]> {
        let (friction, at) = (next.mode.grips[k].friction, next.at());
        let turned = self.turned(k, at, workspace);
        let mut acceleration = |at: At<Mode>| {
            self.evaluate_motion(at, true, workspace)?;
            Ok(self.model.slip_acceleration(friction, &self.motion(at, workspace)))
        };
        let mut slopes = [[0.0; 3]; 2];
        for (slope, [one, other]) in slopes.iter_mut().zip(&turned) {
            let [one, other] = [
                acceleration(At { mode: one, ..at })?,
                acceleration(At { mode: other, ..at })?,
            ];
            *slope = each(|i| (one[i] - other[i]) / (2.0 * TURN.sin()));
        }
        let still = acceleration(at)?;
        let motion = self.motion(at, workspace);
        let (along, across) = self.around(friction, &motion);
        let parts = beyond(slopes, along, &across);
        let serves = dot(&parts, &still) < LEAST * dot(&along, &still);
        Ok(self
            .model
            .direction_along(friction, if serves { parts } else { along }, &motion))
    }

    /// Refuses derivatives of a value, which an objective reads, by a direction of slip that is held.
    ///
    /// # Errors
    /// Kind `Event` where the value follows from one; as for the motion.
    pub fn check_direction(
        &self,
        (objective, value): (&str, &Output),
        at: At<Mode>,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let held = (0..at.mode.grips.len()).filter(|&k| at.mode.grips[k].hold == Hold::SlipEnds);
        let mut followed = None;
        for k in held {
            for [one, other] in self.turned(k, at, workspace) {
                let mut read = |mode: &Mode| {
                    let at = At { mode, ..at };
                    self.evaluate_motion(at, true, workspace)?;
                    Ok(value.evaluate(&self.model, mode, &self.motion(at, workspace)))
                };
                let [one, other] = [read(&one)?, read(&other)?];
                if (one - other).abs() > READ * TURN * f64::max(one.abs(), other.abs()) {
                    followed = Some(at.mode.grips[k].friction);
                }
            }
        }
        let Some(friction) = followed else { return Ok(()) };
        let (text, name) = (value.expression.text(), self.model.rubbed_name(friction));
        let message = format!(
            "`{text}` follows from the direction of the slip of \"{name}\", which has no derivative where that ends"
        );
        let error = Error::new(ErrorKind::Event, message).named(objective).at_time(at.t);
        Err(error.advise("read it a moment earlier, by `At`, or after the slip has ended"))
    }

    /// The mode with a direction that is held turned to either side, for each direction across it.
    fn turned(&self, k: usize, at: At<Mode>, workspace: &Workspace) -> Vec<[Mode; 2]> {
        let (friction, motion) = (at.mode.grips[k].friction, self.motion(at, workspace));
        let (along, across) = self.around(friction, &motion);
        let turned = |t: [f64; 3], by: f64| {
            let parts: Parts<f64> = each(|i| along[i] * by.cos() + t[i] * by.sin());
            let mut mode = at.mode.clone();
            mode.grips[k].held = self.model.direction_along(friction, parts, &motion);
            mode
        };
        across
            .into_iter()
            .map(|t| [TURN, -TURN].map(|by| turned(t, by)))
            .collect()
    }

    /// The direction of slip, and those across it, by the tangents.
    fn around(&self, friction: usize, motion: &Motion<f64>) -> ([f64; 3], Vec<[f64; 3]>) {
        let along = direction(self.model.slip_velocity(friction, motion));
        let across = match self.model.frictions[friction].numbers.len() {
            3 => normals(along).to_vec(),
            _ => vec![[-along[1], along[0], 0.0]],
        };
        (along, across)
    }
}

/// Two directions across one, and each other.
fn normals(along: [f64; 3]) -> [[f64; 3]; 2] {
    let least = (0..3).fold(
        0,
        |least, k| if along[k].abs() < along[least].abs() { k } else { least },
    );
    let unit = each(|k| if k == least { 1.0 } else { 0.0 });
    let first = direction(cross(along, unit));
    [first, cross(along, first)]
}

/// What has one part along a direction and none along the slopes; that direction where this is far from it.
fn beyond(slopes: [[f64; 3]; 2], along: [f64; 3], across: &[[f64; 3]]) -> [f64; 3] {
    let product = |i: usize, j: usize| dot(&slopes[i], &across[j]);
    let right = slopes.map(|slope| -dot(&slope, &along));
    let parts = match across.len() {
        1 => [right[0] / product(0, 0), 0.0],
        _ => {
            let determinant = product(0, 0) * product(1, 1) - product(0, 1) * product(1, 0);
            [
                (right[0] * product(1, 1) - right[1] * product(0, 1)) / determinant,
                (right[1] * product(0, 0) - right[0] * product(1, 0)) / determinant,
            ]
        }
    };
    if !parts.iter().all(|part| part.abs() <= MOST_ACROSS) {
        return along;
    }
    let across = across.iter().zip(parts);
    across.fold(along, |sum, (t, part)| each(|k| sum[k] + part * t[k]))
}
