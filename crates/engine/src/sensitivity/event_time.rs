//! What the time of an event does to the motion after it.

use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Cotangents, Differentiable, Happening, Tangent};

/// Part of its size by which a motion that is at rest moves in all the time up to an event.
const STILL: f64 = 1e-12;

/// Rates of a guard below this fraction of the motion's own rates have no event-time derivative.
const GRAZING: f64 = 1e-9;

/// Difference of the derivatives of two event times, over their size, from which they are not the same.
const SAME_TIME: f64 = 1e-6;

/// Rate of a guard, over the one of its own kind that the motion has, below which what happens is the end of an accumulation: the
/// jump changes velocities by no more than what is left of them, in whichever order.
const SLOW: f64 = 1e-4;

/// Part of the time in which the motion goes as far as a direction leads, below which a difference is rounding.
const ONE_TIME: f64 = 1e-9;

/// A jump with the places before and after it.
#[derive(Debug)]
pub(super) struct Sides<'a, M> {
    pub before: At<'a, M>,
    pub after: At<'a, M>,
    /// Guards that fired.
    pub fired: &'a [usize],
    /// Whether it follows at once on another event and keeps the time of that.
    pub follows: bool,
    pub happenings: &'a [Happening],
}

/// A jump with its derivatives and the rates around it.
pub(super) struct EventTime<H: Differentiable> {
    pub jump: H::LinearizedJump,
    /// The guard whose zero is the time.
    pub guard: usize,
    pub flow_before: Vec<f64>,
    pub flow_after: Vec<f64>,
    /// h_x F- + h_t; none for a jump that keeps the time of another event.
    pub rate: Option<f64>,
    /// Whether the rate is slow.
    is_slow: bool,
    /// The other guards that fired, as one with the first.
    others: Vec<Other>,
}

/// A guard that fired together with another.
struct Other {
    guard: usize,
    rate: f64,
    /// Rate that it would have if it changed as fast as the motion.
    natural: f64,
}

impl Other {
    /// Whether the motion goes nowhere in the time between two events, although their times are not the same: either order of them
    /// leads to one place.
    fn hardly_parts(&self, [a, b]: [f64; 2]) -> bool {
        let way = self.rate.abs() * (a - b).abs();
        self.rate.abs() <= SLOW * self.natural && way <= SAME_TIME * self.natural * a.abs().max(b.abs())
    }
}

impl<H: Differentiable> EventTime<H> {
    /// At a jump.
    ///
    /// # Errors
    /// Kind `Event` for a grazed guard; whatever the derivatives of the system report.
    pub fn new(system: &H, sides: &Sides<H::Mode>, workspace: &mut H::Workspace) -> Result<Self> {
        let (before, t) = (sides.before, sides.before.t);
        let Some(&guard) = sides.fired.first() else {
            return Err(Error::new(ErrorKind::Event, "a jump without a guard").at_time(t));
        };
        let jump = system.linearize_jump(before, sides.fired, workspace)?;
        let mut flow_before = vec![0.0; system.dimension()];
        let mut flow_after = flow_before.clone();
        system.flow(before, workspace, &mut flow_before)?;
        system.flow(sides.after, workspace, &mut flow_after)?;
        let mut event = Self {
            jump,
            guard,
            flow_before,
            flow_after,
            rate: None,
            is_slow: false,
            others: Vec::new(),
        };
        if !sides.follows {
            let rate = system.guard_jvp(guard, before, &event.later(&vec![0.0; system.numbers()]), workspace)?;
            let name = sides
                .happenings
                .first()
                .map_or("the event", |happening| &happening.name);
            let natural = natural_rate(guard, system, before, &event.flow_before, workspace)?;
            refuse_grazing(rate, natural, name, t)?;
            event.rate = Some(rate);
            event.is_slow = rate.abs() <= SLOW * natural;
            for &other in &sides.fired[1..] {
                let rate = system.guard_jvp(other, before, &event.later(&vec![0.0; system.numbers()]), workspace)?;
                let natural = natural_rate(other, system, before, &event.flow_before, workspace)?;
                if rate.abs() > GRAZING * natural {
                    event.others.push(Other {
                        guard: other,
                        rate,
                        natural,
                    });
                }
            }
        }
        Ok(event)
    }

    /// Demands that the guards that fired as one keep to one time, `tau`, along a direction: else nearby motions meet them one
    /// after the other, and the jump of all says nothing about these. At the end of an accumulation it does: there times are
    /// rounding over what is left of the velocities, and so is all that their order changes.
    ///
    /// # Errors
    /// Kind `Event` where they do not.
    pub fn check_one_time(
        &self,
        system: &H,
        sides: &Sides<H::Mode>,
        along: &Tangent,
        tau: f64,
        workspace: &mut H::Workspace,
    ) -> Result<()> {
        let rounding = time_rounding(system, along, &self.flow_before);
        for other in &self.others {
            let own = -system.guard_jvp(other.guard, sides.before, along, workspace)? / other.rate;
            let accumulates = || self.is_slow && other.hardly_parts([own, tau]);
            if !is_one_time([own, tau], rounding) && !accumulates() {
                return Err(parting(sides));
            }
        }
        Ok(())
    }

    /// dt_e along a direction of the state before: -(h_x S + h_p) / (h_x F- + h_t); none for a jump that keeps another time.
    pub fn time(
        &self,
        system: &H,
        before: At<H::Mode>,
        along: &Tangent,
        workspace: &mut H::Workspace,
    ) -> Result<Option<f64>> {
        let Some(rate) = self.rate else { return Ok(None) };
        Ok(Some(-system.guard_jvp(self.guard, before, along, workspace)? / rate))
    }

    /// Carries a sensitivity over the jump: S+ = T_x (S- + F- tau) + T_t tau + T_p - F+ tau (theory, 3.3).
    pub fn carry(
        &self,
        system: &H,
        tau: f64,
        (s, numbers): (&mut [f64], &[f64]),
        [direction, slope]: [&mut [f64]; 2],
        workspace: &mut H::Workspace,
    ) {
        for ((d, s), f) in direction.iter_mut().zip(&*s).zip(&self.flow_before) {
            *d = s + f * tau;
        }
        system.jump_jvp(&self.jump, &Tangent::new(tau, direction, numbers), workspace, slope);
        for ((s, d), f) in s.iter_mut().zip(&*slope).zip(&self.flow_after) {
            *s = d - f * tau;
        }
    }

    /// The direction in which the motion goes on before the event; `still` are as many zeros as there are numbers.
    pub fn later<'a>(&'a self, still: &'a [f64]) -> Tangent<'a> {
        Tangent::new(1.0, &self.flow_before, still)
    }
}

/// Rate of the guard if it changed as fast as the motion: by the component that it depends on most, over the sizes of the
/// components, or by as much as it does in the time in which the motion changes by its size.
fn natural_rate<H: Differentiable>(
    guard: usize,
    system: &H,
    before: At<H::Mode>,
    flow_before: &[f64],
    workspace: &mut H::Workspace,
) -> Result<f64> {
    let (mut slope, mut numbers) = (vec![0.0; system.dimension()], vec![0.0; system.numbers()]);
    system.guard_vjp(guard, before, workspace, Cotangents::new(&mut slope, &mut numbers))?;
    let largest = |values: &[f64], over: &dyn Fn(f64, f64) -> f64| {
        let sized = system.dynamic().map(|i| over(values[i], system.size(i)).abs());
        sized.fold(0.0, f64::max)
    };
    let rate = largest(flow_before, &|rate, size| rate / size);
    // At rest, rates are rounding, and the guard moves by time alone.
    if rate == 0.0 || before.t != 0.0 && rate * before.t.abs() <= STILL {
        return Ok(0.0);
    }
    let own = largest(&slope, &|slope, size| slope * size);
    let later: Vec<f64> = (before.x.iter().zip(flow_before))
        .map(|(x, flow)| x + flow / rate)
        .collect();
    let here = system.guard(guard, before, workspace)?;
    let there = system.guard(guard, At::new(before.t + 1.0 / rate, before.mode, &later), workspace);
    Ok(rate * own.max(there.map_or(0.0, |there| (there - here).abs())))
}

/// Rate of a guard along the flow, h_x F + h_t; none where it is rounding beside the rates of the motion.
pub(super) fn rate_of<H: Differentiable>(
    guard: usize,
    system: &H,
    at: At<H::Mode>,
    flow: &[f64],
    workspace: &mut H::Workspace,
) -> Result<Option<f64>> {
    let rate = system.guard_jvp(
        guard,
        at,
        &Tangent::new(1.0, flow, &vec![0.0; system.numbers()]),
        workspace,
    )?;
    let natural = natural_rate(guard, system, at, flow, workspace)?;
    Ok((rate.abs() > GRAZING * natural).then_some(rate))
}

/// Largest component of the dynamics over its size.
pub(super) fn sized<H: Differentiable>(system: &H, values: &[f64]) -> f64 {
    let sizes = system.dynamic().map(|i| (values[i] / system.size(i)).abs());
    sizes.fold(0.0, f64::max)
}

/// Difference of the derivatives of two times along a direction that is rounding.
pub(super) fn time_rounding<H: Differentiable>(system: &H, along: &Tangent, flow: &[f64]) -> f64 {
    let part = ONE_TIME * sized(system, along.x) / sized(system, flow);
    // Nothing moves, or nothing changes.
    if part.is_finite() { part } else { 0.0 }
}

/// Whether the derivatives of two times along a direction at a place are the same.
///
/// # Errors
/// As for the flow.
pub fn move_together<H: Differentiable>(
    system: &H,
    at: At<H::Mode>,
    along: &Tangent,
    times: [f64; 2],
    workspace: &mut H::Workspace,
) -> Result<bool> {
    let mut flow = vec![0.0; system.dimension()];
    system.flow(at, workspace, &mut flow)?;
    Ok(is_one_time(times, time_rounding(system, along, &flow)))
}

/// Whether the derivatives of two times are the same.
pub(super) fn is_one_time([a, b]: [f64; 2], rounding: f64) -> bool {
    (a - b).abs() <= SAME_TIME * a.abs().max(b.abs()) + rounding
}

/// An error for events that are one only by their values.
fn parting<M>(sides: &Sides<M>) -> Error {
    let mut names: Vec<String> = sides
        .happenings
        .iter()
        .map(|happening| format!("\"{}\"", happening.name))
        .collect();
    names.dedup();
    Error::new(
        ErrorKind::Event,
        format!(
            "{} happen as one at this instant, but one after the other when a parameter changes: the motion after it has no \
             derivative",
            names.join(" and ")
        ),
    )
    .at_time(sides.before.t)
    .advise(
        "change a parameter a little, so that one of them comes first, or let one parameter move them together; where they are \
         the last of ever smaller bounces, let these end earlier (a higher `rest_speed` of the simulation)",
    )
}

/// An error where a guard's rate vanishes beside the motion's own rates.
fn refuse_grazing(rate: f64, natural: f64, name: &str, t: f64) -> Result<()> {
    if rate.abs() > GRAZING * natural {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Event,
        format!("\"{name}\" is only grazed: the event time has no derivative"),
    )
    .named(name)
    .at_time(t)
    .with_value(rate)
    .advise("move the threshold or the parameters away from the grazing motion"))
}
