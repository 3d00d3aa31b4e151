//! What the charts show: outputs or energy over time.

use std::borrow::Cow;

use kiss3d::egui::Color32;

use super::beside::Beside;
use super::widgets::{BLUE, INK};
use super::zoom::Zoom;
use crate::run::{Recording, Series};

/// Colours of curves.
const COLOURS: [Color32; 5] = [
    BLUE,
    Color32::from_rgb(0xd9, 0x82, 0x1f),
    Color32::from_rgb(0x4f, 0x9d, 0x8f),
    Color32::from_rgb(0xb8, 0x2f, 0x3a),
    Color32::from_rgb(0x6b, 0x5b, 0x95),
];
/// Charts side by side unless others are chosen, and at most.
const FEW: usize = 4;
const MOST: usize = 8;

/// What the charts are about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Subject {
    #[default]
    Outputs,
    Energy,
    /// What is stored, and what gives and takes it.
    Balance,
}

impl Subject {
    /// The one after this.
    pub(super) fn next(self) -> Self {
        match self {
            Self::Outputs => Self::Energy,
            Self::Energy => Self::Balance,
            Self::Balance => Self::Outputs,
        }
    }
}

/// What the charts show.
#[derive(Clone, Debug, Default)]
pub(super) struct Plots {
    pub(super) subject: Subject,
    /// Names of the outputs that were chosen; the first ones before.
    chosen: Option<Vec<String>>,
    /// The output that the curves are drawn over; the time when none.
    pub(super) over: Option<String>,
    pub(super) zoom: Zoom,
}

/// Values over time with their name, unit and colour.
pub(super) struct Curve<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) unit: &'a str,
    pub(super) values: Cow<'a, [f64]>,
    pub(super) colour: Color32,
}

/// Curves over the same time and the same values.
pub(super) type Curves<'a> = Vec<Curve<'a>>;

impl Plots {
    /// Shows an output, or no longer.
    pub(super) fn toggle(&mut self, index: usize, recording: &Recording) {
        let Some(series) = recording.outputs.get(index) else {
            return;
        };
        let mut names: Vec<String> = self.names(recording).iter().map(ToString::to_string).collect();
        let count = names.len();
        names.retain(|name| *name != series.name);
        if names.len() == count && count < MOST {
            names.push(series.name.clone());
        }
        self.chosen = Some(names);
        self.subject = Subject::Outputs;
    }

    /// Shows this, or the outputs again.
    pub(super) fn switch(&mut self, subject: Subject) {
        self.subject = if self.subject == subject {
            Subject::Outputs
        } else {
            subject
        };
    }

    /// Shows this output besides those that are shown.
    pub(super) fn show(&mut self, name: &str, recording: &Recording) {
        let mut names: Vec<String> = self.names(recording).iter().map(ToString::to_string).collect();
        names.truncate(MOST - 1);
        names.push(name.to_string());
        (self.chosen, self.subject) = (Some(names), Subject::Outputs);
    }

    /// The output that the curves are drawn over, if there is one.
    pub(super) fn over<'a>(&self, recording: &'a Recording) -> Option<&'a Series> {
        let name = self.over.as_ref()?;
        recording.outputs.iter().find(|series| series.name == *name)
    }

    /// Names of the shown outputs.
    pub(super) fn names<'a>(&self, recording: &'a Recording) -> Vec<&'a str> {
        let outputs = recording.outputs.iter().map(|series| series.name.as_str());
        match &self.chosen {
            Some(chosen) => outputs
                .filter(|name| chosen.iter().any(|other| other == name))
                .collect(),
            None => outputs.take(FEW).collect(),
        }
    }

    /// The curves of each chart, and those of other motions beside it: a chart for each chosen output, or one for the energy, which is
    /// also shown where there are no outputs.
    pub(super) fn charts<'a>(
        &self,
        recording: &'a Recording,
        others: &[(Beside, &'a Recording)],
    ) -> (Vec<Curves<'a>>, Vec<Vec<Curves<'a>>>) {
        let names = self.names(recording);
        // Potential energies count from one level.
        let least = |recording: &Recording| recording.energy.potential.iter().copied().fold(f64::INFINITY, f64::min);
        let all = others.iter().map(|(_, other)| least(other));
        let level = all.fold(least(recording), f64::min);
        let curves = |recording| match self.subject {
            Subject::Balance => vec![balance(recording)],
            Subject::Outputs if !names.is_empty() => outputs(recording, &names),
            Subject::Outputs | Subject::Energy => vec![energies(recording, level)],
        };
        let own = curves(recording);
        let mut beside: Vec<_> = others.iter().map(|(_, other)| curves(other)).collect();
        for (beside, own) in beside.iter_mut().flat_map(|beside| beside.iter_mut().zip(&own)) {
            beside.retain_mut(|curve| {
                let same = own.iter().find(|found| found.name == curve.name);
                curve.colour = same.map_or(curve.colour, |same| same.colour);
                same.is_some()
            });
        }
        (own, beside)
    }
}

fn energies(recording: &Recording, level: f64) -> Curves<'_> {
    let energy = &recording.energy;
    let potential: Vec<f64> = energy.potential.iter().map(|value| value - level).collect();
    let total: Vec<f64> = energy.kinetic.iter().zip(&potential).map(|(a, b)| a + b).collect();
    let curve = |name, values, colour| Curve {
        name: Cow::Borrowed(name),
        unit: "J",
        values,
        colour,
    };
    vec![
        curve("kinetic energy", Cow::Borrowed(&energy.kinetic[..]), COLOURS[0]),
        curve("potential energy above its least", Cow::Owned(potential), COLOURS[1]),
        curve("sum", Cow::Owned(total), INK),
    ]
}

/// The curves that `costate run --out` plots.
fn balance(recording: &Recording) -> Curves<'_> {
    let colours = [INK].into_iter().chain(COLOURS.into_iter().cycle());
    let curve = |((name, values), colour)| Curve {
        name: Cow::Owned(name),
        unit: "J",
        values: Cow::Owned(values),
        colour,
    };
    recording.energy.balance().into_iter().zip(colours).map(curve).collect()
}

/// A chart for every output of these names, in the order of the names.
fn outputs<'a>(recording: &'a Recording, names: &[&'a str]) -> Vec<Curves<'a>> {
    let colours = COLOURS.into_iter().cycle();
    let chart = |(name, colour): (&&'a str, Color32)| {
        let series = recording.outputs.iter().find(|series| series.name == **name);
        let curve = series.map(|series| Curve {
            name: Cow::Borrowed(*name),
            unit: &series.unit,
            values: Cow::Borrowed(series.values.as_slice()),
            colour,
        });
        curve.into_iter().collect()
    };
    names.iter().zip(colours).map(chart).collect()
}

#[cfg(test)]
mod tests {
    use super::{INK, Plots, Subject};
    use crate::beside::Beside;
    use crate::run::{Energy, Recording, Series};

    /// One output; a damper takes 1 J, and an impact 2 J at its instant.
    fn recording() -> Recording {
        Recording {
            times: vec![0.0, 1.0, 1.0, 2.0],
            phases: vec![0, 2],
            outputs: vec![Series {
                name: "speed".to_string(),
                unit: "m/s".to_string(),
                values: vec![1.0, 2.0, 0.0, 0.0],
                ..Series::default()
            }],
            energy: Energy {
                kinetic: vec![4.0, 3.5, 1.5, 1.0],
                potential: vec![1.0; 4],
                work: vec![("damper".to_string(), vec![0.0, -0.5, -0.5, -1.0])],
                events: vec![("floor".to_string(), vec![0.0, 0.0, -2.0, -2.0])],
                noise: 1e-9,
            },
            ..Recording::default()
        }
    }

    #[test]
    fn the_subjects_follow_each_other_and_the_balance_is_that_of_the_plot() {
        let (recording, mut plots) = (recording(), Plots::default());
        let mut names = Vec::new();
        for _ in 0..4 {
            let (charts, _) = plots.charts(&recording, &[]);
            let [curves] = &charts[..] else { panic!("one chart") };
            names.push(curves.iter().map(|curve| curve.name.to_string()).collect::<Vec<_>>());
            if plots.subject == Subject::Balance {
                let of = |k: usize| curves.iter().map(|curve| curve.values[k]).collect::<Vec<_>>();
                assert_eq!((of(1), of(3)), (vec![-0.5, 0.0, -0.5], vec![-3.0, -2.0, -1.0]));
                assert!(curves.iter().all(|curve| curve.unit == "J") && curves[0].colour == INK);
            }
            plots.subject = plots.subject.next();
        }
        assert_eq!(names[0], ["speed"]);
        assert_eq!(names[1], ["kinetic energy", "potential energy above its least", "sum"]);
        assert_eq!(names[2], ["stored", "by the events of floor", "by damper"]);
        assert_eq!(names[3], names[0]);
    }

    #[test]
    fn curves_are_drawn_over_an_output_only_while_there_is_one() {
        let (recording, mut plots) = (recording(), Plots::default());
        assert_eq!(plots.over(&recording), None);
        plots.over = Some("speed".to_string());
        assert_eq!(
            plots.over(&recording).map(|series| &series.values),
            Some(&recording.outputs[0].values)
        );
        plots.over = Some("gone".to_string());
        assert_eq!(plots.over(&recording), None);
    }

    #[test]
    fn curves_of_a_kept_motion_have_the_colours_of_those_of_the_same_name() {
        let (recording, mut kept) = (recording(), recording());
        // In another order, with one that the other motion does not have.
        kept.energy.work = vec![
            ("damper".to_string(), vec![0.0, -5.0, -5.0, -5.0]),
            ("drag".to_string(), vec![0.0, -9.0, -9.0, -9.0]),
        ];
        let mut plots = Plots::default();
        plots.switch(Subject::Balance);
        let (own, beside) = plots.charts(&recording, &[(Beside::Kept, &kept)]);
        let names: Vec<&str> = beside[0][0].iter().map(|curve| curve.name.as_ref()).collect();
        assert_eq!(names, ["stored", "by damper", "by the events of floor"]);
        for curve in &beside[0][0] {
            let same = own[0].iter().find(|found| found.name == curve.name).expect("the same");
            assert_eq!(curve.colour, same.colour, "{}", curve.name);
        }
        plots.switch(Subject::Balance);
        assert_eq!(plots.subject, Subject::Outputs);
    }
}
