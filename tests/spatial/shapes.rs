//! Bodies in space made of shapes with a density: mass, centre and tensor against integrals, and their derivatives.

use std::f64::consts::PI;
use std::path::Path;

use costate::run::{Experiment, Method, Verdict};
use costate::scene::schema::FormulationKind::Nullspace;

use crate::support::{certified, close, failure, objective, report, spatial, tight};

/// Mass, `[xx, yy, zz]` about the origin by spinning about each axis, and the centre: what a body of these parts has.
fn properties(parts: &str) -> [f64; 7] {
    let mut found = [0.0; 7];
    for (k, spin) in ["[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]"].iter().enumerate() {
        let fields = format!(
            r#"bodies: {{ "b": Solid(parts: [{parts}], at: [0, 0, 0], velocity: [0, 0, 0], angular_velocity: {spin}, markers: {{ "x": [1, 0, 0] }}) }},
            outputs: {{ "m": "2*energy.kinetic" }},
            objectives: {{ "lx": Final("b.l_x"), "ly": Final("b.l_y"), "lz": Final("b.l_z"), "x": Final("b.centre.x"), "y": Final("b.centre.y"), "z": Final("b.centre.z"), "px": Final("b.p_x"), "py": Final("b.p_y"), "pz": Final("b.p_z"), }},"#
        );
        let report = report(&opened(&spatial(1e-9, &fields)));
        found[k] = objective(&report, ["lx", "ly", "lz"][k]);
        for (axis, name) in ["x", "y", "z"].iter().enumerate() {
            found[3 + axis] = objective(&report, name);
        }
    }
    // A body that moves without turning has the momentum m v.
    let fields = format!(
        r#"bodies: {{ "b": Solid(parts: [{parts}], at: [0, 0, 0], velocity: [1, 0, 0], angular_velocity: [0, 0, 0]) }},
        objectives: {{ "p": Final("b.p_x") }},"#
    );
    found[6] = objective(&report(&opened(&spatial(1e-9, &fields))), "p");
    found
}

/// A scene in the folder of the tests' scenes, where its meshes are.
fn opened(text: &str) -> Experiment {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes/spatial/shapes.ron");
    let file = costate::scene::parse(&path.display().to_string(), text);
    let experiment = file.and_then(|file| Experiment::new(&file, &tight()));
    experiment.unwrap_or_else(|error| panic!("{error}\n{:?}\n{text}", error.advice()))
}

/// Mass and moments across and along z of a density-one body whose slice at z has these squares of outer and inner radius.
fn of_slices(half: f64, slice: impl Fn(f64) -> (f64, f64)) -> [f64; 3] {
    let count = 200_000;
    let step = 2.0 * half / f64::from(count);
    let mut sums = [0.0; 3];
    for k in 0..count {
        let z = -half + (f64::from(k) + 0.5) * step;
        let (outer, inner) = slice(z);
        let (area, fourth) = (PI * (outer - inner), PI * (outer * outer - inner * inner));
        sums[0] += area * step;
        sums[1] += (fourth / 4.0 + area * z * z) * step;
        sums[2] += fourth / 2.0 * step;
    }
    sums
}

#[test]
fn round_shapes_have_the_moments_of_their_slices() {
    let capsule = |z: f64| {
        let beyond = (z.abs() - 0.25).max(0.0);
        (0.04 - beyond * beyond, 0.0)
    };
    for (shape, half, slices) in [
        (
            "Cylinder(radius: 0.2, length: 0.5)",
            0.25,
            of_slices(0.25, |_| (0.04, 0.0)),
        ),
        (
            "Ring(radius: 0.2, hole: 0.15, length: 0.5)",
            0.25,
            of_slices(0.25, |_| (0.04, 0.0225)),
        ),
        ("Ball(radius: 0.2)", 0.2, of_slices(0.2, |z| (0.04 - z * z, 0.0))),
        ("Capsule(radius: 0.2, length: 0.5)", 0.45, of_slices(0.45, capsule)),
    ] {
        assert!(half > 0.0);
        let found = properties(&format!("Shapes(density: 1000, shapes: [{shape}])"));
        let want = slices.map(|x| 1000.0 * x);
        close(shape, found[6], want[0], 1e-7 * want[0]);
        close(shape, found[0], want[1], 1e-7 * want[1]);
        close(shape, found[1], want[1], 1e-7 * want[1]);
        close(shape, found[2], want[2], 1e-7 * want[2]);
    }
}

#[test]
fn a_box_is_its_two_halves_and_the_mesh_of_a_cube() {
    let whole = properties("Shapes(density: 700, shapes: [Box(size: [0.4, 0.2, 0.6], offset: [0.1, -0.3, 0.2])])");
    let halves = properties(
        "Shapes(density: 700, shapes: [Box(size: [0.2, 0.2, 0.6], offset: [0, -0.3, 0.2])]),
         Shapes(density: 700, shapes: [Box(size: [0.6, 0.2, 0.2], offset: [0.2, -0.3, 0.2], rotation: [0, 1.5707963267948966, 0])])",
    );
    let mass = 700.0 * 0.4 * 0.2 * 0.6;
    close("mass", whole[6], mass, 1e-12);
    close("about x", whole[0], mass * ((0.04 + 0.36) / 12.0 + 0.09 + 0.04), 1e-10);
    let cube = properties("Shapes(density: 500, shapes: [Mesh(file: \"cube.obj\", scale: 0.5, offset: [0.1, 0, 0])])");
    let same = properties("Shapes(density: 500, shapes: [Box(size: [0.5, 0.5, 0.5], offset: [0.35, 0.25, 0.25])])");
    for (a, b) in [(halves, whole), (cube, same)] {
        for k in 0..7 {
            close("part for part", a[k], b[k], 1e-10 * b[6]);
        }
    }
}

/// A cube of an edge of 0.01 at 12.3, 4.1 and 7.7, as programs write parts that they keep at their places in a machine.
#[test]
fn a_small_mesh_far_from_its_origin_has_the_mass_of_its_box() {
    let far =
        properties("Shapes(density: 1e6, shapes: [Mesh(file: \"far_box.obj\", offset: [-12.305, -4.105, -7.705])])");
    close("mass", far[6], 1.0, 1e-11);
    for k in 0..3 {
        close("tensor", far[k], 1e-4 / 6.0, 1e-15);
        close("centre", far[3 + k], 0.0, 1e-14);
    }
}

#[test]
fn the_mass_of_a_far_mesh_has_its_derivatives_by_scale_and_density() {
    let experiment = opened(&spatial(
        0.1,
        r#"parameters: { "rho": 1e6, "s": 0.5 },
        bodies: { "b": Solid(parts: [Shapes(density: "rho", shapes: [Mesh(file: "far_box.obj", scale: "s")])],
            at: [0, 0, 0], velocity: [1, 0, 0], angular_velocity: [0, 0, 0]) },
        objectives: { "m": At(time: 0, of: "b.p_x"), "z": At(time: 0, of: "b.centre.z") },"#,
    ));
    let found = experiment.gradient(Method::Adjoint).unwrap();
    let [mass, height] = ["m", "z"].map(|name| {
        found
            .objectives
            .iter()
            .find(|objective| objective.name == name)
            .unwrap()
    });
    close("mass", mass.value, 0.125, 1e-12);
    close("by the density", mass.gradient[0], 1.25e-7, 1e-18);
    close("by the scale", mass.gradient[1], 0.75, 1e-11);
    close("centre by the scale", height.gradient[1], 7.705, 1e-13);
}

/// A top of every shape on a ball joint, all of it by parameters.
const TOP: &str = r#"
    gravity: [0, 0, -9.81],
    parameters: { "rho": 900, "a": 0.2, "r": 0.05, "l": 0.3, "h": 0.02, "R": 0.12, "s": 0.1, "x": 0.03, "turn": 0.4, "m": 0.3 },
    ground: { "O": [0, 0, 0] },
    bodies: { "top": Solid(at: [0, 0, 0], orientation: Rotations([X(0.5)]), angular_velocity: [0.5, 0.2, 12], parts: [
        Shapes(density: "rho", shapes: [
            Box(size: ["a", 0.1, 0.04], offset: ["x", 0, 0.2], rotation: ["turn", 0.1, 0.2]),
            Cylinder(radius: "r", length: "l", offset: [0, 0, 0.15]),
            Capsule(radius: "h", length: "a", offset: [0, "x", 0.25], rotation: [0, "turn", 0]),
            Ring(radius: "R", hole: "r", length: "h", offset: [0, 0, 0.22]),
        ]),
        Shapes(density: 2700, shapes: [Ball(radius: "h", offset: ["x", "x", 0.3]), Mesh(file: "cube.obj", scale: "s", offset: [0, 0, "l"], rotation: [0, 0, "turn"])]),
        Mass(mass: "m", inertia: [0.001, 0.002, 0.002, 0, 0, 0], at: [0.1, 0, "l"], orientation: Rotations([Y("turn")])),
    ], markers: { "tip": [0, 0, 1] }) },
    joints: { "ball": Spherical(between: ("O", "top.origin")) },
    objectives: { "x": Final("top.tip.x"), "E": Final("energy.total"), "lz": Final("top.l_z"), "f": Final("ball.fx"), "w": Final("top.omega_x") },
"#;

#[test]
fn gradients_by_sizes_densities_and_places_are_certified_and_agree() {
    let experiment = opened(&spatial(0.4, TOP));
    let (adjoint, certificate) = experiment.certify(Method::Adjoint, &|_| {}).unwrap();
    assert_eq!(certificate.verdict, Verdict::Passed, "{:?}", certificate.entries);
    let forward = experiment.gradient(Method::Forward).unwrap();
    for (a, f) in adjoint.objectives.iter().zip(&forward.objectives) {
        let scale = a.gradient.iter().fold(1e-9, |most: f64, x| most.max(x.abs()));
        for (x, y) in a.gradient.iter().zip(&f.gradient) {
            close(&a.name, *x, *y, 1e-9 * scale);
        }
    }
    for (k, parameter) in adjoint.parameters.iter().enumerate() {
        let moves = adjoint
            .objectives
            .iter()
            .any(|objective| objective.gradient[k].abs() > 1e-6);
        assert!(moves, "{parameter}");
    }
    let (end, start) = (report(&experiment), report(&opened(&spatial(1e-9, TOP))));
    for name in ["E", "lz"] {
        close(
            name,
            objective(&end, name),
            objective(&start, name),
            1e-9 * objective(&start, name).abs(),
        );
    }
}

#[test]
fn a_body_is_drawn_as_its_shapes_unless_the_view_says_otherwise() {
    let parts = opened(&spatial(0.1, TOP));
    let shapes = |experiment: &Experiment| {
        experiment
            .view
            .shapes
            .iter()
            .map(|(_, shapes)| shapes.len())
            .sum::<usize>()
    };
    assert_eq!(shapes(&parts), 6);
    let other = opened(&spatial(
        0.1,
        &format!("{TOP} view: (shapes: {{ \"top\": [Ball(radius: 0.2)] }}),"),
    ));
    assert_eq!(shapes(&other), 1);
}

#[test]
fn wrong_parts_are_refused_where_they_are_written() {
    let _ = certified(
        &spatial(
            0.05,
            r#"parameters: { "d": 10 }, bodies: { "b": Solid(parts: [Shapes(density: "d", shapes: [Ball(radius: 0.2)])], at: [0, 0, 0], angular_velocity: [1, 0, 0]) },
        objectives: { "E": Final("energy.kinetic") },"#,
        ),
        Nullspace,
    );
    for (parts, words) in [
        ("Shapes(density: 0, shapes: [Ball(radius: 1)])", "must be positive"),
        ("Shapes(density: 1, shapes: [])", "no shapes"),
        ("Shapes(density: 1, shapes: [Ball(radius: -1)])", "must be positive"),
        ("Shapes(density: 1, shapes: [Box(size: [1, 2])])", "2 components"),
        (
            "Shapes(density: 1, shapes: [Ring(radius: 1, hole: 1, length: 2)])",
            "as wide",
        ),
        (
            "Shapes(density: 1, shapes: [Box(size: [1, 2, 3], rotation: [1])])",
            "three angles",
        ),
        (
            "Shapes(density: 1, shapes: [Ball(radius: 1)])], mass: 2, inertia: [1, 1, 1, 0, 0, 0",
            "follows from the parts",
        ),
        ("Mass(mass: 1, inertia: [1, 1, -1, 0, 0, 0])", "positive definite"),
    ] {
        let error = failure(&spatial(
            0.1,
            &format!("bodies: {{ \"b\": Solid(parts: [{parts}], at: [0, 0, 0]) }},"),
        ));
        assert!(error.to_string().contains(words), "{parts}: {error}");
        assert!(error.advice().is_some() && error.line().is_some(), "{parts}: {error}");
    }
    let open = spatial(
        0.1,
        r#"bodies: { "b": Solid(parts: [Shapes(density: 1, shapes: [Mesh(file: "open_cube.obj")])], at: [0, 0, 0]) },"#,
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes/spatial/shapes.ron");
    let file = costate::scene::parse(&path.display().to_string(), &open).unwrap();
    let error = Experiment::new(&file, &tight()).expect_err("refused");
    assert!(error.to_string().contains("not closed: 4 edges"), "{error}");
}
