//! Scenes ready to run, and the other solvers.

pub mod by_hand;
pub mod differences;
pub mod gradients;
pub mod others;
pub mod parameters;
pub mod pendulum;
pub mod table;
pub mod timing;

use std::path::Path;

use costate::hybrid::{Finish, HybridSystem, Options, simulate};
use costate::integrate::Tolerance;
use costate::mechanism::{Mechanism, Workspace};
use costate::model::Mode;
use costate::run::{Changes, Experiment};
use costate::scene::schema::FormulationKind;
use costate::scene::{SceneFile, read_with};

/// P2 of the five-bar mechanism without ground at 5 s: agreed to all digits by two integrators at tolerance 1e-14.
pub const REFERENCE: [f64; 2] = [0.384_031_681_698_133, -2.303_783_444_225_277_6];

/// A scene with the tolerance for its motions.
pub struct Scene {
    file: SceneFile,
    /// Constants that say how many parts the mechanism has.
    counts: Vec<(String, f64)>,
    /// Absolute and relative.
    pub tolerance: f64,
}

impl Scene {
    fn from_file(name: &str, tolerance: f64) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes").join(name);
        let (file, counts) = (read_with(&path, true).expect("the scene is sound"), Vec::new());
        Self {
            file,
            counts,
            tolerance,
        }
    }

    fn without_objectives(mut self) -> Self {
        self.file.scene.objectives.0.clear();
        self.file.scene.optimization = None;
        self
    }

    /// Without ground; its tolerance is the loosest that keeps 1e-8 m at 5 s, see the table.
    pub fn five_bar_smooth() -> Self {
        Self::from_file("five_bar_smooth.ron", 1e-9).without_objectives()
    }

    /// Without ground, with the integrals of the scene's objectives.
    pub fn five_bar_with_objectives() -> Self {
        Self::from_file("five_bar_smooth.ron", 1e-9)
    }

    /// With the ground and a prescribed jump.
    pub fn five_bar_ground() -> Self {
        Self::from_file("five_bar.ron", 1e-9).without_objectives()
    }

    /// With the ground and the objectives of the scene.
    pub fn five_bar_ground_with_objectives() -> Self {
        Self::from_file("five_bar.ron", 1e-9)
    }

    /// A scene of `scenes` with all that it says but the tolerance.
    pub fn with_tolerance(name: &str, tolerance: f64) -> Self {
        Self::from_file(name, tolerance)
    }

    /// The scene with all that it says.
    pub fn experiment(&self) -> Experiment {
        Experiment::new(&self.file, &Changes::default()).expect("the scene compiles")
    }

    /// A scene of `benches/scenes` with constants that say how many parts it has.
    pub fn many(name: &str, counts: &[(&str, usize)], tolerance: f64) -> Self {
        let mut scene = Self::from_file(&format!("../benches/scenes/{name}.ron"), tolerance);
        let value = |(name, count): &(&str, usize)| (String::from(*name), *count as f64);
        scene.counts = counts.iter().map(value).collect();
        scene
    }

    /// The scene at its tolerance, for another time.
    pub fn lasting(&self, duration: f64) -> Experiment {
        let changes = Changes {
            parameters: self.counts.clone(),
            rtol: Some(self.tolerance),
            atol: Some(self.tolerance),
            duration: Some(duration),
            ..Changes::default()
        };
        Experiment::new(&self.file, &changes).expect("the scene compiles")
    }
}

/// A mechanism with its start state, so that a run is nothing but integration.
pub struct Prepared {
    pub mechanism: Mechanism,
    pub workspace: Workspace,
    pub mode: Mode,
    pub x: Vec<f64>,
    options: Options,
}

impl Prepared {
    pub fn new(scene: &Scene, formulation: FormulationKind) -> Self {
        let changes = Changes {
            formulation: Some(formulation),
            parameters: scene.counts.clone(),
            ..Changes::default()
        };
        let Experiment { mechanism, options, .. } = Experiment::new(&scene.file, &changes).expect("the scene compiles");
        let mut workspace = mechanism.workspace();
        let started = mechanism.start(0.0, &mut workspace).expect("the mechanism closes");
        Self {
            mechanism,
            workspace,
            mode: started.mode,
            x: started.x,
            options,
        }
    }

    pub fn with_tolerance(mut self, tolerance: f64) -> Self {
        self.options.tolerance =
            Tolerance::uniform(tolerance, tolerance, self.x.len()).expect("the tolerance is positive");
        self
    }

    pub fn until(mut self, end: f64) -> Self {
        self.options.end = end;
        self
    }

    pub fn run(&mut self) -> Finish<Mode> {
        let start = (0.0, self.mode.clone(), self.x.clone());
        simulate(&self.mechanism, start, &self.options, &mut self.workspace, &mut ())
            .expect("the motion can be integrated")
    }
}
