//! Dry friction: reference values and closed forms, the law at every output, gradients by every method, and what is refused.

mod support;

#[path = "friction/algebraic.rs"]
mod algebraic;
#[path = "friction/at_rest.rs"]
mod at_rest;
#[path = "friction/balls_and_faces.rs"]
mod balls_and_faces;
#[path = "friction/belts.rs"]
mod belts;
#[path = "friction/brakes.rs"]
mod brakes;
#[path = "friction/bristles.rs"]
mod bristles;
#[path = "friction/checks.rs"]
mod checks;
#[path = "friction/faces.rs"]
mod faces;
#[path = "friction/footings.rs"]
mod footings;
#[path = "friction/held.rs"]
mod held;
#[path = "friction/hessians.rs"]
mod hessians;
#[path = "friction/impacts.rs"]
mod impacts;
#[path = "friction/joint_impacts.rs"]
mod joint_impacts;
#[path = "friction/joints.rs"]
mod joints;
#[path = "friction/joints_in_space.rs"]
mod joints_in_space;
#[path = "friction/laws.rs"]
mod laws;
#[path = "friction/random_joints.rs"]
mod random_joints;
#[path = "friction/random_stacks.rs"]
mod random_stacks;
#[path = "friction/reference.rs"]
mod reference;
#[path = "friction/refused.rs"]
mod refused;
#[path = "friction/regularized.rs"]
mod regularized;
#[path = "friction/screws_and_crosses.rs"]
mod screws_and_crosses;
#[path = "friction/shipped.rs"]
mod shipped;
#[path = "friction/slip_begins.rs"]
mod slip_begins;
#[path = "friction/slip_ends.rs"]
mod slip_ends;
#[path = "friction/smooth_gradients.rs"]
mod smooth_gradients;
#[path = "friction/space.rs"]
mod space;
#[path = "friction/standing.rs"]
mod standing;
#[path = "friction/stops.rs"]
mod stops;
#[path = "friction/struck_feet.rs"]
mod struck_feet;
#[path = "friction/walker.rs"]
mod walker;
#[path = "friction/wanted.rs"]
mod wanted;
#[path = "friction/zero.rs"]
mod zero;
