//! Constraint kinds that joints, drivers and bars are made of, one file a kind.

mod across;
mod angle;
mod axes;
mod cable;
mod coincidence;
mod distance;
mod point_on_line;
mod rows;
mod slide;
mod turned;
mod unit;

pub use across::{Across, Direction};
pub use angle::{AngleJet, BarAngle, Coupling, PointAngle, RelativeAngle};
pub use axes::{Axis, Hinge, Perpendicular, Pointer};
pub use cable::{Cable, Path, Stop, Wrap};
pub use coincidence::Coincidence;
pub use distance::{Distance, PointDistance};
pub use point_on_line::{PointAlongLine, PointOnLine};
pub use rows::{Combination, Factor, Guide, Pin, Span};
pub use slide::Slide;
pub use turned::Turned;
pub use unit::Unit;
