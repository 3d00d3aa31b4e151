//! Where a motion begins to slide along a guard, and where it leaves it: both are decided by the rates of the guard on its two
//! sides (theory, section 3.1).

use super::scratch::LEAST_DIFFERENCE;
use super::surface::{Slopes, Surface};
use super::survey::Course;
use crate::error::Result;
use crate::hybrid::{At, Cotangents};
use crate::mechanism::jump::{Next, Request};
use crate::mechanism::{Mechanism, Watch, Workspace};
use crate::model::{Leader, Mode, Slide};

/// Deviation of the gradients of two guards from each other's direction, over their size, up to which they are one guard.
const PARALLEL: f64 = 1e-9;

/// Value of a guard, over what is rounding there, from which a state is off it whatever the guard's rate by time is.
const CLEARLY: f64 = 100.0;

impl Mechanism {
    /// Lets the next mode slide, go on sliding or leave the guard, after everything else has happened.
    ///
    /// # Errors
    /// Kind `Event` where the motion is not unique, or cannot slide.
    pub(in crate::mechanism) fn slide(
        &self,
        at: At<Mode>,
        next: &mut Next,
        fired: &[usize],
        request: &mut Request,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let slides = &at.mode.slides;
        slides
            .iter()
            .try_for_each(|slide| self.check_unset(slide, next.t, request))?;
        let leaves = |slide: &&Slide| fired.contains(&self.slide_guard(slide));
        next.mode.slides = slides.iter().filter(|slide| !leaves(slide)).cloned().collect();
        for slide in slides.iter().filter(leaves) {
            self.slide_on(slide, true, next, request, workspace)?;
        }
        let leaders: Vec<Leader> = fired.iter().filter_map(|&guard| self.leader(guard)).collect();
        let mut begun = leaders
            .iter()
            .filter(|leader| !slides.iter().any(|slide| slide.leader == **leader));
        if next.mode.slides.is_empty() {
            return begun.try_for_each(|leader| {
                if self.leads_back(*leader, next, workspace)? && self.begin_slide(*leader, next, workspace)? {
                    request.rename(self.leader_name(*leader), "slide");
                }
                Ok(())
            });
        }
        let mut set = next.mode.slides.clone();
        for leader in begun {
            let known = set.iter().any(|slide| slide.has(*leader));
            set.extend(self.all_on_guard(*leader, next.at(), workspace).filter(|_| !known));
        }
        self.slide_beside(&set, next, request, workspace)
    }

    /// Goes on along guards, and begins to slide along those that come last in a list, after a jump that may change all.
    fn slide_beside(
        &self,
        set: &[Slide],
        next: &mut Next,
        request: &mut Request,
        workspace: &mut Workspace,
    ) -> Result<()> {
        if let [slide] = set {
            return self.slide_on(slide, false, next, request, workspace);
        }
        let known: Vec<Leader> = next.mode.slides.iter().map(|slide| slide.leader).collect();
        let sliding = self.settle_together(set, next, request, workspace)?;
        for (slide, slides) in set.iter().zip(sliding) {
            match (known.contains(&slide.leader), slides) {
                (true, false) => request.report(slide.name(&self.model), "leave"),
                (false, true) => {
                    request.forget_kinks(|kink| slide.has_kink(kink) && slide.leader != Leader::Kink(kink));
                    request.rename(slide.name(&self.model), "slide");
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A guard with those of others that are kinks of the same function: while the motion slides along something else, the side
    /// that it leaves one of them to is that of all.
    pub(in crate::mechanism) fn on_guard_of(
        &self,
        first: usize,
        others: &[usize],
        at: At<Mode>,
        workspace: &mut Workspace,
    ) -> Vec<usize> {
        let leader = self.leader(first);
        let slide = leader.and_then(|leader| self.all_on_guard(leader, at, workspace));
        let on_it = |guard: usize| {
            let slide = slide.as_ref()?;
            slide.has(self.leader(guard)?).then_some(())
        };
        let others = others.iter().copied();
        others
            .filter(|&guard| guard == first || on_it(guard).is_some())
            .collect()
    }

    /// What a guard belongs to, of kinks and events.
    fn leader(&self, guard: usize) -> Option<Leader> {
        match self.watch(guard) {
            Watch::Kink(i) => Some(Leader::Kink(i)),
            Watch::Event(i) => Some(Leader::Event(i)),
            _ => None,
        }
    }

    /// Lets the motion slide from the start on where an argument of a kink is zero.
    ///
    /// # Errors
    /// As for [`Mechanism::slide`].
    pub(in crate::mechanism) fn slide_at_start(&self, next: &mut Next, workspace: &mut Workspace) -> Result<()> {
        let mut set: Vec<Slide> = Vec::new();
        for kink in 0..self.model.kinks.len() {
            let known = next.mode.slides.iter().chain(&set).any(|slide| slide.has_kink(kink));
            if !known && let Some(slide) = self.all_on_guard(Leader::Kink(kink), next.at(), workspace) {
                set.push(slide);
            }
        }
        // Bends change no rate, and are passed.
        let mut jumps = Vec::new();
        for slide in set {
            let [above, below] = self.survey(&slide, next.at(), workspace)?.rates;
            if (below - above).abs() > LEAST_DIFFERENCE * above.abs().max(below.abs()) {
                jumps.push(slide);
            }
        }
        match &jumps[..] {
            [] => Ok(()),
            [slide] => self.begin_slide(slide.leader, next, workspace).map(|_| ()),
            several => self
                .settle_together(several, next, &mut Request::default(), workspace)
                .map(|_| ()),
        }
    }

    /// Derivatives by numbers need a motion that starts on the verge of sliding for no kink.
    ///
    /// # Errors
    /// Kind `Event` where it does.
    pub fn check_verge(&self, at: At<Mode>, workspace: &mut Workspace) -> Result<()> {
        let slid = |kink: usize| at.mode.slides.iter().any(|slide| slide.has_kink(kink));
        for kink in (0..self.model.kinks.len()).filter(|&kink| !slid(kink)) {
            let Some(slide) = self.all_on_guard(Leader::Kink(kink), at, workspace) else {
                continue;
            };
            if self.survey(&slide, at, workspace)?.course == Course::Verges {
                return Err(self.verges(&slide, at.t));
            }
        }
        Ok(())
    }

    fn leader_name(&self, leader: Leader) -> &str {
        Slide::along(leader).name(&self.model)
    }

    /// Whether the new flow leads back over a guard that has just fired.
    fn leads_back(&self, leader: Leader, next: &Next, workspace: &mut Workspace) -> Result<bool> {
        let slide = Slide::along(leader);
        if !self.can_slide(&slide) {
            return Ok(false);
        }
        self.evaluate_motion(next.at(), self.integrands_need_multipliers, workspace)?;
        let of_memory = self.memory_rates(next.at(), workspace);
        let motion = self.motion(next.at(), workspace);
        let (_, rate) = Surface::default().load((&self.model, next.mode), &slide, &motion, &of_memory);
        let side = match leader {
            Leader::Kink(i) => next.x[self.quadratures().end + self.model.kinks[i].slot],
            Leader::Event(_) => 1.0,
        };
        Ok(side * rate < 0.0)
    }

    /// Whether the guard has a rate that what changes there decides on, and what changes are numbers alone.
    fn can_slide(&self, slide: &Slide) -> bool {
        let static_guard = |guard: &crate::model::quantity::Output| !guard.needs_dynamics(&self.model);
        let sets = match slide.leader {
            Leader::Kink(_) => true,
            Leader::Event(i) => {
                let event = &self.model.events[i];
                let slots: Vec<usize> = event.assignments.iter().map(|assignment| assignment.slot).collect();
                let steady = |k: usize| {
                    event.assignments[k].value.is_steady(&self.model, &slots) && !slots[..k].contains(&slots[k])
                };
                let directed = self.model.condition(i).is_some_and(|(_, direction)| direction != 0);
                let numbers_alone = event.actions.is_empty() && !event.once && !slots.is_empty();
                directed && numbers_alone && (0..slots.len()).all(steady)
            }
        };
        sets && slide.condition(&self.model).is_some_and(static_guard)
    }

    /// Slides from here on if both sides of a guard lead back to it.
    fn begin_slide(&self, leader: Leader, next: &mut Next, workspace: &mut Workspace) -> Result<bool> {
        let Some(slide) = self.all_on_guard(leader, next.at(), workspace) else {
            return Ok(false);
        };
        match self.survey(&slide, next.at(), workspace)?.course {
            Course::Slides => {}
            Course::Parts => return Err(self.parts(&slide, next.t)),
            Course::Off | Course::Passes | Course::Verges => return Ok(false),
        }
        self.check_reading(&slide, next.t)?;
        next.mode.slides.push(slide);
        self.evaluate_motion(next.at(), true, workspace)?;
        self.check_integrands(next.at(), workspace)?;
        Ok(true)
    }

    /// Goes on sliding after a jump, or leaves the guard.
    fn slide_on(
        &self,
        slide: &Slide,
        leaves: bool,
        next: &mut Next,
        request: &mut Request,
        workspace: &mut Workspace,
    ) -> Result<()> {
        next.mode.slides.retain(|other| other.leader != slide.leader);
        let survey = self.survey(slide, next.at(), workspace)?;
        let above = match survey.course {
            Course::Slides if !leaves => {
                next.mode.slides.push(slide.clone());
                return Ok(());
            }
            Course::Parts => return Err(self.parts(slide, next.t)),
            Course::Off => survey.value > 0.0,
            // One of the rates vanishes where the motion leaves, and the other leads there.
            Course::Slides | Course::Passes | Course::Verges => survey.rates[0] + survey.rates[1] >= 0.0,
        };
        self.put_aside(slide, above, next, request, workspace);
        request.report(slide.name(&self.model), "leave");
        Ok(())
    }

    /// Gives what changes at a guard the values of one side.
    pub(super) fn put_aside(
        &self,
        slide: &Slide,
        above: bool,
        next: &mut Next,
        request: &mut Request,
        workspace: &mut Workspace,
    ) {
        for k in 0..slide.count(&self.model) {
            let (slot, sides) = slide.mixed(k, &self.model, next.mode, &workspace.terms.numbers);
            next.x[self.quadratures().end + slot] = sides[usize::from(!above)];
        }
        self.load_memory(next.x, &mut workspace.terms);
        request.assignments.extend(slide.left(&self.model, above));
    }

    /// Whether a state is clearly off a guard with this value and rate, by the gradient that takes one pass.
    fn is_far(&self, slide: &Slide, (value, rate): (f64, f64), at: At<Mode>, workspace: &mut Workspace) -> bool {
        let Some(condition) = slide.condition(&self.model) else {
            return true;
        };
        let (mut x, mut numbers) = (vec![0.0; at.x.len()], vec![0.0; self.model.numbers.len()]);
        let cotangents = Cotangents::new(&mut x, &mut numbers);
        let found = self.reading_vjp(at, false, workspace, cotangents, &mut |reading, duals, gradient| {
            condition.add_gradient(1.0, reading, duals, gradient);
        });
        let slopes = Slopes {
            q: x[self.positions()].to_vec(),
            v: x[self.velocities()].to_vec(),
            numbers: [&vec![0.0; self.model.numbers.len()], &x[self.quadratures().end..]].concat(),
            ..Slopes::default()
        };
        found.is_err() || value.abs() > CLEARLY * self.tolerance_of(&slopes, rate.abs(), at)
    }

    /// Puts the values at a state of what is mixed there into memory.
    ///
    /// # Errors
    /// As for the motion there.
    pub(in crate::mechanism) fn hold_mixed(
        &self,
        at: At<Mode>,
        x: &mut [f64],
        workspace: &mut Workspace,
    ) -> Result<()> {
        if at.mode.slides.is_empty() {
            return Ok(());
        }
        self.evaluate_motion(at, false, workspace)?;
        for slot in at.mode.slides.iter().flat_map(|slide| self.slots_of(slide)) {
            x[self.quadratures().end + slot] = workspace.terms.numbers[self.model.memory_number(slot)];
        }
        self.load_memory(x, &mut workspace.terms);
        Ok(())
    }

    /// The guard of a leader with everything that changes there; none if the motion is not on it.
    fn all_on_guard(&self, leader: Leader, at: At<Mode>, workspace: &mut Workspace) -> Option<Slide> {
        let mut slide = Slide::along(leader);
        let own = self.on_guard(&slide, at, workspace)?;
        for kink in 0..self.model.kinks.len() {
            let other = Slide::along(Leader::Kink(kink));
            let found = self.on_guard(&other, at, workspace);
            if let Some(sign) = found.and_then(|slopes| one_guard(&own, &slopes)) {
                slide.kinks.push((kink, sign));
            }
        }
        let (mut rising, mut falling) = (Vec::new(), Vec::new());
        for event in 0..self.model.events.len() {
            let other = Slide::along(Leader::Event(event));
            let found = self.on_guard(&other, at, workspace);
            match found.and_then(|slopes| one_guard(&own, &slopes)) {
                Some(sign) if sign > 0.0 => rising.push(event),
                Some(_) => falling.push(event),
                None => {}
            }
        }
        for above in rising {
            let partner = falling.iter().position(|&below| self.set_the_same([above, below]));
            slide
                .events
                .extend(partner.map(|below| [above, falling.swap_remove(below)]));
        }
        let leads = match leader {
            Leader::Kink(_) => true,
            Leader::Event(event) => slide.has_event(event),
        };
        leads.then_some(slide)
    }

    /// Whether two events set the same memory.
    fn set_the_same(&self, [a, b]: [usize; 2]) -> bool {
        let [a, b] = [a, b].map(|event| &self.model.events[event].assignments);
        let among = |slot: usize| b.iter().any(|other| other.slot == slot);
        a.len() == b.len() && a.iter().all(|assignment| among(assignment.slot))
    }

    /// Gradient of a guard, if the state is on it and it may be slid along.
    fn on_guard(&self, slide: &Slide, at: At<Mode>, workspace: &mut Workspace) -> Option<Slopes> {
        if !self.can_slide(slide) {
            return None;
        }
        self.load(at, &mut workspace.terms);
        let mut surface = Surface::default();
        let (value, rate) = surface.load((&self.model, at.mode), slide, &self.motion(at, workspace), &[]);
        if self.is_far(slide, (value, rate), at, workspace) {
            return None;
        }
        surface.differentiate((&self.model, at.mode), slide);
        (value.abs() <= self.tolerance_of(&surface.guard, rate.abs(), at)).then_some(surface.guard)
    }
}

/// Whether two gradients are those of one guard: the sign of their ratio.
fn one_guard(own: &Slopes, other: &Slopes) -> Option<f64> {
    let pairs = || {
        let own = std::iter::once(own.t).chain(own.entries());
        own.zip(std::iter::once(other.t).chain(other.entries()))
    };
    let largest = pairs().fold(
        (0.0, 0.0),
        |most: (f64, f64), pair| {
            if pair.0.abs() > most.0.abs() { pair } else { most }
        },
    );
    let ratio = largest.1 / largest.0;
    let size = pairs().fold(0.0, |most, (_, b)| f64::max(most, b.abs()));
    let same = pairs().all(|(a, b)| (b - ratio * a).abs() <= PARALLEL * size);
    (same && size > 0.0 && ratio.is_finite()).then(|| ratio.signum())
}
