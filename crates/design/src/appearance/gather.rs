//! From the model to what is drawn of it.

use super::{Fastening, Owner, Piece, global_orientation};
use crate::model::Model;
use crate::model::body::BodyKind;
use crate::model::constraint::{Constraint, ConstraintKind};
use crate::model::force::{Force, ForceKind, HystereticSpring, LineForce, Tension};
use crate::model::local::Local;
use crate::model::marker::{Base, Marker, Orientation, Place, global_indices};
use crate::model::measure::Measure;

/// Pieces from the back to the front.
pub(super) fn pieces(model: &Model) -> Vec<(Owner, Piece)> {
    let mut gathered = Gathered {
        model,
        pieces: Vec::new(),
        places: Vec::new(),
    };
    gathered.add_contacts();
    gathered.add_groups();
    gathered.add_forces();
    gathered.add_bodies();
    gathered.add_fastenings();
    gathered.pieces
}

/// The same marker without what is not used in the plane, so that equal places are equal.
fn comparable(marker: Marker, dimension: usize) -> Marker {
    let place = |[x, y, z]: Place| if dimension == 2 { [x, y, 0] } else { [x, y, z] };
    let base = |base: Base| match base {
        Base::Ground(at) => Base::Ground(place(at)),
        Base::Point(at) => Base::Point(place(at)),
    };
    match marker {
        Marker::Base(at) => Marker::Base(base(at)),
        Marker::Offset { point, offset } => Marker::Offset {
            point: place(point),
            offset: place(offset),
        },
        Marker::OnBar {
            from,
            to,
            length,
            along,
            across,
        } => Marker::OnBar {
            from: base(from),
            to: base(to),
            length,
            along,
            across,
        },
        Marker::OnBody { .. } => marker,
    }
}

struct Gathered<'a> {
    model: &'a Model,
    pieces: Vec<(Owner, Piece)>,
    /// Every place that something is attached to, once, with what it is attached by.
    places: Vec<(Owner, Marker)>,
}

impl Gathered<'_> {
    /// The marker with the model's indices, remembered as a place of the mechanism.
    fn attach(&mut self, owner: Owner, marker: &Marker, local: &Local) -> Marker {
        let marker = comparable(marker.global(local), self.model.dimension);
        if !self.places.iter().any(|(_, known)| *known == marker) {
            self.places.push((owner, marker));
        }
        marker
    }

    fn add_contacts(&mut self) {
        for (index, contact) in self.model.contacts.iter().enumerate() {
            let owner = Owner::Contact(index);
            let gap = &self.model.constraints[contact.gap];
            let local = &gap.local;
            match &gap.kind {
                ConstraintKind::PlaneGap(gap) => {
                    self.add_circle(owner, gap.point.global(local), local.numbers[gap.radius]);
                    let piece = Piece::Surface {
                        through: gap.through.global(local),
                        frame: global_orientation(gap.frame, local),
                        normal: global_indices(&local.numbers, &gap.normal),
                    };
                    self.pieces.push((owner, piece));
                }
                ConstraintKind::CircleGap(gap) => {
                    self.add_circle(owner, gap.a.global(local), local.numbers[gap.radii[0]]);
                    self.add_circle(owner, gap.b.global(local), local.numbers[gap.radii[1]]);
                }
                ConstraintKind::DistanceLimit(limit) => {
                    let (a, b) = (self.attach(owner, &limit.a, local), self.attach(owner, &limit.b, local));
                    self.pieces.push((owner, Piece::Thread { a, b }));
                }
                // The other kinds are no gaps, or have no place.
                _ => {}
            }
        }
    }

    /// A circle, unless it is a bare point.
    fn add_circle(&mut self, owner: Owner, centre: Marker, radius: usize) {
        if self.model.numbers[radius].value > 0.0 {
            self.pieces.push((owner, Piece::Circle { centre, radius }));
        }
    }

    fn add_groups(&mut self) {
        for (index, group) in self.model.groups.iter().enumerate() {
            for &constraint in &group.constraints {
                self.add_constraint(Owner::Group(index), &self.model.constraints[constraint]);
            }
        }
    }

    fn add_constraint(&mut self, owner: Owner, constraint: &Constraint) {
        let local = &constraint.local;
        match &constraint.kind {
            ConstraintKind::Distance(link) => {
                let (a, b) = (self.attach(owner, &link.a, local), self.attach(owner, &link.b, local));
                // Bars with mass are drawn as bodies.
                if !self.is_bar(&a, &b) {
                    self.pieces.push((owner, Piece::Link { a, b, massless: true }));
                }
            }
            ConstraintKind::Coincidence(pin) => {
                self.attach(owner, &pin.a, local);
                self.attach(owner, &pin.b, local);
            }
            ConstraintKind::PointOnLine(slot) => self.add_slot(owner, local, [&slot.point, &slot.a, &slot.b]),
            ConstraintKind::PointAlongLine(slot) => self.add_slot(owner, local, [&slot.point, &slot.a, &slot.b]),
            ConstraintKind::Slide(slide) => {
                let slider = self.attach(owner, &slide.b, local);
                let through = slide.a.global(local);
                let frame = global_orientation(slide.frame, local);
                let direction = global_indices(&local.numbers, &slide.direction);
                let piece = match self.model.dimension {
                    2 => Piece::Rail {
                        about: through,
                        frame,
                        direction,
                        slider,
                    },
                    _ => Piece::Surface {
                        through,
                        frame,
                        normal: direction,
                    },
                };
                self.pieces.push((owner, piece));
            }
            // Angles and couplings have no place; gaps are drawn with their contacts.
            ConstraintKind::RelativeAngle(_)
            | ConstraintKind::BarAngle(_)
            | ConstraintKind::Coupling(_)
            | ConstraintKind::PlaneGap(_)
            | ConstraintKind::CircleGap(_)
            | ConstraintKind::DistanceLimit(_)
            | ConstraintKind::CoordinateLimit(_) => {}
        }
    }

    fn add_slot(&mut self, owner: Owner, local: &Local, [point, a, b]: [&Marker; 3]) {
        let (a, b) = (a.global(local), b.global(local));
        let slider = self.attach(owner, point, local);
        self.pieces.push((owner, Piece::Slot { ends: [a, b], slider }));
    }

    fn is_bar(&self, a: &Marker, b: &Marker) -> bool {
        self.model.bodies.iter().any(|body| match &body.kind {
            BodyKind::Bar(bar) => {
                let end = |end: Base| comparable(Marker::Base(end.global(&body.local)), self.model.dimension);
                [end(bar.from), end(bar.to)] == [*a, *b]
            }
            _ => false,
        })
    }

    fn add_forces(&mut self) {
        for (index, force) in self.model.forces.iter().enumerate() {
            let (owner, local) = (Owner::Force(index), &force.local);
            match &force.kind {
                ForceKind::Line(line) => self.add_line(owner, line, local),
                ForceKind::Torsion(torsion) => self.add_spirals(owner, force, [torsion.b, torsion.a]),
                ForceKind::Torque(torque) => self.add_spirals(owner, force, [torque.on, torque.from]),
                ForceKind::Load(load) => {
                    let (load, local) = (load.clone(), local.clone());
                    self.pieces.push((owner, Piece::Load { load, local }));
                }
                ForceKind::Hysteretic(spring) => self.add_hysteretic(owner, force, spring),
                ForceKind::Drag(_) => {}
            }
        }
    }

    /// A coil along a distance, a spiral about an angle; coordinates of points have no place.
    fn add_hysteretic(&mut self, owner: Owner, force: &Force, spring: &HystereticSpring) {
        match spring.measure {
            Measure::Distance(a, b) => {
                let local = &force.local;
                let (a, b) = (self.attach(owner, &a, local), self.attach(owner, &b, local));
                self.pieces.push((owner, Piece::Coil { a, b }));
            }
            Measure::Coordinate { a, b } => {
                let angle = |i: Option<usize>| i.map_or(Orientation::Ground, Orientation::Angle);
                self.add_spirals(owner, force, [angle(Some(b)), angle(a)]);
            }
        }
    }

    fn add_line(&mut self, owner: Owner, line: &LineForce, local: &Local) {
        let (a, b) = (self.attach(owner, &line.a, local), self.attach(owner, &line.b, local));
        let has = |number: usize| {
            let number = &self.model.numbers[local.numbers[number]];
            number.value != 0.0 || !number.gradient.is_empty()
        };
        let (springs, damps) = match &line.tension {
            Tension::Linear { stiffness, damping, .. } => (has(*stiffness), has(*damping)),
            Tension::Expression { .. } => (true, false),
        };
        if damps {
            self.pieces.push((owner, Piece::Damper { a, b }));
        }
        if springs {
            self.pieces.push((owner, Piece::Coil { a, b }));
        }
    }

    /// A spiral where the first of two bodies that has a place is.
    fn add_spirals(&mut self, owner: Owner, force: &Force, bodies: [Orientation; 2]) {
        let found = bodies
            .into_iter()
            .find_map(|body| self.place_of_angle(global_orientation(body, &force.local)));
        if let Some(at) = found {
            self.pieces.push((owner, Piece::Spiral { at }));
        }
    }

    /// Where the body of an angle is: the origin of a rigid body, the start of a bar.
    fn place_of_angle(&self, orientation: Orientation) -> Option<Marker> {
        let Orientation::Angle(angle) = orientation else {
            return None;
        };
        let rigid = self.model.bodies.iter().find_map(|body| match &body.kind {
            BodyKind::Rigid(rigid) => {
                let place = rigid.body.map(|i| body.local.coordinates[i]);
                (place[2] == angle).then_some(Marker::Base(Base::Point(place)))
            }
            _ => None,
        });
        rigid.or_else(|| {
            self.model
                .constraints
                .iter()
                .find_map(|constraint| match &constraint.kind {
                    ConstraintKind::BarAngle(bar) if constraint.local.coordinates[bar.angle] == angle => {
                        Some(Marker::Base(bar.from.global(&constraint.local)))
                    }
                    _ => None,
                })
        })
    }

    fn add_bodies(&mut self) {
        for (index, body) in self.model.bodies.iter().enumerate() {
            let (owner, local) = (Owner::Body(index), &body.local);
            let piece = match &body.kind {
                BodyKind::Particle(particle) => Piece::Mass {
                    at: comparable(
                        Marker::Base(Base::Point(particle.point).global(local)),
                        self.model.dimension,
                    ),
                    mass: local.numbers[particle.mass],
                },
                BodyKind::Bar(bar) => Piece::Link {
                    a: self.attach(owner, &Marker::Base(bar.from), local),
                    b: self.attach(owner, &Marker::Base(bar.to), local),
                    massless: false,
                },
                BodyKind::Rigid(rigid) => {
                    let place = rigid.body.map(|i| local.coordinates[i]);
                    Piece::Plate {
                        centre: Marker::OnBody {
                            body: place,
                            place: rigid.centre.map(|i| local.numbers[i]),
                        },
                        places: self.places_on(place),
                    }
                }
            };
            self.pieces.push((owner, piece));
        }
    }

    /// The places of a rigid body that something is attached to.
    fn places_on(&self, rigid: Place) -> Vec<Marker> {
        let markers = self.places.iter().map(|(_, marker)| *marker);
        markers
            .filter(|marker| matches!(marker, Marker::OnBody { body, .. } if *body == rigid))
            .collect()
    }

    /// A pin at every place that something is attached to, the ground where it is fixed.
    fn add_fastenings(&mut self) {
        for &(by, at) in &self.places {
            let (owner, how) = match at {
                Marker::Base(Base::Ground(place)) => (Owner::Ground(place), Fastening::Ground),
                Marker::Base(Base::Point(place)) => (Owner::Point(place), Fastening::Pin),
                _ => (by, Fastening::Pin),
            };
            self.pieces.push((owner, Piece::Fastened { at, how }));
        }
    }
}
