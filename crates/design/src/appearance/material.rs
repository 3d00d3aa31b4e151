//! Materials and their colours: the one palette of pictures of pixels and of lines, of the window and of exports.

use crate::model::FrictionState;
use crate::model::quantity::VectorKind;
use crate::scene::compiled::COLOURS;

pub use crate::scene::compiled::Rgb;

/// Colours of bodies in turn.
pub const BODIES: [Rgb; COLOURS.len()] = {
    let mut bodies = [[0; 3]; COLOURS.len()];
    let mut k = 0;
    while k < bodies.len() {
        bodies[k] = COLOURS[k].1;
        k += 1;
    }
    bodies
};

/// Outlines and text.
pub const INK: Rgb = [0x2b, 0x33, 0x3d];

/// What a block is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Material {
    /// Bars and rigid bodies, each in a colour of its own.
    Body,
    /// Links without mass.
    Link,
    /// Point masses and centres of mass.
    Mass,
    /// Rims of joints.
    Rim,
    /// Middles of joints.
    Pin,
    /// Whatever is fixed in the ground.
    Ground,
    /// Springs.
    Spring,
    /// Dampers.
    Damper,
    /// Rails and threads.
    Rail,
    /// Surfaces that may be touched.
    Surface,
    /// Forces and torques that are given.
    Load,
    /// The floor under a spatial mechanism.
    Floor,
    /// Arrows.
    Arrow(VectorKind),
    /// What rubs.
    Friction(FrictionState),
    /// Cones of friction.
    Cone,
}

impl Material {
    /// All materials.
    pub const ALL: [Self; 21] = [
        Self::Body,
        Self::Link,
        Self::Mass,
        Self::Rim,
        Self::Pin,
        Self::Ground,
        Self::Spring,
        Self::Damper,
        Self::Rail,
        Self::Surface,
        Self::Load,
        Self::Floor,
        Self::Arrow(VectorKind::Velocity),
        Self::Arrow(VectorKind::Acceleration),
        Self::Arrow(VectorKind::Spring),
        Self::Arrow(VectorKind::Reaction),
        Self::Arrow(VectorKind::Contact),
        Self::Friction(FrictionState::Stick),
        Self::Friction(FrictionState::Slip),
        Self::Friction(FrictionState::Open),
        Self::Cone,
    ];

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        self.described().0
    }

    /// Whether what is made of it has the colour that a scene gives: signs of the ground and of what rubs have a meaning.
    pub(super) const fn can_be_given(self) -> bool {
        matches!(
            self,
            Self::Body | Self::Link | Self::Mass | Self::Pin | Self::Spring | Self::Damper | Self::Rail | Self::Load
        )
    }

    /// Its colour where an item has none of its own.
    pub const fn colour(self) -> Rgb {
        self.described().1
    }

    const fn described(self) -> (&'static str, Rgb) {
        match self {
            Self::Body => ("body", BODIES[0]),
            Self::Link => ("link", [0x7a, 0x8b, 0x9c]),
            Self::Mass => ("mass", [0x1f, 0x2d, 0x3d]),
            Self::Rim => ("rim", [0x1f, 0x2d, 0x3d]),
            Self::Pin => ("pin", [0xff, 0xff, 0xff]),
            Self::Ground => ("ground", [0x8a, 0x80, 0x74]),
            Self::Spring => ("spring", [0xd9, 0x82, 0x1f]),
            Self::Damper => ("damper", [0x4f, 0x9d, 0x8f]),
            Self::Rail => ("rail", [0xa9, 0xb2, 0xbc]),
            Self::Surface => ("surface", [0xb5, 0xad, 0xa2]),
            Self::Load => ("load", [0xb8, 0x2f, 0x3a]),
            Self::Floor => ("floor", [0xf1, 0xf3, 0xf6]),
            Self::Arrow(VectorKind::Velocity) => ("velocity", [0x3f, 0xa8, 0x5c]),
            Self::Arrow(VectorKind::Acceleration) => ("acceleration", [0x5b, 0x2d, 0x8c]),
            Self::Arrow(VectorKind::Spring) => ("spring force", [0xe3, 0xa0, 0x3a]),
            Self::Arrow(VectorKind::Reaction) => ("reaction", [0xc2, 0x33, 0x3f]),
            Self::Arrow(VectorKind::Contact) => ("contact force", [0x10, 0x18, 0x20]),
            // As in plots.
            Self::Friction(FrictionState::Stick) => ("stick", [0x00, 0x9e, 0x73]),
            Self::Friction(FrictionState::Slip) => ("slip", [0xc9, 0x3c, 0x96]),
            Self::Friction(FrictionState::Open) => ("open", [0xd5, 0xda, 0xe0]),
            Self::Cone => ("friction cone", [0x5b, 0x66, 0x72]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::BODIES;

    /// What is left to readers who do not see red and green apart: brightness, and blue against yellow.
    #[test]
    fn bodies_are_told_apart_without_red_and_green() {
        let brightness = |[r, g, b]: [u8; 3]| 0.2126 * f64::from(r) + 0.7152 * f64::from(g) + 0.0722 * f64::from(b);
        for (i, one) in BODIES.into_iter().enumerate() {
            for other in BODIES.into_iter().skip(i + 1) {
                let lighter = (brightness(one) - brightness(other)).abs();
                let bluer = one[2].abs_diff(other[2]);
                assert!(lighter > 20.0 || bluer > 60, "{one:?} {other:?}");
            }
        }
    }
}
