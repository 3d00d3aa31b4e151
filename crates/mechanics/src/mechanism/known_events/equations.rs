//! The motion along known events as [`Equations`]: modes are phases, numbered from the start, and one after the last; the
//! only guard awake is the one that ends the phase; costs are the objectives.

use super::{Exit, KnownEvents, KnownJump};
use crate::equations::{Crossing, Equations, Point, Size};
use crate::hybrid::HybridSystem;
use crate::mechanism::Watch;
use crate::mechanism::guards::GuardValue;
use crate::model::quantity::Output;
use crate::model::{Datum, Due, FitDatum, Measured, Mode, Side, Term};
use crate::scalar::Scalar;

impl KnownEvents<'_> {
    /// Value of an expression at a state.
    fn value<S: Scalar>(&self, output: &Output, mode: &Mode, (t, x, p): (S, &[S], &[S])) -> S {
        let dynamic = output.needs_dynamics(self.model());
        let moved = self.moved(mode, t, x, p, dynamic);
        output.evaluate_over(self.model(), mode, &moved.motion())
    }

    /// Value of a guard of the mechanism.
    fn watched<S: Scalar>(&self, guard: usize, instant: f64, mode: &Mode, (t, x, p): (S, &[S], &[S])) -> S {
        let value = self.mechanism.guard_value(guard, mode);
        let moved = self.moved(mode, t, x, p, value.needs_dynamics(self.model()));
        let found = value.evaluate(self.model(), mode, &moved.motion());
        match value {
            // The instant at which rows are chosen anew counts as a fixed time.
            GuardValue::Dependent => found - instant,
            _ => found,
        }
    }

    /// Adds coefficient times value to every objective with such a term.
    fn add_terms<S: Scalar>(&self, p: &[S], out: &mut [S], value: impl Fn(&Term) -> Option<S>) {
        let numbers = self.numbers(p, &[]);
        for (out, objective) in out.iter_mut().zip(&self.model().objectives) {
            for term in &objective.terms {
                if let Some(value) = value(term) {
                    *out += term.factor(&numbers) * value;
                }
            }
        }
    }

    /// Adds the weighted squared differences of measured values from those of the motion to the objectives with their fits.
    fn add_misfits<S: Scalar>(
        &self,
        data: &[FitDatum],
        p: &[S],
        out: &mut [S],
        value: impl Fn(&Measured) -> Option<S>,
    ) {
        let model = self.model();
        for &FitDatum { fit, datum } in data {
            let Datum {
                channel,
                measured,
                weight,
                ..
            } = model.fits[fit].data[datum];
            let Some(value) = value(&model.fits[fit].channels[channel].of) else {
                continue;
            };
            let misfit = (value - measured).powi(2) * weight;
            self.add_terms(p, out, |term| match term {
                Term::Fit { fit: meant, .. } if *meant == fit => Some(misfit),
                _ => None,
            });
        }
    }

    /// Adds what is due at a state.
    fn add_due<S: Scalar>(&self, values: &[Due], mode: &Mode, at: (S, &[S], &[S]), out: &mut [S]) {
        for due in values {
            match *due {
                Due::Datum(datum) => self.add_misfits(&[datum], at.2, out, |of| match of {
                    Measured::Value(output) => Some(self.value(output, mode, at)),
                    Measured::EventTimes(_) => None,
                }),
                Due::Reading(due) => {
                    let value = self.value(&self.model().readings[due].value, mode, at);
                    self.add_terms(at.2, out, |term| match term {
                        Term::At { reading, .. } if *reading == due => Some(value),
                        _ => None,
                    });
                }
            }
        }
    }

    /// Objectives from their costs along the motion, which lack those of formulas.
    pub fn with_formulas<S: Scalar>(&self, costs: &mut [S], p: &[S]) {
        let (model, numbers) = (self.model(), self.numbers(p, &[]));
        for objective in model.objective_order() {
            for term in &model.objectives[objective].terms {
                if let Term::Formula { formula, .. } = term {
                    let value = model.formulas[*formula].evaluate(costs, &numbers);
                    costs[objective] += term.factor(&numbers) * value;
                }
            }
        }
    }

    /// Adds what is due at the very start, whose state is a function of the parameters alone.
    fn add_due_at_start<S: Scalar>(&self, p: &[S], out: &mut [S]) {
        if !self.at_start.is_empty() {
            let mut x = vec![S::from(0.0); self.nq() + self.nv() + self.model().memory.len()];
            self.start(p, &mut x);
            let at = (S::from(self.assembly.t()), x.as_slice(), p);
            self.add_due(&self.at_start, &self.started.mode, at, out);
        }
    }

    /// Applies jumps one after the other and adds what they count for the sums over events.
    fn apply_jumps<S: Scalar>(&self, jumps: &[KnownJump], t: S, x: &mut [S], p: &[S], costs: Option<&mut [S]>) {
        let mut sums = vec![S::from(0.0); self.model().event_sums.len()];
        for known in jumps {
            let before = x.to_vec();
            self.apply_jump(known, t, x, p);
            for &(sum, count) in known.sums.iter().filter(|_| costs.is_some()) {
                let element = &self.model().event_sums[sum];
                let value = match element.side {
                    Side::Before => self.value(&element.value, &known.before, (t, &before, p)),
                    Side::After => self.value(&element.value, &known.after, (t, x, p)),
                };
                sums[sum] += value * count as f64;
            }
        }
        if let Some(costs) = costs {
            for known in jumps {
                self.add_misfits(&known.measured, p, costs, |of| match of {
                    Measured::EventTimes(_) => Some(t),
                    Measured::Value(_) => None,
                });
            }
            self.add_terms(p, costs, |term| match term {
                Term::AtEvents { sum, .. } => Some(sums[*sum]),
                _ => None,
            });
        }
    }
}

impl Equations for KnownEvents<'_> {
    type Mode = usize;

    const ALGEBRAIC: bool = false;

    fn size(&self) -> Size {
        Size::of(self.nq() + self.nv() + self.model().memory.len())
            .guards(2)
            .costs(self.model().objectives.len())
    }

    fn start<S: Scalar>(&self, p: &[S], x: &mut [S]) -> usize {
        let model = self.model();
        let initial: Vec<S> = model.memory.iter().map(|value| S::from(*value)).collect();
        let mut numbers = self.numbers(p, &initial);
        for variable in &model.variables {
            numbers[model.memory_number(variable.slot)] = numbers[variable.initial];
        }
        let (q, v) = self.assembly.over(&numbers);
        let memory = &numbers[model.memory_start()..];
        let assembled: Vec<S> = q.into_iter().chain(v).chain(memory.iter().copied()).collect();
        x.copy_from_slice(&assembled);
        let (t, known) = (
            S::from(self.assembly.t()),
            &self.started.x[self.mechanism.quadratures().end..],
        );
        for stage in &self.started.written {
            let before = x.to_vec();
            self.write(stage, &self.started.mode, (t, &before), x, known, p);
        }
        self.apply_jumps(&self.opening, t, x, p, None);
        0
    }

    fn flow<S: Scalar>(&self, phase: &usize, at: &Point<S>, dx: &mut [S]) {
        let Some(phase) = self.phases.get(*phase) else { return };
        let moved = self.moved(&phase.mode, at.t, at.x, at.p, true);
        let (rates, rest) = dx.split_at_mut(self.nq());
        self.model().write_rates(&moved.q, &moved.v, rates);
        rest[..self.nv()].copy_from_slice(&moved.a);
        for (slot, rate) in self.model().memory_rates() {
            rest[self.nv() + slot] = rate.evaluate_over(self.model(), &phase.mode, &moved.motion());
        }
    }

    /// Phases take turns in the guards, so that the guard of a phase is never the one that has just fired.
    fn crossing(&self, guard: usize, phase: &usize) -> Option<Crossing> {
        let phase = self.phases.get(*phase).filter(|_| phase % 2 == guard)?;
        match &phase.exit {
            Exit::End { .. } | Exit::Due { .. } => Some(Crossing::Rising),
            Exit::Event { guard, .. } => match self.mechanism.watch(*guard) {
                Watch::Dependent => Some(Crossing::Rising),
                _ => self.mechanism.crossing(*guard, &phase.mode),
            },
        }
    }

    fn guard<S: Scalar>(&self, _: usize, phase: &usize, at: &Point<S>) -> S {
        let Some(phase) = self.phases.get(*phase) else {
            return S::from(1.0);
        };
        match &phase.exit {
            Exit::Due { number: None, t, .. } => at.t - *t,
            Exit::Due {
                number: Some(number), ..
            } => at.t - self.numbers(at.p, &[])[*number],
            Exit::End { .. } => {
                let (constant, numbers) = &self.end;
                let known = self.numbers(at.p, &[]);
                numbers
                    .iter()
                    .fold(at.t - *constant, |sum, &number| sum - known[number])
            }
            Exit::Event { guard, t, .. } => self.watched(*guard, *t, &phase.mode, (at.t, at.x, at.p)),
        }
    }

    fn jump<S: Scalar>(&self, _: usize, phase: &usize, before: &Point<S>, x: &mut [S]) -> usize {
        if let Some(Exit::Event { jumps, .. }) = self.phases.get(*phase).map(|phase| &phase.exit) {
            self.apply_jumps(jumps, before.t, x, before.p, None);
        }
        phase + 1
    }

    fn running_costs<S: Scalar>(&self, phase: &usize, at: &Point<S>, r: &mut [S]) {
        let model = self.model();
        let Some(phase) = self.phases.get(*phase).filter(|_| !model.integrands.is_empty()) else {
            return;
        };
        let dynamic = model.integrands.iter().any(|integrand| integrand.needs_dynamics(model));
        let moved = self.moved(&phase.mode, at.t, at.x, at.p, dynamic);
        self.add_terms(at.p, r, |term| {
            let integrand = &model.integrands[term.integrand()?];
            Some(integrand.evaluate_over(model, &phase.mode, &moved.motion()))
        });
    }

    fn event_costs<S: Scalar>(&self, _: usize, phase: &usize, before: &Point<S>, l: &mut [S]) {
        let Some(phase) = self.phases.get(*phase) else { return };
        match &phase.exit {
            Exit::Event { jumps, .. } => self.apply_jumps(jumps, before.t, &mut before.x.to_vec(), before.p, Some(l)),
            Exit::Due { values, .. } => self.add_due(values, &phase.mode, (before.t, before.x, before.p), l),
            Exit::End { values } => {
                let at = (before.t, before.x, before.p);
                self.add_terms(before.p, l, |term| match term {
                    Term::Final { value, .. } => Some(self.value(value, &phase.mode, at)),
                    _ => None,
                });
                self.add_due(values, &phase.mode, at, l);
                self.add_due_at_start(before.p, l);
            }
        }
    }
}
