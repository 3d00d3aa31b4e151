//! A motion that is kept to be compared with those after it.

use super::state::Viewer;
use crate::run::assigned;
use crate::show::{Comparison, Show};

/// Values that a label lists.
const MOST: usize = 3;

impl Viewer {
    /// Keeps the present motion beside those after it; the kept one goes if there is one.
    pub(super) fn keep_motion(&mut self) {
        self.paths = None;
        if self.kept.others.is_empty() {
            let motion = (String::new(), (*self.show).clone());
            self.kept = Comparison::new(String::new(), &mut self.show, vec![motion]);
            self.label_kept();
        } else {
            self.kept = Comparison::default();
        }
    }

    /// Says in which parameters the kept motion and the present one differ.
    pub(super) fn label_kept(&mut self) {
        let Some(kept) = self.kept.others.first_mut() else {
            return;
        };
        self.kept.own = format!("now{}", differing(&self.show, &kept.show));
        kept.label = format!("kept{}", differing(&kept.show, &self.show));
    }

    /// Takes the size that suits the motions that are shown.
    pub(super) fn refit(&mut self) {
        self.show.rescale();
        if let Some(kept) = self.kept.others.first_mut() {
            kept.show.rescale();
            self.show.scale = self.show.scale.with(&kept.show.scale);
            kept.show.scale = self.show.scale;
        }
    }
}

/// The values of a motion that another one does not have.
fn differing(one: &Show, other: &Show) -> String {
    let pairs = one.model().parameters.iter().zip(&other.model().parameters);
    let found = pairs
        .filter(|(a, b)| a.value != b.value)
        .map(|(parameter, _)| assigned(&parameter.name, parameter.value, &parameter.unit));
    let mut shown: Vec<String> = found.take(MOST + 1).collect();
    if let Some(rest) = shown.get_mut(MOST) {
        *rest = "..".to_string();
    }
    let start = if shown.is_empty() { "" } else { ": " };
    format!("{start}{}", shown.join(", "))
}
