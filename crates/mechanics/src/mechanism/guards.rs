//! Values of the guards of a mechanism.

use super::nearness::NearScratch;
use super::{FormulationChoice, Mechanism, Workspace};
use crate::error::Result;
use crate::hybrid::At;
use crate::model::force::ForceKind;
use crate::model::gradient::{MotionDuals, MotionGradient, MotionView};
use crate::model::quantity::{Motion, Output, Quantity};
use crate::model::{Mode, Model, Slide};
use crate::scalar::Scalar;

/// Residual, over the length of its row, at which a row taken for redundant is found to be needed.
pub(super) const NEEDED: f64 = 1e-9;

/// Rounding of the values of guards, over the size of what they consist of: a few hundred units in the last place.
pub(super) const ROUNDING: f64 = 1e-13;

/// The value of a guard: all that is said of it, its derivatives follow.
// Made where it is evaluated, never kept.
#[expect(clippy::large_enum_variant)]
pub(super) enum GuardValue<'a> {
    /// A quantity, plus a number.
    Quantity(Quantity, Option<usize>),
    /// An expression.
    Expression(&'a Output),
    /// The share of either side of a guard that the motion slides along.
    Slide(&'a Slide),
    /// The time less a number.
    Since(usize),
    /// [`Mechanism::spare`]. When rows are chosen anew does not matter to the motion: the instant counts as a fixed time.
    Dependent,
}

impl GuardValue<'_> {
    /// Whether accelerations or multipliers are needed.
    pub fn needs_dynamics(&self, model: &Model) -> bool {
        match self {
            Self::Quantity(quantity, _) => quantity.needs_dynamics(),
            Self::Expression(output) => output.needs_dynamics(model),
            Self::Slide(_) => true,
            Self::Since(_) | Self::Dependent => false,
        }
    }

    /// Value at an instant, of rows left out that of a fixed time that is zero.
    pub fn evaluate<S: Scalar>(&self, model: &Model, mode: &Mode, motion: &Motion<S>) -> S {
        match self {
            Self::Quantity(quantity, None) => quantity.evaluate(model, mode, motion),
            Self::Quantity(quantity, Some(number)) => quantity.evaluate(model, mode, motion) + motion.numbers[*number],
            Self::Expression(output) => output.evaluate_over(model, mode, motion),
            Self::Slide(slide) => slide.margin(model, mode, motion.numbers),
            Self::Since(number) => motion.t - motion.numbers[*number],
            Self::Dependent => motion.t,
        }
    }

    /// Adds the gradient, time held.
    pub fn add_gradient(&self, at: &MotionView, duals: &mut MotionDuals, out: &mut MotionGradient) {
        match self {
            Self::Quantity(quantity, number) => {
                quantity.add_gradient(1.0, at, duals, out);
                number.iter().for_each(|number| out.numbers[*number] += 1.0);
            }
            Self::Expression(output) => output.add_gradient(1.0, at, duals, out),
            Self::Slide(slide) => slide.add_margin_gradient(at, duals, out),
            Self::Since(number) => out.numbers[*number] -= 1.0,
            Self::Dependent => {}
        }
    }
}

impl Mechanism {
    /// Contacts whose gaps may be no larger than `reach` at a state, with the numbers loaded; at least these.
    pub(super) fn near_contacts(&self, x: &[f64], reach: f64, workspace: &Workspace) -> Vec<usize> {
        let mut scratch = NearScratch::default();
        let within = |i: usize| [x[i]; 2];
        self.nearness
            .find(&self.model, &workspace.terms.numbers, &within, reach, &mut scratch);
        scratch.found
    }

    pub(super) fn is_one_sided(&self, force: usize) -> bool {
        matches!(&self.model.forces[force].kind, ForceKind::Line(line) if line.side != 0.0)
    }

    /// Whether a one-sided spring is beyond its acting side.
    pub(super) fn is_slack(&self, force: usize, at: At<Mode>, workspace: &mut Workspace) -> bool {
        self.load(at, &mut workspace.terms);
        let motion = self.motion(at, workspace);
        let beyond = Quantity::Engagement(force).evaluate(&self.model, at.mode, &motion);
        let engagement = if at.mode.slack[force] { -beyond } else { beyond };
        self.is_one_sided(force) && engagement < 0.0
    }

    pub(super) fn needs_independent_rows(&self) -> bool {
        !matches!(self.choices.formulation, FormulationChoice::Penalty(_))
    }

    /// The gap of a carried contact, where what carries it is closed: between the ends of a step the interpolant leaves that open by
    /// the tolerance.
    pub(super) fn carried_gap(&self, value: &GuardValue, at: At<Mode>, workspace: &mut Workspace) -> Result<f64> {
        let (mut x, regularity) = (std::mem::take(&mut workspace.closed), workspace.regularity);
        x.clear();
        x.extend_from_slice(at.x);
        let found = self.project_state(at.t, at.mode, &mut x, workspace).map(|_| {
            let closed = At::new(at.t, at.mode, &x);
            self.load(closed, &mut workspace.terms);
            value.evaluate(&self.model, at.mode, &self.motion(closed, workspace))
        });
        (workspace.closed, workspace.regularity) = (x, regularity);
        found
    }

    /// How far the rows left out are from being needed.
    pub(super) fn spare(&self, at: At<Mode>, workspace: &mut Workspace) -> f64 {
        let (mode, terms) = (at.mode, &mut workspace.terms);
        self.assemble_constraints(at, terms);
        let residual = (0..mode.rows)
            .filter(|row| mode.independent.binary_search(row).is_err())
            .fold(0.0, |most, row| {
                f64::max(most, terms.c[row].abs() / terms.jacobian.row_size(row))
            });
        NEEDED - residual
    }
}
