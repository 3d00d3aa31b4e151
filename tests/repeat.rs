//! What ranges in the names of a scene promise: the scene that is written out by hand, messages at the place and index that are
//! wrong, families that can be differentiated, set, swept and optimized, and no text that hangs or panics.

#[path = "repeat/families.rs"]
mod families;
#[path = "repeat/refused.rs"]
mod refused;
#[path = "repeat/same_as_by_hand.rs"]
mod same_as_by_hand;
mod support;
#[path = "repeat/survive.rs"]
mod survive;

/// A chain that hangs from a point, with most of what ranges can do.
pub const CHAIN: &str = r#"Scene(
    name: "chain [draft]", space: Planar,
    constants: { "n": 3, "step": 0.5 },
    parameters: {
        "L": 1.0,
        "m[i = 1..n]": (value: "1 + 0.1*i", unit: "kg[i]", bounds: (0.1, 9), about: "link[i]"),
    },
    gravity: [0, -9.81],
    ground: { "P[0]": [0, 0] },
    points: { "P[i = 1..n]": (guess: ["i*L", 0]) },
    bodies: { "link[i = 1..n]": Bar(from: "P[i-1]", to: "P[i]", length: "L", mass: "m[i]") },
    outputs: { "y[i = 1..n]": "P[i].y", "middle": "sum(i = 1..n, m[i]*P[i].y)/sum(i = 1..n, m[i])" },
    objectives: { "x": Final("P[n].x"), "y[i = 1..n]": Final("y[i]"), "low": Min("middle") },
    simulation: (duration: 0.3),
)
"#;

/// The chain with one part of its text replaced.
pub fn changed(from: &str, to: &str) -> String {
    assert_eq!(CHAIN.matches(from).count(), 1, "{from} stands once in the scene");
    CHAIN.replacen(from, to, 1)
}
