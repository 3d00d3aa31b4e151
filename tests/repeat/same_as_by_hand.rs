//! Ranges are short for what could be written by hand: the scenes are equal, and so is what is computed from them.

use costate::run::Method;
use costate::scene::parse;

use crate::CHAIN;
use crate::support::{experiment, report, tight};

const BY_HAND: &str = r#"Scene(
    name: "chain [draft]", space: Planar,
    constants: { "n": 3, "step": 0.5 },
    parameters: {
        "L": 1.0,
        "m[1]": (value: "1 + 0.1*1", unit: "kg[i]", bounds: (0.1, 9), about: "link[i]"),
        "m[2]": (value: "1 + 0.1*2", unit: "kg[i]", bounds: (0.1, 9), about: "link[i]"),
        "m[3]": (value: "1 + 0.1*3", unit: "kg[i]", bounds: (0.1, 9), about: "link[i]"),
    },
    gravity: [0, -9.81],
    ground: { "P[0]": [0, 0] },
    points: { "P[1]": (guess: ["1*L", 0]), "P[2]": (guess: ["2*L", 0]), "P[3]": (guess: ["3*L", 0]) },
    bodies: {
        "link[1]": Bar(from: "P[0]", to: "P[1]", length: "L", mass: "m[1]"),
        "link[2]": Bar(from: "P[1]", to: "P[2]", length: "L", mass: "m[2]"),
        "link[3]": Bar(from: "P[2]", to: "P[3]", length: "L", mass: "m[3]"),
    },
    outputs: {
        "y[1]": "P[1].y", "y[2]": "P[2].y", "y[3]": "P[3].y",
        "middle": "((m[1]*P[1].y) + (m[2]*P[2].y) + (m[3]*P[3].y))/((m[1]) + (m[2]) + (m[3]))",
    },
    objectives: {
        "x": Final("P[3].x"), "y[1]": Final("y[1]"), "y[2]": Final("y[2]"), "y[3]": Final("y[3]"), "low": Min("middle"),
    },
    simulation: (duration: 0.3),
)
"#;

#[test]
fn a_chain_is_the_scene_written_by_hand_bit_for_bit() {
    let (short, long) = (experiment(CHAIN, &tight()), experiment(BY_HAND, &tight()));
    assert_eq!(short.recipe().0.scene, long.recipe().0.scene);
    assert_eq!(report(&short).objectives, report(&long).objectives);
    for method in [Method::Adjoint, Method::Forward] {
        let [a, b] = [&short, &long].map(|one| one.gradient(method).expect("a gradient"));
        assert_eq!(a.parameters, b.parameters);
        for (a, b) in a.objectives.iter().zip(&b.objectives) {
            assert_eq!((&a.name, &a.gradient), (&b.name, &b.gradient));
            assert!(a.gradient.iter().any(|slope| *slope != 0.0), "{}", a.name);
        }
    }
}

/// Both texts as fields of a scene give the same one.
fn same(short: &str, long: &str) {
    let scene = |fields: &str| {
        let text = format!("(name: \"\", space: Planar, {fields} simulation: (duration: 1))");
        parse("a.ron", &text)
            .unwrap_or_else(|error| panic!("{fields}: {error}"))
            .scene
    };
    assert_eq!(scene(short), scene(long), "{short}");
}

#[test]
fn several_indices_run_like_nested_loops() {
    same(
        r#"constants: { "n": 1 }, points: { "P[i = 0..n, j = i..n+1]": (at: ["i", "-j"]), "Q[i=1..2] end[j=1..i]": (at: [0, 0]) },"#,
        r#"constants: { "n": 1 }, points: {
            "P[0,0]": (at: ["0", "-0"]), "P[0,1]": (at: ["0", "-1"]), "P[0,2]": (at: ["0", "-2"]),
            "P[1,1]": (at: ["1", "-1"]), "P[1,2]": (at: ["1", "-2"]),
            "Q[1] end[1]": (at: [0, 0]), "Q[2] end[1]": (at: [0, 0]), "Q[2] end[2]": (at: [0, 0]),
        },"#,
    );
}

#[test]
fn a_tree_has_its_branches_by_level_and_number() {
    same(
        r#"constants: { "d": 2 }, bodies: {
            "b[k = 0..d-1, j = 1..2^k, c = 0..1]": Bar(from: "T[k, j]", to: "T[k+1, 2*j-c]", length: 1),
        },"#,
        r#"constants: { "d": 2 }, bodies: {
            "b[0,1,0]": Bar(from: "T[0,1]", to: "T[1,2]", length: 1), "b[0,1,1]": Bar(from: "T[0,1]", to: "T[1,1]", length: 1),
            "b[1,1,0]": Bar(from: "T[1,1]", to: "T[2,2]", length: 1), "b[1,1,1]": Bar(from: "T[1,1]", to: "T[2,1]", length: 1),
            "b[1,2,0]": Bar(from: "T[1,2]", to: "T[2,4]", length: 1), "b[1,2,1]": Bar(from: "T[1,2]", to: "T[2,3]", length: 1),
        },"#,
    );
}

#[test]
fn ranges_stand_in_every_map_and_list() {
    same(
        r#"bodies: { "B[i = 1..2]": Rigid(mass: 1, inertia: 1, at: ["i", 0, 0], markers: { "h[k = 0..i]": ["k", "i*k"] }) },
           joints: { "j[i = 1..1]": Weld(between: ("B[i].h[0]", "B[i+1].h[i]"), active: false) },
           forces: { "f[i = 1..2]": Torque(on: "B[i]", torque: "i*on[i]") }, memory: { "on[i = 1..2]": 0 },
           contacts: { "c[i = 1..1]": Touch(point: "B[i].origin", surface: Plane(through: [0, "-i"], normal: [0, 1]), law: Restitution(0.5)) },
           events: { "e[i = 1..2]": (when: At("i/4"), then: [Set("on[k = 1..i]", "k"), Enable("j[1]")]) },
           objectives: { "s": SumOfSquares(["a[i = 1..2] - i"]), "a[i = 1..2]": Final("B[i].x") },
           parameters: { "p[i = 1..2]": "i" },
           optimization: (minimize: [("1", "a[i = 1..2]")], over: ["p[i = 1..1]", (parameter: "p[i = 2..2]", bounds: (0, 9))],
               subject_to: { "a[i = 1..2]": (at_most: 1) }, cases: [(name: "case[k = 1..2]", set: { "p[k]": "k" })]),
           view: (trace: ["B[i = 1..2].h[0]"], shapes: { "B[i = 1..2]": [Ball(radius: "i")] }),"#
            .replace("\"1\", \"a[", "1, \"a[")
            .as_str(),
        r#"bodies: { "B[1]": Rigid(mass: 1, inertia: 1, at: ["1", 0, 0], markers: { "h[0]": ["0", "1*0"], "h[1]": ["1", "1*1"] }),
              "B[2]": Rigid(mass: 1, inertia: 1, at: ["2", 0, 0], markers: { "h[0]": ["0", "2*0"], "h[1]": ["1", "2*1"], "h[2]": ["2", "2*2"] }) },
           joints: { "j[1]": Weld(between: ("B[1].h[0]", "B[2].h[1]"), active: false) },
           forces: { "f[1]": Torque(on: "B[1]", torque: "1*on[1]"), "f[2]": Torque(on: "B[2]", torque: "2*on[2]") },
           memory: { "on[1]": 0, "on[2]": 0 },
           contacts: { "c[1]": Touch(point: "B[1].origin", surface: Plane(through: [0, "-1"], normal: [0, 1]), law: Restitution(0.5)) },
           events: { "e[1]": (when: At("1/4"), then: [Set("on[1]", "1"), Enable("j[1]")]),
               "e[2]": (when: At("2/4"), then: [Set("on[1]", "1"), Set("on[2]", "2"), Enable("j[1]")]) },
           objectives: { "s": SumOfSquares(["a[1] - 1", "a[2] - 2"]), "a[1]": Final("B[1].x"), "a[2]": Final("B[2].x") },
           parameters: { "p[1]": "1", "p[2]": "2" },
           optimization: (minimize: [(1, "a[1]"), (1, "a[2]")], over: ["p[1]", (parameter: "p[2]", bounds: (0, 9))],
               subject_to: { "a[1]": (at_most: 1), "a[2]": (at_most: 1) },
               cases: [(name: "case[1]", set: { "p[1]": "1" }), (name: "case[2]", set: { "p[2]": "2" })]),
           view: (trace: ["B[1].h[0]", "B[2].h[0]"], shapes: { "B[1]": [Ball(radius: "1")], "B[2]": [Ball(radius: "2")] }),"#,
    );
}

#[test]
fn empty_ranges_leave_nothing_behind() {
    same(
        r#"constants: { "n": 0 }, points: { "A": (at: [0, 0]), "P[i = 1..n]": (at: [0, 0]), "Q[i = 2..3, j = i+1..2]": (at: [0, 0]) },
           ground: { "G[i = 1..n]": [0, 0] /* a comment, */ , "H": [0, 0] }, view: (trace: ["P[i = 1..n]"]),
           outputs: { "s": "2 + sum(i = 1..n, P[i].y)" },"#,
        r#"constants: { "n": 0 }, points: { "A": (at: [0, 0]) }, ground: { "H": [0, 0] }, view: (trace: []), outputs: { "s": "2 + (0)" },"#,
    );
}

#[test]
fn an_index_is_a_number_only_where_it_stands_alone() {
    same(
        r#"outputs: { "o[i = -1..-1]": "2^i - i*crank i + 'i'.x - i.x + e3*3e-2 + i[2] + sin(i) + -i^2 + x[i] y + 2*i/i", "i name": "i" },"#,
        r#"outputs: {
            "o[-1]": "2^(-1) - (-1)*crank i + 'i'.x - i.x + e3*3e-2 + i[2] + sin((-1)) + -(-1)^2 + x[-1] y + 2*(-1)/(-1)",
            "i name": "i",
        },"#,
    );
}

#[test]
fn sums_and_extremes_run_over_their_ranges() {
    same(
        r#"constants: { "n": 2 }, outputs: {
            "a": "sum(i = 1..n, j = i..n, P[i,j].x - 1)*2", "b": "sum(i = 1..n, x*sum(j = 1..i, j))",
            "c": "max(i = 0..n, P[i].y) + min(k = n..n, P[k].y) - min(a, b)",
            "d[i = 1..2]": "sum(k = 1..i, i*k)",
        },"#,
        r#"constants: { "n": 2 }, outputs: {
            "a": "((P[1,1].x - 1) + (P[1,2].x - 1) + (P[2,2].x - 1))*2", "b": "((x*((1))) + (x*((1) + (2))))",
            "c": "max((P[0].y), (P[1].y), (P[2].y)) + ((P[2].y)) - min(a, b)",
            "d[1]": "((1*1))", "d[2]": "((2*1) + (2*2))",
        },"#,
    );
}

#[test]
fn each_takes_the_value_of_its_copy() {
    same(
        r#"parameters: { "m[i = 1..2, j = 1..2]": (value: Each([1, "i*j", 3.5, "m[1,1]"]), unit: "kg"), "k[i = 1..2]": Each([7, 8]) },
           points: { "P[i = 1..2]": (at: Each([[0, 1], ["i", 2]])) },"#,
        r#"parameters: {
            "m[1,1]": (value: 1, unit: "kg"), "m[1,2]": (value: "1*2", unit: "kg"), "m[2,1]": (value: 3.5, unit: "kg"),
            "m[2,2]": (value: "m[1,1]", unit: "kg"), "k[1]": 7, "k[2]": 8,
        },
        points: { "P[1]": (at: [0, 1]), "P[2]": (at: ["2", 2]) },"#,
    );
}

#[test]
fn ranges_read_constants_and_families_of_them() {
    same(
        r#"constants: { "k": 2, "n[i = 1..k]": "i*k", "half": "n[2]/4" },
           points: { "P[i = half..n[k-1]]": (at: [0, 0]), "Q[j = 1..2, i = n[j]..n[j]]": (at: [0, 0]), "R[n[2]/3 - 1/3]": (at: [0, 0]) },"#,
        r#"constants: { "k": 2, "n[1]": "1*k", "n[2]": "2*k", "half": "n[2]/4" },
           points: {
               "P[1]": (at: [0, 0]), "P[2]": (at: [0, 0]), "Q[1,2]": (at: [0, 0]), "Q[2,4]": (at: [0, 0]), "R[1]": (at: [0, 0]),
           },"#,
    );
}

#[test]
fn brackets_that_are_no_indices_stay() {
    let names = r#"outputs: { "speed [m/s]": "1", "speed[m/s]": "2", "a[b=c]": "3", "x[1.5]": "4", "b[]": "5", "c[": "6", "d]": "7" },"#;
    let fields = format!("(name: \"x[i]\", space: Planar, {names} simulation: (duration: 1))");
    let file = parse("a.ron", &fields).expect("a scene");
    let names: Vec<&str> = file.scene.outputs.names().collect();
    assert_eq!(
        names,
        ["speed [m/s]", "speed[m/s]", "a[b=c]", "x[1.5]", "b[]", "c[", "d]"]
    );
    assert_eq!(file.scene.name, "x[i]");
}

#[test]
fn texts_with_escapes_are_written_out_too() {
    same(
        r##"outputs: { "\u{50}[i = 1..2] \\": "\u{50}[i] + i", r#"Q[i = 1..2]""#: r#"P[i]"# },"##,
        r##"outputs: { "P[1] \\": "P[1] + 1", "P[2] \\": "P[2] + 2", r#"Q[1]""#: r#"P[1]"#, r#"Q[2]""#: r#"P[2]"# },"##,
    );
}
