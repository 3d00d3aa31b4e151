//! Springs with hysteresis.

use super::Build;
use super::draft::Draft;
use super::memory::FIRST;
use super::site::Site;
use crate::error::Result;
use crate::model::force::{self, ForceKind, HYSTERETIC_SLOTS};
use crate::scene::schema::force::HystereticSpring;

impl Build<'_> {
    pub(super) fn hysteretic_spring(
        &mut self,
        spring: &HystereticSpring,
        draft: &mut Draft,
        site: &Site,
    ) -> Result<ForceKind> {
        let subject = self.subject(&spring.of, &site.at("of"))?;
        let measure = subject.measure(draft);
        let natural = self.field_or(site, "natural", spring.natural.as_ref(), 0.0)?;
        let ka = self.field(site, "ka", &spring.ka)?;
        let kb = self.field(site, "kb", &spring.kb)?;
        let (first, last) = (self.numbers.value(ka), self.numbers.value(kb));
        if first < last {
            return Err(site
                .at("ka")
                .error(format!("`ka` is {first}, below `kb`, which is {last}"))
                .with_value(first)
                .advise("`ka` is the stiffness just after a reversal, `kb` the lower one that is left far from it"));
        }
        let alpha = self.positive(site, "alpha", &spring.alpha)?;
        let beta = self.field_or(site, "beta", spring.beta.as_ref(), 0.0)?;
        let slot = self.memory_slots(&[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        Ok(ForceKind::Hysteretic(force::HystereticSpring {
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
