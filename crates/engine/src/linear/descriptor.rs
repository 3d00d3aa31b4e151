//! The derivative F_x of a mechanical flow in descriptor form, which is sparse where F_x is not (theory, 8.3).
//!
//! Values of M da - C^T dlambda = -(K_q dq + K_v dv) and C da + epsilon dlambda = -(A_q dq + A_v dv), which accelerations and
//! multipliers follow from. Differential-algebraic equations of a mechanism are made of the same matrices (theory, 8.2).

use super::Sparse;

/// What the matrices are those of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// The flow with q' = v.
    #[default]
    Plain,
    /// The flow with q' = v without what violates c' = 0.
    Corrected,
    /// M v' = f + C^T lambda and c = 0, of index 3.
    Index3,
    /// The same with q' = v + C^T mu and c' = 0, of index 2.
    Stabilized,
}

/// F_x of x = [q | v | z | w] in descriptor form: coordinates, velocities, integrals and what only jumps change.
#[derive(Clone, Debug, Default)]
pub struct Descriptor {
    /// What the patterns belong to, for whoever writes them.
    pub key: Vec<usize>,
    /// Whether the derivative is that of the costates, -F_x^T.
    pub of_costates: bool,
    /// What the matrices are those of.
    pub form: Form,
    /// M, on the pattern of everything that couples coordinates.
    pub mass: Sparse,
    /// K_q and K_v: derivatives of M a - f - C^T lambda by positions and velocities, on the same pattern.
    pub force: [Sparse; 2],
    /// C, the rows in use.
    pub rows: Sparse,
    /// epsilon: zero, or 1/alpha of a penalty.
    pub compliance: f64,
    /// A_q and A_v: derivatives of C a + gamma by positions and velocities, on the pattern of C.
    pub acceleration: [Sparse; 2],
    /// Derivative of c' by positions, on the pattern of C.
    pub rate: Sparse,
    /// Rows that are added to M, times their transpose and a factor, for coordinates without inertia.
    pub touching: (Vec<usize>, f64),
    /// Derivatives of the z' by q and v.
    pub integrands: Sparse,
    /// Derivatives of q', v' and z' by the w, which are constant: a column each.
    pub memory: Vec<f64>,
}

impl Descriptor {
    /// Number of coordinates.
    pub fn coordinates(&self) -> usize {
        self.mass.len()
    }

    /// Whether all entries are finite.
    pub fn is_finite(&self) -> bool {
        let matrices = [&self.mass, &self.rows, &self.rate, &self.integrands].into_iter();
        let all = matrices.chain(&self.force).chain(&self.acceleration);
        let values = all.flat_map(|matrix| matrix.values());
        // A sum of zeros unless something is infinite or NaN.
        values.chain(&self.memory).map(|value| value * 0.0).sum::<f64>() == 0.0
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let entries = 3 * self.mass.values().len() + 4 * self.rows.values().len() + self.integrands.values().len();
        2 * entries * size_of::<f64>() + size_of_val(&self.memory[..])
    }

    /// Writes what inertia makes of the rates (q', v') of differential-algebraic equations: q' and M v', and nothing in the
    /// constraints.
    pub fn times_inertia(&self, rates: &[f64], out: &mut [f64]) {
        let nv = self.coordinates();
        out.fill(0.0);
        out[..nv].copy_from_slice(&rates[..nv]);
        self.mass.product(&rates[nv..2 * nv], &mut out[nv..2 * nv]);
    }

    /// Unknowns of each coordinate and row.
    pub(super) fn width(&self) -> usize {
        match self.form {
            Form::Plain | Form::Index3 => 1,
            Form::Corrected | Form::Stabilized => 2,
        }
    }

    /// The pattern with so many unknowns for each of its rows and columns.
    pub(super) fn widened(pattern: &Sparse, width: usize) -> Sparse {
        let rows = (0..pattern.len() * width).map(|row| {
            let columns = pattern.row(row / width).columns.iter();
            columns.flat_map(move |&j| width * j..width * (j + 1))
        });
        Sparse::with_columns(rows)
    }
}
