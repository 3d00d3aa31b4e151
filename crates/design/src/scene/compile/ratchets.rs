//! Ratchets: end stops whose limit is memory.

use super::Build;
use super::memory::FIRST;
use super::site::Site;
use crate::error::Result;
use crate::model::contact::{Law, Ratchet, Teeth};
use crate::scene::schema::contact::{self, Way};

impl Build<'_> {
    /// The contact of a ratchet.
    pub(super) fn ratchet(&mut self, written: &contact::Ratchet, site: &Site) -> Result<usize> {
        let subject = self.subject(&written.of, &site.at("of"))?;
        let teeth = self.teeth(written, site)?;
        let restitution = self.field_or(site, "restitution", written.restitution.as_ref(), 0.0)?;
        let restitution = self.coefficient(restitution, &site.at("restitution"))?;
        let slot = self.memory_slots(&[0.0]);
        let sign = match written.moves {
            Way::Up => 1.0,
            Way::Down => -1.0,
        };
        let (mut of_gap, mut draft) = (self.draft(true), self.draft(true));
        let kind = subject.gap(FIRST + slot, sign, &mut of_gap);
        let ratchet = Ratchet {
            measure: subject.measure(&mut draft),
            sign,
            slot,
            held: draft.number(FIRST + slot),
            teeth: teeth.map(|teeth| Teeth {
                pitch: draft.number(teeth.pitch),
                place: draft.number(teeth.place),
            }),
            local: draft.local,
        };
        let gap = self.constraint(kind, of_gap, site)?;
        let contact = self.add_contact(site.element().to_string(), gap, Law::Restitution { e: restitution });
        self.model.contacts[contact].ratchet = Some(Box::new(ratchet));
        Ok(contact)
    }

    /// The teeth, by numbers of the model.
    fn teeth(&mut self, written: &contact::Ratchet, site: &Site) -> Result<Option<Teeth>> {
        let Some(pitch) = &written.pitch else {
            let fields = [("tooth", &written.tooth), ("restitution", &written.restitution)];
            if let Some((field, _)) = fields.into_iter().find(|(_, given)| given.is_some()) {
                let message = format!("`{field}` has no meaning without teeth");
                return site
                    .at(field)
                    .refuse(message, "give the `pitch` of the teeth, or leave it out");
            }
            return Ok(None);
        };
        Ok(Some(Teeth {
            pitch: self.positive(site, "pitch", pitch)?,
            place: self.field_or(site, "tooth", written.tooth.as_ref(), 0.0)?,
        }))
    }
}
