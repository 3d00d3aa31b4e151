//! Robots: what the scene writes of them is evaluated where it stands, so that errors point there and not into their files.

use super::Build;
use super::site::Site;
use crate::error::Result;
use crate::scene::schema::{Base, Number};

impl Build<'_> {
    /// Evaluates every number that the scene writes of its robots.
    pub(super) fn robots(&mut self) -> Result<()> {
        for (name, robot) in self.scene.robots.iter() {
            let site = Site::new(self.file, "robots").at(name);
            for (key, number) in robot.overrides.iter() {
                self.numbers.outside(number, &site.at("overrides").at(key))?;
            }
            for (key, start) in robot.start.iter() {
                let inner = site.at("start").at(key);
                for (field, number) in [
                    ("position", &start.position),
                    ("guess", &start.guess),
                    ("rate", &start.rate),
                ] {
                    let number = number.iter();
                    number
                        .map(|number| self.numbers.outside(number, &inner.at(field)))
                        .collect::<Result<Vec<_>>>()?;
                }
            }
            let (at, orientation) = match &robot.base {
                Some(Base::Ground { at, orientation } | Base::Free { at, orientation, .. }) => (at, orientation),
                _ => continue,
            };
            let inner = site.at("base");
            self.each_outside(at, &inner.at("at"))?;
            self.quaternion(orientation.as_ref(), &inner)?;
        }
        Ok(())
    }

    fn each_outside(&mut self, list: &[Number], site: &Site) -> Result<()> {
        for (k, number) in list.iter().enumerate() {
            self.numbers.outside(number, &site.at(k))?;
        }
        Ok(())
    }
}
