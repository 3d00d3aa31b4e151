//! From a scene as written to the immutable model: names become indices, expressions become numbers with gradients.
//!
//! Every number is evaluated once, together with its exact derivatives with respect to the named parameters. Bars and
//! rigid bodies offer markers; a bar that ends on the marker of another body gets a point of its own there, and a bar
//! whose angle something uses gets an angle coordinate, both with the constraint that ties them to the rest.

mod attachments;
mod bars;
mod bodies;
mod bushings;
mod cables;
mod chain;
mod contacts;
mod coordinates;
mod derivatives;
mod draft;
mod drivers;
mod elements;
mod events;
mod feedback;
mod fits;
mod fixed_kinks;
mod forces;
mod formulas;
mod freedoms;
mod friction;
mod guess;
mod hinges;
mod hysteretic;
mod in_space;
mod joint_friction;
mod joints;
mod kinks;
mod limits;
mod lines;
mod loads;
mod looks;
mod memory;
mod names;
mod numbers;
mod objectives;
mod optimization;
mod orientation;
mod outputs;
mod overrides;
mod parameters;
mod parts;
mod pins;
mod points;
mod quantities;
mod ratchets;
mod rims;
mod robots;
mod rubbed_freedoms;
mod settings;
mod signals;
mod site;
mod smooth;
mod solids;
mod springs;
mod surfaces;
mod view;
mod volumes;
mod within;

pub use overrides::Overrides;

use super::SceneFile;
use super::compiled::Compiled;
use super::schema::{self, Scene};
use crate::error::Result;
use crate::model::marker::Place;
use crate::model::{GroupKind, Model};
use feedback::Followed;
use guess::OwnEnd;
use hinges::Hinge;
use names::Names;
use numbers::Numbers;
use pins::PinRequest;
use solids::Solid;

/// Compiles a scene, with some of its parameters replaced.
///
/// # Errors
/// [`ErrorKind::Scene`](crate::error::ErrorKind::Scene) with the place in the file for whatever has no meaning: unknown
/// names, values out of range, kinds that do not exist in the space of the scene, expressions without a finite value or
/// derivative. [`ErrorKind::Request`](crate::error::ErrorKind::Request) when the overrides name no parameter or lead
/// outside the bounds of one.
pub fn compile(file: &SceneFile, overrides: &Overrides) -> Result<Compiled> {
    let mut build = Build::new(file, overrides)?;
    let simulation = build.settings()?;
    build.gravity()?;
    build.robots()?;
    build.memory()?;
    build.ground()?;
    build.points()?;
    build.bodies()?;
    build.joints()?;
    build.forces()?;
    build.contacts()?;
    build.joint_frictions()?;
    build.check_points()?;
    build.outputs()?;
    build.feedback()?;
    build.memory_rates()?;
    build.events()?;
    build.objectives()?;
    build.pins()?;
    let optimization = build.optimization()?;
    let view = build.view()?;
    let unused_parameters = build.numbers.unused_parameters();
    let mut model = build.model;
    (model.parameters, model.numbers) = build.numbers.finish();
    memory::place(&mut model);
    Ok(Compiled {
        model,
        simulation,
        optimization,
        view,
        unused_parameters,
    })
}

/// What each parameter touches: its name and the names of the numbers that change with it, in the order of the model.
pub fn touches(model: &Model) -> Vec<(String, Vec<String>)> {
    let parameters = model.parameters.iter();
    let mut touched: Vec<_> = parameters.map(|found| (found.name.clone(), Vec::new())).collect();
    for number in &model.numbers {
        for (parameter, _) in &number.gradient {
            if let Some((_, names)) = touched.get_mut(*parameter) {
                names.push(number.name.clone());
            }
        }
    }
    touched
}

/// A model under construction. Markers and orientations in it hold global indices.
struct Build<'s> {
    file: &'s SceneFile,
    scene: &'s Scene,
    dimension: usize,
    names: Names<'s>,
    numbers: Numbers,
    /// The parameters and numbers stay empty until the end.
    model: Model,
    /// Time at the start.
    start: f64,
    /// Numbers of gravity.
    gravity: Place,
    /// Numbers of each ground point.
    ground: Vec<Place>,
    /// Numbers of the quaternions of those that have an orientation.
    ground_turns: Vec<Option<[usize; 4]>>,
    /// Coordinates of each point.
    points: Vec<Place>,
    /// Bars and rigid bodies.
    solids: Vec<Solid>,
    /// Ends of bars whose coordinates still lack a start.
    own_ends: Vec<OwnEnd>,
    /// Group of each joint.
    joints: Vec<usize>,
    /// Joints of the scene between frames in space, as far as something uses them.
    hinges: Vec<Option<Hinge>>,
    /// Contacts of the model that each contact of the scene became.
    contacts: Vec<Vec<usize>>,
    pins: Vec<PinRequest>,
    /// Numbers of forces that follow the motion, until that is read.
    followed: Vec<Followed<'s>>,
    /// How surfaces move over their own material, as written, each with the first friction of one that does.
    belts: Vec<(Vec<schema::Number>, usize)>,
    /// Whether each output can change during the motion.
    outputs_vary: Vec<bool>,
}

impl<'s> Build<'s> {
    fn new(file: &'s SceneFile, overrides: &Overrides) -> Result<Self> {
        let dimension = file.scene.space.dimension();
        Ok(Self {
            file,
            scene: &file.scene,
            dimension,
            names: Names::read(file)?,
            numbers: Numbers::new(file, overrides)?,
            model: Model {
                dimension,
                ..Model::default()
            },
            start: 0.0,
            gravity: Place::default(),
            ground: Vec::new(),
            ground_turns: Vec::new(),
            points: Vec::new(),
            solids: Vec::new(),
            own_ends: Vec::new(),
            joints: Vec::new(),
            hinges: Vec::new(),
            contacts: Vec::new(),
            pins: Vec::new(),
            followed: Vec::new(),
            belts: Vec::new(),
            outputs_vary: Vec::new(),
        })
    }

    fn is_planar(&self) -> bool {
        self.dimension == 2
    }

    /// Names of the axes.
    fn axes(&self) -> &'static [&'static str] {
        if self.is_planar() {
            &["x", "y"]
        } else {
            &["x", "y", "z"]
        }
    }

    fn group(&mut self, name: String, kind: GroupKind, constraints: Vec<usize>, active: bool) -> usize {
        self.model.groups.push(crate::model::Group {
            name,
            kind,
            constraints,
            frames: [None, None],
            active,
        });
        self.model.groups.len() - 1
    }
}
