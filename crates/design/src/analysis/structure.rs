//! Degrees of freedom, redundant constraints and what the parameters touch.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::assembly;
use crate::error;
use crate::formulation::select_rows;
use crate::model::{Mode, Model, Terms};
use crate::scene::touches;

/// Structure of an assembled mechanism.
#[derive(Clone, Debug, PartialEq)]
pub struct Structure {
    /// Number of coordinates.
    pub coordinates: usize,
    /// Number of scalar constraint equations.
    pub constraints: usize,
    /// Coordinates minus independent constraints at the assembled configuration, beside it where that is singular.
    pub degrees_of_freedom: usize,
    /// Joints with a row that depends on the others, and the number of such rows; their reactions are not unique.
    pub redundant: Vec<(String, usize)>,
    /// Largest opening of a constraint after assembly, metres or radians.
    pub assembly_residual: f64,
    /// Coordinates by name with position and velocity after assembly.
    pub initial: Vec<(String, f64, f64)>,
    /// Each parameter with the numbers it touches.
    pub touches: Vec<(String, Vec<String>)>,
}

/// Assembles a model at a time and reads off its structure.
///
/// # Errors
/// Kind `Assembly` when the mechanism does not close.
pub fn structure(model: &Model, t: f64) -> error::Result<Structure> {
    let assembled = assembly::assemble(model, t)?;
    let mut mode = Mode::initial(model);
    let mut terms = Terms::new(model);
    model.assemble_constraints(t, &assembled.q, &assembled.v, &mode, &mut terms);
    match assembled.departure {
        // As the mechanism moves on.
        Some(departure) => mode.independent = departure.beside,
        None => select_rows(&mut mode, &terms),
    }
    let mut redundant: Vec<(String, usize)> = Vec::new();
    for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
        let constraint = &model.constraints[index];
        let dependent = (first..first + constraint.rows)
            .filter(|row| mode.independent.binary_search(row).is_err())
            .count();
        if dependent > 0 {
            match redundant.iter_mut().find(|(name, _)| *name == constraint.name) {
                Some((_, count)) => *count += dependent,
                None => redundant.push((constraint.name.clone(), dependent)),
            }
        }
    }
    let rates = model.coordinate_rates(&assembled.q, &assembled.v);
    let initial = model.coordinates.iter().zip(assembled.q.iter().zip(rates.iter()));
    Ok(Structure {
        coordinates: model.nq(),
        constraints: mode.rows,
        degrees_of_freedom: model.nv() - mode.independent.len(),
        redundant,
        assembly_residual: assembled.residual,
        initial: initial.map(|(c, (&q, &v))| (c.name.clone(), q, v)).collect(),
        touches: touches(model),
    })
}

impl Serialize for Structure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let redundant = self.redundant.iter();
        let redundant: Vec<Value> = redundant
            .map(|(name, rows)| json!({"joint": name, "rows": rows}))
            .collect();
        let initial = self.initial.iter();
        let initial = initial.map(|(name, q, v)| (name.clone(), json!({"position": q, "velocity": v})));
        let touches = self.touches.iter().map(|(name, list)| (name.clone(), json!(list)));
        let object = json!({
            "coordinates": self.coordinates,
            "constraints": self.constraints,
            "degrees_of_freedom": self.degrees_of_freedom,
            "redundant": redundant,
            "assembly_residual": self.assembly_residual,
            "initial": initial.collect::<Map<_, _>>(),
            "touches": touches.collect::<Map<_, _>>(),
        });
        object.serialize(serializer)
    }
}
