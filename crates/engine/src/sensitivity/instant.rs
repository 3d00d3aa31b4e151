//! Events at one instant, each in its own time: their order must not matter to first order (theory, 3).

use super::event_time::{EventTime, Sides};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Differentiable, Tangent};

/// Difference of what two orders make of a direction, over its size, from which it is more than rounding.
const ORDER: f64 = 1e-7;

/// Most groups of guards of which every pair is looked at; beyond, neighbours only.
const EVERY_PAIR: usize = 8;

/// The place before the first jump of an instant, and the guards that have fired there, jump by jump.
#[derive(Clone, Debug)]
pub(super) struct Instant<M> {
    t: f64,
    mode: M,
    x: Vec<f64>,
    fired: Vec<Vec<usize>>,
    /// Whether the next jump belongs to it.
    pub goes_on: bool,
}

impl<M: Clone> Instant<M> {
    /// An instant that begins at a place.
    pub fn new(at: At<M>) -> Self {
        Self {
            t: at.t,
            mode: at.mode.clone(),
            x: at.x.to_vec(),
            fired: Vec::new(),
            goes_on: false,
        }
    }

    /// Adds a jump, for derivatives along directions in the numbers.
    ///
    /// # Errors
    /// Kind `Event` when its order among the others matters; whatever the derivatives of the jumps report.
    pub fn take<'d, H>(
        &mut self,
        system: &H,
        directions: impl Fn() -> &'d [Vec<f64>],
        fired: &[usize],
        workspace: &mut H::Workspace,
    ) -> Result<()>
    where
        H: Differentiable<Mode = M>,
    {
        self.goes_on = false;
        let from = if self.fired.len() < EVERY_PAIR {
            0
        } else {
            self.fired.len() - 1
        };
        for other in &self.fired[from..] {
            self.compare(system, directions(), [other, fired], workspace)?;
        }
        self.fired.push(fired.to_vec());
        Ok(())
    }

    /// Carries every direction over two jumps in both orders.
    fn compare<H>(
        &self,
        system: &H,
        directions: &[Vec<f64>],
        groups: [&[usize]; 2],
        workspace: &mut H::Workspace,
    ) -> Result<()>
    where
        H: Differentiable<Mode = M>,
    {
        let at = At::new(self.t, &self.mode, &self.x);
        let others = self.fired.concat();
        let pair = &Pair {
            groups,
            others: &others,
        };
        let mut one = InOrder::begun(system, at, directions, (pair, [0, 1]), workspace)?;
        let mut other = InOrder::begun(system, at, directions, (pair, [1, 0]), workspace)?;
        if one.keeps_time_with(&other) {
            return Ok(());
        }
        one.take_turn(system, at.t, directions, (pair, [0, 1], 1), workspace)?;
        other.take_turn(system, at.t, directions, (pair, [1, 0], 1), workspace)?;
        if one.has_derivatives_of(&other) {
            return Ok(());
        }
        let names: Vec<String> = one.names.iter().map(|name| format!("\"{name}\"")).collect();
        Err(Error::new(
            ErrorKind::Event,
            format!(
                "{} happen at the same instant, and which of them is first matters: the motion after it has no derivative",
                names.join(" and ")
            ),
        )
        .at_time(self.t)
        .advise("change a parameter a little, so that one of them comes first: each order has a derivative of its own"))
    }
}

/// Two groups of guards that fire at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// The groups.
    pub groups: [&'a [usize]; 2],
    /// Guards that fire at that instant as well, at another turn.
    pub others: &'a [usize],
}

/// Where two jumps of one instant lead, one after the other, with the derivatives.
#[derive(Debug)]
pub struct InOrder<M> {
    /// Mode after both.
    pub mode: M,
    /// State after both.
    pub x: Vec<f64>,
    /// What becomes of directions, first of those of the state.
    columns: Vec<Column>,
    /// Rate of the first guard of each group before its jump.
    rates: [f64; 2],
    /// When the first group fires, by each direction.
    times: Vec<f64>,
    /// Sizes of the components of the state.
    sizes: Vec<f64>,
    /// What happens.
    names: Vec<String>,
}

/// What becomes of a direction, over the sizes of the components of the state.
#[derive(Clone, Debug)]
struct Column {
    values: Vec<f64>,
    /// The largest of what they are sums of.
    terms: f64,
}

impl<M: Clone> InOrder<M> {
    /// Two groups of guards that fire at a place, one in its turn after the other, with the derivatives by the state and along
    /// directions in the numbers.
    ///
    /// # Errors
    /// Kind `Event` where the first jump puts the second group to sleep; whatever the jumps and their derivatives report.
    pub fn new<H>(
        system: &H,
        at: At<M>,
        directions: &[Vec<f64>],
        (pair, order): (&Pair, [usize; 2]),
        workspace: &mut H::Workspace,
    ) -> Result<Self>
    where
        H: Differentiable<Mode = M>,
    {
        let mut found = Self::begun(system, at, directions, (pair, order), workspace)?;
        found.take_turn(system, at.t, directions, (pair, order, 1), workspace)?;
        Ok(found)
    }

    /// After the first of the two.
    fn begun<H>(
        system: &H,
        at: At<M>,
        directions: &[Vec<f64>],
        (pair, order): (&Pair, [usize; 2]),
        workspace: &mut H::Workspace,
    ) -> Result<Self>
    where
        H: Differentiable<Mode = M>,
    {
        let mut found = Self::at_place(system, at, sizes(system, at, workspace)?, directions.len());
        let all = [&pair.groups.concat()[..], pair.others].concat();
        system.hold_back(&mut found.mode, &all, false);
        found.times = found.take_turn(system, at.t, directions, (pair, order, 0), workspace)?;
        Ok(found)
    }

    /// Lets a group fire; when it does, by each direction.
    fn take_turn<H>(
        &mut self,
        system: &H,
        t: f64,
        directions: &[Vec<f64>],
        (pair, order, turn): (&Pair, [usize; 2], usize),
        workspace: &mut H::Workspace,
    ) -> Result<Vec<f64>>
    where
        H: Differentiable<Mode = M>,
    {
        let (still, sizes) = (vec![0.0; system.numbers()], &self.sizes[..]);
        let group = order[turn];
        let fired = pair.groups[group];
        let mut waiting: Vec<usize> = pair
            .others
            .iter()
            .copied()
            .filter(|guard| !fired.contains(guard))
            .collect();
        if turn == 0 {
            waiting.extend(pair.groups[order[1]]);
        }
        if fired.iter().any(|&guard| system.crossing(guard, &self.mode).is_none()) {
            return Err(Error::new(ErrorKind::Event, "an event keeps another from happening").at_time(t));
        }
        let (mut mode_before, before) = (self.mode.clone(), self.x.clone());
        system.hold_back(&mut mode_before, &waiting, true);
        let jump = system.jump(t, &mode_before, &mut self.x, fired, workspace)?;
        let sides = Sides {
            before: At::new(t, &mode_before, &before),
            after: At::new(t, &jump.mode, &self.x),
            fired,
            follows: false,
            happenings: &jump.happenings,
        };
        let event = EventTime::new(system, &sides, workspace)?;
        self.rates[group] = event.rate.unwrap_or(0.0);
        let mut times = Vec::with_capacity(self.columns.len());
        for (k, column) in self.columns.iter_mut().enumerate() {
            let numbers = k.checked_sub(sizes.len()).map_or(&still, |k| &directions[k]);
            times.push(column.pass(system, &event, &sides, (sizes, numbers), workspace)?);
        }
        self.names
            .extend(jump.happenings.into_iter().map(|happening| happening.name));
        self.mode = jump.mode;
        system.hold_back(&mut self.mode, &waiting, false);
        Ok(times)
    }

    /// Whether two groups fire at the same time whatever changes, to first order: none is before the other.
    fn keeps_time_with(&self, other: &Self) -> bool {
        let most = self.times.iter().fold(0.0, |most: f64, time| most.max(time.abs()));
        let mut pairs = self.times.iter().zip(&other.times);
        most > 0.0 && pairs.all(|(a, b)| (a - b).abs() <= ORDER * most)
    }

    /// Before anything happens.
    fn at_place<H>(system: &H, at: At<M>, sizes: Vec<f64>, directions: usize) -> Self
    where
        H: Differentiable<Mode = M>,
    {
        let n = system.dimension();
        let unit = |i: usize| Column {
            values: (0..n).map(|k| if k == i { sizes[i] } else { 0.0 }).collect(),
            terms: if i < n { 1.0 } else { 0.0 },
        };
        Self {
            mode: at.mode.clone(),
            x: at.x.to_vec(),
            columns: (0..n + directions).map(unit).collect(),
            rates: [0.0; 2],
            times: Vec::new(),
            sizes,
            names: Vec::new(),
        }
    }

    /// Whether all directions become the same in another order of the same groups, in which the guards move the same way.
    pub fn has_derivatives_of(&self, other: &Self) -> bool {
        let turned = self.rates.iter().zip(&other.rates).any(|(a, b)| a * b < 0.0);
        let same = |(a, b): (&Column, &Column)| {
            let most = ORDER * a.terms.max(b.terms);
            // Not so where one of them is not a number.
            a.values.iter().zip(&b.values).all(|(x, y)| (x - y).abs() <= most)
        };
        !turned && self.columns.iter().zip(&other.columns).all(same)
    }
}

impl Column {
    /// Carries the direction over a jump; when that is.
    fn pass<H: Differentiable>(
        &mut self,
        system: &H,
        event: &EventTime<H>,
        sides: &Sides<H::Mode>,
        (sizes, numbers): (&[f64], &[f64]),
        workspace: &mut H::Workspace,
    ) -> Result<f64> {
        let sized = |values: &[f64], factor: f64| {
            let entries = values
                .iter()
                .zip(sizes)
                .map(|(value, size)| (factor * value / size).abs());
            entries.fold(0.0, f64::max)
        };
        let along = Tangent::new(0.0, &self.values, numbers);
        let tau = event.time(system, sides.before, &along, workspace)?.unwrap_or(0.0);
        let (mut direction, mut slope) = (vec![0.0; sizes.len()], vec![0.0; sizes.len()]);
        let whole = (&mut self.values[..], numbers);
        event.carry(system, tau, whole, [&mut direction, &mut slope], workspace);
        let flows = sized(&event.flow_before, tau).max(sized(&event.flow_after, tau));
        let values = sized(&direction, 1.0).max(sized(&slope, 1.0));
        self.terms = self.terms.max(flows).max(values);
        Ok(tau)
    }
}

/// Sizes of the components of the state, in their units: of those that are no part of the dynamics by what they are, and by how
/// far they go while the motion goes as far as its size.
fn sizes<H: Differentiable>(system: &H, at: At<H::Mode>, workspace: &mut H::Workspace) -> Result<Vec<f64>> {
    let mut flow = vec![0.0; system.dimension()];
    system.flow(at, workspace, &mut flow)?;
    let dynamic = system.dynamic();
    let rate = dynamic
        .clone()
        .map(|i| (flow[i] / system.size(i)).abs())
        .fold(0.0, f64::max);
    let size = |i: usize| {
        let own = at.x[i].abs().max(if rate > 0.0 { flow[i].abs() / rate } else { 0.0 });
        match dynamic.contains(&i) {
            true => system.size(i),
            false if own > 0.0 => own,
            false => 1.0,
        }
    };
    Ok((0..flow.len()).map(size).collect())
}
