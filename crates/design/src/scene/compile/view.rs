//! The part `view` of a scene: names to markers, numbers to places and shapes.

use std::sync::Arc;

use super::Build;
use super::names::Element;
use super::site::Site;
use crate::error::Result;
use crate::expression::suggest;
use crate::scene::ShapeFile;
use crate::scene::compiled::{CameraView, Form, PlacedShape, View};
use crate::scene::schema::part::Part;
use crate::scene::schema::{Body, Camera, Number, Shape};

impl Build<'_> {
    /// The part `view`.
    pub(super) fn view(&mut self) -> Result<View> {
        let (written, site) = (&self.scene.view, Site::new(self.file, "view"));
        let mut view = View::default();
        if let Some(names) = &written.trace {
            let mut trace = Vec::with_capacity(names.len());
            for (k, name) in names.iter().enumerate() {
                let marker = self.attachment(name, &site.at("trace").at(k))?.marker;
                trace.push((name.clone(), marker));
            }
            view.trace = Some(trace);
        }
        if let Some(camera) = &written.camera {
            view.camera = Some(self.camera(camera, &site.at("camera"))?);
        }
        for (name, shapes) in written.shapes.iter() {
            let site = site.at("shapes").at(name);
            self.check_owner(name, &site)?;
            let placed = shapes
                .iter()
                .enumerate()
                .map(|(k, shape)| self.shape(shape, &site.at(k)));
            let placed = placed.collect::<Result<Vec<_>>>()?;
            view.shapes.push((name.to_string(), placed));
        }
        for (name, look) in written.looks.iter() {
            let look = self.look(name, look, &site.at("looks").at(name))?;
            view.looks.push((name.to_string(), look));
        }
        for (name, body) in self.scene.bodies.iter() {
            let Body::Solid(solid) = body else { continue };
            if written.shapes.get(name).is_some() {
                continue;
            }
            let site = Site::new(self.file, "bodies").at(name).at("parts");
            let mut placed = Vec::new();
            for (k, part) in solid.parts.iter().enumerate() {
                let Part::Shapes { shapes, .. } = part else { continue };
                for (i, shape) in shapes.iter().enumerate() {
                    placed.push(self.shape(shape, &site.at(k).at("shapes").at(i))?);
                }
            }
            if !placed.is_empty() {
                view.shapes.push((name.to_string(), placed));
            }
        }
        Ok(view)
    }

    fn camera(&mut self, camera: &Camera, site: &Site) -> Result<CameraView> {
        match camera {
            Camera::LookAt { .. } if self.is_planar() => site.refuse(
                "a planar scene is seen straight on, and has no `LookAt`",
                "write `Area(low: [x, y], high: [x, y])` for what a picture holds",
            ),
            Camera::LookAt { target, eye } => {
                let target = self.place(target, &site.at("target"))?;
                let eye = self.place(eye, &site.at("eye"))?;
                if target == eye {
                    return site.at("eye").refuse("the eye is where it looks at", "move it away");
                }
                Ok(CameraView::LookAt { target, eye })
            }
            Camera::Area { low, high } => {
                let low = self.place(low, &site.at("low"))?;
                let high = self.place(high, &site.at("high"))?;
                if (0..self.dimension).any(|k| low[k] >= high[k]) {
                    return site.at("low").refuse(
                        "`low` is not below `high` along every axis",
                        "give the least coordinates in `low` and the greatest in `high`",
                    );
                }
                Ok(CameraView::Area([low, high]))
            }
        }
    }

    /// A place with a coordinate per dimension.
    fn place(&mut self, written: &[Number], site: &Site) -> Result<[f64; 3]> {
        if written.len() != self.dimension {
            let message = format!("{} coordinates in a space of {}", written.len(), self.dimension);
            return site.refuse(message, format!("write [{}]", self.axes().join(", ")));
        }
        self.triple(written, [self.dimension; 2], site)
    }

    fn check_owner(&self, name: &str, site: &Site) -> Result<()> {
        match self.names.get(name) {
            Some(element) if element.is_place() => Ok(()),
            Some(other) => site.refuse_name(
                format!("`{name}` is {}, which has no shape", other.described()),
                "name a ground point, a point, a bar or a rigid body",
            ),
            None => {
                let advice = suggest(name, self.names.those(Element::is_place), "points and bodies");
                site.refuse_name(format!("there is no point and no body `{name}`"), advice)
            }
        }
    }

    fn shape(&mut self, shape: &Shape, site: &Site) -> Result<PlacedShape> {
        let read = &self.file.shapes;
        let mut size = |field: &str, number: &Number| self.above_zero(number, &site.at(field));
        let made = |mesh: ShapeFile| Form::Mesh(Arc::new(mesh), 1.0);
        let form = match shape {
            Shape::Mesh { file, scale, .. } => {
                let known = read.iter().find(|shape| shape.path == *file);
                let read = known
                    .cloned()
                    .ok_or_else(|| site.error(format!("{file} has not been read")))?;
                Form::Mesh(read, size("scale", scale)?)
            }
            Shape::Box { size, .. } => {
                let mut edges = self.triple(size, [3, 3], &site.at("size"))?;
                for (k, edge) in size.iter().enumerate() {
                    edges[k] = self.above_zero(edge, &site.at("size").at(k))?;
                }
                Form::Cuboid(edges)
            }
            Shape::Cylinder { radius, length, .. } => Form::Cylinder {
                radius: size("radius", radius)?,
                length: size("length", length)?,
            },
            Shape::Capsule { radius, length, .. } => {
                made(ShapeFile::capsule(size("radius", radius)?, size("length", length)?))
            }
            Shape::Ring {
                radius, hole, length, ..
            } => {
                let (outer, inner) = (size("radius", radius)?, size("hole", hole)?);
                if inner >= outer {
                    return site
                        .at("hole")
                        .refuse("the hole is as wide as the ring", "give a `hole` below `radius`");
                }
                made(ShapeFile::ring(outer, inner, size("length", length)?))
            }
            Shape::Ball { radius, .. } => Form::Ball(size("radius", radius)?),
        };
        let [offset, rotation] = shape.placed();
        let most = [if self.is_planar() { 2 } else { 3 }, 3];
        Ok(PlacedShape {
            form,
            offset: self.given_or_zero(offset, most, &site.at("offset"))?,
            rotation: self.given_or_zero(rotation, [3, 3], &site.at("rotation"))?,
        })
    }

    fn above_zero(&mut self, written: &Number, site: &Site) -> Result<f64> {
        let value = self.numbers.outside(written, site)?;
        if value > 0.0 {
            return Ok(value);
        }
        Err(site
            .error(format!("`{}` is {value}, but must be positive", site.label()))
            .with_value(value)
            .advise("give a value above zero"))
    }

    fn given_or_zero(&mut self, written: &[Number], lengths: [usize; 2], site: &Site) -> Result<[f64; 3]> {
        match written {
            [] => Ok([0.0; 3]),
            _ => self.triple(written, lengths, site),
        }
    }

    /// A vector with as many components as one of the two; a third that is not given is zero.
    fn triple(&mut self, written: &[Number], lengths: [usize; 2], site: &Site) -> Result<[f64; 3]> {
        if !lengths.contains(&written.len()) {
            let message = format!("{} numbers instead of {}", written.len(), lengths[1]);
            return site.refuse(message, "write [x, y, z]");
        }
        let mut values = [0.0; 3];
        for (k, (value, number)) in values.iter_mut().zip(written).enumerate() {
            *value = self.numbers.outside(number, &site.at(k))?;
        }
        Ok(values)
    }
}
