//! Gradients under the penalty: rows that depend on each other, contacts that let go.

use costate::run::{Changes, Experiment, GradientReport, Method};
use costate::scene::parse;
use costate::scene::schema::FormulationKind::{Nullspace, Penalty};

use crate::{changes, worst_difference};

/// A spatial linkage of four bodies, each of points and bars; it moves although its rows are more than its coordinates.
const BENNETT: &str = r#"Scene(name:"Bennett linkage from points and bars", space: Spatial, parameters: {"m":1.0,"g":9.81,"s":1.0}, gravity:[0,0,"-g"],
 ground: {"A1": [0.0, 0.0, 0.0], "A2": [0.0, 0.0, 0.5], "D1": [-1.6103950192735832, -1.6653345369377348e-16, -3.3306690738754696e-16], "D2": [-1.6103950192735832, 0.45464871341284074, -0.2080734182735715]},
 points: {"B1": (guess: [0.6216099682706644, 0.7833269096274834, 0.0], mass:"m"), "B2": (guess: [0.8427597901351402, 0.6078332146418047, 0.41266780745483916], mass:"m"), "C1": (guess: [-0.7993001998815907, 0.24341039767207084, 0.5318614220458138], mass:"m"), "C2": (guess: [-0.964434038374747, 0.7139413427973077, 0.5683503938601522], mass:"m")},
 joints: {"A1B1": Link(from:"A1",to:"B1",length:1.0), "A1B2": Link(from:"A1",to:"B2",length:1.118033988749895), "A2B1": Link(from:"A2",to:"B1",length:1.118033988749895), "A2B2": Link(from:"A2",to:"B2",length:1.0427522201103965), "B1B2": Link(from:"B1",to:"B2",length:0.5), "B1C1": Link(from:"B1",to:"C1",length:1.6103950192735832), "B1C2": Link(from:"B1",to:"C2",length:1.6862301498019672), "B2C1": Link(from:"B2",to:"C1",length:1.6862301498019672), "B2C2": Link(from:"B2",to:"C2",length:1.8169880396895122), "C1C2": Link(from:"C1",to:"C2",length:0.5), "C1D1": Link(from:"C1",to:"D1",length:1.0), "C1D2": Link(from:"C1",to:"D2",length:1.118033988749895), "C2D1": Link(from:"C2",to:"D1",length:1.118033988749895), "C2D2": Link(from:"C2",to:"D2",length:1.0427522201103967)},
 forces: {"air": Drag(at:"C1",linear:"0.2*s")},
 objectives: {"x":Final("C1.x"),"E":Final("energy.total")}, simulation:(duration: 4))"#;

/// A wheel drives a flywheel through a flexible shaft; the flywheel rests on a stop and leaves it.
const END_STOP: &str = r#"Scene(
    name: "Gear, flexible shaft and end stop", space: Planar,
    parameters: { "ratio": -0.5, "k": 8.0, "c": 0.05, "J": 0.02, "e": 0.0, "stop": -1.2, "A": 2.0, "w": 4.0 },
    ground: { "O1": [0, 0], "O2": [0.3, 0], "O3": [0.6, 0] },
    bodies: {
        "pinion": Rigid(mass: 1, inertia: 0.001, at: [0, 0, 0]),
        "wheel": Rigid(mass: 2, inertia: 0.01, at: [0.3, 0, 0]),
        "flywheel": Rigid(mass: 3, inertia: "J", at: [0.6, 0, 0], velocity: [0, 0, 0]),
    },
    joints: {
        "a1": Revolute(between: ("O1", "pinion.origin")), "a2": Revolute(between: ("O2", "wheel.origin")), "a3": Revolute(between: ("O3", "flywheel.origin")),
        "gear": Gear(between: ("pinion", "wheel"), ratio: "ratio"),
        "motor": DriveAngle(body: "pinion", angle: "A*(1 - cos(w*t))"),
    },
    forces: { "shaft": TorsionSpring(between: ("wheel", "flywheel"), stiffness: "k", damping: "c") },
    contacts: { "stop": Limit(of: Angle("flywheel"), at_least: "stop", law: Restitution("e")) },
    outputs: { "phi": "flywheel.angle", "torque": "motor.torque", "gear torque": "gear.torque" },
    objectives: { "phi": Final("phi"), "omega": Final("flywheel.omega"), "effort": Integral("torque^2"), "peak": Max("torque") },
    simulation: (duration: 3),
)"#;

/// The gradients under the penalty by the adjoint and forward, which agree with each other to this bound and with that of the
/// null space to 1e-7.
fn agreeing(text: &str, (rtol, atol): (f64, f64), bound: f64) -> [GradientReport; 2] {
    let by = |formulation, method| {
        let changes = Changes {
            formulation: Some(formulation),
            ..changes(rtol, atol)
        };
        let prepared = Experiment::new(&parse("test.ron", text).expect("a scene"), &changes).expect("an experiment");
        prepared.gradient(method).expect("a gradient")
    };
    let (adjoint, forward) = (by(Penalty, Method::Adjoint), by(Penalty, Method::Forward));
    let error = worst_difference(&adjoint, &forward);
    assert!(error < bound, "adjoint against forward: {error:e}");
    let error = worst_difference(&forward, &by(Nullspace, Method::Forward));
    assert!(error < 1e-7, "against the null space: {error:e}");
    [adjoint, forward]
}

#[test]
fn rows_that_depend_on_each_other_cost_the_penalty_no_more_steps_back_than_forth() {
    let [adjoint, _] = agreeing(BENNETT, (1e-12, 1e-13), 1e-9);
    let (forth, back) = (adjoint.forward.evaluations, adjoint.backward.evaluations);
    assert!(back < 2 * forth, "{forth} right-hand sides forth, {back} back");
}

#[test]
fn a_stop_lets_go_once_under_the_penalty_whichever_way_it_is_differentiated() {
    let [_, forward] = agreeing(END_STOP, (1e-10, 1e-12), 1e-8);
    assert_eq!(forward.events.len(), 4);
}

#[test]
fn integrals_far_larger_than_estimated_take_no_more_steps_back_than_forth() {
    let report = crate::shipped("slider_crank", &Changes::default())
        .gradient(Method::Adjoint)
        .expect("a gradient");
    let (forth, back) = (report.forward.evaluations, report.backward.evaluations);
    assert!(2 * back < 3 * forth, "{forth} right-hand sides forth, {back} back");
}
