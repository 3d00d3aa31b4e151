//! What sticks at the start takes any slip velocity away at once: by a parameter that gives it one, only what is left of the velocities
//! then has a derivative (theory, 4.11).

use super::grasp::chosen_rows;
use super::independent::Independent;
use super::reach::Groups;
use super::stage::{Along, Normal, Pressing, Stage, Struck};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::At;
use crate::linear::Entries;
use crate::mechanism::impact_system::ImpactSystem;
use crate::mechanism::{LinearizedJump, Mechanism, Workspace};
use crate::model::quantity::{Quantity, Rubbing};
use crate::model::{ContactState, Grip, Hold, Mode, Press};

impl Mechanism {
    /// Frictions that stick in a mode.
    pub fn sticking(&self, mode: &Mode) -> Vec<usize> {
        let sticks = |grip: &&Grip| grip.hold == Hold::Stick && !self.model.frictions[grip.friction].is_smooth();
        mode.grips.iter().filter(sticks).map(|grip| grip.friction).collect()
    }

    /// Those of them that are about to slip: a velocity, however small, decides whether they do.
    pub(in crate::mechanism) fn at_limit(&self, at: At<Mode>, workspace: &mut Workspace) -> Result<Vec<usize>> {
        let sticking = self.sticking(at.mode);
        if sticking.is_empty() {
            return Ok(sticking);
        }
        self.evaluate_motion(at, true, workspace)?;
        let motion = self.motion(at, workspace);
        let is_full = |friction: &usize| {
            let leads = at.mode.grip(*friction).is_some_and(Grip::leads);
            let left = || Quantity::Friction(*friction, Rubbing::Cone).evaluate(&self.model, at.mode, &motion);
            leads && left() <= self.rub_noise(*friction, workspace)
        };
        Ok(sticking.into_iter().filter(is_full).collect())
    }

    /// What a change of the velocities becomes where something sticks. It rubs for a time in proportion to the change, in which finite
    /// forces do nothing to first order beside its own: these take the slip velocity, as impulses do.
    ///
    /// # Errors
    /// Kind `Event` where other friction follows from reactions, which its forces change; kind `Singular` as for impacts.
    pub fn arrest(&self, at: At<Mode>, workspace: &mut Workspace) -> Result<LinearizedJump> {
        self.load_memory(at.x, &mut workspace.terms);
        self.take_friction(&mut workspace.terms);
        self.assemble(at, &mut workspace.terms);
        let mut stage = self.stage_of_sticking(at, workspace)?;
        let (terms, q) = (&workspace.terms, &at.x[self.positions()]);
        self.factor_stage(&mut stage, &terms.mass, (at.t, q, &terms.numbers))?;
        Ok(LinearizedJump {
            t: at.t,
            x: at.x.to_vec(),
            displacement: None,
            impact: None,
            stages: vec![stage],
            sticking: Vec::new(),
            written: Vec::new(),
            slides: None,
        })
    }

    /// The rows that hold and those that stick, as far as others do not imply them.
    fn stage_of_sticking(&self, at: At<Mode>, workspace: &Workspace) -> Result<Stage> {
        let (q, numbers) = (&at.x[self.positions()], &workspace.terms.numbers[..]);
        let rows = self.bilateral_rows(at, workspace, |row| -row.c_t);
        let system = ImpactSystem::new(at.t, &workspace.terms.mass, &rows, self.choices.by);
        let chosen = system.choose(&vec![true; rows.len()])?;
        self.check_alone(at, &system, workspace)?;
        let line = |row: Entries<f64>| {
            let response = system.solve(&chosen, &row.dense(self.model.nv()), |_| 0.0).0;
            (row, response)
        };
        let normals: Vec<(usize, Vec<OwnLine>)> = (at.mode.having(|state| state == ContactState::Sliding))
            .map(|contact| (contact, vec![line(self.gap_row(contact, at, workspace).row)]))
            .collect();
        let along = |friction: &usize| self.slip_rows(*friction, q, numbers).into_iter().map(line).collect();
        let sticking = self.sticking(at.mode);
        let tangents: Vec<Vec<OwnLine>> = sticking.iter().map(along).collect();
        let mut independent = Independent::default();
        let mut struck: Vec<Struck> = (normals.iter())
            .map(|(contact, lines)| lying(*contact, add_all(&mut independent, lines)))
            .collect();
        let mut joints = Vec::new();
        for (&friction, lines) in sticking.iter().zip(&tangents) {
            match add_all(&mut independent, lines) {
                0 => continue,
                added if added < lines.len() => return Err(self.sticks_in_part(friction, at.t)),
                _ => {}
            }
            let contact = self.model.frictions[friction].contact();
            match struck.iter_mut().find(|own| Some(own.contact) == contact) {
                Some(own) => (own.friction, own.along) = (Some(friction), Along::Stick(None)),
                None => joints.push((friction, Along::Stick(None))),
            }
        }
        let before = at.x[self.velocities()].to_vec();
        let mut unknowns = before.clone();
        unknowns.resize(before.len() + chosen.independent.len() + independent.len(), 0.0);
        Ok(Stage {
            bilateral: chosen_rows(&system, &chosen),
            struck,
            joints,
            before,
            unknowns,
            parties: Vec::new(),
            factors: None,
        })
    }

    /// Nothing else may rub that what sticks presses: nothing that hangs together with it, by masses, joints and what lies on another.
    fn check_alone(&self, at: At<Mode>, system: &ImpactSystem, workspace: &Workspace) -> Result<()> {
        let (q, numbers) = (&at.x[self.positions()], &workspace.terms.numbers[..]);
        let mut groups = Groups::held(system, self.model.nv());
        for contact in at.mode.having(ContactState::lasts) {
            groups.join(self.gap_row(contact, at, workspace).row.iter().map(|(i, _)| i));
        }
        let of = |friction: usize| -> Vec<usize> {
            let rows = self.slip_rows(friction, q, numbers);
            rows.iter().flat_map(Entries::iter).map(|(i, _)| groups.of(i)).collect()
        };
        let sticking: Vec<usize> = self.sticking(at.mode).into_iter().flat_map(of).collect();
        let rubs = |grip: &&Grip| {
            let friction = &self.model.frictions[grip.friction];
            let rests = matches!(grip.hold, Hold::Stick | Hold::Spare) && !friction.is_smooth();
            !rests
                && !matches!(friction.press(), Some(Press::Given(_)))
                && of(grip.friction).iter().any(|group| sticking.contains(group))
        };
        let Some(grip) = at.mode.grips.iter().find(rubs) else {
            return Ok(());
        };
        let name = self.model.rubbed_name(grip.friction);
        let why = format!("while \"{name}\" rubs in proportion to what presses it");
        Err(self.no_arrest(name, &why, at.t))
    }

    #[cold]
    fn sticks_in_part(&self, friction: usize, t: f64) -> Error {
        let name = self.model.rubbed_name(friction);
        let why = format!("while others keep \"{name}\" from moving in some of its directions");
        self.no_arrest(name, &why, t)
    }

    fn no_arrest(&self, name: &str, why: &str, t: f64) -> Error {
        let message =
            format!("a parameter gives a velocity to what sticks at the start, {why}: it has no derivative yet");
        let error = Error::new(ErrorKind::Event, message).named(name).at_time(t);
        error.advise("write the velocity there as a number, or start with what slips")
    }
}

/// A row, and what a unit impulse along it does to the velocities.
type OwnLine = (Entries<f64>, Vec<f64>);

/// Adds the rows that the others do not imply; how many these are.
fn add_all<'a>(independent: &mut Independent<'a>, lines: &'a [OwnLine]) -> usize {
    let added = lines.iter().filter(|(row, response)| independent.add((row, response)));
    added.count()
}

/// A contact that lies, and slides; `own` is how many rows it adds along its normal.
fn lying(contact: usize, own: usize) -> Struck {
    Struck {
        contact,
        friction: None,
        normal: if own == 0 { Normal::Carried } else { Normal::Held },
        along: Along::Nothing,
        pressing: Pressing::default(),
        earlier: None,
    }
}
