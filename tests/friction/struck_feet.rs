//! Impacts of several feet of one face in space: nearly at rest, with a foot that bears nothing, and with slip that nearly ends.

use crate::standing::near;
use crate::support::{experiment, objective, report, spatial, tight};

/// A box of 0.6 by 0.4 by 0.3 m: its centre of mass, and what else its body says; the numbers of restitution and friction; its corners in
/// their order.
fn dropped(
    centre: [f64; 2],
    body: &str,
    [friction, restitution]: [f64; 2],
    order: [usize; 4],
    duration: f64,
) -> String {
    let corners = [[0.3, -0.2], [-0.3, -0.2], [-0.3, 0.2], [0.3, 0.2]];
    let markers = order.iter().enumerate().map(|(k, &corner)| {
        let [x, y] = corners[corner];
        format!("\"k[{k}]\": [{x:?}, {y:?}, -0.15], ")
    });
    let [x, y] = centre;
    spatial(
        duration,
        &format!(
            r#"gravity: [0, 0, -9.81],
            bodies: {{ "b": Solid(mass: 2, inertia: ["1/24", 0.075, "0.26/3", 0, 0, 0], centre_of_mass: [{x:?}, {y:?}, 0], {body}, markers: {{ {} }}) }},
            contacts: {{ "f[i = 0..3]": Touch(point: "b.k[i]", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]),
                law: Friction(coefficient: {friction:?}, restitution: {restitution:?})) }},
            objectives: {{ "x": Final("b.x"), "y": Final("b.y"), "turn": Final("b.q3"), "heat": Integral("sum(i = 0..3, f[i].heat)"),
                "energy": Final("energy.kinetic") }},"#,
            markers.collect::<String>(),
        ),
    )
}

const ROUND: [usize; 4] = [0, 1, 2, 3];

/// Two corners that come down with less than a micrometre per second, sliding at one metre per second: the impact can take a millionth of
/// that. Once it took 0.95 J of 1.14, for a foot that bears nothing was reckoned among those that stick.
#[test]
fn an_impact_that_hardly_strikes_takes_hardly_anything() {
    let body = r#"at: [0, 0, 0.15000002398713036], orientation: Quaternion([0.98435231425053804, -7.0453054022884515e-09, 3.9352382553320524e-08, 0.17621158142871371]),
        velocity: [0.49372087889242189, 0.94158345127953225, -0.013383556490013339], angular_velocity: [-1.6831474390381377e-06, -0.04461055905260123, 0.17211495772146668]"#;
    let scene = dropped([0.03, 0.0], body, [0.3, 0.3], ROUND, 1e-6);
    near(
        "energy",
        objective(&report(&experiment(&scene, &tight())), "energy"),
        1.139_22,
        1e-5,
    );

    let capsule = r#"bodies: { "b": Solid(mass: 2, inertia: [0.01, 0.06, 0.065, 0, 0, 0], centre_of_mass: [0.03, 0, 0], at: [0, 0, 0.1],
            orientation: Rotations([Z(2.553868905134018)]), markers: { "l": [-0.3, 0, 0], "r": [0.3, 0, 0] },
            velocity: [-0.6218441494073037, -0.2585502250003915, "-(4.1460219307848023e-07+1.504159615973807e-07)/2"],
            angular_velocity: [3.227275156712297, "(4.1460219307848023e-07-1.504159615973807e-07)/0.6", -1.4854195800182945]) },
        contacts: { "f": Touch(point: "b.l", to: "b.r", radius: 0.1, surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction(coefficient: 0.3, restitution: 0.3)) },
        objectives: { "energy": Final("energy.kinetic"), "vl": Final("b.l.vz"), "vr": Final("b.r.vz") },"#;
    let found = report(&experiment(&spatial(1e-9, capsule), &tight()));
    near("energy", objective(&found, "energy"), 0.529_404_3, 1e-6);
    for name in ["vl", "vr"] {
        near(name, objective(&found, name), 0.0, 1e-6);
    }
}

/// Boxes that drop flat come to lie at the same place whatever the order of their feet. In the first all feet but one go on slipping while that one nearly
/// stops; in the second a foot that only touches takes a rounding of an impulse, whose friction seemed to give energy.
#[test]
fn boxes_that_drop_flat_come_to_lie_in_any_order_of_their_feet() {
    let boxes = [
        (
            [0.010307213717184786, -0.015353657578843178],
            "at: [0, 0, 0.17931655286240022], velocity: [0.2666288049610328, -0.2177483797640758, 0], angular_velocity: [0, 0, 0.24372791338884525]",
            [0.3127352713598652, 0.3792527081566648],
        ),
        (
            [0.026521959183344983, -0.011686063610502728],
            "at: [0, 0, 0.2053140367432501], velocity: [-0.07718660451604475, 0.06071143224689002, 0], angular_velocity: [0, 0, -0.0798886251984694]",
            [0.3312080180236425, 0.2752943719207292],
        ),
    ];
    for (centre, body, law) in boxes {
        let ends = [ROUND, [3, 1, 2, 0], [2, 3, 0, 1]].map(|order| {
            let found = report(&experiment(&dropped(centre, body, law, order, 0.5), &tight()));
            ["x", "y", "turn", "heat", "energy"].map(|name| objective(&found, name))
        });
        for other in &ends[1..] {
            for (k, (one, other)) in ends[0].iter().zip(other).enumerate() {
                near(&format!("{k}"), *other, *one, 1e-8);
            }
        }
        assert!(ends[0][4] < 1e-12 && ends[0][3] > 0.0, "{ends:?}");
    }
}
