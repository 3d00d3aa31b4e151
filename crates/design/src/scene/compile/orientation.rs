//! Orientations as written, turned into unit quaternions with their derivatives by the parameters.

use super::Build;
use super::derivatives::Formula;
use super::site::Site;
use crate::error::Result;
use crate::model::quaternion::{product, pure, square};
use crate::scalar::{Scalar, each};
use crate::scene::schema::Number;
use crate::scene::schema::part::{Orientation, Rotation};

/// A unit quaternion from numbers.
enum Turn {
    /// A quaternion of any length.
    Quaternion,
    /// An axis of any length, and an angle.
    AxisAngle,
    /// Angles about these axes of the body.
    Rotations(Vec<usize>),
}

impl Formula<4> for Turn {
    fn over<S: Scalar>(&self, numbers: &[S]) -> [S; 4] {
        let found = match self {
            Self::Quaternion => each(|k| numbers[k]),
            Self::AxisAngle => {
                let axis: [S; 3] = each(|k| numbers[k]);
                let (sin, cos) = (numbers[3] * 0.5).sin_cos();
                let length = square(pure(axis)).sqrt();
                let mut turn = pure(axis).map(|x| x / length * sin);
                turn[0] = cos;
                turn
            }
            Self::Rotations(axes) => {
                let (zero, one) = (S::from(0.0), S::from(1.0));
                let turns = axes.iter().zip(numbers).map(|(&axis, angle)| {
                    let (sin, cos) = (*angle * 0.5).sin_cos();
                    let mut turn = [cos, zero, zero, zero];
                    turn[axis + 1] = sin;
                    turn
                });
                turns.fold([one, zero, zero, zero], product)
            }
        };
        let length = square(found).sqrt();
        found.map(|x| x / length)
    }
}

impl Build<'_> {
    /// The numbers of the quaternion of an orientation, that of the ground when it is left out.
    pub(super) fn quaternion(&mut self, written: Option<&Orientation>, site: &Site) -> Result<[usize; 4]> {
        let inner = site.at("orientation");
        let (turn, numbers): (Turn, Vec<usize>) = match written {
            None => (Turn::Rotations(Vec::new()), Vec::new()),
            Some(Orientation::Quaternion(list)) => {
                self.check_components(list, &["q0", "q1", "q2", "q3"], &inner)?;
                (Turn::Quaternion, self.read_all(list, &inner)?)
            }
            Some(Orientation::AxisAngle { axis, angle }) => {
                self.check_components(axis, self.axes(), &inner)?;
                let list: Vec<Number> = axis.iter().chain([angle]).cloned().collect();
                (Turn::AxisAngle, self.read_all(&list, &inner)?)
            }
            Some(Orientation::Rotations(list)) => {
                let parts = list.iter().map(|rotation| match rotation {
                    Rotation::X(angle) => (0, angle.clone()),
                    Rotation::Y(angle) => (1, angle.clone()),
                    Rotation::Z(angle) => (2, angle.clone()),
                });
                let (axes, angles): (Vec<usize>, Vec<Number>) = parts.unzip();
                (Turn::Rotations(axes), self.read_all(&angles, &inner)?)
            }
        };
        self.check_turn(&turn, &numbers, &inner)?;
        self.derived(&turn, &numbers, |k| format!("{}.q{k}", inner.label()), &inner)
    }

    fn read_all(&mut self, list: &[Number], site: &Site) -> Result<Vec<usize>> {
        let read = |number| self.numbers.read(number, site.label(), site);
        list.iter().map(read).collect()
    }

    /// A quaternion or an axis must have a direction.
    fn check_turn(&self, turn: &Turn, numbers: &[usize], site: &Site) -> Result<()> {
        let directed = match turn {
            Turn::Quaternion => numbers,
            Turn::AxisAngle => &numbers[..3],
            Turn::Rotations(_) => return Ok(()),
        };
        let sum: f64 = directed.iter().map(|&number| self.numbers.value(number).powi(2)).sum();
        match sum.is_normal() {
            true => Ok(()),
            false => site.refuse(
                format!("the quaternion or axis of `{}` has no direction", site.label()),
                "give one of any length but zero",
            ),
        }
    }
}
