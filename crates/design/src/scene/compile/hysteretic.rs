//! Springs with hysteresis.

use super::Build;
use super::draft::Draft;
use super::memory::FIRST;
use super::site::Site;
use crate::error::Result;
use crate::model::force::{ForceKind, HYSTERETIC_SLOTS, HystereticSpring};
use crate::scene::schema::{Limited, Number};

/// The numbers of the law as written.
#[derive(Clone, Copy)]
pub(super) struct ExponentialLaw<'n> {
    pub(super) natural: Option<&'n Number>,
    /// Just after a reversal, and far from one.
    pub(super) stiffness: [&'n Number; 2],
    pub(super) alpha: &'n Number,
    pub(super) beta: Option<&'n Number>,
}

impl Build<'_> {
    pub(super) fn hysteretic_spring(
        &mut self,
        of: &Limited,
        law: ExponentialLaw,
        draft: &mut Draft,
        site: &Site,
    ) -> Result<ForceKind> {
        let subject = self.subject(of, &site.at("of"))?;
        let measure = subject.measure(draft);
        let natural = self.field_or(site, "natural", law.natural, 0.0)?;
        let ka = self.field(site, "ka", law.stiffness[0])?;
        let kb = self.field(site, "kb", law.stiffness[1])?;
        let (first, last) = (self.numbers.value(ka), self.numbers.value(kb));
        if first < last {
            return Err(site
                .at("ka")
                .error(format!("`ka` is {first}, below `kb`, which is {last}"))
                .with_value(first)
                .advise("`ka` is the stiffness just after a reversal, `kb` the lower one that is left far from it"));
        }
        let alpha = self.positive(site, "alpha", law.alpha)?;
        let beta = self.field_or(site, "beta", law.beta, 0.0)?;
        let slot = self.memory_slots(&[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        Ok(ForceKind::Hysteretic(HystereticSpring {
            measure,
            natural: draft.number(natural),
            ka: draft.number(ka),
            kb: draft.number(kb),
            alpha: draft.number(alpha),
            beta: draft.number(beta),
            last: std::array::from_fn(|k| draft.number(FIRST + slot + k)),
            slots: std::array::from_fn::<_, HYSTERETIC_SLOTS, _>(|k| slot + k),
        }))
    }
}
