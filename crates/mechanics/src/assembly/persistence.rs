//! Parameters that a start from a singular position has derivatives by: those that keep the position singular, and the
//! velocities along its branch (theory, 5.6).

use super::AssemblyTangent;
use super::branch::{Branches, Choice};
use super::change::{Change, OPENS};
use super::dependence::Rows;

const OPEN: &str = "the position is singular for this value only: let lengths and positions that keep it so follow from one \
    parameter";
const OFF: &str =
    "the velocities are along the branch for this value only: let all that are held follow from one parameter";
const DECIDED: &str =
    "the branch decides velocities, and these follow this parameter: hold all velocities that the branch has";

/// The singular position of a start.
pub(super) struct Persistence<'a> {
    assembly: &'a AssemblyTangent<'a>,
    branches: Branches<'a>,
    /// Accelerations that the rows allow; none where the branch decides velocities.
    a: Option<Vec<f64>>,
}

impl<'a> Persistence<'a> {
    /// Of an assembly with these rates of its coordinates; none where its position is regular.
    pub fn new(assembly: &'a AssemblyTangent<'a>, rates: &'a [f64]) -> Option<Self> {
        let AssemblyTangent {
            model,
            mode,
            t,
            q,
            v,
            terms,
            ..
        } = assembly;
        let branches = Branches::new(Rows {
            model,
            mode,
            t: *t,
            q,
            v: rates,
            terms,
        })?;
        let a = match branches.choose(v) {
            Choice::One(_, departure, false) => branches.accelerations(v, &departure.along),
            _ => None,
        };
        Some(Self { assembly, branches, a })
    }

    /// Names of the joints whose rows depend on each other.
    pub fn joints(&self) -> Vec<String> {
        self.branches.joints()
    }

    /// Why a parameter has no derivatives, if the start by other values of it is of another kind.
    pub fn ends(&self, change: &Change) -> Option<&'static str> {
        let Some(a) = &self.a else {
            return Some(DECIDED);
        };
        let (assembly, branches, rows) = (self.assembly, &self.branches, &self.branches.redundancy.rows);
        let (dq, dv) = assembly.along(change.t[0], &change.numbers[0]);
        let reach = branches.reach(&dq).max(1.0 / change.size);
        let stays = change.direction(0, &dq, &[]);
        let turns = |motion: &[f64]| branches.exceed(&rows.rates_along(motion, &stays, 0.0), OPENS * reach);
        if branches.motions.column_iter().any(|motion| turns(motion.as_slice())) || self.opens(change, &dq, reach) {
            return Some(OPEN);
        }
        let (v, speed) = (&assembly.v, branches.speed(&assembly.v));
        let pushed = rows.rates_along(v, &stays, 1.0);
        let bent = rows.accelerations_along([v, a], &change.direction(0, &dq, &dv));
        let moved = speed * reach + branches.speed(&dv);
        let ends = branches.exceed(&pushed, OPENS * moved) || branches.exceed(&bent, OPENS * speed * moved);
        ends.then_some(OFF)
    }

    /// Whether the joints open to second order, which motions do not make good where the position stays singular.
    fn opens(&self, change: &Change, dq: &[f64], reach: f64) -> bool {
        let (rows, mut bent) = (&self.branches.redundancy.rows, vec![0.0; dq.len()]);
        // Turns of bodies in space stay of unit length.
        for frame in &rows.model.frames {
            let turn = frame.first + 3..frame.first + 7;
            let square: f64 = dq[turn.clone()].iter().map(|change| change * change).sum();
            turn.for_each(|i| bent[i] = -square * rows.q[i]);
        }
        let (first, second) = (change.direction(0, dq, &[]), change.direction(1, &bent, &[]));
        let second = rows.second(&first, &second);
        self.branches.exceed(&second, OPENS * reach * reach)
    }
}
