//! The joints that sticking contacts become: markers at places that the model remembers from the moment of touching.

use super::Build;
use super::attachments::{Attachment, Carrier};
use super::memory::FIRST;
use super::site::Site;
use super::solids::Solid;
use crate::error::Result;
use crate::model::contact::Pin;
use crate::model::marker::{Marker, Place};

/// A contact that sticks, with the markers of both sides in global indices.
pub(super) struct PinRequest {
    pub(super) contact: usize,
    pub(super) first: Marker,
    pub(super) second: Marker,
}

impl Build<'_> {
    /// Makes the start or end of a bar a marker that turns with the bar, so that what sticks to a circle about it does.
    pub(super) fn make_rigid(&mut self, attachment: &mut Attachment, name: &str, site: &Site) {
        let Carrier::Solid(index) = attachment.carrier else {
            return;
        };
        let is_planar = self.is_planar();
        let (Some(Solid::Bar(plan)), Marker::Base(_), true) = (self.solids.get(index), attachment.marker, is_planar)
        else {
            return;
        };
        let (numbers, label) = (&mut self.numbers, |field: &str| site.at(field).label());
        let along = match name.ends_with(".to") {
            true => plan.length,
            false => numbers.constant(0.0, label("along")),
        };
        let across = numbers.constant(0.0, label("across"));
        attachment.marker = plan.marker(along, Some(across));
    }

    /// Asks for the joint of a sticking contact; refuses markers that cannot remember a place.
    pub(super) fn request_pin(&mut self, contact: usize, sides: [Attachment; 2], site: &Site) -> Result<()> {
        let [first, second] = sides.map(|side| side.marker);
        let on_bar = |marker| matches!(marker, Marker::OnBar(_));
        if !self.is_planar() && (on_bar(first) || on_bar(second)) {
            let message = "nothing can stick to a place on a bar in space";
            return site.refuse(message, "let a point touch, or use another law");
        }
        self.pins.push(PinRequest { contact, first, second });
        Ok(())
    }

    /// Adds the joints of all sticking contacts.
    pub(super) fn pins(&mut self) -> Result<()> {
        for request in std::mem::take(&mut self.pins) {
            let contact = &self.model.contacts[request.contact];
            let site = Site::new(self.file, "contacts").at(&contact.name);
            let (surface_memory, surface) = self.remembering(request.first);
            let (point_memory, point) = self.remembering(request.second);
            let constraint = self.pinned([surface, point], &site)?;
            self.model.contacts[request.contact].pin = Some(Box::new(Pin {
                constraint,
                surface_memory,
                point_memory,
            }));
        }
        Ok(())
    }

    /// Takes memory slots and returns the first, with the marker of the same kind whose place they are.
    fn remembering(&mut self, marker: Marker) -> (usize, Marker) {
        let slot = self.memory_slots(&[0.0; 3][..self.dimension]);
        let first = FIRST + slot;
        let memory: Place = [first, first + 1, first + self.dimension - 1];
        (slot, marker.placed_by(memory, self.dimension))
    }
}
