//! Labels of the marks: in rows above the first panel, or summed up in one line.

use indexmap::IndexMap;

use super::Mark;
use super::text;

/// Size of the labels.
pub(super) const SIZE: f64 = 10.0;

/// Height of a row of labels.
pub(super) const ROW: f64 = 14.0;

/// Marks above which their labels are summed up.
const MOST: usize = 12;

/// Most rows of labels.
const ROWS: usize = 3;

/// Places tried before the labels are summed up instead.
const TRIALS: usize = 5000;

/// Free space between two labels of a row, and between a label and the line of a label above.
const GAP: f64 = 6.0;

/// Widest label.
const WIDEST: f64 = 220.0;

/// A label on the page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Label {
    /// Place of the mark's line.
    pub(super) line: f64,
    /// Left end of the text.
    pub(super) left: f64,
    /// Width of the text.
    pub(super) width: f64,
    /// Row, from 0 nearest to the panel.
    pub(super) row: usize,
    pub(super) text: String,
}

/// How the marks are explained.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Labels {
    Rows(Vec<Label>),
    Summary(String),
}

impl Default for Labels {
    fn default() -> Self {
        Self::Rows(Vec::new())
    }
}

impl Labels {
    /// Labels of marks at places within `left..right`, in order; equal labels in a row are written once.
    pub(super) fn arrange(marks: &[(f64, &Mark)], left: f64, right: f64) -> Self {
        if marks.len() > MOST {
            return Self::Summary(summary(marks));
        }
        let repeated = |index: usize| index > 0 && marks[index - 1].1.label == marks[index].1.label;
        let texts: Vec<(f64, String)> = marks
            .iter()
            .enumerate()
            .filter(|(index, _)| !repeated(*index))
            .map(|(_, (line, mark))| (*line, text::shorten(&mark.label, SIZE, WIDEST)))
            .collect();
        let mut labels = Vec::with_capacity(texts.len());
        match place(&texts, (left, right), &mut labels, &mut { TRIALS }) {
            true => Self::Rows(labels),
            false => Self::Summary(summary(marks)),
        }
    }

    /// Rows of labels.
    pub(super) fn rows(&self) -> usize {
        match self {
            Self::Rows(labels) => labels.iter().map(|label| label.row + 1).max().unwrap_or(0),
            Self::Summary(_) => 0,
        }
    }
}

impl Label {
    fn spans(&self, from: f64, to: f64) -> bool {
        from < self.left + self.width + GAP && to > self.left - GAP
    }

    /// Whether two labels overlap, or the line up to one of them crosses the other.
    fn collides(&self, other: &Self) -> bool {
        match self.row.cmp(&other.row) {
            std::cmp::Ordering::Equal => self.spans(other.left, other.left + other.width),
            std::cmp::Ordering::Less => self.spans(other.line, other.line),
            std::cmp::Ordering::Greater => other.spans(self.line, self.line),
        }
    }
}

/// Adds the labels of the remaining texts without a collision, going back where an earlier choice leaves no room.
fn place(texts: &[(f64, String)], (left, right): (f64, f64), labels: &mut Vec<Label>, trials: &mut usize) -> bool {
    let Some(((line, text), rest)) = texts.split_first() else {
        return true;
    };
    let width = text::width(text, SIZE);
    for row in 0..ROWS {
        // Centred over the line, beginning at it, ending at it.
        for start in [line - width / 2.0, *line, line - width] {
            let start = start.min(right - width).max(left);
            let label = Label {
                line: *line,
                left: start,
                width,
                row,
                text: text.clone(),
            };
            if *trials == 0 || labels.iter().any(|other| label.collides(other)) {
                continue;
            }
            *trials -= 1;
            labels.push(label);
            if place(rest, (left, right), labels, trials) {
                return true;
            }
            labels.pop();
        }
    }
    false
}

/// Number of marks, then the different labels with their numbers.
fn summary(marks: &[(f64, &Mark)]) -> String {
    let mut counts: IndexMap<&str, usize> = IndexMap::new();
    for (_, mark) in marks {
        *counts.entry(&mark.label).or_default() += 1;
    }
    let several = |(label, count): (&&str, &usize)| {
        if *count > 1 {
            format!("{label} × {count}")
        } else {
            label.to_string()
        }
    };
    let list: Vec<String> = counts.iter().map(several).collect();
    format!("{} events: {}", marks.len(), list.join(", "))
}
