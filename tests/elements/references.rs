//! What elements refer to: their markers and orientations, and the numbers that are places in the ground.

use costate::model::Model;
use costate::model::constraint::ConstraintKind;
use costate::model::force::{ForceKind, Freedom};
use costate::model::local::Local;
use costate::model::marker::{Base, Marker, Orientation};
use costate::model::measure::Measure;

/// Markers and orientations of an element, and whether it refers to the ground frame in another way.
#[derive(Default)]
pub struct References {
    pub markers: Vec<Marker>,
    pub orientations: Vec<Orientation>,
    pub absolute: bool,
}

impl References {
    fn of(markers: &[Marker], orientations: &[Orientation]) -> Self {
        Self {
            markers: markers.to_vec(),
            orientations: orientations.to_vec(),
            absolute: false,
        }
    }

    fn absolute() -> Self {
        Self {
            absolute: true,
            ..Self::default()
        }
    }

    /// Whether a rigid motion of the whole mechanism leaves the element as it is.
    pub fn floats(&self) -> bool {
        !self.absolute
            && self
                .orientations
                .iter()
                .all(|orientation| matches!(orientation, Orientation::Angle(_)))
            && self.markers.iter().all(|marker| match marker {
                Marker::Base(Base::Ground(_)) | Marker::Offset { .. } => false,
                Marker::OnBar(bar) => [bar.from, bar.to].iter().all(|base| matches!(base, Base::Point(_))),
                Marker::Base(Base::Point(_)) | Marker::OnBody { .. } | Marker::OnSolid { .. } => true,
            })
    }

    /// Global numbers that are components of places in the ground, with their axis.
    pub fn ground_numbers(&self, local: &Local, dimension: usize) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for marker in &self.markers {
            let bases = match *marker {
                Marker::Base(base) => vec![base],
                Marker::OnBar(bar) => vec![bar.from, bar.to],
                _ => vec![],
            };
            for base in bases {
                if let Base::Ground(place) = base {
                    found.extend((0..dimension).map(|axis| (local.numbers[place[axis]], axis)));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

pub fn of_constraint(kind: &ConstraintKind) -> References {
    match kind {
        ConstraintKind::Distance(kind) => References::of(&[kind.a, kind.b], &[]),
        ConstraintKind::Coincidence(kind) => References::of(&[kind.a, kind.b], &[]),
        ConstraintKind::PointOnLine(kind) => References::of(&[kind.point, kind.a, kind.b], &[]),
        ConstraintKind::PointAlongLine(kind) => References::of(&[kind.point, kind.a, kind.b], &[]),
        ConstraintKind::Slide(kind) => References::of(&[kind.a, kind.b], &[kind.frame]),
        ConstraintKind::RelativeAngle(kind) => References::of(&[], &[kind.a, kind.b]),
        ConstraintKind::BarAngle(kind) => References::of(&[Marker::Base(kind.from), Marker::Base(kind.to)], &[]),
        ConstraintKind::Coupling(_) | ConstraintKind::Unit(_) => References::absolute(),
        ConstraintKind::Across(kind) => References::of(&[], &kind.pair.map(|direction| direction.frame)),
        ConstraintKind::Turned(kind) => References::of(&[], &[kind.across[0].frame, kind.mark.frame]),
        ConstraintKind::PlaneGap(kind) => {
            let frames: Vec<_> = kind.rim.iter().map(|axis| axis.frame).chain([kind.frame]).collect();
            References::of(&[kind.point, kind.through], &frames)
        }
        ConstraintKind::Cable(kind) => {
            let places: Vec<_> = kind.path.stops.iter().map(|stop| stop.at).collect();
            References::of(&places, &[])
        }
        ConstraintKind::CircleGap(kind) => References::of(&[kind.a, kind.b], &[]),
        ConstraintKind::EdgeGap(kind) => References {
            absolute: kind.surface.is_ground(),
            ..References::of(&[kind.point, kind.surface], &[kind.frame])
        },
        ConstraintKind::DistanceLimit(kind) => References::of(&[kind.a, kind.b], &[]),
        // The difference of two angles floats; a single coordinate does not.
        ConstraintKind::CoordinateLimit(kind) => References {
            absolute: kind.a.is_none(),
            ..References::default()
        },
    }
}

pub fn of_force(kind: &ForceKind) -> References {
    match kind {
        ForceKind::Line(kind) => References::of(&[kind.a, kind.b], &[]),
        ForceKind::Torsion(kind) => References::of(&[], &[kind.a, kind.b]),
        ForceKind::Load(kind) => References {
            absolute: true,
            ..References::of(&[kind.at], &[kind.frame])
        },
        ForceKind::Torque(kind) => References::of(&[], &[kind.on, kind.from]),
        ForceKind::Hysteretic(kind) => match kind.measure {
            Measure::Distance(a, b) => References::of(&[a, b], &[]),
            Measure::Coordinate { a, .. } => References {
                absolute: a.is_none(),
                ..References::default()
            },
        },
        ForceKind::Tangential(kind) => of_constraint(&kind.gap),
        ForceKind::Sliding(kind) => match &kind.freedom {
            Freedom::Slide(slide) => References::of(&[slide.a, slide.b], &[slide.frame]),
            Freedom::Line(markers) => References::of(markers, &[]),
            Freedom::Turn(frames, _) | Freedom::Ball(frames) => References::of(&[], frames),
            Freedom::Plane(slides, frames, ..) => References::of(&[slides[0].a, slides[0].b], frames),
            Freedom::Shaft(slide, frames, _) | Freedom::Helix(slide, frames, _) => {
                References::of(&[slide.a, slide.b], frames)
            }
        },
        ForceKind::Moment(kind) => References::of(&[], &[kind.on, kind.from, kind.frame]),
        ForceKind::Bushing(kind) => References::of(&kind.ends, &kind.frames),
        ForceKind::Drag(kind) => References {
            absolute: true,
            ..References::of(&[kind.at], &[])
        },
    }
}

/// Markers of all constraints and forces.
pub fn all_markers(model: &Model) -> Vec<Marker> {
    let of_constraints = model
        .constraints
        .iter()
        .flat_map(|constraint| of_constraint(&constraint.kind).markers);
    let of_forces = model.forces.iter().flat_map(|force| of_force(&force.kind).markers);
    of_constraints.chain(of_forces).collect()
}
