//! Friction in space: its force has two components, and its direction is that of the slip velocity (theory, 4.13).

use super::stage::{Along, Normal, Pressing, Stage, Struck};
use super::standing::Group;
use crate::error::Result;
use crate::error::{Error, ErrorKind};
use crate::hybrid::At;
use crate::mechanism::impact_problem::{Before, ImpactPlan};
use crate::mechanism::jump::Next;
use crate::mechanism::{Mechanism, Workspace};
use crate::model::{ContactState, CoordinateKind, Grip, Hold, Mode};

/// Slip speeds below this many tolerances are at their end.
const END: f64 = 8.0;

/// Rounding of slip velocities over the speed of the mechanism, which the sensitivity of their direction multiplies by that speed over
/// theirs: to the tolerance where they are as fast as this over it.
const ROUNDING: f64 = 3e-18;

/// Least tolerance over the speed of the mechanism: what is less is rounding.
const LEAST: f64 = 1e-13;

/// Power of the tolerance that is the error of the direction of the acceleration where slip begins.
const POWER: f64 = 2.0 / 3.0;

/// Least speed at which slip has begun, over that at which it ends.
const APART: f64 = 4.0;

impl Mechanism {
    /// Slip speeds: below the first slip ends in space and bristles are at rest, above the second slip has begun in space.
    pub(in crate::mechanism) fn slip_speeds(&self, friction: usize) -> [f64; 2] {
        let unit = self.slip_unit(friction);
        self.slip_speeds_of_places().map(|speed| speed * unit)
    }

    /// Slip velocities of a contact or joint below this are rounding at a state.
    pub(in crate::mechanism) fn slip_noise(&self, friction: usize, x: &[f64]) -> f64 {
        self.noise_of(x, self.slip_kind(friction))
    }

    /// A slip velocity as fast as a unit speed.
    pub(super) fn slip_unit(&self, friction: usize) -> f64 {
        self.sizes.position(self.slip_kind(friction)) / self.sizes.length
    }

    fn slip_kind(&self, friction: usize) -> CoordinateKind {
        match self.model.turns(friction) {
            true => CoordinateKind::Angle,
            false => CoordinateKind::Length,
        }
    }

    fn slip_speeds_of_places(&self) -> [f64; 2] {
        let speed = self.sizes.speed;
        let tolerance = (self.choices.rtol)
            .max(self.choices.atol * self.allowed.speed / speed)
            .max(LEAST);
        let end = (END * tolerance).max(ROUNDING / tolerance);
        [end, tolerance.powf(POWER).max(APART * end)].map(|share| share * speed)
    }

    /// Least slip speed of a contact at which the direction of slip is known.
    pub(super) fn least_slip(&self) -> f64 {
        APART * self.slip_speeds_of_places()[0]
    }

    /// How a contact in space goes on that held in a way before, and is at its end if it is `turned`; none where it may stick. The slip
    /// speed comes with its rounding.
    pub(super) fn goes_on(
        &self,
        friction: usize,
        before: Option<&Grip>,
        turned: bool,
        (slip, noise): (f64, f64),
    ) -> Option<Hold> {
        let [end, begun] = self.slip_speeds(friction);
        match before.map(|grip| grip.hold) {
            Some(Hold::Stick | Hold::Spare) => None,
            Some(Hold::SlipAlong) if turned => Some(Hold::SlipEnds),
            Some(own @ (Hold::SlipBegins | Hold::SlipEnds)) => match turned {
                false => Some(own),
                true => (slip > 0.5 * begun).then_some(Hold::SlipAlong),
            },
            _ if slip <= noise => None,
            _ => Some(if slip > end { Hold::SlipAlong } else { Hold::SlipEnds }),
        }
    }

    /// The grip of what slips in any direction along a surface, with the rows of its slip velocity; those of what sticks are added to the
    /// ones that hold, which begin with those of joints.
    ///
    /// # Errors
    /// Kind `Request` where friction forces would not be unique.
    pub(super) fn in_cone(
        &self,
        (friction, hold): (usize, Hold),
        own: &[Vec<f64>],
        (rows, joints): (&mut Vec<f64>, usize),
        groups: &[Group],
        at: At<Mode>,
        workspace: &Workspace,
    ) -> Result<Grip> {
        let units = workspace.terms.jacobian.units();
        let contact = self.model.frictions[friction].contact();
        let shares = |contact: usize| at.mode.footing_of(contact).is_some();
        if contact.is_some_and(|contact| at.mode.contacts[contact] == ContactState::Carried && !shares(contact)) {
            return Err(self.load_is_open(friction, at.t));
        }
        let rank = |known: &mut Vec<f64>| own.iter().filter(|row| self.adds(known, row, units)).count();
        let free = rank(&mut rows[..joints * self.model.nv()].to_vec());
        if 0 < free && free < own.len() {
            let why = match contact {
                Some(_) => "can move along one line of its surface only".to_string(),
                None => format!(
                    "can move in only {free} of the {} directions in which it rubs",
                    own.len()
                ),
            };
            let advice = "let joints hold it in none of the directions in which it rubs, or leave it free in all";
            return Err(self.shared(friction, &why, advice, at.t));
        }
        let group = groups.iter().find(|group| group.members.contains(&friction));
        let leader = group.map_or(friction, |group| group.members[0]);
        let turns = group.and_then(|group| group.turns(friction));
        let across = turns.map(|[x, y]| {
            own[0]
                .iter()
                .zip(&own[1])
                .map(|(one, other)| x * one + y * other)
                .collect()
        });
        let holding: &[Vec<f64>] = match &across {
            _ if leader == friction => own,
            Some(across) => std::slice::from_ref(across),
            None => &[],
        };
        let added = |rows: &mut Vec<f64>| holding.iter().filter(|row| self.adds(rows, row, units)).count();
        if free > 0 && hold == Hold::Stick && added(rows) < holding.len() {
            let why = "sticks where other contacts that stick hold it too";
            let advice = "let one contact with friction hold the body, or several on one flat face with one `surface_velocity`, the others without";
            return Err(self.shared(friction, why, advice, at.t));
        }
        if free == 0 {
            return Ok(Grip::new(friction, friction, Hold::Spare));
        }
        Ok(Grip {
            turns: turns.is_some(),
            ..Grip::new(friction, leader, hold)
        })
    }

    /// Takes the rest of their slip velocity from contacts in space that no longer slip, as an impact in which they stick does.
    ///
    /// # Errors
    /// Kind `Singular` where that has no unique outcome.
    pub(super) fn end_slip(&self, before: &[Grip], next: &mut Next, workspace: &mut Workspace) -> Result<()> {
        let earlier = |grip: &Grip| {
            before
                .iter()
                .find(|other| other.friction == grip.friction)
                .map(|other| other.hold)
        };
        let ends = |grip: &Grip| match (earlier(grip), grip.hold) {
            _ if self.model.frictions[grip.friction].is_single() => false,
            (Some(old), Hold::Stick) => old.slips(),
            (Some(old), Hold::SlipBegins) => old == Hold::SlipEnds,
            _ => false,
        };
        if self.model.dimension == 2 || workspace.plan.is_some() || !next.mode.grips.iter().any(ends) {
            return Ok(());
        }
        let with = |grip: &Grip| {
            let all = next.mode.grips.iter().filter(|other| other.leader == grip.leader);
            all.clone().any(ends)
        };
        let held: Vec<usize> = (next.mode.grips.iter())
            .filter(|grip| with(grip) || grip.hold == Hold::Stick)
            .map(|grip| grip.friction)
            .collect();
        let mut stage = self.halting(&held, next.at(), workspace)?;
        self.take_friction(&mut workspace.terms);
        self.assemble(next.at(), &mut workspace.terms);
        let (positions, velocities) = (self.positions(), self.velocities());
        let terms = &workspace.terms;
        self.factor_stage(
            &mut stage,
            &terms.mass,
            (next.t, &next.x[positions.clone()], &terms.numbers),
        )?;
        let at = Before {
            t: next.t,
            q: &next.x[positions],
            v: &stage.before,
            numbers: &terms.numbers,
        };
        stage.unknowns = self.solved_stage(&stage, at);
        let after = stage.unknowns[..velocities.len()].to_vec();
        if after.iter().any(|v| !v.is_finite()) {
            let message = "the end of slip has no unique outcome";
            return Err(Error::new(ErrorKind::Singular, message).at_time(next.t));
        }
        next.x[velocities].copy_from_slice(&after);
        let plan = ImpactPlan::solved_elsewhere(stage.before.clone(), after, terms.mass.units());
        workspace.plan = Some(plan);
        workspace.stages = vec![stage];
        Ok(())
    }

    /// A stage in which these frictions stick and all other rows hold as they do.
    ///
    /// # Errors
    /// As for [`Mechanism::groups`].
    fn halting(&self, held: &[usize], at: At<Mode>, workspace: &Workspace) -> Result<Stage> {
        let sticking: Vec<(usize, Hold)> = held.iter().map(|&friction| (friction, Hold::Stick)).collect();
        let groups = self.groups(&sticking, false, at, workspace)?;
        // Of feet on one face, those hold that carry.
        let along = |friction: usize| {
            let group = groups.iter().find(|group| group.members.contains(&friction));
            match (group, at.mode.grip(friction)) {
                (Some(group), _) if group.members[0] == friction => Along::Stick(None),
                (Some(group), _) => group.turns(friction).map_or(Along::Nothing, |[x, y]| {
                    Along::Turn(usize::from(y.abs() > x.abs()), None)
                }),
                (None, Some(grip)) if !grip.leads() && !grip.shares() => Along::Nothing,
                _ => Along::Stick(None),
            }
        };
        let of_contact = |&friction: &usize| Some((friction, self.model.frictions[friction].contact()?));
        let contacts: Vec<(usize, usize)> = held.iter().filter_map(of_contact).collect();
        let joints: Vec<usize> = (held.iter().copied())
            .filter(|&friction| self.model.frictions[friction].contact().is_none())
            .collect();
        let gaps: Vec<usize> = (contacts.iter())
            .map(|&(_, contact)| self.model.contacts[contact].gap)
            .collect();
        let rows = at
            .mode
            .constraints
            .iter()
            .zip(&at.mode.offsets)
            .filter(|(index, _)| !gaps.contains(index));
        let independent = |row: &usize| at.mode.independent.binary_search(row).is_ok();
        let bilateral: Vec<(usize, usize)> = rows
            .flat_map(|(&index, &first)| {
                let own = (0..self.model.constraints[index].rows).filter(move |row| independent(&(first + row)));
                own.map(move |row| (index, row))
            })
            .collect();
        // Others carry it: under a penalty every foot has a force of its own, and its row holds all the same.
        let carried = |contact: usize| {
            let gap = self.model.contacts[contact].gap;
            let place = at.mode.constraints.iter().position(|index| *index == gap);
            place.is_none_or(|place| !independent(&at.mode.offsets[place]))
        };
        let struck = |&(friction, contact): &(usize, usize)| Struck {
            contact,
            friction: Some(friction),
            normal: match carried(contact) {
                true => Normal::Carried,
                false => Normal::Held,
            },
            along: along(friction),
            pressing: Pressing::default(),
            earlier: None,
        };
        let directions = |&friction: &usize| match along(friction) {
            Along::Nothing => 0,
            Along::Turn(..) => 1,
            _ => self.model.frictions[friction].numbers.len(),
        };
        let normals = contacts.iter().filter(|(_, contact)| !carried(*contact));
        let equations = bilateral.len() + normals.count() + held.iter().map(directions).sum::<usize>();
        Ok(Stage {
            bilateral,
            struck: contacts.iter().map(struck).collect(),
            joints: joints
                .into_iter()
                .map(|friction| (friction, Along::Stick(None)))
                .collect(),
            before: at.x[self.velocities()].to_vec(),
            unknowns: vec![0.0; self.model.nv() + equations],
            parties: Vec::new(),
            factors: None,
        })
    }
}
