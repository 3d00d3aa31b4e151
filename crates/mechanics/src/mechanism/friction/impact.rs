//! Impacts with friction (theory, 4.11): Poisson's law in two stages, or Newton's in one, each with Coulomb's cone.

use std::collections::HashSet;

use super::stage::{Along, Normal, Stage, Struck};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::At;
use crate::linear::{Entries, Lu, add_scaled, dot};
use crate::mechanism::forced::listed;
use crate::mechanism::impact_problem::{ImpactPlan, ImpactRow, Origin};
use crate::mechanism::impact_system::{Chosen, ImpactSystem};
use crate::mechanism::jump::{Next, Request};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::contact::Law;
use crate::model::{ContactState, Hypothesis, Mode};

/// Velocities and impulses below this fraction of the largest count as zero.
const ZERO: f64 = 1e-11;

/// Response along a row, over that along the normal, below which nothing moves along it.
const NO_RESPONSE: f64 = 1e-9;

/// Gain of energy, over what the impulses turn over, from which it is more than rounding.
const GAIN: f64 = 1e-9;

/// Slip of a contact that comes to rest, over the normal velocity that is dropped, from which it is not dropped too.
const FAST: f64 = 10.0;

/// Most contacts of which all combinations are tried.
const MOST_COMBINED: usize = 5;

/// What a contact does in a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Does {
    /// Whether its rate is prescribed; else its impulse is.
    held: bool,
    /// Direction of slip; zero where it sticks.
    slip: i8,
}

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

/// A contact that may take an impulse.
struct Joining {
    contact: usize,
    friction: Option<usize>,
    /// Number: coefficient of restitution; none where nothing comes back.
    restitution: Option<usize>,
    e: f64,
    coefficient: f64,
    /// Number of the law and value: share of the slip that comes back.
    tangential: Option<usize>,
    share: f64,
    rows: [Entries<f64>; 2],
    /// Partial time derivatives of the gap, and of the slip.
    offsets: [f64; 2],
    /// The first contact on its face.
    face: usize,
    /// Whether it holds whatever that takes.
    stops: bool,
    /// What unit impulses along the rows do.
    responses: [Vec<f64>; 2],
}

impl Joining {
    /// Rates of gap and slip.
    fn rates(&self, v: &[f64]) -> [f64; 2] {
        [0, 1].map(|k| self.rows[k].dot(v) + self.offsets[k])
    }
}

/// Part of a row beside others, over its length in the metric of the masses, up to which they imply it.
const IMPLIED: f64 = 1e-10;

/// Rows that none of the others implies, with what their impulses do.
#[derive(Default)]
struct Independent<'a> {
    rows: Vec<(&'a Entries<f64>, &'a [f64])>,
    /// Cholesky factor of the responses along the rows.
    factor: Vec<Vec<f64>>,
}

impl<'a> Independent<'a> {
    /// Adds a row of a contact if the others do not imply it.
    fn add(&mut self, contact: &'a Joining, direction: usize) -> bool {
        let (row, response) = (&contact.rows[direction], &contact.responses[direction][..]);
        let mut line: Vec<f64> = Vec::new();
        for (j, (_, other)) in self.rows.iter().enumerate() {
            let known = dot(&self.factor[j][..j], &line);
            line.push((row.dot(other) - known) / self.factor[j][j]);
        }
        let own = row.dot(response);
        let rest = own - dot(&line, &line);
        if rest.is_nan() || rest <= IMPLIED * own {
            return false;
        }
        line.push(rest.sqrt());
        self.factor.push(line);
        self.rows.push((row, response));
        true
    }
}

/// What a stage asks of the normal direction.
enum Kind<'a> {
    Compression,
    Newton,
    /// After the compression, with its normal impulses.
    Expansion(&'a [f64]),
}

/// Velocities and impulses, normal and along the surface, of a stage.
struct Outcome {
    v: Vec<f64>,
    impulses: Vec<[f64; 2]>,
    bilateral: Vec<f64>,
}

/// An impact under way.
struct Impact<'a> {
    system: ImpactSystem<'a>,
    chosen: Chosen,
    contacts: Vec<Joining>,
}

impl Mechanism {
    /// Whether an impact is one with friction: some contact that takes part rubs, and all others follow a law of restitution.
    pub(in crate::mechanism) fn strikes_with_friction(
        &self,
        mode: &Mode,
        request: &Request,
        sliding: &[usize],
    ) -> bool {
        let mut all = request.touching.iter().chain(sliding);
        let restitution = |&contact: &usize| matches!(self.model.contacts[contact].law, Law::Restitution { .. });
        request.resets.is_empty()
            && request.joined.is_empty()
            && mode.having(|state| state == ContactState::Stuck).next().is_none()
            && request.touching.iter().all(restitution)
            && all.any(|&contact| self.model.friction_of(contact).is_some())
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
        let poisson = self.is_poisson(at.t, parts)?;
        let rows = self.bilateral_rows(at, workspace, |row| -row.c_t);
        let system = ImpactSystem::new(at.t, &workspace.terms.mass, &rows, self.choices.by);
        let chosen = system.choose(&vec![true; rows.len()])?;
        let contacts = self.joining(at, parts, &system, &chosen, workspace);
        let impact = Impact {
            system,
            chosen,
            contacts,
        };
        let before = &at.x[self.velocities()];
        let kind = if poisson { Kind::Compression } else { Kind::Newton };
        let (does, first) = impact
            .search(&kind, before)
            .ok_or_else(|| self.no_strike(at.t, parts))?;
        let mut stages = vec![impact.stage(&kind, before, &does, &first, &[])];
        let mut total: Vec<[f64; 2]> = first.impulses.clone();
        let mut after = first.v.clone();
        if poisson && impact.contacts.iter().any(|contact| contact.e > 0.0) {
            let compressed: Vec<f64> = first.impulses.iter().map(|impulse| impulse[0]).collect();
            let kind = Kind::Expansion(&compressed);
            let (does, second) = impact
                .search(&kind, &first.v)
                .ok_or_else(|| self.no_strike(at.t, parts))?;
            let places = stages[0].places(before.len());
            stages.push(impact.stage(&kind, &first.v, &does, &second, &places));
            for (sum, part) in total.iter_mut().zip(&second.impulses) {
                (0..2).for_each(|k| sum[k] += part[k]);
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
        let lasts = |contact: usize| next.mode.contacts[contact] == ContactState::Sliding;
        let mut parts: Vec<Part> = (stages[0].parties.iter())
            .map(|&(contact, bounces)| Part {
                contact,
                bounces: bounces && !lasts(contact),
                stops: lasts(contact),
            })
            .collect();
        for contact in next.mode.having(|state| state == ContactState::Sliding) {
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
    fn is_poisson(&self, t: f64, contacts: &[Part]) -> Result<bool> {
        let laws: Vec<(usize, Hypothesis)> = (contacts.iter())
            .filter_map(|part| {
                let friction = self.model.friction_of(part.contact)?;
                Some((part.contact, self.model.frictions[friction].hypothesis))
            })
            .collect();
        let (first, hypothesis) = laws[0];
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
    ) -> Vec<Joining> {
        let (q, numbers) = (&at.x[self.positions()], &workspace.terms.numbers);
        let all: Vec<usize> = contacts.iter().map(|part| part.contact).collect();
        let faces = self.faces(&all, at, workspace);
        let respond = |row: &Entries<f64>| system.solve(chosen, &row.dense(system.mass.width()), |_| 0.0).0;
        let v = &at.x[self.velocities()];
        let joining = |(k, part): (usize, &Part)| {
            let Part {
                contact,
                bounces,
                stops,
            } = *part;
            let gap = self.gap_row(contact, at, workspace);
            let tangent = self.tangential_rows(contact, q, numbers).into_iter().next();
            let friction = self.model.friction_of(contact);
            let (mut speed, mut coefficient, mut tangential, mut share) = (0.0, 0.0, None, 0.0);
            if let Some(friction) = friction.map(|friction| &self.model.frictions[friction]) {
                let own = friction.local.gather_numbers::<f64>(numbers);
                speed = friction.speed.as_ref().map_or(0.0, |speed| speed.evaluate(at.t, &own));
                coefficient = own[friction.coefficients[1]];
                tangential = friction.tangential.filter(|_| bounces);
                share = tangential.map_or(0.0, |number| own[number]);
            }
            let restitution = match self.model.contacts[contact].law {
                Law::Restitution { e } if bounces => Some(e),
                _ => None,
            };
            let rows = [gap.row, tangent.unwrap_or_default()];
            let responses = [respond(&rows[0]), respond(&rows[1])];
            let yields = [0, 1].map(|k| rows[k].dot(&responses[k]));
            // What slips fast beside the speed that is dropped slips on.
            let slips = (rows[1].dot(v) - speed).abs() > FAST * (rows[0].dot(v) + gap.c_t).abs();
            let rubs = yields[1] > NO_RESPONSE * yields[0] && !(stops && slips);
            Joining {
                contact,
                friction: friction.filter(|_| rubs),
                stops,
                restitution,
                e: restitution.map_or(0.0, |e| numbers[e]),
                coefficient,
                tangential,
                share,
                rows,
                offsets: [gap.c_t, -speed],
                face: faces[k],
                responses,
            }
        };
        contacts.iter().enumerate().map(joining).collect()
    }

    #[cold]
    fn no_strike(&self, t: f64, contacts: &[Part]) -> Error {
        let name_of = |part: &Part| self.model.contacts[part.contact].name.as_str();
        let (names, name) = (listed(contacts.iter().map(name_of)), name_of(&contacts[0]));
        let message = format!("no outcome of the impact of {names} is consistent with friction");
        let error = Error::new(ErrorKind::Event, message).named(name).at_time(t);
        error.advise("lower the coefficients of friction, or change a length or a time a little")
    }

    /// Contacts must not give energy.
    fn check_gain(&self, t: f64, impact: &Impact, [before, after]: [&[f64]; 2], total: &[[f64; 2]]) -> Result<()> {
        let (mut gain, mut turned_over) = (0.0, 0.0);
        for (contact, impulses) in impact.contacts.iter().zip(total) {
            let (old, new) = (contact.rates(before), contact.rates(after));
            for k in 0..2 {
                gain += 0.5 * (old[k] + new[k]) * impulses[k];
                turned_over += (old[k].abs() + new[k].abs()) * impulses[k].abs();
            }
        }
        if gain <= GAIN * turned_over {
            return Ok(());
        }
        let names = listed(
            impact
                .contacts
                .iter()
                .map(|own| self.model.contacts[own.contact].name.as_str()),
        );
        let name = &self.model.contacts[impact.contacts[0].contact].name;
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

impl Stage {
    /// Places of the normal impulses of the contacts that took one, by contact.
    fn places(&self, nv: usize) -> Vec<(usize, usize)> {
        let mut next = self.bilateral.len();
        let place = |struck: &Struck| {
            let own = next;
            next += if struck.along == Along::Nothing { 1 } else { 2 };
            (struck.contact, own)
        };
        let found = self.struck.iter().map(place).collect();
        debug_assert_eq!(nv + next, self.unknowns.len());
        found
    }
}

impl Impact<'_> {
    /// What the contacts do in a stage, with its outcome: changes what does not agree, and then tries all combinations.
    fn search(&self, kind: &Kind, v: &[f64]) -> Option<(Vec<Does>, Outcome)> {
        let held = !matches!(kind, Kind::Expansion(_));
        // What does not approach goes on as it was: a contact that lies stays as it is, whatever else would be consistent.
        let speeds: Vec<[f64; 2]> = self.contacts.iter().map(|contact| contact.rates(v)).collect();
        let noise = ZERO
            * speeds
                .as_flattened()
                .iter()
                .fold(0.0, |most: f64, speed| most.max(speed.abs()));
        let begin = |(contact, [gap, slip]): (&Joining, &[f64; 2])| {
            let goes_on = contact.friction.is_some() && gap.abs() <= noise && slip.abs() > noise;
            let slip = if goes_on { slip.signum() as i8 } else { 0 };
            Does { held, slip }
        };
        let mut does: Vec<Does> = self.contacts.iter().zip(&speeds).map(begin).collect();
        let mut seen = HashSet::new();
        while seen.insert(does.clone()) {
            let Some(outcome) = self.outcome(kind, v, &does) else {
                break;
            };
            match self.fault(kind, v, &does, &outcome) {
                None => return Some((does, outcome)),
                Some((k, instead)) => self.amend(&mut does, k, instead),
            }
        }
        self.combinations().into_iter().find_map(|does| {
            let outcome = self.outcome(kind, v, &does)?;
            self.fault(kind, v, &does, &outcome)
                .is_none()
                .then_some((does, outcome))
        })
    }

    /// Changes what a contact does, its slip with those on its face.
    fn amend(&self, does: &mut [Does], k: usize, instead: Does) {
        for (i, other) in does.iter_mut().enumerate() {
            if i == k {
                *other = instead;
            } else if self.contacts[i].face == self.contacts[k].face {
                other.slip = instead.slip;
            }
        }
    }

    fn combinations(&self) -> Vec<Vec<Does>> {
        if self.contacts.len() > MOST_COMBINED {
            return Vec::new();
        }
        let mut found = vec![Vec::new()];
        for contact in &self.contacts {
            let slips: &[i8] = if contact.friction.is_some() { &[0, 1, -1] } else { &[0] };
            let options: Vec<Does> = (slips.iter())
                .flat_map(|&slip| [true, false].map(|held| Does { held, slip }))
                .collect();
            found = (found.iter())
                .flat_map(|does: &Vec<Does>| options.iter().map(|option| [&does[..], &[*option]].concat()))
                .collect();
        }
        found.retain(|does| {
            let same =
                |i: usize, j: usize| self.contacts[i].face != self.contacts[j].face || does[i].slip == does[j].slip;
            (0..does.len()).all(|i| (0..i).all(|j| same(i, j)))
        });
        found
    }

    /// What each contact does along the surface, none for those without an impulse: also not those whose normal velocity those before
    /// them imply, and nothing where what holds implies that they stick.
    fn alongs(&self, kind: &Kind, does: &[Does]) -> Vec<Option<Along>> {
        let mut rows = Independent::default();
        let mut found: Vec<Option<Along>> = (0..does.len()).map(|k| self.along(kind, does, k)).collect();
        for (k, along) in found.iter_mut().enumerate() {
            if along.is_some() && does[k].held && !rows.add(&self.contacts[k], 0) {
                *along = None;
            }
        }
        for (k, along) in found.iter_mut().enumerate() {
            if matches!(along, Some(Along::Stick(_))) && !rows.add(&self.contacts[k], 1) {
                *along = Some(Along::Nothing);
            }
        }
        found
    }

    /// Whether a contact takes an impulse, and what it does along the surface: of those that stick on one face the first does.
    fn along(&self, kind: &Kind, does: &[Does], k: usize) -> Option<Along> {
        let open = |i: usize| !does[i].held && !matches!(kind, Kind::Expansion(_));
        if open(k) {
            return None;
        }
        let contact = &self.contacts[k];
        let first = (0..k).all(|i| self.contacts[i].face != contact.face || open(i));
        Some(match (contact.friction, does[k].slip) {
            (None, _) => Along::Nothing,
            (_, 0) if first => Along::Stick(contact.tangential),
            (_, 0) => Along::Nothing,
            (_, slip) => Along::Slip(slip),
        })
    }

    /// Solves for the impulses of the contacts; none where they are not unique.
    fn outcome(&self, kind: &Kind, v: &[f64], does: &[Does]) -> Option<Outcome> {
        let momentum: Vec<f64> = self.system.mass.times(v).collect();
        let target = |i: usize| self.system.rows[i].target;
        let (free, _) = self.system.solve(&self.chosen, &momentum, target);
        // Unknown impulses: contact and direction.
        let mut unknowns: Vec<(usize, usize)> = Vec::new();
        for (k, along) in self.alongs(kind, does).into_iter().enumerate() {
            match along {
                None => {}
                Some(Along::Nothing) => unknowns.push((k, 0)),
                Some(_) => unknowns.extend([(k, 0), (k, 1)]),
            }
        }
        let n = unknowns.len();
        let mut lu = Lu::new(n.max(1));
        let mut right = vec![0.0; n];
        let matrix = lu.matrix_mut(n);
        for (row, &(k, direction)) in unknowns.iter().enumerate() {
            let contact = &self.contacts[k];
            let rates = contact.rates(v);
            let slip = f64::from(does[k].slip);
            let by_velocity = if direction == 0 {
                does[k].held
            } else {
                does[k].slip == 0
            };
            if by_velocity {
                let back = match (direction, kind) {
                    (0, Kind::Newton) => contact.e * rates[0],
                    (1, _) => contact.share * rates[1],
                    _ => 0.0,
                };
                right[row] = -back - contact.offsets[direction] - contact.rows[direction].dot(&free);
                for (column, &(j, other)) in unknowns.iter().enumerate() {
                    matrix[row * n + column] = contact.rows[direction].dot(&self.contacts[j].responses[other]);
                }
                continue;
            }
            matrix[row * n + row] = 1.0;
            match (direction, kind) {
                (0, Kind::Expansion(compressed)) => right[row] = contact.e * compressed[k],
                (0, _) => {}
                _ => matrix[row * n + row - 1] = contact.coefficient * slip,
            }
        }
        if n > 0 {
            lu.factor().ok()?;
            lu.solve(&mut right);
        }
        let mut impulses = vec![[0.0; 2]; does.len()];
        let mut pushed = momentum;
        for (&(k, direction), impulse) in unknowns.iter().zip(&right) {
            impulses[k][direction] = *impulse;
            add_scaled(&mut pushed, *impulse, &self.contacts[k].rows[direction].dense(v.len()));
        }
        if impulses.as_flattened().iter().any(|impulse| !impulse.is_finite()) {
            return None;
        }
        let (v, bilateral) = self.system.solve(&self.chosen, &pushed, target);
        Some(Outcome { v, impulses, bilateral })
    }

    /// The first contact that does not agree with the law, with what it should do instead.
    fn fault(&self, kind: &Kind, v: &[f64], does: &[Does], outcome: &Outcome) -> Option<(usize, Does)> {
        let expands = matches!(kind, Kind::Expansion(_));
        let largest = |k: usize| {
            let own = self
                .contacts
                .iter()
                .flat_map(|contact| [contact.rates(v), contact.rates(&outcome.v)]);
            own.map(|rates| rates[k].abs()).fold(0.0, f64::max)
        };
        let speed = ZERO * largest(0).max(largest(1)).max(f64::MIN_POSITIVE);
        let impulse = outcome
            .impulses
            .as_flattened()
            .iter()
            .fold(0.0, |most: f64, x| most.max(x.abs()));
        for (k, contact) in self.contacts.iter().enumerate() {
            let ([gap, slip], own) = (contact.rates(&outcome.v), does[k]);
            let response = contact.rows[0].dot(&contact.responses[0]);
            let least = ZERO * impulse.max(speed / response.max(f64::MIN_POSITIVE));
            let floor = match kind {
                Kind::Expansion(compressed) => contact.e * compressed[k],
                _ => 0.0,
            };
            let asked = if matches!(kind, Kind::Newton) {
                -contact.e * contact.rates(v)[0]
            } else {
                0.0
            };
            let [normal, along] = outcome.impulses[k];
            if contact.stops {
                continue;
            }
            if own.held && normal < floor - least {
                return Some((k, Does { held: false, ..own }));
            }
            if gap < asked - speed && (!own.held || normal == 0.0) {
                // What is held in vain stays so: another combination has to be found.
                return Some((k, Does { held: true, slip: 0 }));
            }
            if contact.friction.is_none() || (!own.held && !expands) {
                continue;
            }
            if own.slip == 0 {
                let most: f64 = (self.contacts.iter().zip(&outcome.impulses))
                    .filter(|(other, _)| other.face == contact.face)
                    .map(|(other, impulses)| other.coefficient * impulses[0])
                    .sum();
                if along.abs() > most + least {
                    let slip = if along > 0.0 { -1 } else { 1 };
                    return Some((k, Does { slip, ..own }));
                }
            } else if slip * f64::from(own.slip) + contact.share * contact.rates(v)[1] * f64::from(own.slip) < -speed {
                return Some((k, Does { slip: 0, ..own }));
            }
        }
        None
    }

    /// The stage as it was solved.
    fn stage(&self, kind: &Kind, before: &[f64], does: &[Does], outcome: &Outcome, places: &[(usize, usize)]) -> Stage {
        let row = |&i: &usize| -> (usize, usize) {
            let ImpactRow { origin, .. } = &self.system.rows[i];
            match *origin {
                Origin::Constraint { constraint, row, .. } => (constraint, row),
                _ => (0, 0),
            }
        };
        let bilateral: Vec<(usize, usize)> = self.chosen.independent.iter().map(row).collect();
        let mut unknowns = [&outcome.v[..], &outcome.bilateral].concat();
        let mut struck = Vec::new();
        for ((k, contact), along) in self.contacts.iter().enumerate().zip(self.alongs(kind, does)) {
            let Some(along) = along else {
                continue;
            };
            let normal = match (kind, contact.restitution, does[k].held) {
                (Kind::Newton, Some(e), _) => Normal::Returning(e),
                (Kind::Expansion(_), Some(e), false) => Normal::Expanding(e),
                (Kind::Expansion(_), None, false) => continue,
                _ => Normal::Held,
            };
            unknowns.push(outcome.impulses[k][0]);
            if along != Along::Nothing {
                unknowns.push(outcome.impulses[k][1]);
            }
            let earlier = places.iter().find(|(known, _)| *known == contact.contact);
            struck.push(Struck {
                contact: contact.contact,
                friction: contact.friction,
                normal,
                along,
                earlier: earlier.map(|(_, place)| *place),
            });
        }
        Stage {
            bilateral,
            struck,
            before: before.to_vec(),
            unknowns,
            factors: None,
            parties: Vec::new(),
        }
    }
}
