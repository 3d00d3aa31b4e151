//! Colours of the materials: quiet ones that stay distinct in grey.

use super::Material;

impl Material {
    /// All materials.
    pub const ALL: [Self; 17] = [
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
        Self::Velocity,
        Self::Acceleration,
        Self::SpringForce,
        Self::Reaction,
        Self::ContactForce,
    ];

    /// Red, green and blue as sRGB.
    pub const fn colour(self) -> [u8; 3] {
        match self {
            Self::Body => [0x35, 0x6a, 0x9c],
            Self::Link => [0x7a, 0x8b, 0x9c],
            Self::Mass => [0x1f, 0x2d, 0x3d],
            Self::Rim => [0x1f, 0x2d, 0x3d],
            Self::Pin => [0xff, 0xff, 0xff],
            Self::Ground => [0x8a, 0x80, 0x74],
            Self::Spring => [0xd9, 0x82, 0x1f],
            Self::Damper => [0x4f, 0x9d, 0x8f],
            Self::Rail => [0xa9, 0xb2, 0xbc],
            Self::Surface => [0xb5, 0xad, 0xa2],
            Self::Load => [0xb8, 0x2f, 0x3a],
            Self::Floor => [0xf1, 0xf3, 0xf6],
            Self::Velocity => [0x3f, 0xa8, 0x5c],
            Self::Acceleration => [0x5b, 0x2d, 0x8c],
            Self::SpringForce => [0xe3, 0xa0, 0x3a],
            Self::Reaction => [0xc2, 0x33, 0x3f],
            Self::ContactForce => [0x10, 0x18, 0x20],
        }
    }

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Link => "link",
            Self::Mass => "mass",
            Self::Rim => "rim",
            Self::Pin => "pin",
            Self::Ground => "ground",
            Self::Spring => "spring",
            Self::Damper => "damper",
            Self::Rail => "rail",
            Self::Surface => "surface",
            Self::Load => "load",
            Self::Floor => "floor",
            Self::Velocity => "velocity",
            Self::Acceleration => "acceleration",
            Self::SpringForce => "spring force",
            Self::Reaction => "reaction",
            Self::ContactForce => "contact force",
        }
    }
}
