//! Where a contact touches: the material points of both sides, for pins and tangential velocities.

use super::impact::Coupling;
use super::impact_problem::Side;
use super::impact_system::ImpactSystem;
use super::jump::Request;
use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::hybrid::At;
use crate::in_dimension;
use crate::linear::Entries;
use crate::model::Mode;
use crate::model::contact::Pin;
use crate::model::local::MAX_LOCAL;
use crate::model::marker::{Base, Marker, dot};
use crate::model::over::RowOver;
use crate::model::touch::Touch;
use crate::scalar::Scalar;

impl Mechanism {
    /// Writes the touching places of sticking contacts to numbers followed by memory; returns the memory slots with their
    /// values.
    pub(super) fn marks<S: Scalar>(&self, sticking: &[usize], q: &[S], numbers: &mut [S]) -> Vec<(usize, S)> {
        let mut found = Vec::new();
        for &contact in sticking {
            let marks = self.touch_marks(contact, q, numbers);
            for &(slot, value) in &marks {
                numbers[self.model.memory_number(slot)] = value;
            }
            found.extend(marks);
        }
        found
    }

    /// Memory slots of a contact's pin, if it has one, with the values that mark the touching place on both sides.
    pub(super) fn touch_marks<S: Scalar>(&self, contact: usize, q: &[S], numbers: &[S]) -> Vec<(usize, S)> {
        let local = &self.model.constraints[self.model.contacts[contact].gap].local;
        self.touch_marks_of(contact, &local.pick(q), &local.pick_numbers(numbers))
    }

    /// The same from local arguments.
    pub(super) fn touch_marks_of<S: Scalar>(&self, contact: usize, q: &[S], numbers: &[S]) -> Vec<(usize, S)> {
        let element = &self.model.contacts[contact];
        match (&element.pin, self.model.dimension) {
            (None, _) => Vec::new(),
            (Some(pin), 2) => self.touch_marks_in::<S, 2>(element.gap, pin, q, numbers),
            (Some(pin), _) => self.touch_marks_in::<S, 3>(element.gap, pin, q, numbers),
        }
    }

    fn touch_marks_in<S: Scalar, const D: usize>(
        &self,
        gap: usize,
        pin: &Pin,
        q: &[S],
        numbers: &[S],
    ) -> Vec<(usize, S)> {
        let kind = &self.model.constraints[gap].kind;
        let Some(Touch {
            surface, point, place, ..
        }) = Touch::<S, D>::of(kind, q, numbers)
        else {
            return Vec::new();
        };
        // A bare point does not turn: on a surface that turns, a rim at a fixed direction from it would slip.
        let place = match point {
            Marker::Base(Base::Point(_)) => point.position(q, numbers),
            _ => place,
        };
        let on_surface = surface.locate::<S, D>(place, q, numbers);
        let on_point = point.locate::<S, D>(place, q, numbers);
        let slots =
            |first: usize, values: [S; D]| values.into_iter().enumerate().map(move |(k, value)| (first + k, value));
        slots(pin.surface_memory, on_surface)
            .chain(slots(pin.point_memory, on_point))
            .collect()
    }

    /// Rows of the relative tangential velocity of the two material points that touch, over the velocities.
    pub(super) fn tangential_rows<S: Scalar>(&self, contact: usize, q: &[S], numbers: &[S]) -> Vec<Entries<S>> {
        let local = &self.model.constraints[self.model.contacts[contact].gap].local;
        let rows = self.tangential_rows_of(contact, &local.pick(q), local.pick_numbers(numbers));
        let carried = rows.iter().map(|row| self.model.over_velocities(row, q));
        carried.collect()
    }

    /// The same from local arguments, over the coordinates.
    pub(super) fn tangential_rows_of<S: Scalar>(
        &self,
        contact: usize,
        q: &[S],
        numbers: [S; MAX_LOCAL],
    ) -> Vec<Entries<S>> {
        in_dimension!(self.model.dimension, D => self.tangential_rows_in::<S, D>(contact, q, numbers))
    }

    fn tangential_rows_in<S: Scalar, const D: usize>(
        &self,
        contact: usize,
        q: &[S],
        numbers: [S; MAX_LOCAL],
    ) -> Vec<Entries<S>> {
        let element = &self.model.constraints[self.model.contacts[contact].gap];
        let Some(found) = Touch::<S, D>::of(&element.kind, q, &numbers) else {
            return Vec::new();
        };
        let points = found.points(q, numbers, element.local.numbers.len());
        let mut rows = vec![Entries::with_capacity(element.local.width()); points.tangents().len()];
        for (local, &j) in element.local.coordinates.iter().enumerate() {
            let mut unit = [S::from(0.0); MAX_LOCAL];
            unit[local] = S::from(1.0);
            let relative = points.velocity(q, &unit);
            for (row, tangent) in rows.iter_mut().zip(points.tangents()) {
                row.push(j, dot(*tangent, relative));
            }
        }
        rows
    }

    /// A remark when simultaneous impacts act on each other, so that another order would end differently.
    pub(super) fn order_remark(
        &self,
        at: At<Mode>,
        gaps: &[RowOver<f64>],
        request: &Request,
        workspace: &Workspace,
    ) -> Result<Vec<String>> {
        let noise = self.noise(at.x);
        let striking: Vec<usize> = (0..gaps.len()).filter(|&i| gaps[i].rate < -noise).collect();
        let mut remarks = Vec::new();
        if striking.len() < 2 {
            return Ok(remarks);
        }
        let bilateral = self.bilateral_rows(at, workspace, |_| 0.0);
        debug_assert!(bilateral.iter().all(|row| row.side == Side::Bilateral));
        let system = ImpactSystem::new(at.t, &workspace.terms.mass, &bilateral, self.choices.by);
        let coupling = Coupling::new(&system, striking.iter().map(|&i| gaps[i].row.clone()).collect())?;
        let name = |k: usize| &self.model.contacts[request.touching[striking[k]]].name;
        for i in 0..striking.len() {
            for j in (i + 1..striking.len()).filter(|&j| coupling.acts(i, j)) {
                remarks.push(format!(
                    "\"{}\" and \"{}\" strike at the same instant and act on each other: they are solved together; \
                     a small change that separates them may end differently",
                    name(i),
                    name(j)
                ));
            }
        }
        Ok(remarks)
    }
}
