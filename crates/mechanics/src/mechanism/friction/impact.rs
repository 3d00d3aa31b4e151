//! Impacts with friction (theory, 4.11): Poisson's law in two stages, or Newton's in one, each with Coulomb's cone.

use super::grasp::chosen_rows;
use super::joining::{Does, Joining, Kind};
use super::outcome::Impact;
use super::reach::{reached, struck_together};
use super::stage::Stage;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::At;
use crate::linear::{Entries, dot};
use crate::mechanism::forced::listed;
use crate::mechanism::impact_problem::ImpactPlan;
use crate::mechanism::impact_system::{Chosen, ImpactSystem};
use crate::mechanism::jump::{Next, Request};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::tangential::size;
use crate::model::{ContactState, Hypothesis, Mode};
use crate::scalar::each;

/// Response along a row, over that along the normal, below which nothing moves along it.
const NO_RESPONSE: f64 = 1e-9;

/// Gain of energy, over what the impulses turn over, from which it is more than rounding.
const GAIN: f64 = 1e-9;

/// Slip of a contact that comes to rest, over the normal velocity that is dropped, from which it is not dropped too.
const FAST: f64 = 10.0;

/// A contact that takes part in an impact.
#[derive(Clone, Copy, Debug)]
pub(in crate::mechanism) struct Part {
    contact: usize,
    /// Whether something of its normal velocity comes back.
    bounces: bool,
    /// Whether its normal velocity vanishes whatever that takes: it comes to rest, and what is dropped is small.
    stops: bool,
}

impl Part {
    /// Contacts that touch, and others that last.
    pub fn all(request: &Request, resting: &[bool], sliding: &[usize]) -> Vec<Self> {
        let part = |contact: usize, bounces: bool| Self {
            contact,
            bounces,
            stops: false,
        };
        let touching = request.touching.iter().zip(resting);
        (touching.map(|(&contact, rests)| part(contact, !rests)))
            .chain(sliding.iter().map(|&contact| part(contact, false)))
            .collect()
    }
}

impl Mechanism {
    /// Whether an impact is one with friction: some contact that takes part rubs, and all others follow a law of restitution; or joints
    /// rub, while contacts are struck, or a driver jumps or a joint is switched on.
    pub(in crate::mechanism) fn strikes_with_friction(
        &self,
        mode: &Mode,
        request: &Request,
        sliding: &[usize],
    ) -> bool {
        let stuck = mode.having(|state| state == ContactState::Stuck).next().is_some();
        if stuck || !request.resets.is_empty() {
            return false;
        }
        let mut all = request.touching.iter().chain(sliding);
        let rubs = all.any(|&contact| self.model.friction_of(contact).is_some());
        let joints = || !self.grasping(mode).is_empty();
        if !request.joined.is_empty() {
            return !rubs && request.touching.is_empty() && joints();
        }
        let restitution = |&contact: &usize| self.model.contacts[contact].law.restitution().is_some();
        request.touching.iter().all(restitution) && (rubs || !request.touching.is_empty() && joints())
    }

    /// The outcome of an impact with friction; its stages go to the workspace.
    ///
    /// # Errors
    /// Kind `Event` where no outcome is consistent, or energy is gained; kind `Singular` as for other impacts.
    pub(in crate::mechanism) fn strike_with_friction(
        &self,
        at: At<Mode>,
        parts: &[Part],
        workspace: &mut Workspace,
    ) -> Result<ImpactPlan> {
        self.take_friction(&mut workspace.terms);
        self.assemble(at, &mut workspace.terms);
        let rows = self.bilateral_rows(at, workspace, |row| -row.c_t);
        let system = ImpactSystem::new(at.t, &workspace.terms.mass, &rows, self.choices.by);
        let chosen = system.choose(&vec![true; rows.len()])?;
        let contacts = self.joining(at, parts, &system, &chosen, workspace)?;
        // What merely lies elsewhere has no part in the law.
        let struck = struck_together(&system, &contacts, &at.x[self.velocities()], self.noise(at.x));
        let laws = parts.iter().zip(struck).filter(|(_, struck)| *struck);
        let poisson = self.is_poisson(at.t, laws.map(|(part, _)| part.contact))?;
        let rates = contacts
            .iter()
            .flat_map(|contact| contact.rates(&at.x[self.velocities()]));
        let fastest = rates.fold(0.0, |most: f64, rate| most.max(rate.abs()));
        let rows = contacts.iter().flat_map(|contact| &contact.rows);
        let reached = reached(&system, rows, &at.x[self.velocities()]);
        let mut grasps = self.grasps(at, &system, &chosen, workspace);
        grasps.retain(|grasp| grasp.row.iter().any(|(i, _)| reached[i]));
        let impact = Impact {
            fastest,
            rounding: self.noise(at.x),
            bilateral: chosen_rows(&system, &chosen),
            system,
            chosen,
            contacts,
            grasps,
        };
        if let Some(friction) = impact.unequal_feet().filter(|_| !poisson) {
            let why =
                "is one of more feet on a face than carry it, which give back different shares by Newton's hypothesis";
            return Err(self.shared(
                friction,
                why,
                "give them one `restitution`, or take `hypothesis: Poisson`",
                at.t,
            ));
        }
        let before = &at.x[self.velocities()];
        let kind = if poisson { Kind::Compression } else { Kind::Newton };
        let (does, first) = impact
            .search(&kind, before)
            .ok_or_else(|| self.no_strike(at.t, parts))?;
        self.check_shares(at.t, &impact, &kind, &does)?;
        let mut stages = vec![impact.stage(&kind, before, &does, &first, &[])];
        let mut total: Vec<[f64; 3]> = first.impulses.clone();
        let mut after = first.v.clone();
        if poisson && impact.contacts.iter().any(|contact| contact.e > 0.0) {
            let compressed: Vec<f64> = first.impulses.iter().map(|impulse| impulse[0]).collect();
            let kind = Kind::Expansion(&compressed);
            let (does, second) = impact
                .search(&kind, &first.v)
                .ok_or_else(|| self.no_strike(at.t, parts))?;
            self.check_shares(at.t, &impact, &kind, &does)?;
            let stage = impact.stage(&kind, &first.v, &does, &second, &stages[0].struck);
            stages.push(stage);
            for (sum, part) in total.iter_mut().zip(&second.impulses) {
                (0..3).for_each(|k| sum[k] += part[k]);
            }
            after = second.v;
        }
        self.check_gain(at.t, &impact, [before, &after], &total)?;
        let plan = ImpactPlan::solved_elsewhere(before.to_vec(), after, impact.system.mass.units());
        stages[0].parties = parts.iter().map(|part| (part.contact, part.bounces)).collect();
        workspace.stages = stages;
        Ok(plan)
    }

    /// Takes from contacts that last what is left of their normal velocity, by striking again; true if velocities have changed.
    pub(in crate::mechanism) fn stop_with_friction(&self, next: &mut Next, workspace: &mut Workspace) -> bool {
        let (Some(plan), stages) = (workspace.plan.take(), std::mem::take(&mut workspace.stages)) else {
            return false;
        };
        let lasts = |contact: usize| next.mode.contacts[contact].lasts();
        let mut parts: Vec<Part> = (stages[0].parties.iter())
            .map(|&(contact, bounces)| Part {
                contact,
                bounces: bounces && !lasts(contact),
                stops: lasts(contact),
            })
            .collect();
        for contact in next.mode.having(ContactState::lasts) {
            if !parts.iter().any(|part| part.contact == contact) {
                let (bounces, stops) = (false, true);
                parts.push(Part {
                    contact,
                    bounces,
                    stops,
                });
            }
        }
        let velocities = self.velocities();
        let after = next.x[velocities.clone()].to_vec();
        next.x[velocities.clone()].copy_from_slice(&plan.before);
        let found = self.strike_with_friction(next.at(), &parts, workspace);
        let stopped = found.is_ok();
        match found {
            Ok(plan) => {
                next.x[velocities].copy_from_slice(&plan.solution.v);
                workspace.plan = Some(plan);
            }
            Err(_) => {
                next.x[velocities].copy_from_slice(&after);
                (workspace.plan, workspace.stages) = (Some(plan), stages);
            }
        }
        stopped
    }

    /// Whether the contacts follow Poisson's law.
    fn is_poisson(&self, t: f64, contacts: impl Iterator<Item = usize>) -> Result<bool> {
        let law = |contact: usize| {
            let friction = self.model.friction_of(contact)?;
            Some((contact, self.model.frictions[friction].hypothesis))
        };
        let laws: Vec<(usize, Hypothesis)> = contacts.filter_map(law).collect();
        // Where joints alone rub.
        let Some(&(first, hypothesis)) = laws.first() else {
            return Ok(true);
        };
        let Some((other, _)) = laws.iter().find(|(_, other)| *other != hypothesis) else {
            return Ok(hypothesis == Hypothesis::Poisson);
        };
        let [first, other] = [first, *other].map(|contact| &self.model.contacts[contact].name);
        let message = format!("\"{first}\" and \"{other}\" take part in one impact with different hypotheses");
        let error = Error::new(ErrorKind::Event, message).named(first).at_time(t);
        Err(error.advise("give both the same `hypothesis`"))
    }

    fn joining(
        &self,
        at: At<Mode>,
        contacts: &[Part],
        system: &ImpactSystem,
        chosen: &Chosen,
        workspace: &Workspace,
    ) -> Result<Vec<Joining>> {
        let (q, numbers) = (&at.x[self.positions()], &workspace.terms.numbers);
        let all: Vec<usize> = contacts.iter().map(|part| part.contact).collect();
        let (faces, floors) = (self.faces(&all, at, workspace), self.floors(&all, at, workspace));
        let respond = |row: &Entries<f64>| system.solve(chosen, &row.dense(system.mass.width()), |_| 0.0);
        let v = &at.x[self.velocities()];
        let directions = self.model.rubbing_directions();
        let motion = self.motion(at, workspace);
        let joining = |(k, part): (usize, &Part)| {
            let Part {
                contact,
                bounces,
                stops,
            } = *part;
            let gap = self.gap_row(contact, at, workspace);
            let mut tangents = self.tangential_rows(contact, q, numbers).into_iter();
            let friction = self.model.friction_of(contact);
            let (mut at_rest, mut coefficient, mut tangential, mut share) = ([0.0; 3], 0.0, None, 0.0);
            if let Some(friction) = friction {
                at_rest = self.model.slip_at_rest(friction, at.t, q, numbers);
                let friction = &self.model.frictions[friction];
                let own = friction.local.gather_numbers::<f64>(numbers);
                coefficient = own[friction.coefficients[1]];
                tangential = friction.tangential.filter(|_| bounces);
                share = tangential.map_or(0.0, |number| own[number]);
            }
            let restitution = self.model.contacts[contact].law.restitution().filter(|_| bounces);
            let rows: [Entries<f64>; 3] = [
                gap.row,
                tangents.next().unwrap_or_default(),
                tangents.next().unwrap_or_default(),
            ];
            let [first, second, third] = [0, 1, 2].map(|k: usize| respond(&rows[k]));
            let responses = [first.0, second.0, third.0];
            let offsets = [gap.c_t, at_rest[0], at_rest[1]];
            let rates: [f64; 3] = each(|k| rows[k].dot(v) + offsets[k]);
            // What slips fast beside the speed that is dropped slips on.
            let slips = size([rates[1], rates[2]]) > FAST * rates[0].abs();
            let free = freedom(&rows, &responses, directions);
            if friction.is_some() && 0 < free && free < directions {
                let advice = "let joints hold it in no direction along the surface, or in both";
                return Err(self.shared(
                    friction.unwrap_or(0),
                    "can move along one line of its surface only",
                    advice,
                    at.t,
                ));
            }
            let rubs = free > 0 && !(stops && slips);
            Ok(Joining {
                contact,
                directions,
                friction: friction.filter(|_| rubs),
                stops,
                restitution,
                e: restitution.map_or(0.0, |e| numbers[e]),
                coefficient,
                tangential,
                share,
                rows,
                offsets,
                face: faces[k],
                floor: floors[k],
                place: match directions {
                    1 => [0.0; 2],
                    _ => self.model.place_on_surface(contact, &motion),
                },
                responses,
                carried: [first.1, second.1, third.1],
            })
        };
        contacts.iter().enumerate().map(joining).collect()
    }

    /// Impulses along the surface that other contacts which stick could take as well are not unique in space.
    fn check_shares(&self, t: f64, impact: &Impact, kind: &Kind, does: &[Does]) -> Result<()> {
        let open = impact.acts(kind, does).open.filter(|_| self.model.dimension > 2);
        if let Some(friction) = open.and_then(|k| impact.contacts[k].friction) {
            return Err(self.load_is_open(friction, t));
        }
        match impact.sharing(kind, does).filter(|_| self.model.dimension > 2) {
            Some(friction) => {
                let advice = "let one contact with friction strike at a time";
                Err(self.shared(
                    friction,
                    "sticks in an impact where other contacts that stick hold it too",
                    advice,
                    t,
                ))
            }
            None => Ok(()),
        }
    }

    #[cold]
    fn no_strike(&self, t: f64, contacts: &[Part]) -> Error {
        let name_of = |part: &Part| self.model.contacts[part.contact].name.as_str();
        let message = match contacts {
            [] => "no outcome of the jump of a driver, or of the switch of a joint, is consistent with friction"
                .to_string(),
            _ => {
                let names = listed(contacts.iter().map(name_of));
                format!("no outcome of the impact of {names} is consistent with friction")
            }
        };
        let mut error = Error::new(ErrorKind::Event, message).at_time(t);
        if let Some(first) = contacts.first() {
            error = error.named(name_of(first));
        }
        error.advise("lower the coefficients of friction, or change a length or a time a little")
    }

    /// Contacts must not give energy.
    fn check_gain(&self, t: f64, impact: &Impact, [before, after]: [&[f64]; 2], total: &[[f64; 3]]) -> Result<()> {
        let [mut gain, mut turned_over] = impact.given_by_joints([before, after], total);
        let mut rounding = 0.0;
        for (contact, impulses) in impact.contacts.iter().zip(total) {
            let (old, new) = (contact.rates(before), contact.rates(after));
            for k in 0..3 {
                let moved = old[k].abs() + new[k].abs();
                gain += 0.5 * (old[k] + new[k]) * impulses[k];
                turned_over += moved * impulses[k].abs();
                // Rates of a contact that rests are rounding of the velocities that they are made of, or what a penalty leaves, and so are the
                // impulses that take these away.
                rounding += impact.rounding * (impulses[k].abs() + moved / contact.response());
            }
        }
        let energy = 0.5 * dot(before, &impact.system.mass.times(before).collect::<Vec<f64>>());
        if gain <= GAIN * turned_over + rounding + f64::EPSILON * energy {
            return Ok(());
        }
        let contacts = impact.contacts.iter().map(|own| own.contact);
        let of_joints = impact.grasps.iter().map(|grasp| self.model.rubbed_name(grasp.friction));
        let all: Vec<&str> = (contacts.map(|contact| self.model.contacts[contact].name.as_str()))
            .chain(of_joints.filter(|_| impact.contacts.is_empty()))
            .collect();
        let (names, name) = (listed(all.iter().copied()), all.first().copied().unwrap_or_default());
        let message = format!("the impact of {names} gains {gain:.3e} J");
        let error = Error::new(ErrorKind::Event, message)
            .named(name)
            .at_time(t)
            .with_value(gain);
        Err(error.advise("take `hypothesis: Poisson` with one coefficient of restitution, which gains nothing"))
    }

    /// Prepares the stages of the impact solved last to be differentiated.
    ///
    /// # Errors
    /// Kind `Singular` where an outcome is not unique.
    pub(in crate::mechanism) fn factored_stages(&self, at: At<Mode>, workspace: &mut Workspace) -> Result<Vec<Stage>> {
        let mut stages = std::mem::take(&mut workspace.stages);
        let terms = &workspace.terms;
        for stage in &mut stages {
            self.factor_stage(stage, &terms.mass, (at.t, &at.x[self.positions()], &terms.numbers))?;
        }
        Ok(stages)
    }
}

/// Directions along the surface in which the contact can move.
fn freedom(rows: &[Entries<f64>; 3], responses: &[Vec<f64>; 3], directions: usize) -> usize {
    let along = |i: usize, j: usize| rows[i].dot(&responses[j]);
    let normal = NO_RESPONSE * along(0, 0);
    if directions == 1 {
        return usize::from(along(1, 1) > normal);
    }
    let (trace, determinant) = (
        along(1, 1) + along(2, 2),
        along(1, 1) * along(2, 2) - along(1, 2) * along(2, 1),
    );
    match trace > normal {
        false => 0,
        // The smaller of the two eigenvalues beside the larger.
        true => 1 + usize::from(determinant > NO_RESPONSE * trace * trace),
    }
}
