//! Newton's method for the algebraic variables: 0 = g(t, x, y, p), or its derivative by time (theory, 3.8 and 3.10).

use super::derivatives::{Sweep, Variation, VariedPoint, Wide};
use super::index::{Reduction, any_hidden};
use super::{Equations, Point};
use crate::error::{Error, ErrorKind, Result};
use crate::linear::{Lu, max_abs};
use crate::scalar::Dual64;

/// Most Newton iterations. With a guess from the motion there are one or two.
const MOST_ITERATIONS: usize = 50;

/// Correction, relative to y, that is the last one: the error left is of the order of its square.
const LAST_CORRECTION: f64 = 1e-9;

/// Correction that is rounding, relative to the largest values met.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Correction, relative to y, from which the method looks whether it comes nearer, and takes less of it if not.
const LARGE_CORRECTION: f64 = 1e-2;

/// Least part of a correction that is tried.
const LEAST_PART: f64 = 1e-3;

/// Algebraic variables at one point, and the factors of the matrix there that determines them: derivatives by y of the
/// residuals of [`Reduction`].
#[derive(Debug)]
pub(super) struct Algebraic {
    /// The solution, after [`Algebraic::solve`].
    pub y: Vec<f64>,
    lu: Lu,
    /// Residuals and matrix, row-major, as last evaluated; whether there are equations of index 2.
    residual: Vec<f64>,
    matrix: Vec<f64>,
    hidden: bool,
    /// Correction, and the one after it.
    step: Vec<f64>,
    next: Vec<f64>,
    trial: Vec<f64>,
    column: Vec<f64>,
    /// Derivatives of the residuals by all directions [x | p | t].
    panel: Vec<f64>,
    dual: [Vec<Dual64>; 4],
    real: Reduction<f64>,
    moving: Reduction<Dual64>,
    wide: Reduction<Wide>,
    /// For functions with at most so many results as it was made for.
    pub sweep: Sweep,
}

/// What is given where 0 = g is solved for the algebraic variables.
#[derive(Clone, Copy)]
pub(super) struct Given<'a, M> {
    pub t: f64,
    pub mode: &'a M,
    pub x: &'a [f64],
    pub p: &'a [f64],
}

impl<'a, M> Given<'a, M> {
    /// The point with these algebraic variables.
    pub fn point<'b>(&self, y: &'b [f64]) -> Point<'b, f64>
    where
        'a: 'b,
    {
        Point {
            t: self.t,
            x: self.x,
            y,
            p: self.p,
        }
    }
}

impl Algebraic {
    /// For nx states, ny algebraic variables and np parameters, and other functions with at most so many results.
    pub fn new((nx, ny, np): (usize, usize, usize), results: usize) -> Self {
        let zeros = || vec![0.0; ny];
        Self {
            y: zeros(),
            lu: Lu::new(ny),
            residual: zeros(),
            matrix: vec![0.0; ny * ny],
            hidden: false,
            step: zeros(),
            next: zeros(),
            trial: zeros(),
            column: zeros(),
            panel: vec![0.0; ny * (nx + np + 1)],
            dual: [nx, ny, np, ny].map(|count| vec![Dual64::from(0.0); count]),
            real: Reduction::new((nx, ny, np)),
            moving: Reduction::new((nx, ny, np)),
            wide: Reduction::new((nx, ny, np)),
            sweep: Sweep::new((nx, ny, np), results.max(ny)),
        }
    }

    /// Solves for y, beginning at a guess.
    ///
    /// # Errors
    /// Kind `Singular` with the condition of g_y where there is no solution near the guess; kind `NotFinite` where g has no
    /// value.
    pub fn solve<E: Equations>(&mut self, equations: &E, place: &Given<E::Mode>, guess: &[f64]) -> Result<()> {
        if guess.is_empty() {
            return Ok(());
        }
        self.y.copy_from_slice(guess);
        let mut largest = max_abs(guess);
        for _ in 0..MOST_ITERATIONS {
            self.factor(equations, place)?;
            self.step.copy_from_slice(&self.residual);
            self.lu.solve(&mut self.step);
            let Some(part) = self.part(equations, place)? else {
                return Ok(());
            };
            for (y, step) in self.y.iter_mut().zip(&self.step) {
                *y -= part * step;
            }
            let size = max_abs(&self.step);
            largest = largest.max(size).max(max_abs(&self.y));
            if size <= (LAST_CORRECTION * max_abs(&self.y)).max(ROUNDING * largest) {
                return Ok(());
            }
        }
        Err(self.lost(place.t))
    }

    /// Evaluates residuals and matrix at the present y, and factors.
    pub fn factor<E: Equations>(&mut self, equations: &E, place: &Given<E::Mode>) -> Result<()> {
        self.hidden = any_hidden(equations, self.y.len(), place.mode);
        let at = VariedPoint::along_y(place.point(&self.y));
        let constraint = |point: &Point<_>, g: &mut [_]| self.wide.residuals(equations, place.mode, point, g);
        self.sweep.run(&at, constraint, &mut self.residual, &mut self.matrix);
        let size = max_abs(&self.residual) + max_abs(&self.matrix);
        if !size.is_finite() {
            return Err(
                Error::new(ErrorKind::NotFinite, "the algebraic equations have no finite value")
                    .at_time(place.t)
                    .with_value(size)
                    .advise("look for a division by zero or a root of a negative number in them"),
            );
        }
        self.lu.matrix_mut(self.y.len()).copy_from_slice(&self.matrix);
        self.lu.factor().map_err(|_| self.lost(place.t))
    }

    /// How much of the correction to take: the next correction with the same factors must be smaller. None of it where it is
    /// rounding.
    fn part<E: Equations>(&mut self, equations: &E, place: &Given<E::Mode>) -> Result<Option<f64>> {
        let size = max_abs(&self.step);
        if size <= LARGE_CORRECTION * max_abs(&self.y) {
            return Ok(Some(1.0));
        }
        let mut part = 1.0;
        while part > LEAST_PART {
            for ((trial, y), step) in self.trial.iter_mut().zip(&self.y).zip(&self.step) {
                *trial = y - part * step;
            }
            self.next.fill(0.0);
            self.real
                .residuals(equations, place.mode, &place.point(&self.trial), &mut self.next);
            self.lu.solve(&mut self.next);
            if max_abs(&self.next) <= (1.0 - 0.5 * part) * size {
                return Ok(Some(part));
            }
            if part == 1.0 && self.is_rounding(equations, place) {
                return Ok(None);
            }
            part *= 0.5;
        }
        Err(self.lost(place.t))
    }

    /// Whether the residuals are what rounding of states, parameters and time makes of them: y that vanish are not known
    /// relative to their size.
    fn is_rounding<E: Equations>(&mut self, equations: &E, place: &Given<E::Mode>) -> bool {
        let (nx, np) = (place.x.len(), place.p.len());
        let at = VariedPoint::along_all(place.point(&self.y), Variation::Units, Variation::Constant);
        let residuals = |point: &Point<_>, g: &mut [_]| self.wide.residuals(equations, place.mode, point, g);
        self.sweep.run(&at, residuals, &mut self.next, &mut self.panel);
        let values = || place.x.iter().chain(place.p).chain([&place.t]);
        let rows = self.residual.iter().zip(self.panel.chunks_exact(nx + np + 1));
        rows.into_iter().all(|(residual, row)| {
            let terms: f64 = row
                .iter()
                .zip(values())
                .map(|(slope, value)| (slope * value).abs())
                .sum();
            residual.abs() <= ROUNDING * terms
        })
    }

    /// Writes the inverse of the matrix, row-major.
    pub fn invert(&mut self, inverse: &mut [f64]) {
        let ny = self.y.len();
        for k in 0..ny {
            self.column.fill(0.0);
            self.column[k] = 1.0;
            self.lu.solve(&mut self.column);
            for (slot, entry) in inverse.iter_mut().skip(k).step_by(ny).zip(&self.column) {
                *slot = *entry;
            }
        }
    }

    /// Writes dy = -g_y^-1 (g_x dx + g_p dp + g_t dt) at the present y for states that vary so, one column per direction
    /// [x | p | t].
    pub fn differentiate<E: Equations>(
        &mut self,
        equations: &E,
        place: &Given<E::Mode>,
        x: Variation,
        slopes: &mut [f64],
    ) -> Result<()> {
        self.factor(equations, place)?;
        let at = VariedPoint::along_all(place.point(&self.y), x, Variation::Constant);
        let residuals = |point: &Point<_>, g: &mut [_]| self.wide.residuals(equations, place.mode, point, g);
        self.sweep.run(&at, residuals, &mut self.residual, &mut self.panel);
        self.lu.solve_panel(&self.panel, slopes);
        slopes.iter_mut().for_each(|entry| *entry = -*entry);
        Ok(())
    }

    /// Writes y' = -g_y^-1 (g_x x' + g_t).
    pub fn rate<E: Equations>(&mut self, equations: &E, place: &Given<E::Mode>, dx: &[f64], out: &mut [f64]) {
        if out.is_empty() {
            return;
        }
        let [x, y, p, g] = &mut self.dual;
        for ((wide, x), dx) in x.iter_mut().zip(place.x).zip(dx) {
            *wide = Dual64::new(*x, *dx);
        }
        for (wide, value) in y.iter_mut().zip(&self.y).chain(p.iter_mut().zip(place.p)) {
            *wide = Dual64::from(*value);
        }
        g.fill(Dual64::from(0.0));
        let t = Dual64::new(place.t, 1.0);
        self.moving.residuals(equations, place.mode, &Point { t, x, y, p }, g);
        for (out, g) in out.iter_mut().zip(&*g) {
            *out = -g.eps;
        }
        self.lu.solve(out);
    }

    /// Condition of the matrix in the norm of row sums; infinite where it is singular.
    fn condition(&mut self) -> f64 {
        let ny = self.y.len();
        self.lu.matrix_mut(ny).copy_from_slice(&self.matrix);
        if self.lu.factor().is_err() {
            return f64::INFINITY;
        }
        let norm = |matrix: &[f64]| {
            let sums = matrix.chunks_exact(ny).map(|row| row.iter().map(|a| a.abs()).sum());
            sums.fold(0.0, f64::max)
        };
        let mut inverse = vec![0.0; ny * ny];
        self.invert(&mut inverse);
        norm(&self.matrix) * norm(&inverse)
    }

    #[cold]
    fn lost(&mut self, t: f64) -> Error {
        let condition = self.condition();
        let (matrix, advice) = if self.hidden {
            (
                "g_x f_y of those of index 2 with g_y of the others",
                "every y of index 2 must act, through f, on what its equations restrict, and none of these may follow from \
                 the others",
            )
        } else {
            (
                "g_y",
                "look at the solution y before this time: two solutions meet there, or g does not determine every y",
            )
        };
        let message =
            format!("the algebraic equations lose their solution: the condition of {matrix} is {condition:.1e}");
        Error::new(ErrorKind::Singular, message)
            .at_time(t)
            .with_value(condition)
            .advise(advice)
    }
}
