//! Forces and torques of time or of the motion, and drag.

use super::Build;
use super::draft::Draft;
use super::site::Site;
use crate::error::Result;
use crate::model::force::{self, ForceKind};
use crate::model::marker::{Marker, Orientation};
use crate::scene::schema::force::{Components, Drag, Frame, Load, Torque};

impl<'s> Build<'s> {
    /// The marker of an attachment that is not fixed in the ground.
    fn moving(&mut self, name: &str, site: &Site) -> Result<Marker> {
        let marker = self.attachment(name, site)?.marker;
        if marker.is_ground() {
            let message = format!("`{name}` is fixed in the ground, where a force has no effect");
            return site.refuse(message, "name a point or a marker of a body");
        }
        Ok(marker)
    }

    pub(super) fn load(&mut self, load: &'s Load, draft: &mut Draft, site: &Site<'s>) -> Result<ForceKind> {
        let marker = self.moving(&load.at, &site.at("at"))?;
        let frame = self.frame_of_components(load.frame.as_ref(), site)?;
        let (at, inner) = (draft.marker(marker), site.at("force"));
        self.check_components(&load.force, self.axes(), &inner)?;
        let mut components = Vec::new();
        for (k, (number, axis)) in load.force.iter().zip(self.axes()).enumerate() {
            components.push(self.applied(number, inner.at(axis).label(), &inner.at(k), draft)?);
        }
        Ok(ForceKind::Load(force::Load {
            at,
            force: components,
            frame: draft.orientation(frame),
        }))
    }

    /// The frame that components are given in.
    pub(super) fn frame_of_components(&mut self, frame: Option<&Frame>, site: &Site) -> Result<Orientation> {
        match frame {
            Some(Frame::Body(name)) => {
                let inner = site.at("frame");
                self.body_frame(name, &inner.at(0))
            }
            Some(Frame::Ground) | None => Ok(Orientation::Ground),
        }
    }

    pub(super) fn torque(&mut self, written: &'s Torque, draft: &mut Draft, site: &Site<'s>) -> Result<ForceKind> {
        let torque = match &written.torque {
            Components::One(torque) if written.frame.is_none() => torque,
            Components::One(_) => {
                let message = "a single torque turns about the axis of its joint, or in the plane, and has no frame";
                return site
                    .at("frame")
                    .refuse(message, "leave `frame` out, or give a list of three components");
            }
            Components::List(list) => return self.moment(written, list, draft, site),
        };
        let from = written.from.as_deref().unwrap_or("ground");
        let frames = self.turning_ends([(&written.on, site.at("on")), (from, site.at("from"))])?;
        if written.on == "ground" || frames[0] == frames[1] {
            return site.at("on").refuse(
                format!("a torque on `{}` has no effect here", written.on),
                "name the body that turns in `on`, and in `from` the one that takes the opposite torque",
            );
        }
        let [on, from] = frames.map(|frame| draft.orientation(frame));
        let inner = site.at("torque");
        let torque = self.applied(torque, inner.label(), &inner, draft)?;
        Ok(ForceKind::Torque(force::Torque { on, from, torque }))
    }

    pub(super) fn drag(&mut self, drag: &'s Drag, draft: &mut Draft, site: &Site<'s>) -> Result<ForceKind> {
        let marker = self.moving(&drag.at, &site.at("at"))?;
        let (linear, quadratic) = (drag.linear.as_ref(), drag.quadratic.as_ref());
        if linear.is_none() && quadratic.is_none() {
            let message = format!("the drag `{}` has no coefficient", site.element());
            return site.refuse(message, "give `linear` or `quadratic` or both");
        }
        let quadratic = quadratic.map(|quadratic| self.followed_or(site, "quadratic", Some(quadratic), draft));
        Ok(ForceKind::Drag(force::Drag {
            at: draft.marker(marker),
            linear: self.followed_or(site, "linear", linear, draft)?,
            quadratic: quadratic.transpose()?,
        }))
    }
}
