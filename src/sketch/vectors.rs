//! Arrows of velocities, accelerations and forces, cones of friction, and axes of frames.

use super::frame::Frame;
use super::legend::Entry;
use super::pencil::{Pen, Pencil, Rank};
use super::{Look, Place};
use crate::appearance::{AXES, Material, Scale, Vector, axis_length};
use crate::error::Result;
use crate::model::quantity::VectorKind;
use crate::show::{Arrows, Show};

/// Width of the lines of a cone in millimetres.
const CONE: f64 = 0.25;
/// Longest arrow of the legend over the width of the page.
const LONGEST: f64 = 0.3;

/// The vectors of a motion that are shown.
pub(super) struct Vectors<'a> {
    kinds: &'a [VectorKind],
    /// None where no arrows are asked for.
    arrows: Option<Arrows>,
    frames: bool,
}

impl<'a> Vectors<'a> {
    /// # Errors
    /// As [`Arrows::new`].
    pub fn new(show: &Show, look: &'a Look) -> Result<Self> {
        Ok(Self {
            kinds: &look.arrows,
            arrows: (!look.arrows.is_empty()).then(|| Arrows::new(show)).transpose()?,
            frames: look.frames,
        })
    }

    /// Draws them at a time.
    ///
    /// # Errors
    /// As [`Arrows::at`].
    pub fn draw(&mut self, pencil: &mut Pencil, show: &Show, t: f64) -> Result<()> {
        if self.frames {
            draw_frames(pencil, show, t);
        }
        let Some(arrows) = &mut self.arrows else {
            return Ok(());
        };
        for cone in arrows.cones(show, t, self.kinds)? {
            let across = Vector::new(-cone.axis.y, cone.axis.x, 0.0).normalize() * cone.radius;
            let pen = Pen {
                colour: pencil.shade(Material::Cone.colour()),
                width: CONE,
                dashed: false,
            };
            for side in [-1.0, 1.0] {
                let ends = [cone.at, cone.at + cone.axis + across * side];
                pencil.line(Rank::Vector, ends.map(|end| pencil.place(end)).to_vec(), pen);
            }
        }
        for arrow in arrows.at(show, t, self.kinds)? {
            let [from, to] = [arrow.at, arrow.at + arrow.reach].map(|end| pencil.place(end));
            // Beyond the page is the legend.
            let Some([_, end]) = pencil.frame.cut(from, [to[0] - from[0], to[1] - from[1]], [0.0, 1.0]) else {
                continue;
            };
            let is_cut = arrow.is_cut || (end[0] - to[0]).hypot(end[1] - to[1]) > pencil.unit();
            let colour = pencil.shade(Material::Arrow(arrow.kind).colour());
            pencil.vector(Rank::Vector, [from, end], colour, 1 + usize::from(is_cut));
        }
        Ok(())
    }

    /// What their lengths and colours mean.
    pub fn legend(&self, frame: &Frame) -> Vec<Entry> {
        let legends = self.arrows.iter().flat_map(|arrows| arrows.legends(self.kinds));
        let arrows = legends.map(|legend| {
            let length = legend.length * frame.scale;
            let part = (LONGEST * frame.size[0] / length).min(1.0);
            Entry {
                colour: Some(Material::Arrow(legend.kind).colour()),
                arrow: Some(part * length),
                label: legend.words(part),
            }
        });
        let axes = AXES.iter().take(if self.frames { 2 } else { 0 });
        arrows
            .chain(axes.map(|(name, colour)| Entry::from((Some(*colour), *name))))
            .collect()
    }
}

fn draw_frames(pencil: &mut Pencil, show: &Show, t: f64) {
    let scale = Scale {
        bar: pencil.unit() / pencil.frame.scale,
        ..show.scale
    };
    for frame in show.frames(t) {
        for (k, (_, colour)) in AXES.iter().enumerate().take(2) {
            let tip = frame.at + frame.rotation * Vector::ith(k, axis_length(&scale));
            let ends: [Place; 2] = [frame.at, tip].map(|end| pencil.place(end));
            pencil.vector(Rank::Vector, ends, pencil.shade(*colour), 1);
        }
    }
}
