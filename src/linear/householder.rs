//! Householder QR of C^T without forming Q: reflectors are kept and applied to vectors.
//!
//! Vectors are padded with zeros to whole blocks, so that the loops over their entries have no remainder.

/// Columns whose part outside the span of the earlier ones is below this fraction of their length count as dependent.
const DEPENDENT: f64 = 1e-13;

/// Entries of a block.
const LANES: usize = 4;

/// A block of a padded vector.
pub type Block = [f64; LANES];

/// Number of blocks of a padded vector of length `n`.
pub fn blocks(n: usize) -> usize {
    n.div_ceil(LANES)
}

/// A zero vector of length `n`, padded.
pub fn padded(n: usize) -> Vec<Block> {
    vec![[0.0; LANES]; blocks(n)]
}

/// QR factors of an n x m matrix, given by columns; dependent columns are left out.
#[derive(Clone, Debug, Default)]
pub struct Householder {
    /// Blocks of a column.
    height: usize,
    /// Columns of the factored matrix.
    m: usize,
    /// Columns as given; after factoring, reflectors in the places of the independent columns, zero above their pivot.
    columns: Vec<Block>,
    /// Independent columns in order; the i-th has its pivot in row i.
    independent: Vec<usize>,
    /// R by padded columns, one per independent column, with the inverse of each diagonal entry in its place.
    upper: Vec<Block>,
    /// Most independent columns.
    most: usize,
    /// 2 / |reflector|^2, one per independent column.
    scale: Vec<f64>,
    /// Squared length of each column as given.
    squares: Vec<f64>,
}

impl Householder {
    /// Workspace for up to `m` columns of length `n`.
    pub fn new(n: usize, m: usize) -> Self {
        let most = n.min(m);
        Self {
            height: blocks(n),
            m: 0,
            columns: vec![[0.0; LANES]; blocks(n) * m],
            independent: Vec::with_capacity(most),
            upper: vec![[0.0; LANES]; blocks(n) * most],
            most,
            scale: Vec::with_capacity(most),
            squares: vec![0.0; m],
        }
    }

    /// Starts a factorisation of `m` columns.
    pub fn begin(&mut self, m: usize) {
        self.m = m;
    }

    /// Sets column k, before [`Householder::factor`].
    pub fn set_column(&mut self, k: usize, values: &[f64]) {
        let column = &mut self.columns[k * self.height..(k + 1) * self.height];
        column.as_flattened_mut()[..values.len()].copy_from_slice(values);
    }

    /// Factors the columns in place, each reflector at once applied to all later columns.
    pub fn factor(&mut self) {
        // A constant height unrolls the loops over blocks: the usual mechanism has few coordinates.
        match self.height {
            1 => self.factor_columns(1),
            2 => self.factor_columns(2),
            3 => self.factor_columns(3),
            height => self.factor_columns(height),
        }
    }

    #[inline(always)]
    fn factor_columns(&mut self, height: usize) {
        self.independent.clear();
        self.scale.clear();
        for (square, column) in self
            .squares
            .iter_mut()
            .zip(self.columns.chunks_exact(height))
            .take(self.m)
        {
            *square = dot_blocks(column, column);
        }
        for k in 0..self.m {
            let i = self.independent.len();
            if i == self.most {
                break;
            }
            let (column, later) = self.columns[k * height..self.m * height].split_at_mut(height);
            let upper = &mut self.upper[i * height..(i + 1) * height];
            for (upper, block) in upper.iter_mut().zip(&*column) {
                *upper = *block;
            }
            for (row, entry) in column.as_flattened_mut().iter_mut().enumerate() {
                *entry = if row < i { 0.0 } else { *entry };
            }
            let remaining = dot_blocks(column, column);
            if remaining.is_nan() || remaining <= DEPENDENT * DEPENDENT * self.squares[k] {
                continue;
            }
            let pivot = &mut column.as_flattened_mut()[i];
            let signed = remaining.sqrt().copysign(*pivot);
            upper.as_flattened_mut()[i] = -1.0 / signed;
            *pivot += signed;
            let scale = 1.0 / (signed * *pivot);
            self.scale.push(scale);
            self.independent.push(k);
            for other in later.chunks_exact_mut(height) {
                reflect(column, scale, other);
            }
        }
    }

    /// Number of independent columns.
    pub fn rank(&self) -> usize {
        self.independent.len()
    }

    /// Indices of the independent columns, ascending; the order of the entries of every solve.
    pub fn independent(&self) -> &[usize] {
        &self.independent
    }

    fn reflector(&self, i: usize) -> &[Block] {
        let k = self.independent[i];
        &self.columns[k * self.height..(k + 1) * self.height]
    }

    /// x <- Q^T x, padded.
    pub fn apply_transposed(&self, x: &mut [Block]) {
        for i in 0..self.rank() {
            reflect(self.reflector(i), self.scale[i], x);
        }
    }

    /// x <- Q x for one padded vector or several in a row.
    pub fn apply(&self, vectors: &mut [Block]) {
        match self.height {
            1 => self.apply_columns(1, vectors),
            2 => self.apply_columns(2, vectors),
            3 => self.apply_columns(3, vectors),
            height => self.apply_columns(height, vectors),
        }
    }

    #[inline(always)]
    fn apply_columns(&self, height: usize, vectors: &mut [Block]) {
        for i in (0..self.rank()).rev() {
            let k = self.independent[i];
            let (reflector, scale) = (&self.columns[k * height..(k + 1) * height], self.scale[i]);
            // Reflector by reflector: the vectors' chains of operations are independent and overlap.
            for x in vectors.chunks_exact_mut(height) {
                reflect(reflector, scale, x);
            }
        }
    }

    /// y <- R^-T y, one entry per independent column.
    pub fn solve_transposed(&self, y: &mut [f64]) {
        for i in 0..self.rank() {
            let column = &self.upper[i * self.height..(i + 1) * self.height].as_flattened()[..=i];
            let sum: f64 = column[..i].iter().zip(&y[..i]).map(|(r, y)| r * y).sum();
            y[i] = (y[i] - sum) * column[i];
        }
    }

    /// y <- R^-1 y, one entry per independent column.
    pub fn solve(&self, y: &mut [f64]) {
        for i in (0..self.rank()).rev() {
            let column = &self.upper[i * self.height..(i + 1) * self.height].as_flattened()[..=i];
            y[i] *= column[i];
            let value = y[i];
            for (y, r) in y[..i].iter_mut().zip(column) {
                *y -= value * r;
            }
        }
    }
}

/// Scalar product of padded vectors.
#[inline]
pub fn dot_blocks(a: &[Block], b: &[Block]) -> f64 {
    let mut sum = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sum[lane] += a[lane] * b[lane];
        }
    }
    (sum[0] + sum[2]) + (sum[1] + sum[3])
}

/// y += factor x for padded vectors.
#[inline]
pub fn add_scaled_blocks(y: &mut [Block], factor: f64, x: &[Block]) {
    for (y, x) in y.iter_mut().zip(x) {
        for lane in 0..LANES {
            y[lane] += factor * x[lane];
        }
    }
}

#[inline]
fn reflect(reflector: &[Block], scale: f64, x: &mut [Block]) {
    let factor = -scale * dot_blocks(reflector, x);
    add_scaled_blocks(x, factor, reflector);
}
