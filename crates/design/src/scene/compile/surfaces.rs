//! Surfaces with ends: one contact per edge and per corner that a circle can touch, each with the borders of its part.

use super::Build;
use super::attachments::Attachment;
use super::draft::Draft;
use super::site::Site;
use crate::error::Result;
use crate::model::constraint::ConstraintKind;
use crate::model::contact::{Border, CircleGap, EdgeGap, Face, Keep};
use crate::model::marker::{Marker, Orientation};
use crate::scene::schema::{self, Number};

/// Sine of the turn at a point below which the edges go on straight.
const STRAIGHT: f64 = 1e-9;

/// Most points of a surface.
const MOST_POINTS: usize = 200;

/// Sweeps that solve the equations of a spline to rounding: each leaves less than a third of the error.
const SWEEPS: usize = 60;

/// A surface as written.
pub(super) struct Course<'s> {
    pub points: &'s [Vec<Number>],
    pub closed: bool,
    pub on: Option<&'s str>,
    pub smooth: bool,
}

/// A surface with its numbers.
struct Outline {
    point: Attachment,
    radius: usize,
    surface: Attachment,
    frame: Orientation,
    places: Vec<[usize; 2]>,
    /// Second derivatives at the points; none for straight edges.
    bends: Option<Vec<[usize; 2]>>,
    closed: bool,
    /// Directions at the beginning and the end of each edge.
    directions: Vec<[[usize; 2]; 2]>,
    /// What is at each point.
    joints: Vec<Joint>,
}

/// What is at a point of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Joint {
    /// One edge only.
    End,
    /// The next edge goes on in the same direction.
    Smooth,
    /// The surface turns away.
    Corner,
    /// The surface turns towards the allowed side.
    Nook,
}

impl Build<'_> {
    /// The contacts of a surface with ends.
    pub(super) fn surface(
        &mut self,
        course: &Course,
        (point, radius): (Attachment, usize),
        law: &schema::Law,
        site: &Site,
    ) -> Result<Vec<usize>> {
        let outline = self.outline(course, (point, radius), &site.at("surface"))?;
        let (first, edges) = (self.model.contacts.len(), outline.edges());
        let round = self.numbers.value(radius) > 0.0;
        let corner = |joint: &Joint| round && matches!(joint, Joint::End | Joint::Corner);
        let corners: Vec<usize> = (0..outline.places.len())
            .filter(|&i| corner(&outline.joints[i]))
            .collect();
        let of_corner = |i: usize| corners.iter().position(|&known| known == i).map(|k| first + edges + k);
        let parts = edges + corners.len();
        for edge in 0..edges {
            let name = if parts == 1 {
                site.element().to_string()
            } else {
                format!("{} (edge {})", site.element(), edge + 1)
            };
            let (kind, draft) = self.edge(&outline, edge, site)?;
            let borders = outline.borders_of_edge(edge, first, &of_corner);
            self.part(name, (kind, draft), (&outline, borders), law, site)?;
        }
        for &i in &corners {
            let (kind, draft) = self.corner(&outline, i, site);
            let borders = outline.borders_of_corner(i, first);
            let name = format!("{} (corner {})", site.element(), i + 1);
            self.part(name, (kind, draft), (&outline, borders), law, site)?;
        }
        Ok((first..first + parts).collect())
    }

    /// One part of a surface.
    fn part(
        &mut self,
        name: String,
        (kind, draft): (ConstraintKind, Draft),
        (outline, borders): (&Outline, Vec<Border>),
        written: &schema::Law,
        site: &Site,
    ) -> Result<()> {
        let law = self.law(written, Keep::Tangential, site)?;
        let sticks = law.pull_off().is_some();
        let gap = self.constraint(kind, draft, site)?;
        let contact = self.add_contact(name, gap, law);
        let mut draft = self.draft(true);
        let face = Face {
            point: draft.marker(outline.point.marker),
            radius: draft.number(outline.radius),
            surface: draft.marker(outline.surface.marker),
            borders: borders.into_iter().map(|border| draft.border(border)).collect(),
            local: draft.local,
        };
        self.model.contacts[contact].face = Some(Box::new(face));
        if sticks {
            self.request_pin(contact, [outline.surface, outline.point], site)?;
        }
        self.friction(contact, written, site)?;
        Ok(())
    }

    fn edge(&self, outline: &Outline, edge: usize, site: &Site) -> Result<(ConstraintKind, Draft)> {
        let mut draft = self.draft(true);
        let ends = outline.ends(edge);
        let [x, y] = outline.places[ends[0]];
        let kind = EdgeGap {
            point: draft.marker(outline.point.marker),
            radius: draft.number(outline.radius),
            surface: draft.marker(outline.surface.marker.placed_by([x, y, y], 2)),
            frame: draft.orientation(outline.frame),
            ends: ends.map(|i| draft.pair(outline.places[i])),
            bends: outline.bends.as_ref().map(|bends| ends.map(|i| draft.pair(bends[i]))),
        };
        let numbers: Vec<f64> = (draft.local.numbers.iter().map(|&i| self.numbers.value(i))).collect();
        let (sharpest, radius) = (kind.sharpest(&numbers), self.numbers.value(outline.radius));
        if sharpest * radius >= 1.0 {
            let [from, to] = ends.map(|i| i + 1);
            let message = format!(
                "between the points {from} and {to} the curve turns towards the circle with a radius of {:.4e} m, and that of the \
                 circle is {radius:.4e} m: the circle would touch it in two places",
                1.0 / sharpest
            );
            let advice = "take a smaller circle, or points through which the curve turns less sharply";
            return site.at("surface").at("points").refuse(message, advice);
        }
        Ok((ConstraintKind::EdgeGap(kind), draft))
    }

    fn corner(&mut self, outline: &Outline, i: usize, site: &Site) -> (ConstraintKind, Draft) {
        let [x, y] = outline.places[i];
        let sharp = self.numbers.constant(0.0, format!("{}.corner", site.element()));
        let mut draft = self.draft(true);
        let kind = CircleGap {
            a: draft.marker(outline.surface.marker.placed_by([x, y, y], 2)),
            b: draft.marker(outline.point.marker),
            radii: [sharp, outline.radius].map(|number| draft.number(number)),
            inside: false,
        };
        (ConstraintKind::CircleGap(kind), draft)
    }

    /// The numbers of a surface.
    fn outline(&mut self, course: &Course, (point, radius): (Attachment, usize), site: &Site) -> Result<Outline> {
        self.require_planar("a surface through points", "in space write `Plane` or `Circle`", site)?;
        let (count, inner) = (course.points.len(), site.at("points"));
        let least = if course.closed || course.smooth { 3 } else { 2 };
        if !(least..=MOST_POINTS).contains(&count) {
            let message = format!("a surface through {count} points");
            return inner.refuse(message, format!("give from {least} to {MOST_POINTS} points"));
        }
        let mut places = Vec::new();
        for (i, place) in course.points.iter().enumerate() {
            let own = inner.at(i);
            let [x, y, _] = self.components(place, self.axes(), &own.label(), &own)?;
            places.push([x, y]);
        }
        let [x, y] = places[0];
        let (surface, frame) = self.carried_plane([x, y, y], course.on, site)?;
        if let (Marker::Base(_), Some(_)) = (surface.marker, course.on) {
            return site
                .at("on")
                .refuse("this body carries no surface", "let a rigid body carry it");
        }
        let bends = course.smooth.then(|| self.bends(&places, course.closed, site));
        let mut outline = Outline {
            point,
            radius,
            surface,
            frame,
            places,
            bends,
            closed: course.closed,
            directions: Vec::new(),
            joints: Vec::new(),
        };
        for edge in 0..outline.edges() {
            let directions = self.directions(&outline, edge, site);
            outline.directions.push(directions);
        }
        self.check_outline(&mut outline, &inner)?;
        Ok(outline)
    }

    /// Second derivatives of a natural or periodic cubic spline with one unit of the parameter from point to point:
    /// m[i-1] + 4 m[i] + m[i+1] = 6 (p[i-1] - 2 p[i] + p[i+1]).
    fn bends(&mut self, places: &[[usize; 2]], closed: bool, site: &Site) -> Vec<[usize; 2]> {
        let n = places.len();
        // The second derivatives of the spline that is one at a point and zero at all others, by sweeps over the equations.
        let of_point = |point: usize| {
            let at = |i: usize| if i == point { 1.0 } else { 0.0 };
            let mut found = vec![0.0; n];
            for _ in 0..SWEEPS {
                for i in (0..n).filter(|&i| closed || (i > 0 && i + 1 < n)) {
                    let (before, after) = ((i + n - 1) % n, (i + 1) % n);
                    let right = 6.0 * (at(before) - 2.0 * at(i) + at(after));
                    found[i] = (right - found[before] - found[after]) / 4.0;
                }
            }
            found
        };
        let shares: Vec<Vec<f64>> = (0..n).map(of_point).collect();
        let mut combine = |i: usize, axis: usize| {
            let terms = shares
                .iter()
                .zip(places)
                .map(|(shares, place)| (shares[i], place[axis]));
            let terms: Vec<(f64, usize)> = terms.filter(|(share, _)| *share != 0.0).collect();
            let name = format!("{}.bend.{i}.{}", site.label(), ["x", "y"][axis]);
            self.numbers.combination(&terms, name)
        };
        (0..n).map(|i| [0, 1].map(|axis| combine(i, axis))).collect()
    }

    /// Directions of an edge where it begins and ends.
    fn directions(&mut self, outline: &Outline, edge: usize, site: &Site) -> [[usize; 2]; 2] {
        let [a, b] = outline.ends(edge);
        let shares = [[-1.0 / 3.0, -1.0 / 6.0], [1.0 / 6.0, 1.0 / 3.0]];
        shares.map(|[of_a, of_b]| {
            [0, 1].map(|axis| {
                let mut terms = vec![(-1.0, outline.places[a][axis]), (1.0, outline.places[b][axis])];
                if let Some(bends) = &outline.bends {
                    terms.extend([(of_a, bends[a][axis]), (of_b, bends[b][axis])]);
                }
                let name = format!("{}.direction.{edge}.{}", site.label(), ["x", "y"][axis]);
                self.numbers.combination(&terms, name)
            })
        })
    }

    /// Finds what is at each point, and refuses edges without a direction or that turn back.
    fn check_outline(&self, outline: &mut Outline, site: &Site) -> Result<()> {
        let value = |[x, y]: [usize; 2]| [self.numbers.value(x), self.numbers.value(y)];
        let count = outline.places.len();
        for i in 0..count {
            let [before, after] = outline.edges_at(i);
            let (Some(before), Some(after)) = (before, after) else {
                outline.joints.push(Joint::End);
                continue;
            };
            let (a, b) = (
                value(outline.directions[before][1]),
                value(outline.directions[after][0]),
            );
            let lengths = a[0].hypot(a[1]) * b[0].hypot(b[1]);
            let (sine, cosine) = (
                (a[0] * b[1] - a[1] * b[0]) / lengths,
                (a[0] * b[0] + a[1] * b[1]) / lengths,
            );
            if sine.is_nan() || (cosine < 0.0 && sine.abs() <= STRAIGHT) {
                let message = "the surface has no direction here, or turns back";
                return site
                    .at(i)
                    .refuse(message, "give points that differ, and leave an angle between edges");
            }
            outline.joints.push(match sine {
                _ if outline.bends.is_some() || sine.abs() <= STRAIGHT => Joint::Smooth,
                sine if sine > 0.0 => Joint::Nook,
                _ => Joint::Corner,
            });
        }
        let without = (0..outline.edges()).find(|&edge| outline.directions[edge].map(value).contains(&[0.0, 0.0]));
        match without {
            Some(edge) => site
                .at(edge)
                .refuse("the surface has no direction here", "give points that differ"),
            None => Ok(()),
        }
    }
}

impl Outline {
    fn edges(&self) -> usize {
        self.places.len() - usize::from(!self.closed)
    }

    /// Points at which an edge begins and ends.
    fn ends(&self, edge: usize) -> [usize; 2] {
        [edge, (edge + 1) % self.places.len()]
    }

    /// Edges that end and begin at a point.
    fn edges_at(&self, point: usize) -> [Option<usize>; 2] {
        let edges = self.edges();
        let before = if self.closed {
            Some((point + edges - 1) % edges)
        } else {
            point.checked_sub(1)
        };
        [before, (point < edges).then_some(point)]
    }

    /// Borders of an edge at both ends; contacts of edges begin at `first`.
    fn borders_of_edge(&self, edge: usize, first: usize, of_corner: &dyn Fn(usize) -> Option<usize>) -> Vec<Border> {
        let side = |side: usize| {
            let point = self.ends(edge)[side];
            let other = self.edges_at(point)[side];
            let joint = self.joints[point];
            let nook = other.filter(|_| joint == Joint::Nook);
            Border {
                place: self.places[point],
                along: self.directions[edge][side],
                sign: if side == 0 { 1.0 } else { -1.0 },
                beyond: match joint {
                    Joint::Smooth => other.map(|other| first + other),
                    Joint::Nook => None,
                    Joint::End | Joint::Corner => of_corner(point),
                },
                next: nook.map(|other| self.directions[other][1 - side]),
            }
        };
        [0, 1].map(side).into()
    }

    /// Borders of a corner to the edges that meet there.
    fn borders_of_corner(&self, point: usize, first: usize) -> Vec<Border> {
        let border = |(side, edge): (usize, Option<usize>)| {
            edge.map(|edge| Border {
                place: self.places[point],
                along: self.directions[edge][1 - side],
                sign: if side == 0 { 1.0 } else { -1.0 },
                beyond: Some(first + edge),
                next: None,
            })
        };
        self.edges_at(point)
            .into_iter()
            .enumerate()
            .filter_map(border)
            .collect()
    }
}

impl Draft {
    fn pair(&mut self, numbers: [usize; 2]) -> [usize; 2] {
        numbers.map(|number| self.number(number))
    }

    /// A border in local indices.
    fn border(&mut self, border: Border) -> Border {
        Border {
            place: self.pair(border.place),
            along: self.pair(border.along),
            next: border.next.map(|next| self.pair(next)),
            ..border
        }
    }
}
