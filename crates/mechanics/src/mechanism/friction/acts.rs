//! What contacts do in a stage of an impact, and how those on one face share what presses there (theory, 4.11, 4.21).

use super::independent::{IMPLIED, Independent};
use super::joining::{Does, Kind};
use super::outcome::Impact;
use super::stage::Along;
use crate::model::MOST_FEET;
use crate::model::quantity::Spread;

/// Contacts whose normal impulses press one, with its share.
type Shares = Vec<(usize, f64)>;

/// What the contacts do in a stage.
pub(super) struct Acts {
    /// Along the surface; none for those without an impulse: also not those whose normal velocity those before them imply, unless they share
    /// what these take, and nothing where what holds implies that they stick.
    pub(super) along: Vec<Option<Along>>,
    /// Whether each takes a normal impulse of its own.
    pub(super) takes: Vec<bool>,
    /// What presses each.
    pub(super) pressing: Vec<Shares>,
    /// Contacts that share with each; empty where it takes its own.
    pub(super) feet: Vec<Vec<usize>>,
    /// What would press those that do not hold, where others on their face hold them too; empty elsewhere.
    pub(super) would_press: Vec<Shares>,
    /// A contact that rubs on a face of which the normal impulses are not unique.
    pub(super) open: Option<usize>,
    /// Joints that stick because other rows that hold imply it: they take nothing.
    pub(super) spare: Vec<bool>,
}

impl Impact<'_> {
    /// What each contact does.
    pub(super) fn acts(&self, kind: &Kind, does: &[Does]) -> Acts {
        let mut rows = Independent::default();
        let count = self.contacts.len();
        let along: Vec<Option<Along>> = (0..count).map(|k| self.along(kind, does, k)).collect();
        let holds: Vec<bool> = (0..count).map(|k| along[k].is_some() && does[k].held).collect();
        let mut acts = Acts {
            takes: along.iter().map(Option::is_some).collect(),
            along,
            pressing: (0..count).map(|k| vec![(k, 1.0)]).collect(),
            feet: vec![Vec::new(); count],
            would_press: vec![Vec::new(); count],
            open: None,
            spare: Vec::new(),
        };
        for k in (0..count).filter(|&k| holds[k]) {
            acts.takes[k] = rows.add(self.contacts[k].line(0));
        }
        for floor in (0..count).filter(|&k| self.contacts[k].floor == k) {
            self.share_floor(floor, &holds, &rows, &mut acts);
        }
        self.stick_in_turn(&mut rows, &mut acts.along);
        let joints = self.grasps.iter().zip(&does[count..]);
        acts.spare = joints
            .map(|(grasp, own)| !own.slips() && !rows.add(grasp.line()))
            .collect();
        acts
    }

    /// A contact that rubs on a face of more contacts than are needed to carry it, which do not give back the same share.
    pub(super) fn unequal_feet(&self) -> Option<usize> {
        let own = |floor: usize| self.contacts.iter().filter(move |contact| contact.floor == floor);
        let is_unequal = |&floor: &usize| {
            let e = self.contacts[floor].e;
            let rank = Spread::new(own(floor).map(|contact| contact.place)).rank;
            self.contacts[floor].directions > 1 && own(floor).count() > rank && own(floor).any(|contact| contact.e != e)
        };
        let floor = (0..self.contacts.len()).find(is_unequal)?;
        own(floor).find_map(|contact| contact.friction)
    }

    /// How contacts on one face share.
    fn share_floor(&self, floor: usize, holds: &[bool], rows: &Independent, acts: &mut Acts) {
        let all = (0..self.contacts.len()).filter(|&k| self.contacts[k].floor == floor);
        let (together, others): (Vec<usize>, Vec<usize>) = all.partition(|&k| holds[k]);
        let taking: Vec<usize> = together.iter().copied().filter(|&k| acts.takes[k]).collect();
        let place = |&k: &usize| self.contacts[k].place;
        let is_shared = taking.len() < together.len();
        let spread = Spread::new(together.iter().map(place));
        let unique = self.contacts[floor].directions > 1 && taking.len() == spread.rank && together.len() <= MOST_FEET;
        let shares = |k: usize| -> Shares {
            let share = |other: &usize| (*other, spread.share(place(&k), place(other)));
            taking.iter().map(share).collect()
        };
        if is_shared && unique {
            for &k in &together {
                (acts.pressing[k], acts.feet[k]) = (shares(k), together.clone());
            }
        } else if is_shared {
            for &k in together.iter().filter(|k| !taking.contains(k)) {
                acts.along[k] = None;
            }
            let rubs = |k: &&usize| self.contacts[**k].friction.is_some() && self.contacts[**k].coefficient > 0.0;
            acts.open = acts.open.or(together.iter().find(rubs).copied());
        }
        for &k in others.iter().filter(|_| unique) {
            if rows.rest(self.contacts[k].line(0)).0 <= IMPLIED {
                acts.would_press[k] = shares(k);
            }
        }
    }

    /// Takes from contacts that stick what others that stick imply.
    fn stick_in_turn<'a>(&'a self, rows: &mut Independent<'a>, along: &mut [Option<Along>]) {
        for k in 0..along.len() {
            let Some(Along::Stick(share)) = along[k] else {
                continue;
            };
            let contact = &self.contacts[k];
            along[k] = Some(match self.with_first(along, k) {
                Some(turned) => {
                    let rest = |d: usize| rows.rest(contact.line(d)).0;
                    let d = if rest(2) > rest(1) { 2 } else { 1 };
                    match !turned && rows.add(contact.line(d)) {
                        true => Along::Turn(d - 1, share),
                        false => Along::Nothing,
                    }
                }
                None if (1..=contact.directions).all(|d| rows.add(contact.line(d))) => Along::Stick(share),
                None => Along::Nothing,
            });
        }
    }
}
