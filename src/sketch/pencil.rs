//! Marks on a page, from the back to the front.

use std::cmp::Ordering;

use super::frame::Frame;
use super::{Palette, Place};
use crate::appearance::{INK, Item, Material, Rgb, Vector};
use crate::show::Room;

/// What is drawn over what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Trace,
    Surface,
    Support,
    Rail,
    Force,
    Circle,
    Plate,
    Bar,
    Link,
    Slider,
    Joint,
    Load,
    Friction,
    Vector,
    Label,
}

/// Where a mark lies over others: bodies by their layers first.
#[derive(Clone, Copy, Debug)]
struct Height {
    layer: f64,
    rank: Rank,
}

impl Height {
    fn over(&self, other: &Self) -> Ordering {
        let bodies = Rank::Plate..=Rank::Link;
        match bodies.contains(&self.rank) && bodies.contains(&other.rank) {
            true => self.layer.total_cmp(&other.layer).then(self.rank.cmp(&other.rank)),
            false => self.rank.cmp(&other.rank),
        }
    }
}

/// Something on a page.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mark {
    Shape(Shape),
    Text(Text),
}

impl Mark {
    /// Whether another mark goes through the same places.
    pub fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Shape(own), Self::Shape(other)) => own.contours == other.contours,
            _ => false,
        }
    }
}

/// Contours with what fills them, and what they are drawn with: holes are passed the other way round than what lies around them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape {
    pub contours: Vec<Vec<Place>>,
    pub closed: bool,
    pub fill: Option<Rgb>,
    pub pen: Option<Pen>,
}

/// How a line is drawn; its width in millimetres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pen {
    pub colour: Rgb,
    pub width: f64,
    pub dashed: bool,
}

/// A name, from the left end of its base line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Text {
    pub at: Place,
    /// Height of the font in millimetres.
    pub size: f64,
    pub colour: Rgb,
    pub words: String,
}

const WHITE: Rgb = [0xff; 3];
const BLACK: Rgb = [0x00; 3];

/// Width of outlines in millimetres.
const OUTLINE: f64 = 0.25;
/// Height of names in millimetres, and the usual width of a letter over it.
pub(super) const NAMES: f64 = 2.6;
pub(super) const LETTER: f64 = 0.54;
/// Dash and gap of dashed lines over their width.
pub(super) const DASHES: [f64; 2] = [4.0, 3.0];
/// Width of the white line around names over their height.
pub(super) const HALO: f64 = 0.25;

/// Collects the marks of a moment.
pub(super) struct Pencil<'a> {
    pub frame: &'a Frame,
    pub palette: Palette,
    /// Part of white in all colours.
    back: f64,
    /// The one colour of a motion beside another.
    tint: Option<Rgb>,
    /// Colour that the scene gives to what is drawn.
    given: Option<Rgb>,
    /// Lower end of its layer.
    layer: f64,
    marks: Vec<(Height, Mark)>,
    /// Where there is room for names.
    names: Room,
}

impl<'a> Pencil<'a> {
    pub fn new(frame: &'a Frame, palette: Palette, back: f64) -> Self {
        Self {
            frame,
            palette,
            back,
            tint: None,
            given: None,
            layer: 0.0,
            marks: Vec::new(),
            names: Room {
                size: frame.size,
                line: NAMES,
                letter: LETTER * NAMES,
                aside: 1.3 * frame.unit,
                taken: Vec::new(),
            },
        }
    }

    /// For the outlines of a motion beside another, in its colour.
    pub fn tinted(self, colour: Rgb) -> Self {
        let tint = Some(self.shade(colour));
        Self { tint, ..self }
    }

    /// The colour of a motion beside another: a grey of its brightness in print, apart from the ink.
    pub fn shade(&self, colour: Rgb) -> Rgb {
        let [r, g, b] = colour.map(f64::from);
        let brightness = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        match self.palette {
            Palette::Colour => colour,
            Palette::Paper => [(80.0 + 0.7 * brightness).round() as u8; 3],
        }
    }

    /// Whether this is a motion beside another.
    pub fn is_beside(&self) -> bool {
        self.tint.is_some()
    }

    /// Whether this moment is behind another.
    pub fn is_back(&self) -> bool {
        self.back > 0.0
    }

    /// Half the width of a bar in millimetres.
    pub fn unit(&self) -> f64 {
        self.frame.unit
    }

    pub fn place(&self, at: Vector) -> Place {
        self.frame.place(at)
    }

    /// The marks, those in front last.
    pub fn finish(mut self) -> impl Iterator<Item = Mark> {
        self.marks.sort_by(|(one, _), (other, _)| one.over(other));
        self.marks.into_iter().map(|(_, mark)| mark)
    }

    /// The colour of outlines.
    pub fn ink(&self) -> Rgb {
        match self.palette {
            Palette::Colour => INK,
            Palette::Paper => BLACK,
        }
    }

    /// Draws an item from now on.
    pub fn take(&mut self, item: &Item) {
        self.given = item.given.filter(|_| self.palette == Palette::Colour);
        self.layer = item.layer.from;
    }

    /// Draws nothing of an item from now on.
    pub fn take_none(&mut self) {
        (self.given, self.layer) = (None, 0.0);
    }

    /// The fill of what is white unless the scene gives it a colour.
    pub fn own(&self) -> Rgb {
        self.given.unwrap_or(WHITE)
    }

    /// The colour of what may be touched.
    pub fn surface(&self) -> Rgb {
        self.given.unwrap_or(self.ink())
    }

    /// What a body of this colour is filled with.
    pub fn body(&self, colour: Rgb) -> Rgb {
        match self.palette {
            Palette::Colour => colour,
            Palette::Paper => WHITE,
        }
    }

    /// A pen of this width in the colour of a material.
    pub fn pen(&self, material: Material, width: f64) -> Pen {
        let colour = match self.palette {
            Palette::Colour => self.given.unwrap_or_else(|| material.colour()),
            Palette::Paper => BLACK,
        };
        Pen {
            colour,
            width,
            dashed: false,
        }
    }

    /// The pen of outlines.
    pub fn outline(&self) -> Pen {
        Pen {
            colour: self.ink(),
            width: OUTLINE,
            dashed: false,
        }
    }

    /// A line through places.
    pub fn line(&mut self, rank: Rank, places: Vec<Place>, pen: Pen) {
        self.shape(
            rank,
            Shape {
                contours: vec![places],
                closed: false,
                fill: None,
                pen: Some(pen),
            },
        );
    }

    /// A filled shape with the outline of all shapes.
    pub fn area(&mut self, rank: Rank, contours: Vec<Vec<Place>>, fill: Rgb) {
        let pen = Some(self.outline());
        self.shape(
            rank,
            Shape {
                contours,
                closed: true,
                fill: Some(fill),
                pen,
            },
        );
    }

    /// A shape; what is not finite is left out.
    pub fn shape(&mut self, rank: Rank, mut shape: Shape) {
        shape
            .contours
            .retain(|contour| contour.iter().flatten().all(|x| x.is_finite()));
        if let Some(tint) = self.tint {
            shape.fill = shape.fill.filter(|_| shape.pen.is_none()).map(|_| tint);
            shape.pen = shape.pen.map(|pen| Pen {
                colour: tint,
                width: pen.width.min(OUTLINE),
                ..pen
            });
        }
        shape.fill = shape.fill.map(|colour| self.paled(colour));
        if let Some(pen) = &mut shape.pen {
            pen.colour = self.paled(pen.colour);
        }
        if !shape.contours.is_empty() {
            self.marks.push((self.height(rank), Mark::Shape(shape)));
        }
    }

    /// A name beside a place, where it covers no other name if there is room.
    pub fn name(&mut self, words: &str, beside: Place) {
        let at = self.names.find_or_cover(words, beside);
        self.write(words, at);
    }

    /// Words from the left end of their base line.
    pub fn write(&mut self, words: &str, at: Place) {
        let colour = self.ink();
        let text = Text {
            at,
            size: NAMES,
            colour,
            words: words.to_string(),
        };
        self.marks.push((self.height(Rank::Label), Mark::Text(text)));
    }

    fn height(&self, rank: Rank) -> Height {
        Height {
            layer: self.layer,
            rank,
        }
    }

    fn paled(&self, colour: Rgb) -> Rgb {
        colour.map(|channel| (f64::from(channel) + self.back * (255.0 - f64::from(channel))).round() as u8)
    }
}
