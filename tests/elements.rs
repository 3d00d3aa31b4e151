//! What every body, constraint, force and gap promises in any state: exact derivatives, energy, power and invariance.

mod element_support;

#[path = "elements/bar_and_rigid.rs"]
mod bar_and_rigid;
#[path = "elements/bodies.rs"]
mod bodies;
#[path = "elements/by_hand.rs"]
mod by_hand;
#[path = "elements/calls.rs"]
mod calls;
#[path = "elements/constraints.rs"]
mod constraints;
#[path = "elements/constraints_along.rs"]
mod constraints_along;
#[path = "elements/contacts.rs"]
mod contacts;
#[path = "elements/energy.rs"]
mod energy;
#[path = "elements/forces.rs"]
mod forces;
#[path = "elements/invariance.rs"]
mod invariance;
#[path = "elements/markers.rs"]
mod markers;
#[path = "elements/references.rs"]
mod references;
