//! Events at one instant, each in its own time: their order must not matter to first order (theory, 3).

use super::event_time::{EventTime, Sides};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Differentiable, Tangent};
use crate::linear::max_abs;

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

    /// Adds a jump.
    ///
    /// # Errors
    /// Kind `Event` when its order among the others matters; whatever the derivatives of the jumps report.
    pub fn take<H>(&mut self, system: &H, fired: &[usize], workspace: &mut H::Workspace) -> Result<()>
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
            self.compare(system, [other, fired], workspace)?;
        }
        self.fired.push(fired.to_vec());
        Ok(())
    }

    /// Carries every direction of the state over two jumps in both orders.
    fn compare<H>(&self, system: &H, [a, b]: [&[usize]; 2], workspace: &mut H::Workspace) -> Result<()>
    where
        H: Differentiable<Mode = M>,
    {
        let (one, names) = self.derivative(system, [a, b], workspace)?;
        let (other, _) = self.derivative(system, [b, a], workspace)?;
        let differs = |(x, y): (&Vec<f64>, &Vec<f64>)| {
            let largest = max_abs(x).max(max_abs(y)).max(1.0);
            let same = |(x, y): (&f64, &f64)| (x - y).abs() <= ORDER * largest;
            // Not so where one of them is not a number.
            !x.iter().zip(y).all(same)
        };
        if !one.iter().zip(&other).any(differs) {
            return Ok(());
        }
        let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
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

    /// The saltation matrix of jumps in an order, by columns, and the names of what happens.
    fn derivative<H>(
        &self,
        system: &H,
        order: [&[usize]; 2],
        workspace: &mut H::Workspace,
    ) -> Result<(Vec<Vec<f64>>, Vec<String>)>
    where
        H: Differentiable<Mode = M>,
    {
        let n = self.x.len();
        let unit = |i: usize| (0..n).map(|k| if k == i { 1.0 } else { 0.0 }).collect();
        let mut columns: Vec<Vec<f64>> = (0..n).map(unit).collect();
        let (still, mut direction, mut slope) = (vec![0.0; system.numbers()], vec![0.0; n], vec![0.0; n]);
        let (mut mode, mut x, mut names) = (self.mode.clone(), self.x.clone(), Vec::new());
        for fired in order {
            let (mode_before, before) = (mode, x.clone());
            let jump = system.jump(self.t, &mode_before, &mut x, fired, workspace)?;
            mode = jump.mode;
            let sides = Sides {
                before: At::new(self.t, &mode_before, &before),
                after: At::new(self.t, &mode, &x),
                fired,
                follows: false,
                happenings: &jump.happenings,
            };
            let event = EventTime::new(system, &sides, workspace)?;
            for column in &mut columns {
                let along = Tangent::new(0.0, column, &still);
                let tau = event.time(system, sides.before, &along, workspace)?.unwrap_or(0.0);
                event.carry(system, tau, (column, &still), [&mut direction, &mut slope], workspace);
            }
            names.extend(jump.happenings.into_iter().map(|happening| happening.name));
        }
        Ok((columns, names))
    }
}
