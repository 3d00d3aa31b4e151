//! From the model to what is drawn of it.

use super::hinge;
use super::shape::{Direction, Piece};
use super::{Axial, Fastening, Line, Owner};
use crate::model::Model;
use crate::model::body::BodyKind;
use crate::model::constraint::{Constraint, ConstraintKind};
use crate::model::force::{ForceKind, LineForce, Tension};
use crate::model::joint::Cable;
use crate::model::local::Local;
use crate::model::marker::{Base, Marker, Orientation, Place};
use crate::model::measure::Measure;

/// Pieces from the back to the front.
pub(super) fn pieces(model: &Model) -> Vec<(Owner, Piece)> {
    let mut gathered = Gathered {
        model,
        pieces: Vec::new(),
        places: Vec::new(),
        hinged: Vec::new(),
        loaded: Vec::new(),
    };
    gathered.add_contacts();
    for (index, group) in model.groups.iter().enumerate() {
        let constraints = group.constraints.iter().map(|&index| &model.constraints[index]);
        gathered.add_group(Owner::Group(index), constraints);
    }
    gathered.add_forces();
    gathered.add_bodies();
    gathered.add_joints();
    gathered.pieces
}

/// A direction fixed in a frame, from the indices of an element.
fn fixed(frame: Orientation, numbers: &[usize; 3], local: &Local) -> Direction {
    Direction::Fixed(
        frame.map(&mut |list, i| local.global(list, i)),
        numbers.map(|i| local.numbers.get(i).copied().unwrap_or(i)),
    )
}

struct Gathered<'a> {
    model: &'a Model,
    pieces: Vec<(Owner, Piece)>,
    /// Every place that something is attached to, once, with what it is attached by.
    places: Vec<(Owner, Marker)>,
    /// Those of joints between frames, which are drawn by their kind.
    hinged: Vec<Marker>,
    /// Places that loads and bare points of contacts act on: bodies reach there, without a pin.
    loaded: Vec<Marker>,
}

impl Gathered<'_> {
    fn push(&mut self, owner: Owner, piece: Piece) {
        self.pieces.push((owner, piece));
    }

    /// The marker with the model's indices, remembered as a place of the mechanism.
    fn attach(&mut self, owner: Owner, marker: &Marker, local: &Local) -> Marker {
        let marker = marker.global(local, self.model.dimension);
        if !self.places.iter().any(|(_, known)| *known == marker) {
            self.places.push((owner, marker));
        }
        marker
    }

    /// Both ends of something.
    fn attach_ends(&mut self, owner: Owner, ends: [&Marker; 2], local: &Local) -> [Marker; 2] {
        ends.map(|end| self.attach(owner, end, local))
    }

    fn add_contacts(&mut self) {
        for (index, contact) in self.model.contacts.iter().enumerate() {
            let owner = Owner::Contact(index);
            let gap = &self.model.constraints[contact.gap];
            let local = &gap.local;
            match &gap.kind {
                ConstraintKind::PlaneGap(gap) => {
                    let centre = gap.point.global(local, self.model.dimension);
                    // A disc is drawn as a shape of its body.
                    if gap.rim.is_none() {
                        self.add_circle(owner, centre, local.numbers[gap.radius]);
                    }
                    let normal = match gap.through {
                        Marker::OnSolid { turn, .. } => {
                            Direction::Turned(turn.map(|i| local.coordinates[i]), gap.normal.map(|i| local.numbers[i]))
                        }
                        _ => fixed(gap.frame, &gap.normal, local),
                    };
                    self.push(
                        owner,
                        Piece::Surface(gap.through.global(local, self.model.dimension), normal),
                    );
                }
                ConstraintKind::CircleGap(gap) => {
                    self.add_circle(
                        owner,
                        gap.a.global(local, self.model.dimension),
                        local.numbers[gap.radii[0]],
                    );
                    self.add_circle(
                        owner,
                        gap.b.global(local, self.model.dimension),
                        local.numbers[gap.radii[1]],
                    );
                }
                ConstraintKind::EdgeGap(gap) => {
                    let dimension = self.model.dimension;
                    self.add_circle(owner, gap.point.global(local, dimension), local.numbers[gap.radius]);
                    let centre = self.centre_of(gap.surface.global(local, dimension));
                    self.push(owner, Piece::Edge(Box::new((gap.clone(), local.clone())), centre));
                }
                ConstraintKind::DistanceLimit(limit) => {
                    let ends = self.attach_ends(owner, [&limit.a, &limit.b], local);
                    self.push(owner, Piece::Line(Line::Thread, ends));
                }
                ConstraintKind::Cable(cable) => self.add_cable(owner, cable, local),
                ConstraintKind::CoordinateLimit(limit) if limit.a.is_none() => {
                    let kind = match &contact.ratchet {
                        Some(ratchet) => {
                            let number = |number: usize| ratchet.local.numbers[number];
                            let teeth = ratchet.teeth.as_ref();
                            Axial::Rack(teeth.map(|teeth| [teeth.place, teeth.pitch].map(number)), ratchet.sign)
                        }
                        None => Axial::Stop(local.numbers[limit.limit], limit.sign),
                    };
                    self.add_axial(owner, kind, local.coordinates[limit.b]);
                }
                // The other kinds are no gaps, or have no place.
                _ => {}
            }
        }
    }

    /// The straight parts of a cable from centre to centre, and its pulleys.
    fn add_cable(&mut self, owner: Owner, cable: &Cable, local: &Local) {
        let stops = cable.path.stops.iter();
        let places: Vec<Marker> = stops.map(|stop| self.attach(owner, &stop.at, local)).collect();
        for pair in places.windows(2) {
            self.push(owner, Piece::Line(Line::Thread, [pair[0], pair[1]]));
        }
        for (stop, place) in cable.path.stops.iter().zip(places) {
            if let Some(pulley) = stop.pulley {
                self.add_circle(owner, place, local.numbers[pulley.radius]);
            }
        }
    }

    /// A circle, unless it is a bare point, with a mark where it turns.
    fn add_circle(&mut self, owner: Owner, centre: Marker, radius: usize) {
        if self.model.numbers[radius].value <= 0.0 {
            self.loaded.push(centre);
            return;
        }
        self.push(owner, Piece::Circle(centre, radius));
        if let Some(angle) = self.angle_of(centre) {
            self.push(owner, Piece::Spoke(centre, radius, Direction::Angle(angle)));
        }
    }

    /// The angle of the planar rigid body that a place turns with.
    fn angle_of(&self, marker: Marker) -> Option<usize> {
        if let Marker::OnBody { body, .. } = marker {
            return Some(body[2]);
        }
        let Marker::Base(Base::Point(place)) = marker else {
            return None;
        };
        self.model.bodies.iter().find_map(|body| match &body.kind {
            BodyKind::Rigid(rigid) => {
                let own = rigid.body.map(|i| body.local.coordinates[i]);
                (own[..2] == place[..2]).then_some(own[2])
            }
            _ => None,
        })
    }

    /// What acts on a coordinate of a point.
    fn add_axial(&mut self, owner: Owner, kind: Axial<usize>, coordinate: usize) {
        if let Some((at, axis)) = place_of_length(self.model, coordinate) {
            self.push(owner, Piece::Axial(kind, at, axis));
        }
    }

    fn add_group<'a>(&mut self, owner: Owner, constraints: impl Iterator<Item = &'a Constraint> + Clone) {
        let Some((kind, ends, local, axes)) = hinge::found(constraints.clone()) else {
            constraints.for_each(|constraint| self.add_constraint(owner, constraint));
            return;
        };
        let ends = self.attach_ends(owner, ends, local);
        self.hinged.extend(ends);
        self.push(owner, Piece::Hinge(kind, ends, axes));
    }

    fn add_constraint(&mut self, owner: Owner, constraint: &Constraint) {
        let local = &constraint.local;
        match &constraint.kind {
            ConstraintKind::Distance(link) => {
                let ends = self.attach_ends(owner, [&link.a, &link.b], local);
                // Bars with mass are drawn as bodies.
                if !self.is_bar(&ends) {
                    self.push(owner, Piece::Line(Line::Link, ends));
                }
            }
            ConstraintKind::Cable(cable) => self.add_cable(owner, cable, local),
            ConstraintKind::Coincidence(pin) => {
                self.attach_ends(owner, [&pin.a, &pin.b], local);
            }
            ConstraintKind::PointOnLine(slot) => self.add_slot(owner, local, &slot.point, [slot.a, slot.b]),
            ConstraintKind::PointAlongLine(slot) => self.add_slot(owner, local, &slot.point, [slot.a, slot.b]),
            ConstraintKind::Slide(slide) => {
                let slider = self.attach(owner, &slide.b, local);
                let about = slide.a.global(local, self.model.dimension);
                let direction = fixed(slide.frame, &slide.direction, local);
                let piece = match self.model.dimension {
                    2 => Piece::Rail {
                        about,
                        direction,
                        slider,
                    },
                    // A plane of a moving body would hide what moves on it.
                    _ if self.is_alone(constraint) && !matches!(about, Marker::OnSolid { .. }) => {
                        Piece::Surface(about, direction)
                    }
                    // A row of a joint between frames is no plane to be seen.
                    _ => return,
                };
                self.push(owner, piece);
            }
            // Angles and couplings have no place; gaps are drawn with their contacts.
            ConstraintKind::RelativeAngle(_)
            | ConstraintKind::BarAngle(_)
            | ConstraintKind::Across(_)
            | ConstraintKind::Turned(_)
            | ConstraintKind::Unit(_)
            | ConstraintKind::Coupling(_)
            | ConstraintKind::PlaneGap(_)
            | ConstraintKind::CircleGap(_)
            | ConstraintKind::EdgeGap(_)
            | ConstraintKind::DistanceLimit(_)
            | ConstraintKind::CoordinateLimit(_) => {}
        }
    }

    /// Whether a joint consists of this constraint only.
    fn is_alone(&self, constraint: &Constraint) -> bool {
        let of_joint = self
            .model
            .constraints
            .iter()
            .filter(|other| other.name == constraint.name);
        of_joint.count() == 1
    }

    /// A rail through two places, or parallel to them.
    fn add_slot(&mut self, owner: Owner, local: &Local, slider: &Marker, ends: [Marker; 2]) {
        let ends = ends.map(|end| end.global(local, self.model.dimension));
        let slider = self.attach(owner, slider, local);
        let piece = Piece::Rail {
            about: ends[0],
            direction: Direction::Through(ends),
            slider,
        };
        self.push(owner, piece);
    }

    fn is_bar(&self, ends: &[Marker; 2]) -> bool {
        self.model.bodies.iter().any(|body| match &body.kind {
            BodyKind::Bar(bar) => {
                let end = |end: Base| Marker::Base(end.global(&body.local, self.model.dimension));
                [end(bar.from), end(bar.to)] == *ends
            }
            _ => false,
        })
    }

    fn add_forces(&mut self) {
        for (index, force) in self.model.forces.iter().enumerate() {
            let (owner, local) = (Owner::Force(index), &force.local);
            match &force.kind {
                ForceKind::Line(line) => self.add_line(owner, line, local),
                ForceKind::Torsion(torsion) => self.add_spiral(owner, local, [torsion.b, torsion.a]),
                ForceKind::Torque(torque) => self.add_spiral(owner, local, [torque.on, torque.from]),
                ForceKind::Load(load) => {
                    let force = Direction::Load(load.clone(), local.clone());
                    let at = load.at.global(local, self.model.dimension);
                    self.loaded.push(at);
                    self.push(owner, Piece::Arrow(at, force));
                }
                ForceKind::Hysteretic(spring) => match &spring.measure {
                    Measure::Distance(a, b) => {
                        let ends = self.attach_ends(owner, [a, b], local);
                        self.push(owner, Piece::Line(Line::Spring, ends));
                    }
                    Measure::Coordinate { a, b } => {
                        let from = a.map_or(Orientation::Ground, Orientation::Angle);
                        self.add_spiral(owner, local, [Orientation::Angle(*b), from]);
                        let [a, b] = [*a, Some(*b)].map(|i| i.map(|i| local.coordinates[i]));
                        self.add_coordinate_spring(owner, local.numbers[spring.natural], [a, b]);
                    }
                },
                ForceKind::Bushing(bushing) => {
                    let ends = self.attach_ends(owner, [&bushing.ends[0], &bushing.ends[1]], local);
                    self.push(owner, Piece::Line(Line::Spring, ends));
                }
                ForceKind::Moment(_) | ForceKind::Drag(_) | ForceKind::Tangential(_) | ForceKind::Sliding(_) => {}
            }
        }
    }

    /// A spring on the difference of two coordinates of points, or on one.
    fn add_coordinate_spring(&mut self, owner: Owner, natural: usize, coordinates: [Option<usize>; 2]) {
        match (coordinates, coordinates.map(|i| place_of_length(self.model, i?))) {
            (_, [Some((a, _)), Some((b, _))]) => self.push(owner, Piece::Line(Line::Spring, [a, b])),
            ([None, Some(b)], _) => self.add_axial(owner, Axial::Spring(natural), b),
            _ => {}
        }
    }

    fn add_line(&mut self, owner: Owner, line: &LineForce, local: &Local) {
        let ends = self.attach_ends(owner, [&line.a, &line.b], local);
        let has = |number: usize| {
            let number = &self.model.numbers[local.numbers[number]];
            number.value != 0.0 || !number.gradient.is_empty()
        };
        let (is_spring, is_damper) = match &line.tension {
            Tension::Linear { stiffness, damping, .. } => (has(*stiffness), has(*damping)),
            Tension::Expression { .. } | Tension::Followed { .. } => (true, false),
        };
        if is_damper {
            self.push(owner, Piece::Line(Line::Damper, ends));
        }
        if is_spring {
            self.push(owner, Piece::Line(Line::Spring, ends));
        }
    }

    /// A spiral where the first of two bodies that has a place is.
    fn add_spiral(&mut self, owner: Owner, local: &Local, bodies: [Orientation; 2]) {
        let bodies = bodies.map(|body| body.map(&mut |list, i| local.global(list, i)));
        if let Some(at) = bodies.into_iter().find_map(|body| place_of_angle(self.model, body)) {
            self.push(owner, Piece::Spiral(at));
        }
    }

    fn add_bodies(&mut self) {
        for (index, body) in self.model.bodies.iter().enumerate() {
            let (owner, local) = (Owner::Body(index), &body.local);
            let piece = match &body.kind {
                BodyKind::Particle(particle) => {
                    let at = Base::Point(particle.point).global(local, self.model.dimension);
                    Piece::Mass(Marker::Base(at), local.numbers[particle.mass])
                }
                BodyKind::Bar(bar) => {
                    let ends = [bar.from, bar.to].map(Marker::Base);
                    Piece::Line(Line::Bar, self.attach_ends(owner, ends.each_ref(), local))
                }
                BodyKind::Rigid(rigid) => {
                    let body = rigid.body.map(|i| local.coordinates[i]);
                    let place = rigid.centre.map(|i| local.numbers[i]);
                    Piece::Plate(Marker::OnBody { body, place }, self.places_on(body))
                }
                BodyKind::Solid(solid) => {
                    let origin = solid.origin.map(|i| local.coordinates[i]);
                    let turn = solid.turn.map(|i| local.coordinates[i]);
                    let place = solid.centre.map(|i| local.numbers[i]);
                    Piece::Plate(Marker::OnSolid { origin, turn, place }, self.places_on(origin))
                }
            };
            self.push(owner, piece);
        }
    }

    /// Centre of mass of the rigid body that a marker is on.
    fn centre_of(&self, marker: Marker) -> Option<Marker> {
        let (Marker::OnBody { body: carrier, .. } | Marker::OnSolid { origin: carrier, .. }) = marker else {
            return None;
        };
        self.model.bodies.iter().find_map(|body| match &body.kind {
            BodyKind::Rigid(rigid) => {
                let own = rigid.body.map(|i| body.local.coordinates[i]);
                let place = rigid.centre.map(|i| body.local.numbers[i]);
                (own == carrier).then_some(Marker::OnBody { body: own, place })
            }
            BodyKind::Solid(solid) => {
                let origin = solid.origin.map(|i| body.local.coordinates[i]);
                let turn = solid.turn.map(|i| body.local.coordinates[i]);
                let place = solid.centre.map(|i| body.local.numbers[i]);
                (origin == carrier).then_some(Marker::OnSolid { origin, turn, place })
            }
            _ => None,
        })
    }

    /// The places of a rigid body that something is attached to or acts on.
    fn places_on(&self, rigid: Place) -> Vec<Marker> {
        let is_own = |marker: &Marker| match marker {
            Marker::OnBody { body: own, .. } | Marker::OnSolid { origin: own, .. } => *own == rigid,
            _ => false,
        };
        let attached = self.places.iter().map(|(_, marker)| *marker);
        let mut places: Vec<Marker> = attached.filter(is_own).collect();
        for marker in self.loaded.iter().copied().filter(is_own) {
            if !places.contains(&marker) {
                places.push(marker);
            }
        }
        places
    }

    /// A pin at every place that something is attached to, the ground where it is fixed.
    fn add_joints(&mut self) {
        for (by, at) in std::mem::take(&mut self.places) {
            let (owner, how) = match at {
                Marker::Base(Base::Ground(place)) => (Owner::Ground(place), Fastening::Ground),
                Marker::Base(Base::Point(place)) => (Owner::Point(place), Fastening::Pin),
                _ if self.hinged.contains(&at) => continue,
                _ => (by, Fastening::Pin),
            };
            self.push(owner, Piece::Joint(at, how));
        }
    }
}

/// The place that a coordinate is of, and which of its coordinates it is; none of angles.
fn place_of_length(model: &Model, coordinate: usize) -> Option<(Marker, usize)> {
    const AXES: [&str; 3] = ["x", "y", "z"];
    let (stem, own) = model.coordinates[coordinate].name.rsplit_once('.')?;
    let axis = AXES.iter().position(|axis| *axis == own)?;
    let index = |axis: &&str| {
        let name = format!("{stem}.{axis}");
        model.coordinates.iter().position(|other| other.name == name)
    };
    let mut place = [0; 3];
    for (k, axis) in AXES[..model.dimension].iter().enumerate() {
        place[k] = index(axis)?;
    }
    Some((Marker::Base(Base::Point(place)), axis))
}

/// Where the body of an angle is: the origin of a rigid body, the start of a bar.
fn place_of_angle(model: &Model, orientation: Orientation) -> Option<Marker> {
    ends_of_angle(model, orientation).first().copied()
}

/// The places that the body of an angle begins with: the origin of a rigid body, the ends of a bar.
pub(super) fn ends_of_angle(model: &Model, orientation: Orientation) -> Vec<Marker> {
    let Orientation::Angle(angle) = orientation else {
        return Vec::new();
    };
    let rigid = model.bodies.iter().find_map(|body| match &body.kind {
        BodyKind::Rigid(rigid) => {
            let place = rigid.body.map(|i| body.local.coordinates[i]);
            (place[2] == angle).then(|| vec![Marker::Base(Base::Point(place))])
        }
        _ => None,
    });
    let bar = |Constraint { kind, local, .. }: &Constraint| match kind {
        ConstraintKind::BarAngle(bar) if local.coordinates[bar.angle] == angle => Some(
            [bar.from, bar.to]
                .map(|end| Marker::Base(end.global(local, model.dimension)))
                .to_vec(),
        ),
        _ => None,
    };
    rigid
        .or_else(|| model.constraints.iter().find_map(bar))
        .unwrap_or_default()
}
