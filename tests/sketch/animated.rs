//! Vector pictures that play, seen as a browser shows them.

use std::collections::BTreeSet;

use costate::show::{Comparison, Show};
use costate::sketch::{Look, Sketch};

use super::read_back::{page, show};

/// The marks of a file from the back to the front, each with the changes of its display and the time of one turn.
pub struct Played(Vec<(String, Option<Turn>)>);

struct Turn {
    /// Parts of the turn and whether it is shown from then on.
    changes: Vec<(f64, bool)>,
    seconds: f64,
    /// Whether it is shown by programs that play nothing.
    shown: bool,
}

impl Played {
    pub fn read(text: &str) -> Self {
        let document = roxmltree::Document::parse(text).expect("well formed");
        let marks = document
            .descendants()
            .filter(|node| node.has_tag_name("path") || node.has_tag_name("text"));
        let mark = |node: roxmltree::Node| {
            let group = node.parent().expect("a group");
            let turn = group.children().find(|child| child.has_tag_name("animate"));
            (text[node.range()].to_string(), turn.map(|turn| Turn::read(group, turn)))
        };
        Self(marks.map(mark).collect())
    }

    /// The marks that are seen in this part of the turn; without playing where none is given.
    fn seen(&self, part: Option<f64>) -> Vec<&str> {
        let is_seen = |turn: &Turn| match part {
            Some(part) => {
                turn.changes
                    .iter()
                    .rfind(|(from, _)| *from <= part)
                    .expect("a change at 0")
                    .1
            }
            None => turn.shown,
        };
        let seen = self.0.iter().filter(|(_, turn)| turn.as_ref().is_none_or(is_seen));
        seen.map(|(mark, _)| &mark[..]).collect()
    }

    /// Times at which something changes.
    pub fn pictures(&self) -> usize {
        let turns = self.0.iter().filter_map(|(_, turn)| turn.as_ref());
        let times = turns.flat_map(|turn| turn.changes.iter().map(|(from, _)| from.to_bits()));
        times.collect::<BTreeSet<u64>>().len()
    }
}

impl Turn {
    fn read(group: roxmltree::Node, turn: roxmltree::Node) -> Self {
        let given = |name: &str| turn.attribute(name).expect("it is given").to_string();
        assert_eq!(
            [given("attributeName"), given("calcMode"), given("repeatCount")],
            ["display", "discrete", "indefinite"]
        );
        let (times, values) = (given("keyTimes"), given("values"));
        let times = times.split(';').map(|time| time.parse().expect("a number"));
        let changes: Vec<(f64, bool)> = times.zip(values.split(';').map(|value| value == "inline")).collect();
        assert!(
            changes[0].0 == 0.0 && changes.is_sorted_by(|a, b| a.0 < b.0),
            "{changes:?}"
        );
        Self {
            changes,
            seconds: given("dur").trim_end_matches('s').parse().expect("seconds"),
            shown: group.attribute("display") != Some("none"),
        }
    }
}

/// With the motions of other values, names and paths; checks what it shows against a picture of each moment.
fn check(name: &str, varied: &[(&str, f64)], (fps, speed): (f64, f64), look: &Look) -> Played {
    let mut show = show(name);
    let other = |(name, value): &(&str, f64)| {
        let experiment = show.experiment.with_parameter(name, *value).expect("a value");
        (name.to_string(), Show::new(experiment, &mut |_| ()).expect("it runs"))
    };
    let others: Vec<(String, Show)> = varied.iter().map(other).collect();
    let comparison = Comparison::new(String::new(), &mut show, others);
    let text = Sketch::animated(&show, &comparison, (fps, speed), look).expect("pictures");
    let played = Played::read(&text);
    let times = show.picture_times((fps, speed));
    let still = |t: f64| {
        Sketch::compared(&show, &comparison, &[t], look)
            .expect("a picture")
            .svg()
    };
    let stills: Vec<Played> = times.iter().map(|&t| Played::read(&still(t))).collect();
    assert_eq!(page(&text), page(&still(times[0])));
    for (k, still) in stills.iter().enumerate() {
        let middle = (k as f64 + 0.5) / times.len() as f64;
        assert!(played.seen(Some(middle)) == still.seen(None), "{name}: picture {k}");
    }
    assert_eq!(
        played.seen(None),
        stills[0].seen(None),
        "what does not play shows the start"
    );
    for (_, turn) in &played.0 {
        let seconds = turn.as_ref().map_or(times.len() as f64 / fps, |turn| turn.seconds);
        assert!((seconds - times.len() as f64 / fps).abs() < 1e-5, "{seconds}");
    }
    // What rests is written once.
    for mark in stills[0].seen(None) {
        let all = || stills.iter().all(|still| still.seen(None).contains(&mark));
        let count = |played: &Played| played.0.iter().filter(|(other, _)| other == mark).count();
        assert!(count(&played) == count(&stills[0]) || !all(), "{name}: {mark}");
    }
    played
}

#[test]
fn every_picture_is_seen_in_its_time_and_what_rests_is_written_once() {
    let look = Look {
        labels: true,
        traces: true,
        ..Look::default()
    };
    let all = check("four_bar.ron", &[], (7.0, 1.0), &look);
    assert_eq!(all.pictures(), 22);
    check(
        "five_bar.ron",
        &[("L01", 2.1), ("L01", 2.5)],
        (4.0, 0.5),
        &Look::default(),
    );
    // A box that comes to rest: pictures that are equal are one.
    let ball = check("bouncing_ball.ron", &[], (4.0, 1.0), &Look::default());
    let resting = ball.0.iter().filter(|(_, turn)| turn.is_none()).count();
    assert!(resting > 10 && ball.0.len() - resting < 61 * 4, "{resting}");
}
