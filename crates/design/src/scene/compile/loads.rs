//! Forces and torques of time, and drag.

use super::Build;
use super::localize;
use super::site::Site;
use crate::error::Result;
use crate::model::force::{Drag, ForceKind, Load, Torque};
use crate::model::local::Local;
use crate::model::marker::{Marker, Orientation};
use crate::scene::schema::{Frame, Number};

impl Build<'_> {
    /// The marker of an attachment that is not fixed in the ground.
    fn moving(&mut self, name: &str, site: &Site) -> Result<Marker> {
        let marker = self.attachment(name, site)?.marker;
        if marker.is_ground() {
            return Err(site
                .error(format!("`{name}` is fixed in the ground, where a force has no effect"))
                .advise("name a point or a marker of a body"));
        }
        Ok(marker)
    }

    pub(super) fn load(
        &mut self,
        at: &str,
        force: &[Number],
        frame: Option<&Frame>,
        active: bool,
        local: &mut Local,
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
        let at = localize::marker(marker, self.dimension, local);
        self.check_components(force, self.axes(), &site.at("force"))?;
        let mut components = Vec::new();
        for (k, (number, axis)) in force.iter().zip(self.axes()).enumerate() {
            let inner = site.at("force").at(k);
            let label = site.at("force").at(axis).label();
            let signal = self.signal(number, label, &inner, local)?;
            self.require_finite(&signal, local, active, &inner)?;
            components.push(signal);
        }
        let frame = localize::orientation(frame, local);
        Ok(ForceKind::Load(Load {
            at,
            force: components,
            frame,
        }))
    }

    pub(super) fn torque(
        &mut self,
        on: &str,
        from: Option<&str>,
        torque: &Number,
        active: bool,
        local: &mut Local,
        site: &Site,
    ) -> Result<ForceKind> {
        self.require_planar("`Torque`", "in space apply forces with `Load`", site)?;
        let (on_frame, from_frame) = (
            self.frame(on, &site.at("on"))?,
            self.frame(from.unwrap_or("ground"), &site.at("from"))?,
        );
        if on == "ground" || on_frame == from_frame {
            return Err(site
                .at("on")
                .error(format!("a torque on `{on}` has no effect here"))
                .advise("name the body that turns in `on`, and in `from` the one that takes the opposite torque"));
        }
        let inner = site.at("torque");
        let kind = Torque {
            on: localize::orientation(on_frame, local),
            from: localize::orientation(from_frame, local),
            torque: self.signal(torque, inner.label(), &inner, local)?,
        };
        self.require_finite(&kind.torque, local, active, &inner)?;
        Ok(ForceKind::Torque(kind))
    }

    pub(super) fn drag(
        &mut self,
        at: &str,
        linear: Option<&Number>,
        quadratic: Option<&Number>,
        local: &mut Local,
        site: &Site,
    ) -> Result<ForceKind> {
        let marker = self.moving(at, &site.at("at"))?;
        if linear.is_none() && quadratic.is_none() {
            return Err(site
                .error(format!("the drag `{}` has no coefficient", site.element()))
                .advise("give `linear` or `quadratic` or both"));
        }
        let linear = self.field_or(site, "linear", linear, 0.0)?;
        let quadratic = match quadratic {
            Some(quadratic) => Some(local.number(self.field(site, "quadratic", quadratic)?)),
            None => None,
        };
        Ok(ForceKind::Drag(Drag {
            at: localize::marker(marker, self.dimension, local),
            linear: local.number(linear),
            quadratic,
        }))
    }
}
