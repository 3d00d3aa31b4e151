//! Friction in joints: on which sides guides are pressed, and what has no unique motion.

use super::scratch::{LEAST_PIVOT, Response};
use crate::error::{Error, ErrorKind, Result};
use crate::formulation::select_rows;
use crate::hybrid::At;
use crate::linear::{in_units, independent_rows_after, max_abs};
use crate::mechanism::impact_problem::{INDEPENDENCE, Origin};
use crate::mechanism::jump::{Next, Request};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::quantity::{Motion, Quantity, Rubbing};
use crate::model::tangential::size;
use crate::model::{Grip, Hold, Mode, Press, Rubbed};

/// Impulses below this, over the largest, are rounding.
const NO_IMPULSE: f64 = 1e-9;

impl Mechanism {
    /// The joints with friction that hold.
    pub(super) fn rubbing_joints(&self, mode: &Mode) -> Vec<usize> {
        let holds = |friction: &usize| match self.model.frictions[*friction].rubbed {
            Rubbed::Joint(group, _) => mode.groups[group],
            Rubbed::Contact(_) => false,
        };
        (0..self.model.frictions.len()).filter(holds).collect()
    }

    /// Takes the signs of the normal forces of joints that slip from the motion, and reports those that change: from then on they
    /// belong to the mode. A force that has just passed zero has the other sign, one that is zero that of before.
    pub(super) fn take_press_sides(
        &self,
        before: &[Grip],
        next: &mut Next,
        request: &mut Request,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let pressed = |grip: &&Grip| grip.hold.slips() && self.model.frictions[grip.friction].ends() > 0;
        if !next.mode.grips.iter().any(|grip| pressed(&grip)) {
            return Ok(());
        }
        self.evaluate_motion(next.at(), true, workspace)?;
        let noise = self.force_noise(workspace);
        let mut grips = next.mode.grips.clone();
        for grip in grips.iter_mut().filter(|grip| pressed(&&**grip)) {
            let earlier = before.iter().find(|other| other.friction == grip.friction);
            for k in 0..self.model.frictions[grip.friction].ends() {
                let old = earlier.map_or(0, |earlier| earlier.sides[k]);
                let passed = request.passed_zero.contains(&(grip.friction, k));
                let force = self.normal_force((grip.friction, k), next.at(), workspace);
                grip.sides[k] = match (force.abs() <= noise, passed) {
                    (true, false) if old != 0 => old,
                    (true, true) if old != 0 => -old,
                    _ => {
                        if force < 0.0 {
                            -1
                        } else {
                            1
                        }
                    }
                };
                if passed && grip.sides[k] != old {
                    request.report(self.model.rubbed_name(grip.friction), "side");
                }
            }
        }
        next.mode.grips = grips;
        Ok(())
    }

    /// Refuses joints whose friction follows from a reaction that the motion does not determine.
    ///
    /// # Errors
    /// Kind `Singular`, naming the joint.
    pub(super) fn check_reactions(&self, joints: &[usize], next: &mut Next, workspace: &mut Workspace) -> Result<()> {
        if joints.is_empty() {
            return Ok(());
        }
        self.load_memory(next.x, &mut workspace.terms);
        self.assemble_constraints(next.at(), &mut workspace.terms);
        select_rows(next.mode, &workspace.terms);
        if next.mode.independent.len() == next.mode.rows {
            return Ok(());
        }
        let (jacobian, nv) = (&workspace.terms.jacobian, self.model.nv());
        for &friction in joints {
            let pressing = self.model.pressing_constraints(friction).into_iter().flatten();
            let own = pressing.filter_map(|constraint| {
                let first = next.mode.row_of(constraint)?;
                Some(first..first + self.model.constraints[constraint].rows)
            });
            for row in own.flatten() {
                let order = (0..next.mode.rows).filter(|&other| other != row).chain([row]);
                let mut rows = vec![0.0; next.mode.rows * nv];
                for (slot, index) in rows.chunks_exact_mut(nv).zip(order) {
                    jacobian.row(index).add_to(1.0, slot);
                }
                let others = next.mode.rows - 1;
                let independent = independent_rows_after(others, &in_units(&rows, jacobian.units()), nv, INDEPENDENCE);
                if !independent.contains(&others) {
                    return Err(self.redundant(friction, next.t));
                }
            }
        }
        Ok(())
    }

    #[cold]
    fn redundant(&self, friction: usize, t: f64) -> Error {
        let name = self.model.rubbed_name(friction);
        let message = format!(
            "\"{name}\" rubs in proportion to its reaction, which the motion does not determine: other joints hold the same"
        );
        let error = Error::new(ErrorKind::Singular, message).named(name).at_time(t);
        error.advise("leave out a redundant joint (`costate check` names them), or give the friction by `Preload`")
    }

    /// A normal force of a joint, at the motion evaluated last.
    fn normal_force(&self, (friction, k): (usize, usize), at: At<Mode>, workspace: &Workspace) -> f64 {
        let mut mode = at.mode.clone();
        for grip in mode.grips.iter_mut().filter(|grip| grip.friction == friction) {
            grip.sides = [1; 2];
        }
        let motion = self.motion(at, workspace);
        Quantity::Friction(friction, Rubbing::Side(k)).evaluate(&self.model, &mode, &motion)
    }

    /// Refuses a joint whose friction grows as fast as what presses it, and one whose friction is negative.
    ///
    /// # Errors
    /// Kind `Singular`, naming the joint and the coefficient at which this ends; kind `Event` for friction that is negative.
    pub(super) fn check_locking(
        &self,
        at: At<Mode>,
        grip: &Grip,
        unit: &Response,
        workspace: &Workspace,
    ) -> Result<()> {
        let friction = &self.model.frictions[grip.friction];
        let Some(press) = friction.press() else {
            return Ok(());
        };
        let motion = self.motion(at, workspace);
        if let Press::Given(given) = press {
            let own = friction.local.gather_numbers::<f64>(motion.numbers);
            let [at_rest, slipping] = given.each_ref().map(|bound| bound.evaluate_as_written(at.t, &own));
            let wrong = slipping < 0.0 || at_rest < slipping;
            return if wrong {
                Err(self.unsorted(grip.friction, [at_rest, slipping], at.t))
            } else {
                Ok(())
            };
        }
        if !grip.hold.slips() {
            return Ok(());
        }
        let [_, by_load] = self.model.balances(grip, at.mode, &motion);
        let changed = Motion {
            lambda: &unit.lambda,
            ..motion
        };
        let response = self.model.press_response(grip.friction, at.mode, &changed);
        if size(by_load) * response >= 1.0 - LEAST_PIVOT {
            return Err(self.locks(grip.friction, 1.0 / response, at.t));
        }
        Ok(())
    }

    #[cold]
    fn locks(&self, friction: usize, limit: f64, t: f64) -> Error {
        let name = self.model.rubbed_name(friction);
        let message = format!(
            "\"{name}\" locks itself: its friction presses it as much as it rubs, and the motion is not unique"
        );
        Error::new(ErrorKind::Singular, message)
            .named(name)
            .at_time(t)
            .with_value(limit)
            .advise(format!(
                "lower the coefficient of friction below the limit, which is {limit:.6} here"
            ))
    }

    #[cold]
    fn unsorted(&self, friction: usize, [at_rest, slipping]: [f64; 2], t: f64) -> Error {
        let name = self.model.rubbed_name(friction);
        let message =
            format!("the friction of \"{name}\" is {slipping} while it slips, and at most {at_rest} while it sticks");
        Error::new(ErrorKind::Event, message)
            .named(name)
            .at_time(t)
            .with_value(slipping)
            .advise("let `kinetic` be at least zero, and `static` not below it, at all times: `max(.., 0)` keeps an expression there")
    }

    /// Newton's method for the friction forces does not end.
    #[cold]
    pub(super) fn unsettled(&self, at: At<Mode>) -> Error {
        let joints = at.mode.grips.iter().map(|grip| self.model.rubbed_name(grip.friction));
        let names = crate::mechanism::forced::listed(joints);
        let name = at
            .mode
            .grips
            .first()
            .map_or("", |grip| self.model.rubbed_name(grip.friction));
        let begins = |grip: &Grip| grip.hold == Hold::SlipBegins && self.model.is_foot(grip, at.mode);
        let (why, advice) = match at.mode.grips.iter().any(begins) {
            true => (
                "in which direction feet on one line begin to slip is open, as they are pulled across it",
                "lower the coefficients of friction, move the pull a little, or let a foot beside the line rub too",
            ),
            false => (
                "the friction of one presses the others too much",
                "lower the coefficients of friction",
            ),
        };
        let message = format!("the friction forces of {names} are not unique: {why}");
        let error = Error::new(ErrorKind::Singular, message).named(name).at_time(at.t);
        error.advise(advice)
    }

    /// Refuses an impulse that acts on a joint whose friction follows from its reaction.
    ///
    /// # Errors
    /// Kind `Event`, naming the joint.
    pub(in crate::mechanism) fn check_joint_impulses(
        &self,
        at: At<Mode>,
        joined: &[usize],
        workspace: &Workspace,
    ) -> Result<()> {
        let struck = self.joints_left_out(at.mode, workspace);
        let Some(&friction) = struck
            .iter()
            .find(|&&friction| self.coefficient_of(friction, workspace) > 0.0)
        else {
            return Ok(());
        };
        let name = self.model.rubbed_name(friction);
        if let Some(&group) = joined.first() {
            return Err(self.driven_while_rubbing(group, name, "friction by `Preload`", at.t));
        }
        let message = format!(
            "an impact acts on \"{name}\", whose friction follows from its reaction, together with contacts that stick or flip, or with \
             what an event sets or joins, or on a shaft, face or ball that rubs in several directions, which is not possible yet"
        );
        let error = Error::new(ErrorKind::Event, message).named(name).at_time(at.t);
        Err(error.advise("give its friction by `Preload`, or let what strikes follow `Restitution` or `Friction`"))
    }

    /// Frictions of joints that the impact solved last acts on, and that take no part in it.
    pub(super) fn joints_left_out(&self, mode: &Mode, workspace: &Workspace) -> Vec<usize> {
        let Some(plan) = workspace.plan.as_ref().filter(|_| !self.model.frictions.is_empty()) else {
            return Vec::new();
        };
        let least = NO_IMPULSE * max_abs(&workspace.terms.mass.times(&plan.before).collect::<Vec<f64>>());
        let takes_part = |friction: usize| {
            let mut joints = workspace.stages.iter().flat_map(|stage| &stage.joints);
            joints.any(|(other, _)| *other == friction)
        };
        let is_struck = |&friction: &usize| {
            let pressing = self.model.pressing_constraints(friction).into_iter().flatten();
            let struck = self.impulses_of(&pressing.collect::<Vec<usize>>(), workspace);
            !takes_part(friction) && max_abs(&struck) > least
        };
        let mut joints = self.rubbing_joints(mode);
        joints.retain(is_struck);
        joints
    }

    /// Friction of what slips, over what presses it.
    pub(super) fn coefficient_of(&self, friction: usize, workspace: &Workspace) -> f64 {
        workspace.terms.numbers[self.coefficient_number(friction)]
    }

    fn coefficient_number(&self, friction: usize) -> usize {
        let own = &self.model.frictions[friction];
        own.local.numbers[own.coefficients[1]]
    }

    /// Parameters that coefficients of friction which are zero follow, where the impact solved last acts on what they belong to and friction
    /// cannot take part: no motion with more of it is known. Each with the name of what would rub.
    pub fn coefficients_left_out(&self, mode: &Mode, workspace: &Workspace) -> Vec<(usize, &str)> {
        let mut struck = self.joints_left_out(mode, workspace);
        struck.extend(self.contacts_left_out(workspace));
        struck.retain(|&friction| self.coefficient_of(friction, workspace) == 0.0);
        let follow = |friction: usize| {
            let gradient = &self.model.numbers[self.coefficient_number(friction)].gradient;
            gradient
                .iter()
                .map(move |(parameter, _)| (*parameter, self.model.rubbed_name(friction)))
        };
        struck.into_iter().flat_map(follow).collect()
    }

    /// Impulses in the rows of constraints, of the impact solved last.
    fn impulses_of(&self, constraints: &[usize], workspace: &Workspace) -> Vec<f64> {
        let nv = self.model.nv();
        let of_stages = workspace.stages.iter().flat_map(|stage| {
            let rows = stage.bilateral.iter().zip(&stage.unknowns[nv..]);
            rows.filter(|((constraint, _), _)| constraints.contains(constraint))
                .map(|(_, impulse)| *impulse)
        });
        let plan = workspace.plan.iter();
        let of_plan = plan.flat_map(|plan| {
            let rows = plan.rows.iter().zip(&plan.solution.impulses);
            let own = |origin: &Origin| matches!(origin, Origin::Constraint { constraint, .. } if constraints.contains(constraint));
            rows.filter(move |(row, _)| own(&row.origin)).map(|(_, impulse)| *impulse)
        });
        of_stages.chain(of_plan).collect()
    }
}
