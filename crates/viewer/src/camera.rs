//! Where a mechanism stands on the stage, and where it is seen from.

use kiss3d::camera::{OrbitCamera3d, Projection};
use kiss3d::event::{MouseButton, WindowEvent};
use kiss3d::prelude::{Camera3d, Vec2, Vec3};
use kiss3d::window::Window;

use crate::appearance::{Ray, Scale, Vector};
use crate::show::{FIELD, FILL, Show};

/// Diagonal of any mechanism on the stage: the graphics library works best with sizes near one.
pub(super) const EXTENT: f64 = 10.0;

/// From metres to the stage.
#[derive(Clone, Copy, Debug)]
pub struct Placing {
    centre: Vector,
    factor: f64,
}

impl Placing {
    /// Centres a mechanism and makes it as large as [`EXTENT`].
    pub fn new(scale: &Scale) -> Self {
        Self {
            centre: scale.centre(),
            factor: EXTENT / scale.extent(),
        }
    }

    /// A place on the stage.
    pub fn place(&self, at: Vector) -> Vec3 {
        self.vector(at - self.centre)
    }

    /// A vector on the stage.
    pub fn vector(&self, vector: Vector) -> Vec3 {
        let [x, y, z] = vector.map(|x| (x * self.factor) as f32).into();
        Vec3::new(x, y, z)
    }

    /// The place in metres of a point of the stage.
    pub fn metres(&self, at: Vec3) -> Vector {
        Vector::from(at.to_array().map(f64::from)) / self.factor + self.centre
    }

    /// A length on the stage.
    pub fn length(&self, length: f64) -> f32 {
        (length * self.factor) as f32
    }
}

/// A picture and the part of it that panels leave free, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Width and height of the picture.
    pub size: Vec2,
    /// Widths of what lies over the right and the lower edge.
    pub covered: Vec2,
}

/// How a view departs from the usual one, or from that of the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Angle of the eye about the upward direction, from the first axis across it (spatial), in radians.
    pub azimuth: Option<f64>,
    /// Angle of the eye above the horizon (spatial), in radians.
    pub elevation: Option<f64>,
    /// How many times nearer.
    pub zoom: f64,
    /// Place in the middle of the picture, in metres.
    pub centre: Option<[f64; 3]>,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            azimuth: None,
            elevation: None,
            zoom: 1.0,
            centre: None,
        }
    }
}

impl Area {
    /// All of a picture.
    pub fn whole(width: u32, height: u32) -> Self {
        Self {
            size: Vec2::new(width as f32, height.max(1) as f32),
            covered: Vec2::ZERO,
        }
    }

    /// Pixels of this picture per pixel of one 720 pixels high, for sizes of text.
    pub fn unit(&self) -> f32 {
        (self.size.y / 720.0).clamp(0.5, 2.0)
    }

    /// What is free; never less than a quarter.
    pub fn free(&self) -> Vec2 {
        (self.size - self.covered).max(self.size / 4.0)
    }
}

/// A mechanism on the stage with the camera that it is seen by.
pub(super) struct Sight {
    pub(super) placing: Placing,
    pub(super) camera: OrbitCamera3d,
}

impl Sight {
    /// Holds the whole motion, or what the scene says, in the free part of a picture: straight on for planar mechanisms,
    /// from above and aside for spatial ones.
    pub(super) fn new(show: &Show, area: &Area, look: &Look) -> Self {
        let placing = Placing::new(&show.scale);
        let camera = fitted(show, &placing, area, look);
        Self { placing, camera }
    }

    /// With the proportions of a window, which the camera is told otherwise only when it is rendered.
    pub(super) fn of(mut self, window: &Window) -> Self {
        let size = WindowEvent::FramebufferSize(window.width(), window.height());
        self.camera.handle_event(window.canvas(), &size);
        self
    }

    /// Lets the mouse move the view, or no longer. A plane stays seen straight on, where its scales hold.
    pub(super) fn follow_mouse(&mut self, follows: bool, is_planar: bool) {
        let (turning, moving) = match is_planar {
            true => (None, Some(MouseButton::Button1)),
            false => (Some(MouseButton::Button1), Some(MouseButton::Button2)),
        };
        self.camera.rebind_rotate_button(turning.filter(|_| follows));
        self.camera.rebind_drag_button(moving.filter(|_| follows));
    }

    /// Where a place is in a picture of this size, in pixels from the upper left corner.
    pub(super) fn pixel(&self, at: Vector, size: Vec2) -> Vec2 {
        let seen = self.camera.project(self.placing.place(at), size);
        Vec2::new(seen.x, size.y - seen.y)
    }

    /// The line of sight through a pixel of a picture of this size.
    pub(super) fn ray(&self, pixel: Vec2, size: Vec2) -> Ray {
        let (eye, direction) = self.camera.unproject(pixel, size);
        let origin = self.placing.metres(eye);
        let direction = self.placing.metres(eye + direction) - origin;
        Ray { origin, direction }
    }

    /// The place that is seen at a pixel, as far away as another place.
    pub(super) fn beside(&self, at: Vector, pixel: Vec2, size: Vec2) -> Vector {
        let Ray { origin, direction } = self.ray(pixel, size);
        let [eye, middle] = [self.camera.eye(), self.camera.at()].map(|place| self.placing.metres(place));
        let back = eye - middle;
        origin + direction * ((at - origin).dot(&back) / direction.dot(&back))
    }

    /// Half the height of the picture on the stage, at the distance of its middle.
    pub(super) fn half_height(&self) -> f32 {
        self.camera.dist() * (self.camera.fov() / 2.0).tan()
    }
}

fn fitted(show: &Show, placing: &Placing, area: &Area, look: &Look) -> OrbitCamera3d {
    let axes = show.directions(look.azimuth, look.elevation);
    let (free, field) = (area.free(), FIELD as f32);
    let tangent = (field / 2.0).tan();
    let [wide, high] = (free * tangent / area.size.y).to_array().map(f64::from);
    let room = [wide * FILL[0], high * FILL[1]];
    let (middle, distance) = show.seen_along(axes, room);
    let middle = look.centre.map_or(middle, Vector::from);
    let (middle, distance) = (placing.place(middle), placing.length(distance));
    let distance = distance / look.zoom as f32;
    // Stage per pixel.
    let unit = 2.0 * distance * tangent / area.size.y;
    let [right, up, back] = axes.map(direction);
    let aside = (area.size - free) / 2.0 * unit;
    let at = middle + right * aside.x - up * aside.y;
    let eye = at + back * distance;
    let reach = EXTENT as f32;
    let mut camera = OrbitCamera3d::new_with_frustum(field, 0.01 * reach.min(distance), 100.0 * reach, eye, at);
    if show.is_planar() {
        camera.set_projection(Projection::Orthographic);
    } else {
        camera.set_up_axis_dir(direction(show.up()));
        camera.look_at(eye, at);
    }
    camera
}

fn direction(vector: Vector) -> Vec3 {
    Vec3::from(<[f32; 3]>::from(vector.map(|x| x as f32)))
}
