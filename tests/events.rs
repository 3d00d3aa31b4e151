//! What scene events promise: they fire at the right time and as often as they should, and what they switch acts at once.

mod support;

#[path = "events/changes.rs"]
mod changes;
#[path = "events/costs.rs"]
mod costs;
#[path = "events/hysteresis.rs"]
mod hysteresis;
#[path = "events/joints.rs"]
mod joints;
#[path = "events/peaks.rs"]
mod peaks;
#[path = "events/springs.rs"]
mod springs;
#[path = "events/triggers.rs"]
mod triggers;
