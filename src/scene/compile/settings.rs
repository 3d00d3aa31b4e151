//! How the motion is computed, with every default filled in.

use super::Build;
use super::site::Site;
use crate::error::Result;
use crate::scene::schema::{FormulationKind, Integrator, Penalty};

/// The settings of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Number of the model: simulated time in seconds, positive.
    pub duration: usize,
    /// Number of the model: time at the start in seconds.
    pub start: usize,
    /// Formulation of the equations of motion.
    pub formulation: FormulationKind,
    /// Integration method.
    pub integrator: Integrator,
    /// Relative tolerance per step, positive.
    pub rtol: f64,
    /// Absolute tolerance per step, positive.
    pub atol: f64,
    /// Longest step in seconds; unbounded when `None`.
    pub max_step: Option<f64>,
    /// Most steps before the run is given up.
    pub max_steps: u64,
    /// Whether positions and velocities are projected onto the constraints after each step.
    pub projection: bool,
    /// Factors of the penalty formulation.
    pub penalty: PenaltySettings,
    /// Speed of separation in metres per second below which a bouncing contact comes to rest.
    pub rest_speed: Option<f64>,
    /// Number of intervals in the recorded outputs.
    pub samples: u32,
}

/// Factors of the penalty formulation (theory, section 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenaltySettings {
    /// Penalty factor alpha relative to the masses, positive.
    pub factor: f64,
    /// Natural frequency omega of a constraint error in radians per second, positive.
    pub frequency: f64,
    /// Damping ratio xi of a constraint error, not negative.
    pub damping: f64,
    /// Number of augmented-Lagrangian iterations per evaluation.
    pub augmented: u32,
}

impl Default for PenaltySettings {
    fn default() -> Self {
        Self {
            factor: 1e7,
            frequency: 20.0,
            damping: 0.7,
            augmented: 1,
        }
    }
}

const RTOL: f64 = 1e-9;
const ATOL: f64 = 1e-11;
const MAX_STEPS: u64 = 10_000_000;
const SAMPLES: u32 = 500;

impl Build<'_> {
    /// Resolves the `simulation` part of the scene.
    pub(super) fn settings(&mut self) -> Result<Settings> {
        let written = &self.file.scene.simulation;
        let site = Site::new(self.file, "simulation");
        let duration = self.positive(&site, "duration", &written.duration)?;
        let start = match &written.start {
            Some(start) => self.field(&site, "start", start)?,
            None => self.default(&site, "start", 0.0),
        };
        self.start = self.numbers.value(start);
        let positive = |field, value, default| site.plain(field, value, default, false);
        positive("max_step", written.max_step, f64::INFINITY)?;
        site.plain("rest_speed", written.rest_speed, 0.0, true)?;
        Ok(Settings {
            duration,
            start,
            formulation: written.formulation,
            integrator: written.integrator,
            rtol: positive("rtol", written.rtol, RTOL)?,
            atol: positive("atol", written.atol, ATOL)?,
            max_step: written.max_step,
            max_steps: site.counted("max_steps", written.max_steps, MAX_STEPS)?,
            projection: written.projection.unwrap_or(true),
            penalty: penalty(&site.at("penalty"), written.penalty.as_ref())?,
            rest_speed: written.rest_speed,
            samples: site.counted("samples", written.samples, SAMPLES)?,
        })
    }
}

fn penalty(site: &Site, written: Option<&Penalty>) -> Result<PenaltySettings> {
    let default = PenaltySettings::default();
    let Some(written) = written else {
        return Ok(default);
    };
    Ok(PenaltySettings {
        factor: site.plain("factor", written.factor, default.factor, false)?,
        frequency: site.plain("frequency", written.frequency, default.frequency, false)?,
        damping: site.plain("damping", written.damping, default.damping, true)?,
        augmented: written.augmented.unwrap_or(default.augmented),
    })
}
