//! The terms of the equations of motion at a state: M, f, C, c, c', gamma.

use super::body::Body;
use super::by_hand::{ByHand, RowTerms};
use super::constraint::{Constraint, ConstraintKind, MAX_ROWS};
use super::force::LinearSpring;
use super::instant::Instant;
use super::lift::Lift;
use super::local::{MAX_LOCAL, Scratch};
use super::{Matrix, Mode, Model};
use crate::scalar::Dual2;

/// Terms at one state; all arrays are sized once for the largest mode.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Numbers followed by memory. Memory is written by the caller before assembly; numbers that follow the motion by
    /// [`Model::assemble`].
    pub numbers: Vec<f64>,
    /// M, with the velocities of the bodies as columns; written by [`Model::assemble`].
    pub mass: Matrix,
    /// f: weight, inertia and applied forces, nv; written by [`Model::assemble`].
    pub force: Vec<f64>,
    /// C, the rows in use, with the velocities of their constraints as columns; written by [`Model::assemble`].
    pub jacobian: Matrix,
    /// c, one per row; written by [`Model::assemble`].
    pub c: Vec<f64>,
    /// c' = C v + c_t, one per row; written by [`Model::assemble`].
    pub rate: Vec<f64>,
    /// c_t, one per row; written by [`Model::assemble`].
    pub c_t: Vec<f64>,
    /// gamma with c'' = C a + gamma, one per row; written by [`Model::assemble`].
    pub gamma: Vec<f64>,
    /// nq zeros: velocities of a mechanism at rest.
    pub still: Vec<f64>,
    /// Rows in use.
    pub rows: usize,
    /// Changes whenever M does; written by [`Model::assemble`].
    pub mass_version: u64,
    /// Bodies whose mass matrix depends on the configuration.
    moving_mass: bool,
    /// M of the bodies whose mass matrix never changes; written once.
    constant_mass: Matrix,
    /// f of the bodies whose weight never changes; written once.
    constant_force: Vec<f64>,
    /// Forces and constraints of the hot path with the model's own indices, where nothing need be gathered or scattered.
    pub(super) springs: Vec<Option<LinearSpring>>,
    pub(super) by_hand: Vec<Option<ByHand>>,
    /// Arguments of the element at hand.
    pub(super) scratch: Scratch,
    /// What elements see where there are rigid bodies in space.
    pub(super) lift: Option<Box<Lift>>,
    /// Jacobian rows of the constraint at hand.
    local_jacobian: [f64; MAX_LOCAL * MAX_ROWS],
}

impl Terms {
    /// Workspace for a model.
    pub fn new(model: &Model) -> Self {
        in_dimension!(model.dimension, D => Self::sized::<D>(model))
    }

    /// Workspace for the rows over the coordinates themselves: velocities are rates of these, and there are no forces.
    pub fn of_positions(model: &Model) -> Self {
        let mut terms = Self::new(model);
        if terms.lift.take().is_some() {
            terms.jacobian = Matrix::of_positions(model);
            // By hand are velocities.
            terms.by_hand.fill(None);
        }
        terms
    }

    fn sized<const D: usize>(model: &Model) -> Self {
        let nv = model.nv();
        let most_rows: usize = model.constraints.iter().map(|constraint| constraint.rows).sum();
        let numbers = model.number_values();
        let units = model.units(&numbers);
        let mut constant_mass = Matrix::of_bodies(model).with_units(&units);
        let rest = vec![0.0; model.nq()];
        let mut constant_force = rest.clone();
        for body in model.bodies.iter().filter(|body| !body.is_configuration_dependent()) {
            let columns = model.velocities_of(&body.local.coordinates);
            body.add_mass::<D>(&rest, &numbers, &columns, &mut constant_mass);
            body.add_force::<D>(&rest, &rest, &numbers, &mut constant_force);
        }
        let springs: Vec<_> = model.forces.iter().map(|force| model.spring_by_hand(force)).collect();
        let by_hand: Vec<_> = model
            .constraints
            .iter()
            .map(|row| model.constraint_by_hand(row))
            .collect();
        let mut lift = (!model.frames.is_empty()).then(|| Box::new(Lift::new(model)));
        if let Some(lift) = &mut lift {
            model.write_transposed(&rest, &constant_force, &mut lift.constant_force);
            // The lengths of quaternions act in the assembly only.
            let is_length = |row: &Constraint| matches!(row.kind, ConstraintKind::Unit(_));
            let mut rows = model.constraints.iter().zip(&by_hand);
            let all = rows.all(|(row, by_hand)| by_hand.is_some() || is_length(row));
            let forces = springs.iter().zip(&lift.forces);
            lift.by_hand = all
                && forces
                    .into_iter()
                    .all(|(spring, force)| spring.is_some() || force.is_some());
        }
        Self {
            numbers,
            mass: constant_mass.clone(),
            mass_version: 0,
            moving_mass: model.bodies.iter().any(Body::is_configuration_dependent),
            force: vec![0.0; nv],
            jacobian: Matrix::of_constraints(model).with_units(&units),
            c: vec![0.0; most_rows],
            rate: vec![0.0; most_rows],
            c_t: vec![0.0; most_rows],
            gamma: vec![0.0; most_rows],
            still: rest,
            rows: 0,
            constant_mass,
            constant_force,
            springs,
            by_hand,
            scratch: Scratch::default(),
            lift,
            local_jacobian: [0.0; MAX_LOCAL * MAX_ROWS],
        }
    }
}

impl Model {
    /// M at a configuration.
    pub fn mass(&self, q: &[f64], numbers: &[f64]) -> Matrix {
        let mut mass = Matrix::of_bodies(self);
        for body in &self.bodies {
            let columns = self.velocities_of(&body.local.coordinates);
            in_dimension!(self.dimension, D => body.add_mass::<D>(q, numbers, &columns, &mut mass))
        }
        mass
    }

    /// Writes M, f, C, c, c', c_t and gamma at a state into the terms (theory, section 1).
    pub fn assemble(&self, t: f64, q: &[f64], v: &[f64], mode: &Mode, terms: &mut Terms) {
        in_dimension!(self.dimension, D => self.assemble_in::<D>(t, q, v, mode, terms))
    }

    /// Writes the constraint terms only.
    pub fn assemble_constraints(&self, t: f64, q: &[f64], v: &[f64], mode: &Mode, terms: &mut Terms) {
        in_dimension!(self.dimension, D => self.assemble_constraints_in::<D>(t, q, v, mode, terms))
    }

    fn assemble_in<const D: usize>(&self, t: f64, q: &[f64], v: &[f64], mode: &Mode, terms: &mut Terms) {
        if terms.lift.is_some() {
            self.assemble_lifted::<D>(t, q, v, mode, terms);
            return;
        }
        self.follow(mode, t, q, v, &mut terms.numbers);
        terms.force.copy_from_slice(&terms.constant_force);
        if terms.moving_mass {
            terms.begin_mass();
            for body in self.bodies.iter().filter(|body| body.is_configuration_dependent()) {
                body.add_mass::<D>(q, &terms.numbers, &[], &mut terms.mass);
                body.add_force::<D>(q, v, &terms.numbers, &mut terms.force);
            }
        }
        let at = Instant {
            t,
            q,
            v,
            a: &terms.still,
            lambda: &[],
            attitudes: None,
        };
        for (index, (force, spring)) in self.forces.iter().zip(&terms.springs).enumerate() {
            match spring {
                _ if !mode.force_acts(index) => {}
                Some(spring) => spring.apply::<D>(&at, &terms.numbers, &mut terms.force),
                None => force.add::<D>(t, q, v, &terms.numbers, &mut terms.force, &mut terms.scratch),
            }
        }
        self.assemble_constraints_in::<D>(t, q, v, mode, terms);
    }

    fn assemble_constraints_in<const D: usize>(&self, t: f64, q: &[f64], v: &[f64], mode: &Mode, terms: &mut Terms) {
        match terms.lift {
            Some(_) => self.assemble_constraints_lifted::<D>(t, q, v, mode, terms),
            None => self.assemble_rows::<D>(t, q, v, mode, terms),
        }
    }

    /// Writes the constraint terms by coordinates, `v` the rates of these.
    pub(super) fn assemble_rows<const D: usize>(&self, t: f64, q: &[f64], v: &[f64], mode: &Mode, terms: &mut Terms) {
        terms.rows = mode.rows;
        terms.jacobian.begin_rows(&mode.constraints);
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            let constraint = &self.constraints[index];
            match &terms.by_hand[index] {
                Some(by_hand) => {
                    let at = Instant {
                        t,
                        q,
                        v,
                        a: &terms.still,
                        lambda: &[],
                        attitudes: None,
                    };
                    let mut rows = RowTerms {
                        jacobian: &mut terms.jacobian,
                        c: &mut terms.c,
                        rate: &mut terms.rate,
                        c_t: &mut terms.c_t,
                        gamma: &mut terms.gamma,
                    };
                    by_hand.assemble::<D>(&at, &terms.numbers, &constraint.local.coordinates, first, &mut rows);
                }
                None => terms.add_rows::<D>(constraint, first, t, q, v),
            }
        }
    }
}

impl Terms {
    /// Begins M with the part that never changes.
    pub(super) fn begin_mass(&mut self) {
        self.mass_version += 1;
        self.mass.copy_from(&self.constant_mass);
    }

    /// Writes the rows of a constraint of any kind, the first at `first`.
    pub(super) fn add_rows<const D: usize>(
        &mut self,
        constraint: &Constraint,
        first: usize,
        t: f64,
        q: &[f64],
        v: &[f64],
    ) {
        let Self {
            numbers,
            jacobian,
            c,
            rate,
            c_t,
            gamma,
            local_jacobian,
            ..
        } = self;
        let width = constraint.local.width();
        constraint.columns::<f64, D>(
            t,
            |i| q[i],
            |i| numbers[i],
            |i, column| {
                for k in 0..constraint.rows {
                    local_jacobian[k * width + i] = column[k];
                }
            },
        );
        let values = constraint.rates::<f64, D>(t, |i| Dual2::new(q[i], v[i], 0.0), |i| numbers[i]);
        for k in 0..constraint.rows {
            let row = first + k;
            let (columns, entries) = (&constraint.local.coordinates, &local_jacobian[k * width..][..width]);
            jacobian.next_row(columns).copy_from_slice(entries);
            let along_motion: f64 = columns.iter().zip(entries).map(|(&i, entry)| entry * v[i]).sum();
            c[row] = values[k].re;
            rate[row] = values[k].v1;
            c_t[row] = if constraint.rheonomic {
                values[k].v1 - along_motion
            } else {
                0.0
            };
            gamma[row] = values[k].v2;
        }
    }
}
