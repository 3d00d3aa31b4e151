//! A scene after compilation: the model, and what the other rooms need to know besides. Plain data, filled by
//! [`compile`](super::compile()).

mod optimization;
mod settings;
mod view;

pub use optimization::{DesignVariable, Limit, LimitSide, LoadCase, Optimization, Stopping};
pub use settings::{PenaltySettings, Settings};
pub use view::{COLOURS, CameraView, Form, Look, PlacedShape, Rgb, View};

use crate::model::Model;

/// A compiled scene.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The mechanism.
    pub model: Model,
    /// How its motion is computed.
    pub simulation: Settings,
    /// What is to be made better, if the scene says so.
    pub optimization: Option<Optimization>,
    /// What pictures show.
    pub view: View,
    /// Names of the parameters that nothing uses, not even through another parameter.
    pub unused_parameters: Vec<String>,
}
