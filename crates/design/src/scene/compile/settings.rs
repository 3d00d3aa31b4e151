//! The part `simulation` of a scene.

use super::Build;
use super::site::Site;
use crate::error::Result;
use crate::scene::compiled::{PenaltySettings, Settings};
use crate::scene::schema::Penalty;

const RTOL: f64 = 1e-9;
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
        positive("atol", written.atol, f64::INFINITY)?;
        site.plain("rest_speed", written.rest_speed, 0.0, true)?;
        Ok(Settings {
            duration,
            start,
            formulation: written.formulation,
            by: written.by,
            integrator: written.integrator,
            rtol: positive("rtol", written.rtol, RTOL)?,
            atol: written.atol.map(|atol| atol.0),
            max_step: written.max_step.map(|step| step.0),
            max_steps: site.counted("max_steps", written.max_steps, MAX_STEPS)?,
            projection: written.projection.unwrap_or(true),
            penalty: penalty(&site.at("penalty"), written.penalty.as_ref())?,
            rest_speed: written.rest_speed.map(|speed| speed.0),
            samples: site.counted("samples", written.samples, SAMPLES)?,
        })
    }
}

fn penalty(site: &Site, written: Option<&Penalty>) -> Result<PenaltySettings> {
    let (default, written) = (PenaltySettings::default(), written.cloned().unwrap_or_default());
    Ok(PenaltySettings {
        factor: site.plain("factor", written.factor, default.factor, false)?,
        frequency: site.plain("frequency", written.frequency, default.frequency, false)?,
        damping: site.plain("damping", written.damping, default.damping, true)?,
        augmented: written.augmented.unwrap_or(default.augmented),
    })
}
