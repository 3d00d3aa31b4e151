//! Independent rows of a large sparse matrix: elimination by blocks finds as many as there are, and exchanges make them those that
//! come first, as [`independent_rows`](super::independent_rows) has them.
//!
//! Each row left out is a combination of the others, c_r = sum y_j c_j: its circuit. Where a row of the circuit comes later and
//! has a comparable share in it, the two change places; the sum of the indices falls with each exchange. So they do where the shares
//! are so large that the others nearly depend on each other, and the row does not.

use std::collections::BTreeMap;

use super::{BlockLdl, Scratch, Sparse};

/// Square of the remaining part of a row over that of the largest above which the row may be chosen: a tenth of the
/// length costs the chosen set at most a digit, and lets the order of the rows decide which of them are redundant.
pub const COMPARABLE: f64 = 1e-2;

/// Sine of the angle between a row and those before it above which they are independent whatever their order.
pub const CLEARLY: f64 = 1e-4;

/// Compliance of rows of unit length, which lets elimination pass those that depend on others: far below the square of
/// [`CLEARLY`], far above rounding.
const COMPLIANCE: f64 = 1e-12;

/// Pivot above which [`COMPLIANCE`] lets no row pass as independent: beside a smaller one a row may consist of others with shares
/// up to its inverse root.
const UNDOUBTED: f64 = 1e-4;

/// Shares in a circuit below this are rounding.
const NOTHING: f64 = 1e-9;

/// Exchanges for each row left out after which the selection is given up: many more than there ever are.
const MOST_EXCHANGES: usize = 100;

/// Shares y of independent rows in a row left out.
type Circuit = BTreeMap<usize, f64>;

/// Independent rows, ascending, and each row left out with its shares of these, c_r = sum y_j c_j.
pub type Circuits = (Vec<usize>, Vec<(usize, Vec<(usize, f64)>)>);

/// The independent rows of a matrix times the units of its columns, with the circuits of the others. None where some are nearly
/// dependent: their part outside the span of the others is more than `tolerance`, or theirs less than [`CLEARLY`].
pub fn circuits_of(matrix: &Sparse, units: &[f64], tolerance: f64) -> Option<Circuits> {
    let (rows, of, lengths) = unit_rows(matrix, units);
    let all: Vec<usize> = (0..rows.len()).collect();
    let unit = Sparse::identity(units.len());
    let mut saddle = BlockLdl::new(&unit, &rows, &all);
    saddle.set_mass(&unit);
    saddle.factor(&rows, &all, &vec![COMPLIANCE; all.len()]).ok()?;
    let pivots: Vec<f64> = saddle.row_pivots().collect();
    let (mut chosen, left): (Vec<usize>, Vec<usize>) = all.iter().partition(|&&k| pivots[k] > CLEARLY * CLEARLY);
    let mut found: Vec<(usize, Vec<(usize, f64)>)> = Vec::new();
    if !left.is_empty() || chosen.iter().any(|&k| pivots[k] < UNDOUBTED) {
        let mut saddle = BlockLdl::new(&unit, &rows, &chosen);
        saddle.set_mass(&unit);
        saddle.factor(&rows, &chosen, &[]).ok()?;
        if saddle.row_pivots().any(|pivot| pivot <= CLEARLY * CLEARLY) {
            return None;
        }
        let mut circuits = circuits(&saddle, &rows, (&chosen, &left), (units.len(), tolerance))?;
        exchange(&mut chosen, &mut circuits)?;
        found.extend(circuits.into_iter().map(|(row, circuit)| {
            let share = |(k, share): (usize, f64)| (of[k], share * lengths[row] / lengths[k]);
            (of[row], circuit.into_iter().map(share).collect())
        }));
    }
    let vanishing = (0..matrix.len()).filter(|row| of.binary_search(row).is_err());
    found.extend(vanishing.map(|row| (row, Vec::new())));
    found.sort_unstable_by_key(|(row, _)| *row);
    Some((chosen.into_iter().map(|k| of[k]).collect(), found))
}

/// Rows of unit length in the units, without those that vanish, which rows they are, and their lengths.
fn unit_rows(matrix: &Sparse, units: &[f64]) -> (Sparse, Vec<usize>, Vec<f64>) {
    let (mut rows, mut of, mut lengths) = (Sparse::default(), Vec::new(), Vec::new());
    for k in 0..matrix.len() {
        let row = matrix.row(k);
        let entries = || row.entries().map(|(j, value)| value * units[j]);
        let length = entries().map(|entry| entry * entry).sum::<f64>().sqrt();
        if length > 0.0 {
            let slots = rows.push(row.columns);
            slots
                .iter_mut()
                .zip(entries())
                .for_each(|(slot, entry)| *slot = entry / length);
            of.push(k);
            lengths.push(length);
        }
    }
    (rows, of, lengths)
}

/// The circuit of each row left out, by the factors of those chosen.
fn circuits(
    saddle: &BlockLdl,
    rows: &Sparse,
    (chosen, left): (&[usize], &[usize]),
    (n, tolerance): (usize, f64),
) -> Option<BTreeMap<usize, Circuit>> {
    let (mut unknowns, mut scratch) = (vec![[0.0]; n + chosen.len()], Scratch::default());
    let mut found = BTreeMap::new();
    for &row in left {
        let mut circuit = Circuit::new();
        unknowns.fill([0.0]);
        rows.row(row).entries().for_each(|(j, value)| unknowns[j] = [value]);
        // Once more, so that rounding of the first pass is removed too.
        for _ in 0..2 {
            saddle.solve_lanes(&mut unknowns, &mut scratch);
            for (&k, share) in chosen.iter().zip(&mut unknowns[n..]) {
                *circuit.entry(k).or_default() += share[0];
                *share = [0.0];
            }
        }
        let part: f64 = unknowns[..n].iter().map(|[rest]| rest * rest).sum();
        if part.is_nan() || part.sqrt() > tolerance {
            return None;
        }
        circuit.retain(|_, share| share.abs() > NOTHING);
        found.insert(row, circuit);
    }
    Some(found)
}

/// Makes all exchanges; the chosen rows stay ascending. None where exchanges do not come to an end.
fn exchange(chosen: &mut Vec<usize>, circuits: &mut BTreeMap<usize, Circuit>) -> Option<()> {
    let mut left = MOST_EXCHANGES * circuits.len();
    while let Some((row, later)) = circuits
        .iter()
        .find_map(|(&row, circuit)| Some((row, worse(row, circuit)?)))
    {
        left = left.checked_sub(1)?;
        let mut circuit = circuits.remove(&row)?;
        let share = circuit.remove(&later).unwrap_or(1.0);
        circuit.values_mut().for_each(|value| *value /= -share);
        circuit.insert(row, 1.0 / share);
        for other in circuits.values_mut() {
            if let Some(factor) = other.remove(&later) {
                for (&k, value) in &circuit {
                    *other.entry(k).or_default() += factor * value;
                }
                other.retain(|_, share| share.abs() > NOTHING);
            }
        }
        circuits.insert(later, circuit);
        chosen.retain(|&k| k != later);
        chosen.push(row);
    }
    chosen.sort_unstable();
    Some(())
}

/// The last row of a circuit with a comparable share in it that comes after its own, or anywhere where its own part outside the span
/// of the others would be much larger.
fn worse(row: usize, circuit: &Circuit) -> Option<usize> {
    let most = circuit.values().fold(1.0, |most: f64, share| most.max(share.abs()));
    let comparable = |share: &f64| share * share >= COMPARABLE * most * most;
    let first = if COMPARABLE * most * most > 1.0 + NOTHING {
        0
    } else {
        row + 1
    };
    circuit
        .range(first..)
        .rev()
        .find(|(_, share)| comparable(share))
        .map(|(&k, _)| k)
}
