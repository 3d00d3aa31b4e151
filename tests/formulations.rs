//! What the formulations promise: one motion, exact state derivatives, redundant joints that change nothing, and honest
//! failures where the accelerations are not determined.

mod element_support;
mod support;

#[path = "formulations/agreement.rs"]
mod agreement;
#[path = "formulations/algebraic.rs"]
mod algebraic;
#[path = "formulations/blocks.rs"]
mod blocks;
#[path = "formulations/closed_form.rs"]
mod closed_form;
#[path = "formulations/descriptor.rs"]
mod descriptor;
#[path = "formulations/energy.rs"]
mod energy;
#[path = "formulations/jacobian.rs"]
mod jacobian;
#[path = "formulations/null_space.rs"]
mod null_space;
#[path = "formulations/penalty.rs"]
mod penalty;
#[path = "formulations/redundant.rs"]
mod redundant;
#[path = "formulations/reference.rs"]
mod reference;
#[path = "formulations/singular.rs"]
mod singular;
#[path = "formulations/systems.rs"]
mod systems;
#[path = "formulations/tangents.rs"]
mod tangents;
#[path = "formulations/unusual.rs"]
mod unusual;
