//! The balance of energy over a run: what it stores, what forces and drivers give and take, what events change.

use super::experiment::{EnergyBalance, Experiment, Report};
use super::grid::{Grid, Keeper};
use super::probe::{Probe, after, alone, before};
use super::recording::Recording;
use crate::error::Result;
use crate::hybrid::{At, JumpView, Observer, StepView};
use crate::linear::{add_scaled, max_abs};
use crate::mechanism::Mechanism;
use crate::model::quantity::{Output, Quantity, ReactionPart};
use crate::model::{Mode, Model};

/// Steps that a run may take before their errors are expected to add up.
const FEW_STEPS: f64 = 100.0;

/// One of so many steps is looked at for how much energy is on its way: it takes an evaluation of the motion.
const SAMPLED: usize = 4;

impl EnergyBalance {
    /// What to say when it does not close.
    fn remark(&self) -> Option<String> {
        (self.missing.abs() > self.tolerance).then(|| {
            format!(
                "the energy does not balance: {:.1e} J come from nowhere, where the tolerance explains {:.1e} J; tighten rtol and \
                 atol, or use another formulation",
                self.missing, self.tolerance
            )
        })
    }
}

impl Experiment {
    /// As [`Experiment::run`], with the balance of energy in the report.
    ///
    /// # Errors
    /// As [`Experiment::run`].
    pub fn run_balanced(&self, record: bool, progress: &mut dyn FnMut(f64)) -> Result<(Report, Option<Recording>)> {
        let (works, mut experiment) = (Work::all(&self.mechanism.model), self.clone());
        experiment.mechanism = self
            .mechanism
            .clone()
            .with_quadratures(works.iter().copied().map(Work::power));
        let rtol = self.options.tolerance.rtol();
        experiment.options.tolerance = experiment.mechanism.tolerance(rtol, &[])?;
        let mut audit = Audit::new(&experiment.mechanism, &works, self.mechanism.quadratures().end);
        audit.ledger = record.then(|| Grid::new(&experiment, experiment.samples, Ledger::new(&audit)));
        let simulated = experiment.simulate(record, &mut audit, progress);
        let (mut report, mut recording) = simulated.map_err(|error| self.located(error))?;
        if let (Some(recording), Some(ledger)) = (&mut recording, audit.ledger.take()) {
            (recording.energy.work, recording.energy.events) = ledger.keeper.given(&audit);
        }
        let balance = audit.finish(&report, rtol)?;
        report.remarks.extend(balance.remark());
        report.balance = Some(balance);
        Ok((report, recording))
    }
}

/// Whatever does work.
#[derive(Clone, Copy, Debug)]
enum Work {
    Force(usize),
    Driver(usize),
}

impl Work {
    fn all(model: &Model) -> Vec<Self> {
        let drivers = (0..model.groups.len()).filter(|&group| model.is_driven(group));
        let forces = (0..model.forces.len()).map(Self::Force);
        forces.chain(drivers.map(Self::Driver)).collect()
    }

    fn name(self, model: &Model) -> &str {
        match self {
            Self::Force(force) => &model.forces[force].name,
            Self::Driver(group) => &model.groups[group].name,
        }
    }

    /// The power as an integrand.
    fn power(self) -> Output {
        alone(match self {
            Self::Force(force) => Quantity::ForcePower(force),
            Self::Driver(group) => Quantity::Reaction(group, ReactionPart::Power),
        })
    }
}

/// The total energy, and what each force stores of it.
#[derive(Clone, Debug, Default)]
struct Stored {
    kinetic: f64,
    total: f64,
    by_force: Vec<f64>,
}

/// Observer that keeps account of the energy; a run that is observed has the powers as its last quadratures.
#[derive(Debug)]
struct Audit<'a> {
    probe: Probe<'a>,
    works: &'a [Work],
    /// Place of the first power in the state.
    first: usize,
    at_start: f64,
    /// Where the phase began.
    phase: Stored,
    /// Latest mode and state.
    latest: Option<(f64, Mode, Vec<f64>)>,
    /// Energy that left forces, by what they store, over the phases so far.
    released: Vec<f64>,
    events: Vec<(String, f64)>,
    /// Index into the events of what changed the energy between two phases, and by how much.
    changes: Vec<Option<(usize, f64)>>,
    /// Largest energy on its way, kinetic or given.
    largest: f64,
    /// Steps so far.
    steps: usize,
    /// Keeps the account over time.
    ledger: Option<Grid<Ledger<'a>>>,
}

/// Names, and values over time.
type Courses = Vec<(String, Vec<f64>)>;

/// What has been given since the start, at the times of a recording.
#[derive(Debug)]
struct Ledger<'a> {
    probe: Probe<'a>,
    /// What does work, and the place of the first power in the state.
    works: &'a [Work],
    first: usize,
    /// Index of the first time of each phase.
    phases: Vec<usize>,
    /// At each time: work by the powers and what the force stores.
    kept: Vec<Vec<[f64; 2]>>,
}

impl<'a> Ledger<'a> {
    fn new(audit: &Audit<'a>) -> Self {
        Self {
            probe: Probe::new(audit.probe.mechanism, &[]),
            works: audit.works,
            first: audit.first,
            phases: Vec::new(),
            kept: Vec::new(),
        }
    }

    /// By name, at each time: the work of forces and drivers beyond what they store, and what events changed.
    fn given(&self, audit: &Audit) -> (Courses, Courses) {
        let model = &self.probe.mechanism.model;
        let ends = self.phases.iter().skip(1).copied().chain([self.kept.len()]);
        let phases: Vec<_> = self.phases.iter().zip(ends).map(|(start, end)| *start..end).collect();
        let of_work = |(k, work): (usize, &Work)| {
            let (mut values, mut released) = (Vec::with_capacity(self.kept.len()), 0.0);
            for kept in phases.iter().map(|phase| &self.kept[phase.clone()]) {
                let stored = |kept: Option<&Vec<[f64; 2]>>| kept.map_or(0.0, |kept| kept[k][1]);
                let first = stored(kept.first());
                values.extend(kept.iter().map(|kept| kept[k][0] + released + (kept[k][1] - first)));
                released += stored(kept.last()) - first;
            }
            (work.name(model).to_string(), values)
        };
        let of_event = |(event, (name, _)): (usize, &(String, f64))| {
            let (mut values, mut sum) = (Vec::with_capacity(self.kept.len()), 0.0);
            for (k, phase) in phases.iter().enumerate() {
                let change = k.checked_sub(1).and_then(|before| audit.changes[before]);
                sum += change
                    .filter(|(index, _)| *index == event)
                    .map_or(0.0, |(_, change)| change);
                values.resize(phase.end, sum);
            }
            (name.clone(), values)
        };
        (
            self.works.iter().enumerate().map(of_work).collect(),
            audit.events.iter().enumerate().map(of_event).collect(),
        )
    }
}

impl Keeper for Ledger<'_> {
    fn begin(&mut self, _: &Mode) {
        self.phases.push(self.kept.len());
    }

    fn keep(&mut self, at: At<Mode>) -> Result<()> {
        let (model, motion) = (&self.probe.mechanism.model, self.probe.motion(at)?);
        let entry = |(k, work): (usize, &Work)| {
            let stored = match work {
                Work::Force(force) => model.stored(*force, at.mode, &motion),
                Work::Driver(_) => 0.0,
            };
            [at.x[self.first + k], stored]
        };
        let entries = self.works.iter().enumerate().map(entry).collect();
        self.kept.push(entries);
        Ok(())
    }
}

impl<'a> Audit<'a> {
    fn new(mechanism: &'a Mechanism, works: &'a [Work], first: usize) -> Self {
        Self {
            probe: Probe::new(mechanism, &[]),
            works,
            first,
            at_start: 0.0,
            phase: Stored::default(),
            latest: None,
            released: vec![0.0; mechanism.model.forces.len()],
            events: Vec::new(),
            changes: Vec::new(),
            largest: 0.0,
            steps: 0,
            ledger: None,
        }
    }

    fn stored(&mut self, at: At<Mode>) -> Result<Stored> {
        let model = &self.probe.mechanism.model;
        let motion = self.probe.motion(at)?;
        let (kinetic, potential) = model.energy(at.mode, &motion);
        let by_force = (0..model.forces.len()).map(|force| model.stored(force, at.mode, &motion));
        Ok(Stored {
            kinetic,
            total: kinetic + potential,
            by_force: by_force.collect(),
        })
    }

    /// Ends a phase in this state.
    fn end_phase(&mut self, end: &Stored) {
        add_scaled(&mut self.released, 1.0, &end.by_force);
        add_scaled(&mut self.released, -1.0, &self.phase.by_force);
        self.largest = self.largest.max(end.kinetic).max((end.total - self.at_start).abs());
    }

    fn finish(mut self, report: &Report, rtol: f64) -> Result<EnergyBalance> {
        let Some((t, mode, x)) = self.latest.take() else {
            return Ok(EnergyBalance {
                work: Vec::new(),
                events: Vec::new(),
                missing: 0.0,
                tolerance: 0.0,
            });
        };
        let end = self.stored(At::new(t, &mode, &x))?;
        self.end_phase(&end);
        let model = &self.probe.mechanism.model;
        let given = |(k, work): (usize, &Work)| {
            let released = match work {
                Work::Force(force) => self.released[*force],
                Work::Driver(_) => 0.0,
            };
            (work.name(model).to_string(), x[self.first + k] + released)
        };
        let work: Vec<(String, f64)> = self.works.iter().enumerate().map(given).collect();
        let sum = |entries: &[(String, f64)]| entries.iter().map(|(_, energy)| energy).sum::<f64>();
        let turned_over = work
            .iter()
            .chain(&self.events)
            .map(|(_, energy)| energy.abs())
            .sum::<f64>();
        let steps = (report.statistics.accepted as f64).max(FEW_STEPS);
        let rounding = f64::EPSILON * end.total.abs().max(self.at_start.abs());
        Ok(EnergyBalance {
            missing: end.total - self.at_start - sum(&work) - sum(&self.events),
            tolerance: steps * (rtol * self.largest.max(turned_over) + rounding),
            work,
            events: self.events,
        })
    }
}

impl Observer<Mode> for Audit<'_> {
    fn wants_dense(&self) -> bool {
        self.ledger.is_some()
    }

    fn start(&mut self, t: f64, mode: &Mode, x: &[f64]) -> Result<()> {
        self.phase = self.stored(At::new(t, mode, x))?;
        (self.at_start, self.largest) = (self.phase.total, self.phase.kinetic);
        self.latest = Some((t, mode.clone(), x.to_vec()));
        self.ledger.iter_mut().try_for_each(|ledger| ledger.start(t, mode, x))
    }

    fn step(&mut self, step: &StepView<Mode>) -> Result<()> {
        if let Some((t, _, x)) = &mut self.latest {
            *t = step.end;
            x.copy_from_slice(step.x);
        }
        if self.steps.is_multiple_of(SAMPLED) {
            let model = &self.probe.mechanism.model;
            let motion = self.probe.motion(At::new(step.end, step.mode, step.x))?;
            let (kinetic, _) = model.energy(step.mode, &motion);
            self.largest = self.largest.max(kinetic);
        }
        self.steps += 1;
        self.largest = self.largest.max(max_abs(&step.x[self.first..][..self.works.len()]));
        self.ledger.iter_mut().try_for_each(|ledger| ledger.step(step))
    }

    fn jump(&mut self, jump: &JumpView<Mode>) -> Result<()> {
        let end = self.stored(before(jump))?;
        self.end_phase(&end);
        self.phase = self.stored(after(jump))?;
        self.largest = self.largest.max(self.phase.kinetic);
        let change = self.phase.total - end.total;
        let by = jump.happenings.first().filter(|_| change != 0.0).map(|happening| {
            let known = self.events.iter().position(|(name, _)| *name == happening.name);
            let index = known.unwrap_or_else(|| {
                self.events.push((happening.name.clone(), 0.0));
                self.events.len() - 1
            });
            self.events[index].1 += change;
            (index, change)
        });
        self.changes.push(by);
        self.latest = Some((jump.t, jump.mode_after.clone(), jump.after.to_vec()));
        self.ledger.iter_mut().try_for_each(|ledger| ledger.jump(jump))
    }
}
