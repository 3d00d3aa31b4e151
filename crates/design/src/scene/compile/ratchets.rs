//! Ratchets: end stops whose limit is memory.

use super::Build;
use super::memory::FIRST;
use super::site::Site;
use crate::error::Result;
use crate::model::contact::{Law, Ratchet, Teeth};
use crate::model::local::Local;
use crate::scene::schema::{Limited, Number, Way};

/// A ratchet as written.
#[derive(Clone, Copy)]
pub(super) struct WrittenRatchet<'n> {
    pub(super) of: &'n Limited,
    pub(super) moves: Way,
    pub(super) pitch: Option<&'n Number>,
    pub(super) tooth: Option<&'n Number>,
    pub(super) restitution: Option<&'n Number>,
}

impl Build<'_> {
    /// The contact of a ratchet.
    pub(super) fn ratchet(&mut self, written: WrittenRatchet, site: &Site) -> Result<usize> {
        let subject = self.subject(written.of, &site.at("of"))?;
        let teeth = self.teeth(written, site)?;
        let restitution = self.field_or(site, "restitution", written.restitution, 0.0)?;
        let range = |x: f64| (0.0..=1.0).contains(&x);
        self.numbers
            .require(restitution, &site.at("restitution"), range, "from 0 to 1")?;
        let slot = self.memory_slots(&[0.0]);
        let sign = match written.moves {
            Way::Up => 1.0,
            Way::Down => -1.0,
        };
        let mut of_gap = Local::default();
        let kind = subject.gap(FIRST + slot, sign, self.dimension, &mut of_gap);
        let mut local = Local::default();
        let ratchet = Ratchet {
            measure: subject.measure(self.dimension, &mut local),
            sign,
            slot,
            held: local.number(FIRST + slot),
            teeth: teeth.map(|teeth| Teeth {
                pitch: local.number(teeth.pitch),
                place: local.number(teeth.place),
            }),
            local,
        };
        let gap = self.constraint(kind, of_gap, site)?;
        let contact = self.add_contact(site.element().to_string(), gap, Law::Restitution { e: restitution });
        self.model.contacts[contact].ratchet = Some(ratchet);
        Ok(contact)
    }

    /// The teeth, by numbers of the model.
    fn teeth(&mut self, written: WrittenRatchet, site: &Site) -> Result<Option<Teeth>> {
        let Some(pitch) = written.pitch else {
            let fields = [("tooth", written.tooth), ("restitution", written.restitution)];
            if let Some((field, _)) = fields.into_iter().find(|(_, given)| given.is_some()) {
                let message = format!("`{field}` has no meaning without teeth");
                return Err(site
                    .at(field)
                    .error(message)
                    .advise("give the `pitch` of the teeth, or leave it out"));
            }
            return Ok(None);
        };
        Ok(Some(Teeth {
            pitch: self.positive(site, "pitch", pitch)?,
            place: self.field_or(site, "tooth", written.tooth, 0.0)?,
        }))
    }
}
