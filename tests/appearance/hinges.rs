//! Joints between frames in space are drawn by their kind, and have one reaction.

use costate::appearance::{Hinge, Item, Material, Shape, Vector};
use costate::model::quantity::VectorKind;
use costate::run::{Changes, Experiment};
use costate::scene::parse;
use costate::show::{Arrows, Show};

fn show(text: &str) -> Show {
    let experiment = Experiment::new(&parse("", text).expect("a scene"), &Changes::default()).expect("it is valid");
    Show::with_intervals(experiment, 20, &mut |_| ()).expect("it runs")
}

/// A body on the ground by a joint at (1, 2, 3), with gravity across its axis.
fn scene(joint: &str) -> String {
    format!(
        r#"Scene(
            name: "", space: Spatial, gravity: [0, 0, -10],
            ground: {{ "O": [1, 2, 3] }},
            bodies: {{ "a": Solid(mass: 2, inertia: [1, 1, 1, 0, 0, 0], at: [1, 2, 3]) }},
            joints: {{ "j": {joint} }},
            simulation: (duration: 0.1),
        )"#
    )
}

fn hinges(items: &[Item]) -> Vec<(Hinge, [Vector; 2], [Vector; 2])> {
    let hinge = |item: &Item| match item.shape {
        Shape::Hinge(kind, places, axes) => Some((kind, places, axes)),
        _ => None,
    };
    items.iter().filter_map(hinge).collect()
}

#[test]
fn every_joint_between_frames_is_drawn_as_what_it_is_at_its_place_along_its_axes() {
    let one = r#"between: ("O", "a.origin")"#;
    let (x, y) = (Vector::x(), Vector::y());
    let cases = [
        (format!("Revolute({one}, axis: [3, 0, 0])"), Hinge::Revolute, [x, x]),
        (
            format!("Cylindrical({one}, axis: [1, 0, 0])"),
            Hinge::Cylindrical,
            [x, x],
        ),
        (
            format!("Screw({one}, axis: [1, 0, 0], lead: 0.1)"),
            Hinge::Screw,
            [x, x],
        ),
        (
            format!("Prismatic({one}, direction: [0, 2, 0])"),
            Hinge::Prismatic,
            [y, y],
        ),
        (format!("Planar({one}, normal: [0, 1, 0])"), Hinge::Planar, [y, y]),
        (
            format!("Universal({one}, axes: ([1, 0, 0], [0, 1, 0]))"),
            Hinge::Universal,
            [x, y],
        ),
        (format!("Weld({one})"), Hinge::Weld, [Vector::z(); 2]),
    ];
    for (joint, kind, axes) in cases {
        let show = show(&scene(&joint));
        let found = hinges(&show.items(0.0));
        assert_eq!(found.len(), 1, "{joint}");
        assert_eq!(found[0].0, kind, "{joint}");
        for (place, (axis, expected)) in found[0].1.iter().zip(found[0].2.iter().zip(axes)) {
            assert!((place - Vector::new(1.0, 2.0, 3.0)).amax() < 1e-12, "{joint}: {place}");
            assert!((axis - expected).amax() < 1e-12, "{joint}: {axis}");
        }
        let (_, blocks) = show.blocks(0.0);
        assert!(blocks.iter().any(|block| block.material == Material::Rim), "{joint}");
    }
    // The axis of a constant-velocity joint is across both of its directions.
    let show = show(&scene(&format!("ConstantVelocity({one}, axis: [1, 0, 0])")));
    let (kind, _, [first, second]) = hinges(&show.items(0.0))[0];
    assert_eq!(kind, Hinge::ConstantVelocity);
    assert!((first.cross(&second).x.abs() - 1.0).abs() < 1e-12);
}

#[test]
fn a_ball_joint_and_a_plane_are_no_joints_between_frames() {
    for joint in [
        r#"Spherical(between: ("O", "a.origin"))"#,
        r#"PointOnPlane(point: "a.origin", through: [1, 2, 3], normal: [0, 0, 1])"#,
    ] {
        assert!(hinges(&show(&scene(joint)).items(0.0)).is_empty(), "{joint}");
    }
}

#[test]
fn a_joint_that_slides_has_one_reaction_that_carries_the_weight() {
    for kind in ["Cylindrical", "Prismatic", "Revolute"] {
        let axis = if kind == "Prismatic" { "direction" } else { "axis" };
        let show = show(&scene(&format!(
            r#"{kind}(between: ("O", "a.origin"), {axis}: [1, 0, 0])"#
        )));
        let mut arrows = Arrows::new(&show).expect("arrows");
        let kinds = [VectorKind::Reaction];
        let newtons = arrows
            .legends(&kinds)
            .next()
            .map(|legend| legend.value / legend.length)
            .expect("a scale");
        let found = arrows.at(&show, 0.05, &kinds).expect("arrows");
        assert_eq!(found.len(), 1, "{kind}");
        let force = found[0].reach * newtons;
        assert!((force - Vector::new(0.0, 0.0, 20.0)).amax() < 1e-9, "{kind}: {force}");
    }
}
