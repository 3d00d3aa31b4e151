//! Forces and torques of time, and drag.

use super::Build;
use super::draft::Draft;
use super::site::Site;
use crate::error::Result;
use crate::model::force::{Drag, ForceKind, Load, Torque};
use crate::model::marker::{Marker, Orientation};
use crate::scene::schema::{Frame, Number};

impl Build<'_> {
    /// The marker of an attachment that is not fixed in the ground.
    fn moving(&mut self, name: &str, site: &Site) -> Result<Marker> {
        let marker = self.attachment(name, site)?.marker;
        if marker.is_ground() {
            let message = format!("`{name}` is fixed in the ground, where a force has no effect");
            return site.refuse(message, "name a point or a marker of a body");
        }
        Ok(marker)
    }

    pub(super) fn load(
        &mut self,
        at: &str,
        force: &[Number],
        frame: Option<&Frame>,
        draft: &mut Draft,
        site: &Site,
    ) -> Result<ForceKind> {
        let marker = self.moving(at, &site.at("at"))?;
        let frame = match frame {
            Some(Frame::Body(name)) => {
                let inner = site.at("frame");
                self.require_planar("the frame of a body", "in space leave `frame` out", &inner)?;
                self.frame(name, &inner.at(0))?
            }
            Some(Frame::Ground) | None => Orientation::Ground,
        };
        let (at, inner) = (draft.marker(marker), site.at("force"));
        self.check_components(force, self.axes(), &inner)?;
        let mut components = Vec::new();
        for (k, (number, axis)) in force.iter().zip(self.axes()).enumerate() {
            components.push(self.finite_signal(number, inner.at(axis).label(), &inner.at(k), draft)?);
        }
        Ok(ForceKind::Load(Load {
            at,
            force: components,
            frame: draft.orientation(frame),
        }))
    }

    pub(super) fn torque(
        &mut self,
        on: &str,
        from: Option<&str>,
        torque: &Number,
        draft: &mut Draft,
        site: &Site,
    ) -> Result<ForceKind> {
        self.require_planar("`Torque`", "in space apply forces with `Load`", site)?;
        let frames = [
            self.frame(on, &site.at("on"))?,
            self.frame(from.unwrap_or("ground"), &site.at("from"))?,
        ];
        if on == "ground" || frames[0] == frames[1] {
            return site.at("on").refuse(
                format!("a torque on `{on}` has no effect here"),
                "name the body that turns in `on`, and in `from` the one that takes the opposite torque",
            );
        }
        let [on, from] = frames.map(|frame| draft.orientation(frame));
        let torque = self.signal_field(site, "torque", torque, draft)?;
        Ok(ForceKind::Torque(Torque { on, from, torque }))
    }

    pub(super) fn drag(
        &mut self,
        at: &str,
        [linear, quadratic]: [Option<&Number>; 2],
        draft: &mut Draft,
        site: &Site,
    ) -> Result<ForceKind> {
        let marker = self.moving(at, &site.at("at"))?;
        if linear.is_none() && quadratic.is_none() {
            let message = format!("the drag `{}` has no coefficient", site.element());
            return site.refuse(message, "give `linear` or `quadratic` or both");
        }
        let linear = self.field_or(site, "linear", linear, 0.0)?;
        let quadratic = quadratic.map(|quadratic| self.field(site, "quadratic", quadratic));
        let quadratic = quadratic.transpose()?.map(|quadratic| draft.number(quadratic));
        Ok(ForceKind::Drag(Drag {
            at: draft.marker(marker),
            linear: draft.number(linear),
            quadratic,
        }))
    }
}
