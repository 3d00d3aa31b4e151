//! The N four-bar mechanism (benchmark A02 of the IFToMM library) as the text of a scene.

/// Text of the scene with this many windows.
pub fn text(windows: usize) -> String {
    let list = |entries: Vec<String>| entries.join(", ");
    let bar =
        |name: &str, from: &str, to: &str| format!(r#""{name}": Bar(from: "{from}", to: "{to}", length: 1, mass: 1)"#);
    let pivots = (0..=windows).map(|i| format!(r#""A{i}": [{i}, 0]"#)).collect();
    let corners = (1..=windows).map(|i| format!(r#""B{i}": (guess: [{i}, 1])"#)).collect();
    let uprights = (0..=windows)
        .map(|i| bar(&format!("upright {i}"), &format!("A{i}"), &format!("B{i}")))
        .collect();
    let couplers = (1..=windows)
        .map(|i| bar(&format!("coupler {i}"), &format!("B{}", i - 1), &format!("B{i}")))
        .collect();
    format!(
        r#"Scene(
            name: "chain", space: Planar, gravity: [0, -9.81],
            ground: {{ {} }},
            points: {{ "B0": (at: [0, 1], velocity: [1, 0]), {} }},
            bodies: {{ {}, {} }},
            simulation: (duration: 1.0),
        )"#,
        list(pivots),
        list(corners),
        list(uprights),
        list(couplers),
    )
}
