//! What an exported motion promises: files that other tools accept, and bodies where the simulation has them.

mod support;

#[path = "export/animated.rs"]
mod animated;
#[cfg(feature = "cli")]
#[path = "export/command.rs"]
mod command;
#[path = "export/curves.rs"]
mod curves;
#[path = "export/page.rs"]
mod page;
#[cfg(feature = "cli")]
#[path = "export/report.rs"]
mod report;

use animated::Animated;
use costate::export::Motion;
use costate::run::{Changes, Experiment};
use costate::show::Show;
use gltf::camera::Projection;
use support::{experiment, planar, shipped, shipped_names, spatial, tight};

/// Simulates with as many recorded outputs as states.
fn show(mut experiment: Experiment, intervals: u32) -> Show {
    experiment.samples = intervals;
    Show::with_intervals(experiment, intervals, &mut |_| {}).unwrap()
}

fn animated(show: &Show) -> Animated {
    let (start, end) = show.film.span();
    Animated::read(&Motion::new(show, start, end).glb(1.0).unwrap())
}

/// Holds three recorded outputs against a place in the file, at every recorded time.
fn follows(show: &Show, outputs: [&str; 3], found: impl Fn(f64) -> [f64; 3]) {
    let series = |name: &str| {
        show.recording
            .outputs
            .iter()
            .find(|series| series.name == name)
            .unwrap()
    };
    for (i, &t) in show.recording.times.iter().enumerate() {
        let expected = outputs.map(|name| match name.strip_prefix('-') {
            _ if name == "0" => 0.0,
            Some(name) => -series(name).values[i],
            None => series(name).values[i],
        });
        let found = found(t);
        // Single precision, on metres.
        let open = (0..3).map(|k| (found[k] - expected[k]).abs()).fold(0.0, f64::max);
        assert!(open < 2e-6, "{outputs:?} at {t} s: {found:?}, not {expected:?}");
    }
}

/// A rod with a plate at its end that strikes the ground, a spring, and parts that are switched.
const PLANAR: &str = r#"
    gravity: [0, -9.81],
    ground: { "O": [0, 0], "wall": [2, 1] },
    points: { "P": (guess: [1, 0]), "free": (at: [3, 1], mass: 1) },
    bodies: {
        "rod": Bar(from: "O", to: "P", length: 1, mass: 1, angle: 0.1),
        "plate": Rigid(guess: [1.3, 0, 0.2], mass: 2, inertia: 0.1, hold: [Angle], markers: {
            "hook": [-0.3, 0.05], "tip": [0.2, 0.3], "low": [0.1, -0.2],
        }),
    },
    joints: {
        "pin": Revolute(between: ("P", "plate.hook")),
        "brace": Link(from: "wall", to: "free", length: 1),
    },
    forces: {
        "coil": Spring(from: "wall", to: "plate.tip", stiffness: 5, natural_length: 1),
        "other coil": Spring(from: "wall", to: "plate.low", stiffness: 5, natural_length: 1),
        "push": Load(at: "free", force: [1, 0], active: false),
    },
    contacts: {
        "floor": Touch(point: "P", surface: Plane(through: [0, -0.5], normal: [0, 1]), law: Restitution(0.5)),
    },
    events: { "break": (when: At(0.505), then: [Disable("brace"), Enable("push")]) },
    outputs: {
        "px": "P.x", "py": "P.y", "x": "plate.x", "y": "plate.y", "angle": "plate.angle",
        "tx": "plate.tip.x", "ty": "plate.tip.y", "lx": "plate.low.x", "ly": "plate.low.y",
    },
"#;

#[test]
fn bars_and_rigid_bodies_move_through_impacts_as_the_outputs_say() {
    let show = show(experiment(&planar(1.5, PLANAR), &tight()), 90);
    assert!(show.report.events.iter().any(|event| event.kind == "impact"));
    let file = animated(&show);
    follows(&show, ["x", "y", "0"], |t| file.place("plate", t, [0.0; 3]));
    follows(&show, ["tx", "ty", "0"], |t| file.place("plate", t, [0.2, 0.3, 0.0]));
    follows(&show, ["px", "py", "0"], |t| file.place("rod", t, [1.0, 0.0, 0.0]));
}

#[test]
fn the_parts_of_a_body_stay_where_they_are_on_it() {
    let show = show(experiment(&planar(1.5, PLANAR), &tight()), 90);
    let file = animated(&show);
    // The nearest of the parts with this name, seen from above.
    let nearest = |name: &str, [x, y]: [&str; 2]| {
        let parts = file.named(name);
        assert!(parts.len() > 2, "{name}");
        let series = |name: &str| {
            show.recording
                .outputs
                .iter()
                .find(|series| series.name == name)
                .unwrap()
        };
        for (i, &t) in show.recording.times.iter().enumerate() {
            let (x, y) = (series(x).values[i] as f32, series(y).values[i] as f32);
            let open = parts.iter().map(|&part| {
                let world = file.world(part, t);
                (world[(0, 3)] - x).hypot(world[(1, 3)] - y)
            });
            let open = open.fold(f32::INFINITY, f32::min);
            assert!(open < 2e-6, "{name} at {t} s: {open} m from its place");
        }
    };
    nearest("rod (body)", ["px", "py"]);
    nearest("plate (body)", ["tx", "ty"]);
    nearest("plate (body)", ["lx", "ly"]);
}

#[test]
fn springs_reach_from_end_to_end_at_all_times() {
    let show = show(experiment(&planar(1.5, PLANAR), &tight()), 90);
    let file = animated(&show);
    let flat = |[x, y, _]: [f64; 3]| [x, y, 0.0];
    follows(&show, ["tx", "ty", "0"], |t| {
        flat(file.place("coil (spring)", t, [0.0, 1.0, 0.0]))
    });
    follows(&show, ["lx", "ly", "0"], |t| {
        flat(file.place("other coil (spring)", t, [0.0, 1.0, 0.0]))
    });
    let fixed = flat(file.place("coil (spring)", 1.1, [0.0; 3]));
    assert!(
        (fixed[0] - 2.0).abs() < 1e-6 && (fixed[1] - 1.0).abs() < 1e-6,
        "{fixed:?}"
    );
}

#[test]
fn what_is_switched_off_is_not_seen_from_that_very_moment_on() {
    let file = animated(&show(experiment(&planar(1.5, PLANAR), &tight()), 90));
    let size = |name: &str, t: f64| {
        let nodes = file.named(name);
        assert_eq!(nodes.len(), 1, "{name}");
        file.world(nodes[0], t).fixed_view::<3, 3>(0, 0).determinant()
    };
    for (t, seen) in [(0.0, 1.0), (0.5, 1.0), (0.5049, 1.0), (0.5051, 0.0), (1.5, 0.0)] {
        assert!((size("brace", t) - seen).abs() < 1e-6, "brace at {t} s");
        assert!((size("push", t) - (1.0 - seen)).abs() < 1e-6, "push at {t} s");
        assert!((size("rod", t) - 1.0).abs() < 1e-6, "rod at {t} s");
    }
}

#[test]
fn spatial_motions_stand_upright_and_bars_point_to_their_ends() {
    let fields = r#"
        gravity: [0, 0, -9.81],
        ground: { "A": [0, 0, 2], "B": [1, 1, 0] },
        points: { "P": (at: [1, 0, 2], velocity: [0, 2, 0], mass: 1), "Q": (guess: [1.5, 0.2, 1], mass: 1) },
        bodies: {
            "rod": Bar(from: "A", to: "P", length: 1, mass: 1),
            "other": Bar(from: "P", to: "Q", length: 1, mass: 0.5),
        },
        forces: { "coil": Spring(from: "B", to: "Q", stiffness: 20, natural_length: 1) },
        outputs: { "px": "P.x", "py": "P.y", "pz": "P.z", "qx": "Q.x", "qy": "Q.y", "qz": "Q.z" },
    "#;
    let show = show(experiment(&spatial(2.0, fields), &tight()), 120);
    let file = animated(&show);
    // z becomes y.
    follows(&show, ["px", "pz", "-py"], |t| file.place("rod", t, [1.0, 0.0, 0.0]));
    follows(&show, ["px", "pz", "-py"], |t| file.place("other", t, [0.0; 3]));
    follows(&show, ["qx", "qz", "-qy"], |t| file.place("other", t, [1.0, 0.0, 0.0]));
    follows(&show, ["qx", "qz", "-qy"], |t| {
        file.place("coil (spring)", t, [0.0, 1.0, 0.0])
    });
}

#[test]
fn meshes_of_files_move_with_their_bodies() {
    let show = Show::new(shipped("hanging_lamp", &Changes::default()), &mut |_| {}).unwrap();
    let file = animated(&show);
    let parts = file.named("cord (body)");
    let triangles = |node: usize| {
        let mesh = file.document.nodes().nth(node).unwrap().mesh().unwrap();
        mesh.primitives().next().unwrap().indices().unwrap().count() / 3
    };
    let shade = parts.into_iter().max_by_key(|&node| triangles(node)).unwrap();
    assert_eq!(triangles(shade), 704);
    let lamp = |t: f64| file.place("lamp (body)", t, [0.0; 3]);
    for t in [0.0, 0.5, 1.3] {
        let origin = file.world(shade, t) * nalgebra::Vector4::new(0.0, 0.0, 0.0, 1.0);
        for (found, expected) in origin.iter().zip(lamp(t)) {
            assert!(
                (f64::from(*found) - expected).abs() < 1e-5,
                "{t} s: {origin}, not {:?}",
                lamp(t)
            );
        }
    }
    assert!((lamp(0.0)[1] + 1.0392304845).abs() < 1e-5);
}

#[test]
fn a_single_point_is_a_motion_too() {
    let fields = r#"points: { "P": (at: [1, 2], velocity: [3, -1], mass: 1) },
        outputs: { "x": "P.x", "y": "P.y" },"#;
    let show = show(experiment(&planar(1.0, fields), &tight()), 10);
    let file = animated(&show);
    assert_eq!(file.document.meshes().len(), 1);
    assert_eq!(file.channels.len(), 1);
    follows(&show, ["x", "y", "0"], |t| file.place("P", t, [0.0; 3]));
    let motion = Motion::new(&show, 0.0, 1.0);
    let rows = motion.poses("poses").rows;
    assert_eq!(rows.len(), 11);
    assert_eq!(rows[10][..3], ["1", "P", "point"]);
    assert_eq!(rows[10][6..], ["1", "0", "0", "0"]);
    assert!(
        motion
            .polydata()
            .all(|data| !data.faces.is_empty() && data.points.iter().flatten().all(|x| x.is_finite()))
    );
}

#[test]
fn what_stands_still_has_no_animation() {
    let fields = r#"ground: { "O": [0, 0] }, points: { "P": (at: [1, 0], mass: 1) },"#;
    let file = animated(&show(experiment(&planar(1.0, fields), &tight()), 10));
    assert_eq!((file.document.animations().len(), file.document.meshes().len()), (0, 1));
}

#[test]
fn the_animations_of_the_shipped_scenes_keep_the_rules_of_the_format() {
    for name in shipped_names() {
        let show = show(shipped(&name, &Default::default()), 50);
        let (start, end) = show.film.span();
        let file = Animated::read(&Motion::new(&show, start, end).glb(0.5).unwrap());
        assert!(!file.channels.is_empty(), "{name}: nothing moves");
        let mut last = 0.0_f32;
        for (_, channel) in &file.channels {
            assert_eq!(channel.times.len(), channel.values.len(), "{name}");
            assert_eq!(channel.times[0], 0.0, "{name}");
            assert!(
                channel.times.windows(2).all(|pair| pair[0] < pair[1]),
                "{name}: times do not ascend"
            );
            last = last.max(channel.times[channel.times.len() - 1]);
            for value in channel.values.iter().filter(|_| channel.is_rotation()) {
                let norm = value.iter().map(|x| x * x).sum::<f32>().sqrt();
                assert!((norm - 1.0).abs() < 1e-6, "{name}: a rotation of norm {norm}");
            }
        }
        assert!(
            (f64::from(last) - 2.0 * (end - start)).abs() < 1e-5 * end,
            "{name}: {last}"
        );
        ranges_hold(&file, &name);
    }
}

/// Every accessor with a range has exactly that of its values, and every normal has length 1.
fn ranges_hold(file: &Animated, name: &str) {
    for primitive in file
        .document
        .meshes()
        .flat_map(|mesh| mesh.primitives().collect::<Vec<_>>())
    {
        let reader = primitive.reader(|_| Some(&file.blob));
        let positions: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
        let bounds = primitive.bounding_box();
        for k in 0..3 {
            let values = || positions.iter().map(|at| at[k]);
            assert_eq!(values().fold(f32::INFINITY, f32::min), bounds.min[k], "{name}");
            assert_eq!(values().fold(f32::NEG_INFINITY, f32::max), bounds.max[k], "{name}");
        }
        for normal in reader.read_normals().unwrap() {
            let norm = normal.iter().map(|x| x * x).sum::<f32>().sqrt();
            assert!((norm - 1.0).abs() < 1e-6, "{name}: a normal of length {norm}");
        }
        let faces = reader.read_indices().unwrap().into_u32();
        assert!(faces.max().is_some_and(|i| (i as usize) < positions.len()), "{name}");
    }
}

/// Where the vertices of a node are in the picture of the camera, from -1 to 1 across and upwards.
fn seen(file: &Animated, node: usize, t: f64) -> Vec<[f32; 2]> {
    let place = file.world(file.named("camera")[0], t);
    // A camera does not take part in scales.
    let scale = place.fixed_view::<3, 1>(0, 0).norm();
    let camera = file.document.cameras().next().unwrap();
    let mesh = file.document.nodes().nth(node).unwrap().mesh().unwrap();
    let vertices = mesh.primitives().flat_map(|primitive| {
        let reader = primitive.reader(|_| Some(&file.blob));
        reader.read_positions().unwrap().collect::<Vec<_>>()
    });
    let to_camera = place.try_inverse().unwrap() * file.world(node, t);
    let picture = |[x, y, z]: [f32; 3]| {
        let at = to_camera * nalgebra::Vector4::new(x, y, z, 1.0) * scale;
        match camera.projection() {
            Projection::Orthographic(lens) => {
                assert!((lens.znear()..lens.zfar()).contains(&-at.z));
                [at.x / lens.xmag(), at.y / lens.ymag()]
            }
            Projection::Perspective(lens) => {
                assert!((lens.znear()..lens.zfar().unwrap()).contains(&-at.z));
                let half = -at.z * (lens.yfov() / 2.0).tan();
                [at.x / half / lens.aspect_ratio().unwrap(), at.y / half]
            }
        }
    };
    vertices.map(picture).collect()
}

#[test]
fn the_camera_holds_the_motion_from_where_pictures_see_it() {
    for (name, fills) in [
        ("five_bar", 0.6),
        ("jansen_leg", 0.6),
        ("flyball_governor", 0.3),
        ("box_drop", 0.3),
    ] {
        let show = show(shipped(name, &Changes::default()), 600);
        let file = animated(&show);
        let nodes = file.document.nodes();
        let drawn = nodes.filter(|node| node.mesh().is_some() && !node.name().unwrap().ends_with("(surface)"));
        let drawn: Vec<usize> = drawn.map(|node| node.index()).collect();
        let mut most = 0.0_f32;
        for i in 0..=20 {
            let t = (show.film.span().1 - show.film.span().0) * f64::from(i) / 20.0;
            for &node in &drawn {
                for at in seen(&file, node, t).into_iter().flatten() {
                    let part = file.document.nodes().nth(node).unwrap();
                    assert!(at.abs() < 1.0, "{name}: {:?} at {at} at {t} s", part.name());
                    most = most.max(at.abs());
                }
            }
        }
        assert!(most > fills, "{name} fills {most} of the picture");
    }
}

#[test]
fn a_surface_is_as_wide_as_what_moves_over_it() {
    for name in ["five_bar", "box_drop"] {
        let show = show(shipped(name, &Changes::default()), 20);
        let file = animated(&show);
        let surface = |node: &gltf::Node| node.name().is_some_and(|name| name.ends_with("(surface)"));
        let slab = file.document.nodes().find(surface).unwrap().index();
        let sides = file.world(slab, 0.0);
        let width = (0..3)
            .map(|k| f64::from(sides.fixed_view::<3, 1>(0, k).norm()))
            .fold(0.0, f64::max);
        let extent = show.scale.extent();
        assert!(
            (extent..1.5 * extent).contains(&width),
            "{name}: {width} beside {extent}"
        );
    }
}

#[test]
fn centimetres_are_written_as_metres() {
    let fields = |unit: &str, others: &str| {
        let fields = format!(
            r#"parameters: {{ "l": (value: 3, unit: "{unit}"), {others} }}, ground: {{ "O": [0, 0] }},
            points: {{ "P": (at: ["l", 0], mass: 1) }}, bodies: {{ "rod": Bar(from: "O", to: "P", length: "l", mass: 1) }},"#
        );
        planar(1.0, &fields)
    };
    let places = [
        ("cm", "", 0.03),
        ("mm", r#""m": (value: 1, unit: "kg")"#, 0.003),
        ("m", "", 3.0),
        // Two units of length say nothing.
        ("mm", r#""b": (value: 1, unit: "m")"#, 3.0),
    ];
    for (unit, others, expected) in places {
        let show = show(experiment(&fields(unit, others), &tight()), 10);
        let place = animated(&show).place("rod", 0.0, [3.0, 0.0, 0.0]);
        assert!(
            (place[0] - expected).abs() < 1e-6 * expected,
            "{unit}, {others}: {place:?}"
        );
    }
}
