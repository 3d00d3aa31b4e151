//! Mechanisms of many bodies as the text of a scene: the N four-bar mechanism (benchmark A02 of the IFToMM library), and a chain.

/// Text of the scene with this many windows.
pub fn text(windows: usize) -> String {
    format!(
        r#"Scene(
            name: "chain", space: Planar, gravity: [0, -9.81], constants: {{ "n": {windows} }},
            ground: {{ "A[i = 0..n]": ["i", 0] }},
            points: {{ "B[0]": (at: [0, 1], velocity: [1, 0]), "B[i = 1..n]": (guess: ["i", 1]) }},
            bodies: {{
                "upright[i = 0..n]": Bar(from: "A[i]", to: "B[i]", length: 1, mass: 1),
                "coupler[i = 1..n]": Bar(from: "B[i-1]", to: "B[i]", length: 1, mass: 1),
            }},
            simulation: (duration: 1.0),
        )"#
    )
}

/// Text of the scene of a chain of bars of 1 m and 1 kg, released horizontally, with this many links: 0.2 s, at 1e-8.
pub fn links(count: usize) -> String {
    format!(
        r#"Scene(
            name: "links", space: Planar, gravity: [0, -9.81], constants: {{ "n": {count}, "middle": {} }},
            parameters: {{ "m[i = 1..n]": 1 }},
            ground: {{ "P[0]": [0, 0] }},
            points: {{ "P[i = 1..n]": (at: ["i", 0]) }},
            bodies: {{ "b[i = 1..n]": Bar(from: "P[i-1]", to: "P[i]", length: 1, mass: "m[i]") }},
            objectives: {{ "x": Final("P[middle].x") }},
            simulation: (duration: 0.2, rtol: 1e-8, atol: 1e-8),
        )"#,
        count.div_ceil(2),
    )
}
