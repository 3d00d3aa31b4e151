//! Random states, difference quotients and comparisons for the tests of elements and formulations.

#![allow(dead_code, reason = "each test program uses a part")]

pub mod zoo;

use costate::model::{Model, Start};
use costate::scene::parse;
use costate::scene::{Compiled, Overrides, compile};

/// Reproducible random numbers: xorshift64* (Vigna, ACM Transactions on Mathematical Software 42, 2016).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Uniform in [-1, 1).
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11;
        bits as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Uniform between two values.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * 0.5 * (self.unit() + 1.0)
    }

    /// A vector with entries in [-size, size).
    pub fn vector(&mut self, n: usize, size: f64) -> Vec<f64> {
        (0..n).map(|_| size * self.unit()).collect()
    }
}

/// A planar scene with these fields; a `simulation` is added when there is none.
pub fn planar(fields: &str) -> String {
    scene("Planar", fields)
}

/// A spatial scene with these fields; a `simulation` is added when there is none.
pub fn spatial(fields: &str) -> String {
    scene("Spatial", fields)
}

fn scene(space: &str, fields: &str) -> String {
    let simulation = if fields.contains("simulation:") {
        ""
    } else {
        "simulation: (duration: 1),"
    };
    format!("Scene(name: \"test\", space: {space},\n{fields}\n{simulation})\n")
}

/// The compiled scene with some parameters set; any error fails the test.
pub fn compiled(text: &str, set: &[(&str, f64)]) -> Compiled {
    let file = parse("test.ron", text).unwrap_or_else(|error| panic!("{error}\n{:?}\n{text}", error.advice()));
    let parameters = set.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    compile(&file, &Overrides { parameters, case: None })
        .unwrap_or_else(|error| panic!("{error}\n{:?} line {:?}\n{text}", error.advice(), error.line()))
}

/// The model of a scene.
pub fn model(text: &str) -> Model {
    compiled(text, &[]).model
}

/// Index of the coordinate of that name.
pub fn coordinate(model: &Model, name: &str) -> usize {
    let found = model.coordinates.iter().position(|coordinate| coordinate.name == name);
    found.unwrap_or_else(|| panic!("no coordinate {name}"))
}

/// Positions near the guesses of a model, where no distance of its attachments vanishes; angles are anything.
pub fn positions_near_guess(model: &Model, random: &mut Random, spread: f64) -> Vec<f64> {
    let numbers = model.number_values();
    let position = |coordinate: &costate::model::Coordinate| match coordinate.start {
        Start::Number(number) => numbers[number] + spread * random.unit(),
        _ => 1.5 * random.unit(),
    };
    model.coordinates.iter().map(position).collect()
}

/// Derivative at zero by the central difference of order eight: with h near 0.01 the error is about 1e-12.
pub fn slope(h: f64, mut f: impl FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    const WEIGHTS: [f64; 4] = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    let mut sum = Vec::new();
    for (k, weight) in WEIGHTS.iter().enumerate() {
        let s = h * (k + 1) as f64;
        let (above, below) = (f(s), f(-s));
        sum.resize(above.len(), 0.0);
        for ((sum, a), b) in sum.iter_mut().zip(above).zip(below) {
            *sum += weight * (a - b) / h;
        }
    }
    sum
}

/// Second derivative at zero by the central difference of order eight: with h near 0.02 the error is about 1e-11.
pub fn second_slope(h: f64, mut f: impl FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    const WEIGHTS: [f64; 4] = [8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0];
    let middle = f(0.0);
    let mut sum = vec![0.0; middle.len()];
    for (k, weight) in WEIGHTS.iter().enumerate() {
        let s = h * (k + 1) as f64;
        let (above, below) = (f(s), f(-s));
        for (i, sum) in sum.iter_mut().enumerate() {
            // Sums of differences from the middle: the large common part cancels first.
            *sum += weight * ((above[i] - middle[i]) + (below[i] - middle[i])) / (h * h);
        }
    }
    sum
}

/// The line x + s d.
pub fn moved(x: &[f64], s: f64, d: &[f64]) -> Vec<f64> {
    x.iter().zip(d).map(|(x, d)| x + s * d).collect()
}

/// Largest absolute difference.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, |most, x| if x > most || x.is_nan() { x } else { most })
}

/// Largest absolute value.
pub fn size(a: &[f64]) -> f64 {
    a.iter()
        .fold(0.0, |most, x| if x.abs() > most || x.is_nan() { x.abs() } else { most })
}

/// A derivative, the same by another exact method, and a difference quotient, gathered over many states.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    size: f64,
    from_quotient: f64,
    from_exact: f64,
}

impl Comparison {
    pub fn add(&mut self, value: &[f64], exact: &[f64], quotient: &[f64]) {
        self.size = self.size.max(size(value));
        self.from_quotient = self.from_quotient.max(distance(value, quotient));
        self.from_exact = self.from_exact.max(distance(value, exact));
    }

    /// Demands that the derivative is not zero, agrees with the quotient to `tolerance` and with the other exact method to
    /// rounding, and is closer to the latter.
    pub fn judge(&self, what: &str, tolerance: f64) {
        let Self {
            size,
            from_quotient,
            from_exact,
        } = *self;
        assert!(size > 1e-3, "{what}: zero everywhere");
        assert!(
            from_quotient <= tolerance * size,
            "{what}: {from_quotient:e} from the quotient, size {size:e}"
        );
        assert!(
            from_exact <= 1e-13 * size,
            "{what}: {from_exact:e} from the exact method, size {size:e}"
        );
        assert!(
            from_exact <= from_quotient,
            "{what}: {from_exact:e} from exact, {from_quotient:e} from the quotient"
        );
    }

    /// Demands that the derivative is zero, for both methods.
    pub fn judge_zero(&self, what: &str) {
        assert!(
            self.size == 0.0 && self.from_quotient < 1e-11 && self.from_exact == 0.0,
            "{what}: {self:?}"
        );
    }
}
