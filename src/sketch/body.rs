//! From the shapes of a mechanism to marks.

use super::frame::LINE;
use super::outline::{circle, hull, silhouette};
use super::pencil::{self, Pen, Pencil, Rank};
use super::{Look, Place, heat};
use crate::appearance::{Drawn, Fastening, Item, Line, Material, Owner, Rgb, Scale, Shape, Solid, Unit, Vector};
use crate::model::FrictionState;
use crate::show::Show;

impl Pencil<'_> {
    /// Draws what a mechanism is at a time; moments behind another without what is fixed.
    pub fn draw(&mut self, show: &Show, t: f64, look: &Look) {
        let mut items = show.items(t);
        if let Some(gradient) = &look.gradient {
            heat::colour(&mut items, gradient);
        }
        for index in 0..items.len() {
            self.take(&items[index]);
            self.draw_item(show, &items, index);
        }
        self.take_none();
        if self.is_back() || self.is_beside() {
            return;
        }
        if look.labels {
            self.draw_names(show, &items);
        }
        for mark in show.friction_marks(t) {
            if mark.state != FrictionState::Open {
                let fill = self.pen(Material::Friction(mark.state), 0.0).colour;
                let at = self.place(mark.at);
                self.area(Rank::Friction, vec![circle(at, 0.6 * self.unit())], fill);
            }
        }
    }

    fn draw_item(&mut self, show: &Show, items: &[Item], index: usize) {
        let item = &items[index];
        match &item.shape {
            Shape::Line(line, ends) => {
                let ends = ends.map(|end| self.place(end));
                self.draw_line(*line, ends, items, index);
            }
            Shape::Plate(centre, corners) => self.draw_plate(*centre, corners, item.colour),
            Shape::Mass(at, mass) => self.draw_mass(*at, *mass),
            Shape::Joint(at, how) => {
                let at = self.place(*at);
                if *how == Fastening::Ground && !self.is_back() {
                    self.support(at);
                }
                self.pin(at);
            }
            Shape::Spiral(at) => {
                let is_spring = matches!(item.owner, Owner::Force(_));
                let material = if is_spring { Material::Spring } else { Material::Load };
                self.spiral(self.place(*at), material);
            }
            Shape::Arrow(at, force) => self.arrow(self.place(*at), *force),
            Shape::Circle(centre, radius) => {
                let mut around = circle(self.place(*centre), radius * self.frame.scale);
                around.extend(around.first().copied());
                let pen = self.pen(Material::Surface, 0.35);
                self.line(Rank::Circle, around, pen);
            }
            Shape::Spoke(centre, radius, way) => {
                let ends = [*centre, centre + way * *radius].map(|at| self.place(at));
                let pen = self.pen(Material::Surface, 0.35);
                self.line(Rank::Circle, ends.to_vec(), pen);
            }
            Shape::Axial(kind, at, axis) => {
                let scale = Scale {
                    bar: self.unit() / self.frame.scale,
                    ..show.scale
                };
                self.draw_axial(&kind.drawn(*at, *axis, &scale));
            }
            Shape::Rail { direction, slider, .. } => self.rail(self.place(*slider), [direction.x, -direction.y]),
            Shape::Surface(through, normal) => self.draw_surface(*through, *normal),
            Shape::Edge(places, centre) => self.draw_edge(places, *centre, item.colour),
            Shape::Solid(solid) => self.draw_solid(show, solid, item.colour),
            // Joints between frames are of space.
            Shape::Hinge(..) => {}
        }
    }

    fn draw_axial(&mut self, drawn: &Drawn) {
        let is_back = self.is_back();
        match drawn {
            Drawn::Spring(ends, wall) => {
                self.spring(ends.map(|end| self.place(end)), 0.0);
                if !is_back {
                    self.ground(wall.map(|end| self.place(end)), Rank::Support, self.ink());
                }
            }
            Drawn::Stop(wall) if !is_back => {
                self.ground(wall.map(|end| self.place(end)), Rank::Support, self.surface());
            }
            Drawn::Stop(_) => {}
            Drawn::Rack(outline, pawl) => {
                if !is_back {
                    let fill = self.plate(Material::Rail.colour());
                    let outline = outline.iter().map(|at| self.place(*at)).collect();
                    self.area(Rank::Support, vec![outline], fill);
                }
                let fill = self.ink();
                let pawl = pawl.map(|at| self.place(at)).to_vec();
                self.area(Rank::Force, vec![pawl], fill);
            }
        }
    }

    fn draw_mass(&mut self, at: Vector, mass: f64) {
        let largest = self.frame.mass;
        let share = if largest > 0.0 { mass / largest } else { 1.0 };
        let (at, radius) = (self.place(at), self.unit() * (1.2 + 1.2 * share.max(0.0).cbrt()));
        let fill = self.pen(Material::Mass, 0.0).colour;
        self.area(Rank::Bar, vec![circle(at, radius)], fill);
    }

    fn draw_line(&mut self, line: Line, ends: [Place; 2], items: &[Item], index: usize) {
        let unit = self.unit();
        // A spring and a damper of one element lie side by side.
        let owner = items[index].owner;
        let has = |wanted: Line| {
            items
                .iter()
                .any(|item| item.owner == owner && matches!(item.shape, Shape::Line(line, _) if line == wanted))
        };
        let aside = if has(Line::Spring) && has(Line::Damper) {
            1.9
        } else {
            0.0
        };
        match line {
            Line::Bar => {
                let fill = self.body(items[index].colour);
                self.area(Rank::Bar, vec![hull(&ends, unit)], fill);
            }
            Line::Link => {
                let fill = self.own();
                self.area(Rank::Link, vec![hull(&ends, 0.5 * unit)], fill);
            }
            Line::Spring => self.spring(ends, aside),
            Line::Damper => self.damper(ends, -aside),
            Line::Thread => self.thread(ends),
        }
    }

    /// The hull of the places of a rigid body; its centre of mass with it where they are fewer than three.
    fn draw_plate(&mut self, centre: Vector, corners: &[Vector], body: Rgb) {
        let unit = self.unit();
        let mut places: Vec<Place> = corners.iter().map(|corner| self.place(*corner)).collect();
        let centre = self.place(centre);
        if places.len() < 3 {
            places.push(centre);
        }
        let radius = if corners.len() < 2 { 1.6 * unit } else { unit };
        let fill = self.plate(body);
        self.area(Rank::Plate, vec![hull(&places, radius)], fill);
        self.centre(centre, Rank::Bar);
    }

    fn draw_surface(&mut self, through: Vector, normal: Vector) {
        if self.is_back() {
            return;
        }
        // The hatched side is on the left of where the line goes.
        let along = [normal.y, normal.x];
        if let Some([from, to]) = self.frame.cut(self.place(through), along, LINE) {
            self.ground([to, from], Rank::Surface, self.surface());
        }
    }

    fn draw_edge(&mut self, places: &[Vector], centre: Option<Vector>, body: Rgb) {
        if centre.is_none() && self.is_back() {
            return;
        }
        let pen = self.outline();
        let (colour, middle) = (self.plate(body), centre.map(|centre| self.place(centre)));
        for pair in places.windows(2) {
            let ends = [pair[0], pair[1]];
            let [a, b] = ends.map(|end| self.place(end));
            let (Some(centre), Some(middle)) = (centre, middle) else {
                self.ground([b, a], Rank::Surface, self.surface());
                continue;
            };
            // The body lies on the right of its edge.
            if (ends[1] - centre).cross(&(ends[0] - centre)).z > 0.0 {
                let within = pencil::Shape {
                    contours: vec![vec![a, b, middle]],
                    closed: true,
                    fill: Some(colour),
                    // Triangles share their sides, between which a gap would be seen.
                    pen: Some(Pen { colour, ..pen }),
                };
                self.shape(Rank::Plate, within);
            }
            self.line(Rank::Bar, vec![a, b], Pen { width: 0.5, ..pen });
        }
    }

    fn draw_solid(&mut self, show: &Show, solid: &Solid, body: Rgb) {
        let given = match solid.unit {
            Unit::Given(index) => show.appearance.given()[index].clone(),
            unit => unit.mesh().into(),
        };
        let contours = silhouette(&given, solid, |at| self.place(at));
        let fill = self.plate(body);
        self.area(Rank::Plate, contours, fill);
    }

    /// Names of what is drawn; those of one place together.
    fn draw_names(&mut self, show: &Show, items: &[Item]) {
        for (at, words) in show.names(items, self.unit() / self.frame.scale) {
            self.name(&words, self.place(at));
        }
    }
}
