//! The signs of springs, dampers, supports, slides and surfaces.

use std::f64::consts::TAU;

use super::frame::LINE;
use super::outline::circle;
use super::pencil::{Pen, Pencil, Rank, Shape};
use super::{Palette, Place};
use crate::appearance::{Material, Rgb, Vector};

/// Teeth of a spring.
const TEETH: usize = 7;
/// Parts of the length of a spring or damper where its leads end.
const LEADS: [f64; 2] = [0.14, 0.86];
/// Widths of lines in millimetres.
const WIRE: f64 = 0.35;
const THIN: f64 = 0.15;
/// Length of the head of an arrow, half its width, and the width of its shaft, in half-widths of a bar.
const HEAD: [f64; 2] = [2.6, 0.95];
const SHAFT: f64 = 0.55;
/// Shorter than this part of a head, an arrow is not seen.
const LEAST: f64 = 0.05;

/// Something along two places: its own coordinates are parts of its length, and half-widths of a bar to the left.
struct Along {
    from: Place,
    along: Place,
    across: Place,
}

impl Along {
    fn new([a, b]: [Place; 2], unit: f64) -> Self {
        let along = [b[0] - a[0], b[1] - a[1]];
        let length = along[0].hypot(along[1]).max(f64::MIN_POSITIVE);
        Self {
            from: a,
            along,
            across: [along[1] / length * unit, -along[0] / length * unit],
        }
    }

    fn at(&self, part: f64, aside: f64) -> Place {
        [0, 1].map(|k| self.from[k] + part * self.along[k] + aside * self.across[k])
    }
}

impl Pencil<'_> {
    /// A zigzag, this far to the left of the line between its ends.
    pub fn spring(&mut self, ends: [Place; 2], aside: f64) {
        let sign = Along::new(ends, self.unit());
        let [first, last] = LEADS;
        let mut places = vec![
            sign.at(0.0, 0.0),
            sign.at(first / 2.0, 0.0),
            sign.at(first / 2.0, aside),
            sign.at(first, aside),
        ];
        for tooth in 0..2 * TEETH {
            let part = first + (last - first) * (tooth as f64 + 0.5) / (2 * TEETH) as f64;
            places.push(sign.at(part, aside + if tooth % 2 == 0 { 1.6 } else { -1.6 }));
        }
        let end = (1.0 + last) / 2.0;
        places.extend([
            sign.at(last, aside),
            sign.at(end, aside),
            sign.at(end, 0.0),
            sign.at(1.0, 0.0),
        ]);
        self.line(Rank::Force, places, self.pen(Material::Spring, WIRE));
    }

    /// A piston in a cup, this far to the left of the line between its ends.
    pub fn damper(&mut self, ends: [Place; 2], aside: f64) {
        let sign = Along::new(ends, self.unit());
        let pen = self.pen(Material::Damper, WIRE);
        let at = |part: f64, over: f64| sign.at(part, aside + over);
        let lead = LEADS[0] / 2.0;
        let (cup, piston, floor) = (0.36, 0.5, 0.62);
        for places in [
            vec![sign.at(0.0, 0.0), sign.at(lead, 0.0), at(lead, 0.0), at(piston, 0.0)],
            vec![at(piston, -0.9), at(piston, 0.9)],
            vec![at(cup, -1.3), at(floor, -1.3), at(floor, 1.3), at(cup, 1.3)],
            vec![
                at(floor, 0.0),
                at(1.0 - lead, 0.0),
                sign.at(1.0 - lead, 0.0),
                sign.at(1.0, 0.0),
            ],
        ] {
            self.line(Rank::Force, places, pen);
        }
    }

    /// A string.
    pub fn thread(&mut self, ends: [Place; 2]) {
        let pen = Pen {
            dashed: true,
            ..self.pen(Material::Rail, WIRE)
        };
        self.line(Rank::Force, ends.to_vec(), pen);
    }

    /// A torsion spring or a torque.
    pub fn spiral(&mut self, at: Place, material: Material) {
        let (unit, turns, steps) = (self.unit(), 2.25, 72);
        let place = |k: usize| {
            let part = k as f64 / steps as f64;
            let (angle, radius) = (TAU * turns * part, unit * (0.9 + 2.1 * part));
            [at[0] + radius * angle.cos(), at[1] - radius * angle.sin()]
        };
        let pen = self.pen(material, WIRE);
        self.line(Rank::Load, (0..=steps).map(place).collect(), pen);
    }

    /// Points the way of a force; its length says nothing.
    pub fn arrow(&mut self, at: Place, force: Vector) {
        let length = force.norm();
        if length == 0.0 {
            return;
        }
        let way = [force.x / length, -force.y / length].map(|x| 10.0 * self.unit() * x);
        let colour = self.pen(Material::Load, 0.0).colour;
        self.vector(Rank::Load, [at, [at[0] + way[0], at[1] + way[1]]], colour, 1);
    }

    /// An arrow with so many heads; where it is shorter than a head, it shrinks as a whole.
    pub fn vector(&mut self, rank: Rank, ends: [Place; 2], colour: Rgb, heads: usize) {
        let [x, y] = [0, 1].map(|k| ends[1][k] - ends[0][k]);
        let (length, whole) = (x.hypot(y), HEAD[0] * self.unit());
        let size = (length / whole).min(1.0);
        if size < LEAST {
            return;
        }
        let sign = Along::new(ends, size * self.unit());
        let behind = |heads: f64| 1.0 - heads * size * whole / length;
        let pen = Pen {
            colour,
            width: SHAFT * size * self.unit(),
            dashed: false,
        };
        self.line(rank, vec![ends[0], sign.at(behind(0.8), 0.0)], pen);
        for k in 0..heads {
            let (neck, tip) = (behind(1.0 + 0.7 * k as f64), behind(0.7 * k as f64));
            let head = vec![sign.at(neck, HEAD[1]), sign.at(tip, 0.0), sign.at(neck, -HEAD[1])];
            self.filled(rank, head, colour);
        }
    }

    /// A pin.
    pub fn pin(&mut self, at: Place) {
        let fill = self.own();
        self.area(Rank::Joint, vec![circle(at, 0.62 * self.unit())], fill);
    }

    /// A place that is fixed: a triangle on hatched ground.
    pub fn support(&mut self, at: Place) {
        let unit = self.unit();
        let place = |x: f64, y: f64| [at[0] + x * unit, at[1] + y * unit];
        let fill = self.white();
        self.area(Rank::Support, vec![vec![place(-2.2, 3.8), at, place(2.2, 3.8)]], fill);
        self.ground([place(3.2, 3.8), place(-3.2, 3.8)], Rank::Support, self.ink());
    }

    /// A line that is fixed, hatched on its left, as far as it is on the page.
    pub fn ground(&mut self, [a, b]: [Place; 2], rank: Rank, colour: Rgb) {
        let Some([a, b]) = self.frame.cut(a, [b[0] - a[0], b[1] - a[1]], [0.0, 1.0]) else {
            return;
        };
        let pen = Pen {
            colour,
            ..self.outline()
        };
        let thick = Pen {
            width: 1.4 * pen.width,
            ..pen
        };
        self.line(rank, vec![a, b], thick);
        let unit = self.unit();
        let length = (b[0] - a[0]).hypot(b[1] - a[1]);
        let (step, depth) = (1.2 * unit, 1.3 * unit);
        let sign = Along::new([a, b], unit);
        for k in 0..(length / step).round().max(1.0) as usize {
            let part = (k as f64 + 0.5) * step / length;
            let foot = sign.at((part + 0.5 * depth / length).min(1.0), 0.0);
            let tip = sign.at(part - 0.5 * depth / length, depth / unit);
            self.line(rank, vec![foot, tip], Pen { width: THIN, ..pen });
        }
    }

    /// A block on a straight rail.
    pub fn rail(&mut self, slider: Place, direction: Place) {
        let pen = self.pen(Material::Rail, WIRE);
        if let Some(ends) = self.frame.cut(slider, direction, LINE) {
            self.line(Rank::Rail, ends.to_vec(), pen);
        }
        let unit = self.unit();
        let half = direction.map(|x| 2.6 * unit * x);
        let ends = [-1.0, 1.0].map(|side| [slider[0] + side * half[0], slider[1] + side * half[1]]);
        let sign = Along::new(ends, unit);
        let corners = [(0.0, 1.6), (1.0, 1.6), (1.0, -1.6), (0.0, -1.6)];
        let fill = self.own();
        self.area(
            Rank::Slider,
            vec![corners.map(|(part, aside)| sign.at(part, aside)).to_vec()],
            fill,
        );
    }

    /// A centre of mass: a disc with two black quarters.
    pub fn centre(&mut self, at: Place, rank: Rank) {
        let radius = 0.75 * self.unit();
        let (white, ink) = (self.white(), self.ink());
        self.area(rank, vec![circle(at, radius)], white);
        for side in [1.0, -1.0] {
            let quarter = (0..=12).map(|k| TAU / 4.0 * f64::from(k) / 12.0);
            let arc = quarter.map(|angle| [at[0] + side * radius * angle.cos(), at[1] - side * radius * angle.sin()]);
            self.filled(rank, arc.chain([at]).collect(), ink);
        }
    }

    /// A filled shape without an outline.
    pub fn filled(&mut self, rank: Rank, places: Vec<Place>, fill: Rgb) {
        self.shape(
            rank,
            Shape {
                contours: vec![places],
                closed: true,
                fill: Some(fill),
                pen: None,
            },
        );
    }

    /// What lies under an outline where nothing has a colour.
    pub fn white(&self) -> Rgb {
        [0xff; 3]
    }

    /// The fill of plates among bars: the colour of the body, and grey in print.
    pub fn plate(&self, colour: Rgb) -> Rgb {
        match self.palette {
            Palette::Colour => colour,
            Palette::Paper => [0xe4; 3],
        }
    }
}
