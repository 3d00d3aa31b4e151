//! Dry friction: reference values and closed forms, the law at every output, gradients by every method, and what is refused.

mod support;

#[path = "friction/faces.rs"]
mod faces;
#[path = "friction/impacts.rs"]
mod impacts;
#[path = "friction/laws.rs"]
mod laws;
#[path = "friction/reference.rs"]
mod reference;
#[path = "friction/refused.rs"]
mod refused;
