//! Reports and numbers as objects of Python.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use serde::Serialize;
use serde_json::{Value, json};

/// A report as dictionaries, lists, texts and numbers, as its JSON has them; floats are the same to the last bit.
pub fn object<'py>(py: Python<'py>, report: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    of_value(py, &json!(report))
}

fn of_value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(value) => value.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(whole), _) => whole.into_pyobject(py)?.into_any(),
            (None, Some(whole)) => whole.into_pyobject(py)?.into_any(),
            (None, None) => number.as_f64().into_pyobject(py)?.into_any(),
        },
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Array(entries) => {
            let entries: Vec<_> = entries
                .iter()
                .map(|entry| of_value(py, entry))
                .collect::<PyResult<_>>()?;
            PyList::new(py, entries)?.into_any()
        }
        Value::Object(fields) => {
            let object = PyDict::new(py);
            for (name, field) in fields {
                object.set_item(name, of_value(py, field)?)?;
            }
            object.into_any()
        }
    })
}

/// Numbers as bytes in the order of the machine, which numpy reads as an array of float64.
pub fn floats<'py>(py: Python<'py>, values: &[f64]) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
    PyBytes::new(py, &bytes)
}
