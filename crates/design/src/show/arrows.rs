//! Velocities, accelerations and forces of a motion as arrows of one scale.

use super::Show;
use crate::appearance::{Arrow, Cone, Vector};
use crate::error::Result;
use crate::hybrid::{At, HybridSystem};
use crate::mechanism::Workspace;
use crate::model::FrictionCone;
use crate::model::quantity::{PlacedVector, VectorKind};
use crate::run::Frame;
use crate::scalar::short;

/// States that decide the scale.
const FRAMES: usize = 300;
/// Length of the arrow of the legend over the size of the mechanism.
const LEGEND: f64 = 0.14;
/// Part of the states whose longest arrow is no longer than that of the legend, nearly: peaks stand out beyond.
const TYPICAL: f64 = 0.9;
/// Longest arrow over that of the legend; what is longer is cut.
const LONGEST: f64 = 2.5;

/// The arrows of a motion. One scale holds for velocities, one for accelerations and one for forces, over all of the motion.
#[derive(Debug)]
pub struct Arrows {
    workspace: Workspace,
    legends: Vec<Legend>,
}

/// What an arrow of a certain length means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Legend {
    /// Of what.
    pub kind: VectorKind,
    /// The value, in the unit of the kind.
    pub value: f64,
    /// Length of its arrow in metres.
    pub length: f64,
}

impl Legend {
    /// What a part of its arrow means.
    pub fn words(&self, part: f64) -> String {
        format!("{} {} {}", self.kind.name(), short(part * self.value), self.kind.unit())
    }
}

impl Arrows {
    /// Finds the scales of a motion. What nothing of has a value has no legend.
    ///
    /// # Errors
    /// Kind `Singular` when accelerations are nowhere determined.
    pub fn new(show: &Show) -> Result<Self> {
        let mut workspace = show.experiment.mechanism.workspace();
        let mut longest: [Vec<f64>; VectorKind::ALL.len()] = Default::default();
        let mut failed = None;
        for frame in show.samples(FRAMES) {
            match vectors(show, &frame, &mut workspace) {
                Ok(vectors) => {
                    for (kind, list) in VectorKind::ALL.into_iter().zip(&mut longest) {
                        let of_kind = vectors.iter().filter(|vector| vector.kind == kind);
                        let lengths = of_kind.map(|found| Vector::from(found.vector).norm());
                        list.push(lengths.fold(0.0, f64::max));
                    }
                }
                Err(error) => failed = Some(error),
            }
        }
        if let (Some(error), true) = (failed, longest[0].is_empty()) {
            return Err(error);
        }
        let typical = VectorKind::ALL.into_iter().zip(longest.map(typical));
        // Kinds of one unit share a scale.
        let shared = |unit: &str| {
            let same = typical.clone().filter(|(other, _)| other.unit() == unit);
            same.fold(0.0, |most: f64, (_, value)| most.max(value))
        };
        let legend = |(kind, _): (VectorKind, f64)| Legend {
            kind,
            value: rounded(shared(kind.unit())),
            length: LEGEND * show.scale.extent(),
        };
        let legends = typical.clone().filter(|(_, value)| *value > 0.0).map(legend);
        Ok(Self {
            legends: legends.collect(),
            workspace,
        })
    }

    /// What the arrows of these kinds mean, without those that there are none of.
    pub fn legends<'a>(&'a self, kinds: &'a [VectorKind]) -> impl Iterator<Item = &'a Legend> {
        self.legends.iter().filter(|legend| kinds.contains(&legend.kind))
    }

    /// The arrows of these kinds at a time.
    ///
    /// # Errors
    /// Kind `Singular` when accelerations and forces are not determined.
    pub fn at(&mut self, show: &Show, t: f64, kinds: &[VectorKind]) -> Result<Vec<Arrow>> {
        let Some(frame) = show.film.frame(t) else {
            return Ok(Vec::new());
        };
        let vectors = vectors(show, &frame, &mut self.workspace)?.into_iter();
        // Forces of joints have no value at a singular start.
        let is_known = |found: &PlacedVector| found.vector.iter().all(|entry| entry.is_finite());
        let asked = vectors.filter(|found| kinds.contains(&found.kind) && is_known(found));
        let arrow = |found: PlacedVector| {
            let legend = self.legends.iter().find(|legend| legend.kind == found.kind)?;
            let reach = Vector::from(found.vector) * legend.length / legend.value;
            let cut = (LONGEST * legend.length / reach.norm()).min(1.0);
            Some(Arrow {
                kind: found.kind,
                at: found.at.into(),
                reach: reach * cut,
                is_cut: cut < 1.0,
            })
        };
        Ok(asked.filter_map(arrow).collect())
    }

    /// The cones of friction at a time, with the scale of the forces, which end in them; none where those of contacts are not among
    /// the kinds.
    ///
    /// # Errors
    /// As [`Arrows::at`].
    pub fn cones(&mut self, show: &Show, t: f64, kinds: &[VectorKind]) -> Result<Vec<Cone>> {
        let legend = self
            .legends(kinds)
            .find(|legend| legend.kind == VectorKind::Contact)
            .copied();
        let (Some(legend), Some(frame)) = (legend, show.film.frame(t)) else {
            return Ok(Vec::new());
        };
        let (mechanism, at) = (&show.experiment.mechanism, At::new(frame.t, frame.mode, &frame.x));
        mechanism.evaluate_motion(at, true, &mut self.workspace)?;
        let motion = mechanism.motion(at, &self.workspace);
        let model = show.model();
        let cones =
            (0..model.frictions.len()).filter_map(|friction| model.friction_cone(friction, frame.mode, &motion));
        let drawn = |cone: FrictionCone| {
            let axis = Vector::from(cone.axis) * legend.length / legend.value;
            let longest = LONGEST * legend.length / (1.0 + cone.coefficient.powi(2)).sqrt();
            let axis = axis * (longest / axis.norm()).min(1.0);
            Cone {
                at: cone.at.into(),
                axis,
                radius: cone.coefficient * axis.norm(),
            }
        };
        Ok(cones.map(drawn).collect())
    }
}

/// The vectors of all kinds in a state.
fn vectors(show: &Show, frame: &Frame, workspace: &mut Workspace) -> Result<Vec<PlacedVector>> {
    let (mechanism, mode) = (&show.experiment.mechanism, frame.mode);
    mechanism.evaluate_motion(At::new(frame.t, mode, &frame.x), true, workspace)?;
    let (model, motion) = (
        show.model(),
        mechanism.motion(At::new(frame.t, mode, &frame.x), workspace),
    );
    let mut found = Vec::new();
    for place in show.appearance.moving_places() {
        let [at, velocity, acceleration] = model.rates(place, &motion);
        for (kind, vector) in [
            (VectorKind::Velocity, velocity),
            (VectorKind::Acceleration, acceleration),
        ] {
            found.push(PlacedVector { kind, at, vector });
        }
    }
    found.extend((0..model.forces.len()).flat_map(|force| model.spring_vectors(force, mode, &motion)));
    found.extend((0..model.groups.len()).flat_map(|group| model.reaction_vectors(group, mode, &motion)));
    found.extend((0..model.contacts.len()).flat_map(|contact| model.contact_vectors(contact, mode, &motion)));
    Ok(found)
}

/// A value that most of a list is not above; of a list that is mostly zero, its largest value.
fn typical(mut list: Vec<f64>) -> f64 {
    list.retain(|value| value.is_finite());
    list.sort_by(f64::total_cmp);
    let most = list.last().copied().unwrap_or(0.0);
    let index = (TYPICAL * list.len() as f64) as usize;
    match list.get(index) {
        Some(&value) if value > 1e-3 * most => value,
        _ => most,
    }
}

/// 1, 2 or 5 times a power of ten, the nearest.
fn rounded(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let digits = [1.0, 2.0, 5.0, 10.0];
    let off = |digit: &f64| (digit * power / value).ln().abs();
    let nearest = digits.into_iter().min_by(|a, b| off(a).total_cmp(&off(b)));
    nearest.unwrap_or(1.0) * power
}
