//! What contacts promise: closing is located to rounding, laws conserve and lose what they should, bounces come to rest, lasting
//! contacts lift off when they are pulled.

mod support;

#[path = "contacts/closing.rs"]
mod closing;
#[path = "contacts/impacts.rs"]
mod impacts;
#[path = "contacts/laws.rs"]
mod laws;
#[path = "contacts/limits.rs"]
mod limits;
#[path = "contacts/parts.rs"]
mod parts;
#[path = "contacts/ratchets.rs"]
mod ratchets;
#[path = "contacts/resting.rs"]
mod resting;
#[path = "contacts/slipping.rs"]
mod slipping;
#[path = "contacts/solid.rs"]
mod solid;
#[path = "contacts/touching.rs"]
mod touching;
