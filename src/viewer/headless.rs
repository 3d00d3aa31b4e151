//! Pictures without a display.

use kiss3d::camera::OrbitCamera3d;
use kiss3d::pollster::block_on;
use kiss3d::post_processing::Tonemap;
use kiss3d::prelude::{Camera3d, Vec2};
use kiss3d::window::{CanvasSetup, NumSamples, Window};

use super::arrows::Shafts;
use super::camera::{Area, Look};
use super::floor::Floor;
use super::stage::{Placing, Stage};
use super::{backdrop, camera, graphics, heat, palette};
use crate::appearance::Vector;
use crate::error::Result;
use crate::model::quantity::VectorKind;
use crate::files::Image;
use crate::run::DesignGradient;
use crate::show::Show;

/// Draws pictures of one size.
///
/// A thread can have one after the other only if the first is still there: the graphics library loses its context with its
/// last window.
pub struct Studio {
    window: Window,
    stage: Stage,
    gradient: Option<DesignGradient>,
    style: Style,
    shafts: Shafts,
}

/// What pictures show besides the mechanism, and from where.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Style {
    /// Where the mechanism is seen from.
    pub look: Look,
    /// Paths of points.
    pub traces: bool,
    /// Arrows.
    pub arrows: Vec<VectorKind>,
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
        prepare(&mut window);
        Ok(Self {
            window,
            stage: Stage::new(),
            gradient: None,
            style: Style::default(),
            shafts: Shafts::default(),
        })
    }

    /// What the next pictures show. Arrows keep the scale of the first motion that is drawn then.
    pub fn set_style(&mut self, style: Style) {
        self.shafts = Shafts::new(style.arrows.clone());
        self.style = style;
    }

    /// From now on bars have the colours of this gradient, and a scale tells what they mean.
    pub fn colour_by(&mut self, gradient: Option<DesignGradient>) {
        self.gradient = gradient;
    }

    /// The mechanism of a show at a time.
    ///
    /// # Errors
    /// As [`Arrows::at`](crate::show::Arrows::at), where arrows are asked for.
    pub fn picture(&mut self, show: &Show, t: f64) -> Result<Image> {
        let (placing, mut camera) = self.view(show);
        let (items, mut blocks) = show.blocks(t);
        blocks.extend(self.shafts.try_blocks(show, t)?);
        if !show.is_planar() {
            blocks.extend(Floor::new(show).slab(&camera, &placing));
        }
        let gradient = self.gradient.as_ref();
        self.stage.give(show.given());
        self.stage
            .show(&blocks, &placing, |block| heat::colour(gradient, &items, block));
        let caption = format!("t = {t:.3} s");
        let area = self.area();
        backdrop::draw(&mut self.window, &camera, show, &placing, (&area, &caption));
        if let Some(gradient) = gradient {
            heat::draw_legend(&mut self.window, gradient, &area);
        }
        let page = backdrop::Page::new(&area);
        self.shafts
            .draw_legend(&mut self.window, &page, (&camera, &placing), gradient.is_some());
        if self.style.traces {
            let paths = backdrop::placed_paths(show, &placing);
            backdrop::draw_paths(&mut self.window, &paths);
        }
        self.window.set_shadows_enabled(!show.is_planar());
        block_on(self.window.render_3d(&mut self.stage.scene, &mut camera));
        let image = self.window.snap_image();
        Ok(Image {
            width: image.width(),
            height: image.height(),
            rgb: image.into_raw(),
        })
    }

    /// Where a place is in the pictures of a show, in pixels from the upper left corner.
    pub fn pixel(&self, show: &Show, at: Vector) -> (f32, f32) {
        let (placing, camera) = self.view(show);
        let size = Vec2::new(self.window.width() as f32, self.window.height() as f32);
        let pixel = camera.project(placing.place(at), size);
        (pixel.x, size.y - pixel.y)
    }

    fn area(&self) -> Area {
        Area::whole(self.window.width(), self.window.height())
    }

    fn view(&self, show: &Show) -> (Placing, OrbitCamera3d) {
        let placing = Placing::new(&show.scale);
        let mut camera = camera::fitted(show, &placing, &self.area(), &self.style.look);
        camera.update(self.window.canvas());
        (placing, camera)
    }
}

/// Edges are smoothed.
pub(super) fn setup() -> CanvasSetup {
    CanvasSetup {
        samples: NumSamples::Four,
        ..CanvasSetup::default()
    }
}

/// Light and paper that every window has; colours stay as they are given.
pub(super) fn prepare(window: &mut Window) {
    window.set_background_color(palette::BACKGROUND);
    window.set_ambient(0.6);
    window.set_tonemap(Tonemap::None);
}
