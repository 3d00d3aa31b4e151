//! What the examples share: results beside their reference values, and plots.

// Every example uses a part of it.
#![allow(dead_code)]

use std::path::PathBuf;

use costate::equations::{Event, Segments};
use costate::error::{Error, ErrorKind, Result};
use costate::output::{Curve, Drawing, Figure, Mark, Panel, render_png, render_svg};
use serde_json::Value;

/// Results beside their reference values.
#[derive(Default)]
pub struct Comparison(pub Vec<(String, f64, f64)>);

impl Comparison {
    /// Adds a result with its reference value.
    pub fn add(&mut self, name: impl Into<String>, value: f64, reference: impl Number) {
        self.0.push((name.into(), value, reference.number()));
    }

    /// Adds the number of events, their times, and the derivatives of these by the first parameters; `slopes` takes the numbers of
    /// event and parameter.
    pub fn add_events<'a>(
        &mut self,
        events: &[Event],
        parameters: &[&str],
        times: &Value,
        slopes: impl Fn(usize, usize) -> &'a Value,
    ) {
        let count = times.as_array().map_or(0, Vec::len);
        self.add("number of events", events.len() as f64, count as f64);
        for (k, event) in events.iter().enumerate() {
            self.add(format!("t_{}", k + 1), event.t, &times[k]);
            for (j, name) in parameters.iter().enumerate() {
                self.add(format!("dt_{}/d{name}", k + 1), event.slopes[j], slopes(k, j));
            }
        }
    }

    /// Prints the rows whose number is a multiple of `every`, and the largest difference of all.
    pub fn print(&self, title: &str, every: usize) {
        println!(
            "{title}\n{:<34} {:>20} {:>20} {:>10}",
            "", "result", "reference", "difference"
        );
        for (name, value, reference) in self.0.iter().step_by(every) {
            println!(
                "{name:<34} {value:>20.12} {reference:>20.12} {:>10.1e}",
                value - reference
            );
        }
        println!(
            "largest difference of {} values, over max(1, size): {:.1e}\n",
            self.0.len(),
            self.worst()
        );
    }

    /// The largest difference over max(1, size); infinite for results that are not numbers.
    pub fn worst(&self) -> f64 {
        let error = |(_, value, reference): &(String, f64, f64)| (value - reference).abs() / reference.abs().max(1.0);
        let larger = |most: f64, error: f64| if error.is_nan() { f64::INFINITY } else { most.max(error) };
        self.0.iter().map(error).fold(0.0, larger)
    }
}

/// A case of a file of reference values in `examples/reference/`.
pub fn reference(name: &str, case: &str) -> Result<Value> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("examples/reference")
        .join(name);
    let failed = |error: std::io::Error| Error::new(ErrorKind::File, format!("{}: {error}", file.display()));
    let text = std::fs::read_to_string(&file).map_err(failed)?;
    let mut cases: Value = serde_json::from_str(&text).map_err(|error| failed(error.into()))?;
    Ok(cases[case].take())
}

/// A reference value.
pub trait Number {
    /// The number; NaN if it is none.
    fn number(self) -> f64;
}

impl Number for f64 {
    fn number(self) -> f64 {
        self
    }
}

/// Files of reference values write numbers of more digits than fit as text.
impl Number for &Value {
    fn number(self) -> f64 {
        let text = self.as_str().and_then(|text| text.parse().ok());
        self.as_f64().or(text).unwrap_or(f64::NAN)
    }
}

/// Entries of a map of reference values over time.
pub fn over_time(values: &Value) -> impl Iterator<Item = (f64, &Value)> {
    let entries = values.as_object().into_iter().flatten();
    entries.map(|(t, value)| (t.parse().unwrap_or(f64::NAN), value))
}

/// A panel with these curves.
pub fn panel<const N: usize>(label: &str, curves: [(&str, Segments); N]) -> Panel {
    let curve = |(name, segments): (&str, Segments)| Curve {
        name: name.to_string(),
        segments,
    };
    Panel::new(label, curves.into_iter().map(curve).collect())
}

/// The parts of curves between two times.
pub fn between(segments: &Segments, start: f64, end: f64) -> Segments {
    let within = |piece: &Vec<(f64, f64)>| {
        piece
            .iter()
            .copied()
            .filter(|(t, _)| (start..=end).contains(t))
            .collect()
    };
    segments
        .iter()
        .map(within)
        .filter(|piece: &Vec<_>| !piece.is_empty())
        .collect()
}

/// Writes a figure over time as SVG and PNG, with marks at the events, to the folder that is the first argument of the program
/// (`target/hybrid-systems` without).
pub fn draw(stem: &str, title: &str, panels: Vec<Panel>, events: &[Event]) -> Result<()> {
    let mark = |event: &Event| Mark {
        x: event.t,
        label: event
            .name
            .trim_end_matches(|c: char| c.is_numeric())
            .trim_end()
            .to_string(),
    };
    let figure = Drawing::Figure(Figure {
        title: title.to_string(),
        x_label: "time (s)".to_string(),
        panels,
        marks: events.iter().map(mark).collect(),
        ..Figure::default()
    });
    let folder = std::env::args().nth(1).unwrap_or("target/hybrid-systems".to_string());
    let file = PathBuf::from(folder).join(stem);
    let failed = |error: std::io::Error| Error::new(ErrorKind::File, format!("{}: {error}", file.display()));
    std::fs::create_dir_all(file.parent().unwrap_or(&file)).map_err(failed)?;
    std::fs::write(file.with_extension("svg"), render_svg(&figure)?).map_err(failed)?;
    std::fs::write(file.with_extension("png"), render_png(&figure)?).map_err(failed)?;
    println!("drawn: {}", file.with_extension("svg").display());
    Ok(())
}
