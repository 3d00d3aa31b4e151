//! The equations: a load behind a transformer whose regulator changes its taps.

use costate::equations::{Crossing, Equations, Point, Scalar, Size, Study};

/// States: load recovery x_p, tap ratio n, timer. Algebraic: voltages V3 and V2, demand Pd.
#[derive(Debug)]
pub struct PowerSystem;

pub const PARAMETERS: &str = "Tp Ps0 Pt Vinf X1pre X1post X2 Ttap nstep ninit";
const VALUES: [f64; 10] = [5.0, 0.4, 0.4, 1.05, 0.25, 0.65, 0.8, 20.0, 0.0125, 1.0375];
const LOWEST_VOLTAGE: f64 = 1.04;
const LARGEST_RATIO: f64 = 1.1;

/// State of the line and of the voltage regulator of the transformer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// The line is intact, and the voltage high enough.
    Intact,
    /// The line is lost, and the voltage high enough.
    Idle,
    /// The voltage is too low, and the timer runs.
    Timing,
    /// The voltage is too low, and there is no higher tap.
    AtLimit,
}

impl Equations for PowerSystem {
    type Mode = Mode;

    fn size(&self) -> Size {
        Size::of(3).algebraic(3).guards(4)
    }

    fn start<S: Scalar>(&self, p: &[S], x: &mut [S]) -> Mode {
        // In the steady state the demand is Ps0, and 0 = g is quadratic in V3².
        let (e, reactance) = (p[9] * p[3], p[9] * p[9] * p[4] + p[6]);
        let root = (e.powi(4) - (p[1] * reactance).powi(2) * 4.0).sqrt();
        x[0] = p[1] - p[2] * (e * e + root) * 0.5;
        x[1] = p[9];
        Mode::Intact
    }

    fn flow<S: Scalar>(&self, mode: &Mode, at: &Point<S>, dx: &mut [S]) {
        dx[0] = (at.p[1] - at.y[2]) / at.p[0];
        dx[2] = S::constant(f64::from(u8::from(*mode == Mode::Timing)));
    }

    fn guess(&self, _: &[f64], _: &[f64], y: &mut [f64]) {
        y.copy_from_slice(&[1.0, 1.0, 0.4]);
    }

    fn constraint<S: Scalar>(&self, mode: &Mode, at: &Point<S>, g: &mut [S]) {
        let (v3, v2, demand) = (at.y[0], at.y[1], at.y[2]);
        let (n, x1) = (at.x[1], at.p[if *mode == Mode::Intact { 4 } else { 5 }]);
        let (e, reactance, square) = (n * at.p[3], n * n * x1 + at.p[6], v3 * v3);
        g[0] = square * square - e * e * square + (demand * reactance).powi(2);
        g[1] = v2 * v2 - square - (at.p[6] * demand / v3).powi(2);
        g[2] = demand - at.x[0] - at.p[2] * square;
    }

    fn event_name(&self, guard: usize) -> String {
        ["line lost", "timer starts", "tap", "timer stops"][guard].to_string()
    }

    fn crossing(&self, guard: usize, mode: &Mode) -> Option<Crossing> {
        match (guard, mode) {
            (0, Mode::Intact) | (2 | 3, Mode::Timing) => Some(Crossing::Rising),
            (1, Mode::Idle) => Some(Crossing::Unilateral),
            _ => None,
        }
    }

    fn guard<S: Scalar>(&self, guard: usize, _: &Mode, at: &Point<S>) -> S {
        match guard {
            0 => at.t - 10.0,
            2 => at.x[2] - at.p[7],
            _ => at.y[1] - LOWEST_VOLTAGE,
        }
    }

    fn jump<S: Scalar>(&self, guard: usize, _: &Mode, before: &Point<S>, x: &mut [S]) -> Mode {
        x[2] = S::zero();
        if guard == 2 {
            x[1] += before.p[8];
        }
        let is_last = x[1].re() + 0.5 * before.p[8].re() > LARGEST_RATIO;
        match guard {
            0 | 3 => Mode::Idle,
            _ if is_last => Mode::AtLimit,
            _ => Mode::Timing,
        }
    }
}

/// Up to 200 s, for one value of X1post.
pub fn study(lost_reactance: f64) -> Study<PowerSystem> {
    let mut values = VALUES;
    values[5] = lost_reactance;
    Study::new(PowerSystem, &values, (0.0, 200.0))
}
