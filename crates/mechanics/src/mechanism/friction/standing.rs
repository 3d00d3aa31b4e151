//! Feet of one body on one flat face in space: which they are, and how they hold together (theory, 4.19).

use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::At;
use crate::linear::{dot, max_abs};
use crate::mechanism::forced::listed;
use crate::mechanism::{Mechanism, Workspace};
use crate::model::constraint::ConstraintKind;
use crate::model::tangential::size;
use crate::model::{Grip, Hold, MOST_FEET, Mode};

/// Deviation of normals, and of rows of velocities over the larger, up to which they are those of one face.
const SAME: f64 = 1e-8;

/// Distance of a place from a face, over that to another one on it, up to which it is on it.
const FLAT: f64 = 1e-6;

/// A foot, as far as its face is concerned.
struct Foot {
    contact: usize,
    place: [f64; 3],
    normal: [f64; 3],
    along: [f64; 2],
    rows: [Vec<f64>; 2],
}

/// Contacts on one face that do the same.
pub(super) struct Group {
    /// Their frictions, the first one the leader.
    pub members: Vec<usize>,
    /// The one that keeps the body from turning, and the direction in which it does, across the line to it from the first.
    pub turning: (usize, [f64; 2]),
}

impl Group {
    /// The direction in which a member keeps the body from turning.
    pub fn turns(&self, friction: usize) -> Option<[f64; 2]> {
        (self.turning.0 == friction).then_some(self.turning.1)
    }
}

impl Mechanism {
    /// For each contact the first one that the same bodies touch at on the same flat face and that sticks and slips with it; itself where
    /// there is none.
    pub(super) fn flat_faces(&self, contacts: &[usize], at: At<Mode>, workspace: &Workspace) -> Vec<usize> {
        self.alike(contacts, at, workspace, |one, other| {
            self.is_one_floor(one, other) && self.rub_together(one, other)
        })
    }

    /// The same of contacts that may share what presses on the face.
    pub(super) fn floors(&self, contacts: &[usize], at: At<Mode>, workspace: &Workspace) -> Vec<usize> {
        self.alike(contacts, at, workspace, |one, other| self.is_one_floor(one, other))
    }

    fn alike(
        &self,
        contacts: &[usize],
        at: At<Mode>,
        workspace: &Workspace,
        are: impl Fn(&Foot, &Foot) -> bool,
    ) -> Vec<usize> {
        let foot = |&contact: &usize| self.foot(contact, at, workspace);
        let feet: Vec<Option<Foot>> = contacts.iter().map(foot).collect();
        let same = |a: usize, b: usize| match (&feet[a], &feet[b]) {
            (Some(one), Some(other)) => are(one, other),
            _ => false,
        };
        let first = |k: usize| (0..k).find(|&earlier| same(earlier, k)).unwrap_or(k);
        (0..contacts.len()).map(first).collect()
    }

    fn foot(&self, contact: usize, at: At<Mode>, workspace: &Workspace) -> Option<Foot> {
        let gap = &self.model.constraints[self.model.contacts[contact].gap];
        if self.model.dimension < 3 || !matches!(gap.kind, ConstraintKind::PlaneGap(_)) {
            return None;
        }
        let (q, numbers) = (&at.x[self.positions()], &workspace.terms.numbers);
        let [place, normal] = self.model.touching(contact, q, numbers)?;
        let along = self.model.place_on_surface(contact, &self.motion(at, workspace));
        let rows = self.tangential_rows(contact, q, numbers);
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.dense(self.model.nv())).collect();
        Some(Foot {
            contact,
            place,
            normal,
            along,
            rows: rows.try_into().ok()?,
        })
    }

    /// Whether two feet are of one body on one plane.
    fn is_one_floor(&self, one: &Foot, other: &Foot) -> bool {
        let [first, second] = [one, other].map(|foot| {
            let gap = self.model.contacts[foot.contact].gap;
            &self.model.constraints[gap].local.coordinates
        });
        let between: Vec<f64> = other.place.iter().zip(one.place).map(|(b, a)| b - a).collect();
        let turned = one.normal.iter().zip(other.normal).map(|(a, b)| (a - b).abs());
        let distance = dot(&between, &between).sqrt();
        first == second && turned.fold(0.0, f64::max) <= SAME && dot(&between, &one.normal).abs() <= FLAT * distance
    }

    /// Whether two feet on one plane can rub by one law: they are of a rigid body, as their velocities differ by a rotation, and the plane
    /// moves over its own material in the same way.
    fn rub_together(&self, one: &Foot, other: &Foot) -> bool {
        let law = |foot: &Foot| Some(&self.model.frictions[self.model.friction_of(foot.contact)?]);
        let (Some(a), Some(b)) = (law(one), law(other)) else {
            return false;
        };
        if a.is_smooth() != b.is_smooth() || a.moves_as != b.moves_as || a.is_single() || b.is_single() {
            return false;
        }
        let between: Vec<f64> = other.place.iter().zip(one.place).map(|(b, a)| b - a).collect();
        let distance = dot(&between, &between).sqrt();
        let [x, y] = [0, 1].map(|k| other.along[k] - one.along[k]);
        let along = |i: usize| x * (other.rows[0][i] - one.rows[0][i]) + y * (other.rows[1][i] - one.rows[1][i]);
        let size = [one, other]
            .iter()
            .flat_map(|foot| &foot.rows)
            .fold(0.0, |most: f64, row| most.max(max_abs(row)));
        (0..one.rows[0].len()).all(|i| along(i).abs() <= SAME * size * distance)
    }

    /// The contacts on one face that do the same, of those that hold in these ways; where slip begins `apart`, each of these is by itself.
    ///
    /// # Errors
    /// Kind `Singular` where some of them stick, at least two, and others on their face do not.
    pub(super) fn groups(
        &self,
        closed: &[(usize, Hold)],
        apart: bool,
        at: At<Mode>,
        workspace: &Workspace,
    ) -> Result<Vec<Group>> {
        if self.model.dimension == 2 {
            return Ok(Vec::new());
        }
        let of_contact = |&(friction, hold): &(usize, Hold)| Some((self.model.frictions[friction].contact()?, hold));
        let closed: Vec<(usize, Hold)> = closed.iter().filter_map(of_contact).collect();
        let contacts: Vec<usize> = closed.iter().map(|(contact, _)| *contact).collect();
        let faces = self.flat_faces(&contacts, at, workspace);
        let mut groups = Vec::new();
        for first in (0..faces.len()).filter(|&k| faces[k] == k) {
            let own: Vec<usize> = (first..faces.len()).filter(|&k| faces[k] == first).collect();
            let count = |hold: Hold| own.iter().filter(|&&k| closed[k].1 == hold).count();
            if own.len() < 2 || own.len() > MOST_FEET || apart && closed[first].1 == Hold::SlipBegins {
                continue;
            }
            let frictions = own.iter().filter_map(|&k| self.model.friction_of(contacts[k]));
            let members: Vec<usize> = frictions.collect();
            if count(closed[first].1) == own.len() {
                groups.extend(
                    self.turning(&members, at, workspace)
                        .map(|turning| Group { members, turning }),
                );
            } else if count(Hold::Stick) > 1 {
                return Err(self.half_stuck(&members, at.t));
            }
        }
        Ok(groups)
    }

    /// Which member keeps the body from turning about the first one: that with the longest arm.
    fn turning(&self, members: &[usize], at: At<Mode>, workspace: &Workspace) -> Option<(usize, [f64; 2])> {
        let motion = self.motion(at, workspace);
        let contact = |&friction: &usize| self.model.frictions[friction].contact();
        let places: Vec<[f64; 2]> = (members.iter().filter_map(contact))
            .map(|contact| self.model.place_on_surface(contact, &motion))
            .collect();
        let arm = |i: usize| [places[0][1] - places[i][1], places[i][0] - places[0][0]];
        let farthest = (1..members.len()).max_by(|&i, &j| size(arm(i)).total_cmp(&size(arm(j))))?;
        let length = size(arm(farthest));
        (length > 0.0).then(|| (members[farthest], arm(farthest).map(|x| x / length)))
    }

    /// Whether feet on one line that begin to slip together are pulled across it as far as each of them bears, or would be pushed back.
    pub(super) fn begins_otherwise(&self, grip: &Grip, at: At<Mode>, workspace: &Workspace) -> bool {
        let motion = self.motion(at, workspace);
        let onward = self.model.onward_acceleration(grip.friction, at.mode, &motion);
        onward < -self.rub_noise(grip.friction, workspace) * self.yields(grip.friction, at, workspace)
            || self.model.is_pulled_across(grip, at.mode, &motion)
    }

    #[cold]
    fn half_stuck(&self, members: &[usize], t: f64) -> Error {
        let names = listed(members.iter().map(|&friction| self.model.rubbed_name(friction)));
        let message = format!("of {names}, which are on one face, more than one sticks while others slip");
        Error::new(ErrorKind::Singular, message).at_time(t)
    }
}
