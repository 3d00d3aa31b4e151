//! Pictures without a display.

use kiss3d::pollster::block_on;
use kiss3d::prelude::Vec2;
use kiss3d::window::{CanvasSetup, NumSamples, Window};

use super::arrows::ShownArrows;
use super::backdrop::{Page, placed_paths};
use super::camera::{Area, Look, Sight};
use super::stage::{Content, Stage};
use super::{graphics, light};
use crate::appearance::{Owner, Vector};
use crate::error::Result;
use crate::files::Image;
use crate::run::DesignGradient;
use crate::show::{Comparison, Show, VectorKind};

/// Draws pictures of one size.
///
/// A thread can have one after the other only if the first is still there: the graphics library loses its context with its
/// last window.
pub struct Studio {
    window: Window,
    stage: Stage,
    gradient: Option<DesignGradient>,
    comparison: Comparison,
    style: Style,
    legend: ShownArrows,
}

/// What pictures show besides the mechanism, and from where.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Style {
    /// Where the mechanism is seen from.
    pub look: Look,
    /// Paths of points.
    pub traces: bool,
    /// Names of points, joints, bodies and forces, as far as there is room for them.
    pub names: bool,
    /// Axes of the ground and of rigid bodies.
    pub frames: bool,
    /// Arrows.
    pub arrows: Vec<VectorKind>,
    /// What is highlighted.
    pub selected: Option<Owner>,
    /// Moments that are seen through behind.
    pub behind: Vec<f64>,
}

impl Studio {
    /// A studio for pictures of this size in pixels.
    ///
    /// # Errors
    /// Kind `Graphics` on a machine without a graphics driver.
    pub fn new(width: u32, height: u32) -> Result<Self> {
        graphics::demand()?;
        let mut window = block_on(Window::new_headless_with_setup(width, height, setup()));
        graphics::confirm()?;
        light::prepare(&mut window);
        Ok(Self {
            window,
            stage: Stage::new(),
            gradient: None,
            comparison: Comparison::default(),
            style: Style::default(),
            legend: ShownArrows::default(),
        })
    }

    /// What the next pictures show. Arrows keep the scale of the first motion that is drawn then.
    pub fn set_style(&mut self, style: Style) {
        self.legend = ShownArrows::new(style.arrows.clone());
        self.style = style;
    }

    /// From now on bars have the colours of this gradient, and a scale tells what they mean.
    pub fn colour_by(&mut self, gradient: Option<DesignGradient>) {
        self.gradient = gradient;
    }

    /// From now on these motions are seen through behind, each in its colour, and a legend tells them apart.
    pub fn compare(&mut self, comparison: Comparison) {
        self.comparison = comparison;
    }

    /// The mechanism of a show at a time.
    ///
    /// # Errors
    /// As [`Arrows::at`](crate::show::Arrows::at), where arrows are asked for.
    pub fn picture(&mut self, show: &Show, t: f64) -> Result<Image> {
        let mut sight = self.sight(show);
        let paths = match self.style.traces {
            true => placed_paths(show, &self.comparison, &sight.placing),
            false => Vec::new(),
        };
        let arrows = self.legend.try_blocks(show, t)?;
        let moments = self.style.behind.iter().chain([&t]);
        let moments: Vec<String> = moments.map(|t| format!("{t:.3}")).collect();
        let content = Content {
            show,
            t,
            caption: &format!("t = {} s", moments.join(", ")),
            gradient: self.gradient.as_ref(),
            selected: self.style.selected,
            arrows,
            legend: &self.legend,
            ghost: Vec::new(),
            predicted: None,
            behind: &self.style.behind,
            comparison: &self.comparison,
            names: self.style.names,
            frames: self.style.frames,
            paths: &paths,
        };
        let page = Page::new(&self.area());
        self.stage.draw(&mut self.window, &sight, &page, content);
        light::cast_shadows(&mut self.window, show.is_planar(), sight.camera.dist());
        block_on(self.window.render_3d(&mut self.stage.scene, &mut sight.camera));
        Ok(self.pixels())
    }

    fn pixels(&self) -> Image {
        let (width, height) = (self.window.width(), self.window.height());
        let mut upwards = Vec::new();
        self.window.snap(&mut upwards);
        let rows: Vec<&[u8]> = upwards.rchunks(3 * width as usize).collect();
        let rgb = rows.concat();
        Image { width, height, rgb }
    }

    /// Where a place is in the pictures of a show, in pixels from the upper left corner.
    pub fn pixel(&self, show: &Show, at: impl Into<Vector>) -> (f32, f32) {
        let size = Vec2::new(self.window.width() as f32, self.window.height() as f32);
        self.sight(show).pixel(at.into(), size).into()
    }

    fn area(&self) -> Area {
        Area::whole(self.window.width(), self.window.height())
    }

    fn sight(&self, show: &Show) -> Sight {
        Sight::new(show, &self.area(), &self.style.look).of(&self.window)
    }
}

/// Edges are smoothed.
pub(super) fn setup() -> CanvasSetup {
    CanvasSetup {
        samples: NumSamples::Four,
        ..CanvasSetup::default()
    }
}
