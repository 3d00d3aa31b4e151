//! M, C and the saddle matrix of a mechanism at a state as sparse matrices of `nalgebra_sparse`, for use outside.

use nalgebra_sparse::{CooMatrix, CsrMatrix};

use super::{Mechanism, Workspace};
use crate::formulation::Blocks;
use crate::hybrid::At;
use crate::linear::{FactorPattern, Sparse};
use crate::model::Mode;

/// The matrices of the equations of motion at a state (theory, 1.1 and 1.3).
#[derive(Clone, Debug)]
pub struct Matrices {
    /// M, a row and a column for each coordinate of the model.
    pub mass: CsrMatrix<f64>,
    /// C, a row for each constraint equation that acts.
    pub jacobian: CsrMatrix<f64>,
    /// Rows of C that are independent, which the saddle matrix consists of; ascending.
    pub independent: Vec<usize>,
}

impl Matrices {
    /// K = [[M, C^T], [C, 0]] over the independent rows of C.
    pub fn saddle(&self) -> CsrMatrix<f64> {
        let nv = self.mass.nrows();
        let size = nv + self.independent.len();
        let mut saddle = CooMatrix::new(size, size);
        for (i, j, value) in self.mass.triplet_iter() {
            saddle.push(i, j, *value);
        }
        for (k, &row) in self.independent.iter().enumerate() {
            let row = self.jacobian.row(row);
            for (&j, &value) in row.col_indices().iter().zip(row.values()) {
                saddle.push(nv + k, j, value);
                saddle.push(j, nv + k, value);
            }
        }
        CsrMatrix::from(&saddle)
    }
}

impl Mechanism {
    /// M and C at a state, with all entries that are not zero by their structure.
    ///
    /// ```
    /// use costate_engine::hybrid::{At, HybridSystem};
    /// # use costate_mechanics::mechanism::Mechanism;
    /// # fn of(mechanism: &Mechanism) -> costate_engine::error::Result<()> {
    /// let mut workspace = mechanism.workspace();
    /// let started = mechanism.start(0.0, &mut workspace)?;
    /// let matrices = mechanism.matrices(At::new(0.0, &started.mode, &started.x), &mut workspace);
    /// assert_eq!(matrices.saddle().nrows(), mechanism.model.nv() + matrices.independent.len());
    /// # Ok(())
    /// # }
    /// ```
    pub fn matrices(&self, at: At<Mode>, workspace: &mut Workspace) -> Matrices {
        self.assemble_at(at, workspace);
        let terms = &workspace.terms;
        Matrices {
            mass: csr(&terms.mass, terms.mass.width()),
            jacobian: csr(&terms.jacobian, terms.jacobian.width()),
            independent: at.mode.independent.clone(),
        }
    }

    /// The pattern of the factor L of the saddle matrix in its order of elimination; none where this mechanism is not eliminated
    /// by blocks, or where its rows depend on each other.
    pub fn factor_pattern(&self, at: At<Mode>, workspace: &mut Workspace) -> Option<FactorPattern> {
        if !self.choices.by.is_by_blocks(self.model.nv()) {
            return None;
        }
        self.assemble_at(at, workspace);
        let terms = &workspace.terms;
        let mut blocks = Blocks::default();
        let rows = at.mode.independent.as_slice();
        blocks
            .factor((&[], rows), (&terms.mass, terms.mass_version), &terms.jacobian)
            .ok()?;
        blocks.pattern()
    }

    fn assemble_at(&self, at: At<Mode>, workspace: &mut Workspace) {
        self.load(at, &mut workspace.terms);
        self.assemble(at, &mut workspace.terms);
    }
}

fn csr(matrix: &Sparse, width: usize) -> CsrMatrix<f64> {
    let mut entries = CooMatrix::new(matrix.len(), width);
    for i in 0..matrix.len() {
        for (j, value) in matrix.row(i).entries() {
            entries.push(i, j, value);
        }
    }
    CsrMatrix::from(&entries)
}
