//! Mechanisms of many bodies as the text of a scene: the N four-bar mechanism (benchmark A02 of the IFToMM library), and a chain.

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

/// Text of the scene of a chain of bars of 1 m and 1 kg, released horizontally, with this many links: 0.2 s, at 1e-8.
pub fn links(count: usize) -> String {
    let list = |entry: &dyn Fn(usize) -> String| (1..=count).map(entry).collect::<Vec<_>>().join(", ");
    let end = |i: usize| if i == 0 { "A".to_string() } else { format!("P{i}") };
    format!(
        r#"Scene(
            name: "links", space: Planar, gravity: [0, -9.81],
            parameters: {{ {} }},
            ground: {{ "A": [0, 0] }},
            points: {{ {} }},
            bodies: {{ {} }},
            objectives: {{ "x": Final("P{}.x") }},
            simulation: (duration: 0.2, rtol: 1e-8, atol: 1e-8),
        )"#,
        list(&|i| format!(r#""m{i}": 1"#)),
        list(&|i| format!(r#""P{i}": (at: [{i}, 0])"#)),
        list(&|i| {
            let (from, to) = (end(i - 1), end(i));
            format!(r#""b{i}": Bar(from: "{from}", to: "{to}", length: 1, mass: "m{i}")"#)
        }),
        count.div_ceil(2),
    )
}
