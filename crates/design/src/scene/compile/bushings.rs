//! Bushings and torques about axes in space.

use super::Build;
use super::draft::Draft;
use super::quantities::{Entry, entry};
use super::site::Site;
use crate::error::Result;
use crate::model::force::{Bushing, ForceKind, Moment};
use crate::model::function::Signal;
use crate::model::marker::Orientation;
use crate::model::quantity::{BushingPart, Quantity};
use crate::scene::schema::Number;
use crate::scene::schema::force::{self, Torque};

/// The quantities of a bushing.
pub(super) fn of_bushing(index: usize) -> Vec<Entry> {
    let of = |name: String, part| entry(name, Quantity::Bushing(index, part));
    let mut entries = vec![
        of("angle".to_string(), BushingPart::Angle),
        of("energy".to_string(), BushingPart::Energy),
    ];
    for (k, axis) in ["x", "y", "z"].iter().enumerate() {
        entries.push(of(format!("f{axis}"), BushingPart::Force(k)));
        entries.push(of(format!("t{axis}"), BushingPart::Torque(k)));
    }
    entries
}

impl<'s> Build<'s> {
    pub(super) fn bushing(
        &mut self,
        bushing: &'s force::Bushing,
        draft: &mut Draft,
        site: &Site<'s>,
    ) -> Result<ForceKind> {
        self.require_spatial("`Bushing`", "in the plane write `Spring` and `TorsionSpring`", site)?;
        let sites = [site.at("from"), site.at("to")];
        let names = [&bushing.from, &bushing.to];
        let mut frames = [Orientation::Ground; 2];
        let mut found = Vec::new();
        for (k, name) in names.into_iter().enumerate() {
            let attachment = self.attachment(name, &sites[k])?;
            frames[k] = self.turning_frame(attachment, name, &sites[k])?;
            found.push(attachment);
        }
        if frames[0] == frames[1] {
            let message = format!("`{}` and `{}` belong to the same body", names[0], names[1]);
            return sites[1].refuse(message, "name places of two different bodies");
        }
        let ends = draft.ends([found[0], found[1]]);
        let turns = [0, 1].map(|k| found[k].turn.map(|turn| turn.map(|number| draft.number(number))));
        let frames = frames.map(|frame| draft.orientation(frame));
        let (some, damping) = (Some(&bushing.stiffness), bushing.damping.as_ref());
        let kind = Bushing {
            ends,
            frames,
            turns,
            stiffness: self.along_axes(some, "stiffness", draft, site)?,
            damping: self.along_axes(damping, "damping", draft, site)?,
            torsional_stiffness: self.along_axes(
                bushing.torsional_stiffness.as_ref(),
                "torsional_stiffness",
                draft,
                site,
            )?,
            torsional_damping: self.along_axes(bushing.torsional_damping.as_ref(), "torsional_damping", draft, site)?,
        };
        Ok(ForceKind::Bushing(Box::new(kind)))
    }

    /// Numbers along three axes, not negative; the same ones where the same is written, for an element has few.
    fn along_axes(
        &mut self,
        list: Option<&Vec<Number>>,
        field: &str,
        draft: &mut Draft,
        site: &Site,
    ) -> Result<[usize; 3]> {
        let inner = site.at(field);
        let Some(list) = list else {
            return Ok([draft.number(self.default(site, field, 0.0)); 3]);
        };
        self.check_components(list, self.axes(), &inner)?;
        let mut numbers = [0; 3];
        for (k, number) in list.iter().enumerate() {
            numbers[k] = match list[..k].iter().position(|known| known == number) {
                Some(known) => numbers[known],
                None => {
                    let found = self.not_negative(&inner, &k.to_string(), Some(number))?;
                    draft.number(found)
                }
            };
        }
        Ok(numbers)
    }

    /// A torque given by components.
    pub(super) fn moment(
        &mut self,
        written: &'s Torque,
        list: &'s [Number],
        draft: &mut Draft,
        site: &Site<'s>,
    ) -> Result<ForceKind> {
        let inner = site.at("torque");
        self.require_spatial("a torque with components", "in the plane give one number", &inner)?;
        let on = self.body_in_space(&written.on, &site.at("on"))?;
        let from = match written.from.as_deref() {
            None | Some("ground") => Orientation::Ground,
            Some(name) => self.body_in_space(name, &site.at("from"))?,
        };
        if on == from {
            let message = format!("a torque on `{}` from itself has no effect", written.on);
            return site
                .at("from")
                .refuse(message, "name another body in `from`, or leave it out");
        }
        let frame = self.frame_of_components(written.frame.as_ref(), site)?;
        if let Orientation::Angle(_) = frame {
            let advice = "name a `Solid` in `frame: Body(..)`, or leave `frame` out";
            return site.at("frame").refuse("this is no frame in space", advice);
        }
        self.check_components(list, self.axes(), &inner)?;
        let mut torque: Vec<Signal> = Vec::new();
        for (k, (number, axis)) in list.iter().zip(self.axes()).enumerate() {
            torque.push(self.applied(number, inner.at(axis).label(), &inner.at(k), draft)?);
        }
        let [on, from, frame] = [on, from, frame].map(|frame| draft.orientation(frame));
        let Ok(torque) = <[Signal; 3]>::try_from(torque) else {
            return Err(inner.error("a torque in space has three components"));
        };
        Ok(ForceKind::Moment(Moment {
            on,
            from,
            torque,
            frame,
        }))
    }

    /// What turns with a body in space.
    fn body_in_space(&mut self, name: &str, site: &Site) -> Result<Orientation> {
        match self.body_frame(name, site) {
            Ok(found @ Orientation::Turn(_)) => Ok(found),
            _ => site.refuse(
                format!("`{name}` is no rigid body in space"),
                "name a `Solid`; on a joint with an angle give one number as `torque`",
            ),
        }
    }
}
