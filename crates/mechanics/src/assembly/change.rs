//! How a parameter changes what the assembly reads.

use crate::model::Model;
use crate::model::constraint::Direction;

/// Opening, over the sizes of what it is the sum of, that is rounding: far above the accuracy of the assembly.
pub(super) const OPENS: f64 = 1e-7;

/// How a parameter moves time and numbers, to second order.
pub(super) struct Change {
    pub t: [f64; 2],
    pub numbers: [Vec<f64>; 2],
    /// Size of the parameter.
    pub size: f64,
}

impl Change {
    pub fn of(model: &Model, parameter: usize, start: Option<usize>) -> Self {
        let mut numbers = [0, 1].map(|_| vec![0.0; model.numbers.len() + model.memory.len()]);
        for (i, number) in model.numbers.iter().enumerate() {
            for &(_, slope) in number.gradient.iter().filter(|(p, _)| *p == parameter) {
                numbers[0][i] = slope;
            }
            let own = |&&(p, r, _): &&(usize, usize, f64)| p == parameter && r == parameter;
            for &(_, _, second) in number.curvature.iter().filter(own) {
                numbers[1][i] = second;
            }
        }
        let t = [0, 1].map(|order: usize| start.map_or(0.0, |number| numbers[order][number]));
        for numbers in &mut numbers {
            model.start_variables(numbers);
        }
        let value = model.parameters[parameter].value.abs();
        let size = if value > 0.0 { value } else { 1.0 };
        Self { t, numbers, size }
    }

    /// Whether it moves time or any of the numbers that a start or a constraint reads.
    pub fn reaches(&self, read: &[bool]) -> bool {
        let moved = |numbers: &Vec<f64>| numbers.iter().zip(read).any(|(slope, read)| *read && *slope != 0.0);
        self.t != [0.0; 2] || self.numbers.iter().any(moved)
    }

    /// The derivative of this order, with these positions and velocities.
    pub fn direction<'a>(&'a self, order: usize, q: &'a [f64], v: &'a [f64]) -> Direction<'a> {
        Direction {
            t: self.t[order],
            q,
            v,
            numbers: &self.numbers[order],
        }
    }
}
