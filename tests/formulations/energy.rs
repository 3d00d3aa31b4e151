//! The balance of energy: what is stored, given and taken adds up, element by element, under every formulation.

use costate::run::{Changes, EnergyBalance, Experiment, Method, Report};
use costate::scene::parse;
use costate::scene::schema::FormulationKind;

use crate::support::*;

fn balanced(experiment: &Experiment) -> (Report, EnergyBalance) {
    let (mut report, _) = experiment.run_balanced(false, &mut |_| {}).expect("it runs");
    let balance = report.balance.take().expect("a balance");
    (report, balance)
}

fn of(entries: &[(String, f64)], name: &str) -> f64 {
    let found = entries.iter().find(|(known, _)| known == name);
    found.unwrap_or_else(|| panic!("no {name} in {entries:?}")).1
}

/// Driven, damped, loaded, sprung, hysteretic, with an end stop and an impact: a bit of everything.
const MIXTURE: &str = r#"
    gravity: [0, -9.81], parameters: { "c": 0.6, "w": 3, "b": 0.1 },
    ground: { "O": [0, 0], "anchor": [-0.5, 0.3], "wall": [2.5, 0.2] },
    points: { "A": (guess: [0.4, 0], mass: 0.3), "B": (guess: [1.3, 0.2], mass: 0.5), "D": (at: [3, 0.6], mass: 0.2) },
    joints: {
        "crank": Link(from: "O", to: "A", length: 0.4),
        "rod": Link(from: "A", to: "B", length: 1),
        "rail": PointOnLine(point: "B", line: Fixed(through: [0, 0.2], direction: [1, 0.1])),
        "motor": DriveDistance(between: ("anchor", "A"), distance: "0.85 + 0.1*cos(w*t)"),
    },
    forces: {
        "damper": Damper(from: "O", to: "B", damping: "c"),
        "shock": Spring(from: "wall", to: "B", stiffness: 20, natural_length: 1, damping: 0.2),
        "air": Drag(at: "D", linear: "b", quadratic: 0.05),
        "wind": Load(at: "D", force: ["0.4*sin(5*t)", 0]),
    },
    contacts: { "floor": Touch(point: "D", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.6)) },
    objectives: { "input": Integral("motor.power"), "lost": Integral("shock.power"), "drag": Integral("air.power"), "now": Final("motor.power") },
"#;

#[test]
fn losses_and_inputs_are_those_of_closed_forms() {
    let text = planar(
        0.5,
        r#"gravity: [0, -10], ground: { "O": [0, 0] },
        points: { "P": (at: [1, 0], velocity: [2, 0], mass: 1.5), "Q": (guess: [0, 5], mass: 2), "B": (at: [9, 0.8], mass: 3), "F": (at: [0, -3], mass: 1) },
        joints: {
            "line": PointOnLine(point: "P", line: Fixed(through: [0, 0], direction: [1, 0])),
            "drive": DriveCoordinate(coordinate: "Q.x", value: "0.3*sin(4*t)"), "hold": DriveCoordinate(coordinate: "Q.y", value: "5"),
        },
        forces: { "damper": Damper(from: "O", to: "P", damping: 0.9), "push": Load(at: "F", force: [7, 10]) },
        contacts: { "ground": Touch(point: "B", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)) },"#,
    );
    let (report, balance) = balanced(&experiment(&text, &tight()));
    close(
        "damper",
        of(&balance.work, "damper"),
        -3.0 * (1.0 - (-2.0_f64 * 0.9 * 0.5 / 1.5).exp()),
        1e-10,
    );
    let speed = 0.3 * 4.0;
    close(
        "drive",
        of(&balance.work, "drive"),
        speed * speed * ((4.0_f64 * 0.5).cos().powi(2) - 1.0),
        1e-10,
    );
    close("push", of(&balance.work, "push"), 7.0 * 0.5 * 7.0 * 0.25, 1e-10);
    close("impact", of(&balance.events, "ground"), -0.75 * 3.0 * 10.0 * 0.8, 1e-10);
    close("missing", balance.missing, 0.0, 1e-10);
    close(
        "stored",
        report.energy.1 - report.energy.0,
        balance
            .work
            .iter()
            .chain(&balance.events)
            .map(|(_, energy)| energy)
            .sum(),
        1e-10,
    );
}

#[test]
fn the_balance_closes_under_every_formulation_and_changes_no_step() {
    use FormulationKind::{Index3, Multipliers, Nullspace, Penalty, Stabilized};
    let reference = balanced(&experiment(&planar(2.0, MIXTURE), &under(Nullspace))).1;
    for name in ["motor", "damper", "shock", "air", "wind"] {
        assert!(of(&reference.work, name).abs() > 1e-3, "{name}: {reference:?}");
    }
    assert!(of(&reference.events, "floor") < -0.1, "{reference:?}");
    for formulation in [Nullspace, Multipliers, Penalty, Stabilized, Index3] {
        let experiment = experiment(&planar(2.0, MIXTURE), &under(formulation));
        let (report, balance) = balanced(&experiment);
        assert!(
            balance.missing.abs() < balance.tolerance,
            "{formulation:?}: {balance:?}"
        );
        assert!(balance.tolerance < 1e-5, "{formulation:?}: {balance:?}");
        for (name, work) in &balance.work {
            close(name, *work, of(&reference.work, name), 1e-6);
        }
        let plain = experiment.run(false, &mut |_| {}).expect("it runs").0;
        assert_eq!(plain.outputs, report.outputs, "{formulation:?}");
        assert_eq!(plain.objectives, report.objectives, "{formulation:?}");
        assert_eq!(plain.statistics, report.statistics, "{formulation:?}");
    }
}

#[test]
fn the_account_closes_at_every_time() {
    let experiment = experiment(&planar(2.0, MIXTURE), &tight());
    let (report, recording) = experiment.run_balanced(true, &mut |_| {}).expect("it runs");
    let (balance, recording) = (report.balance.expect("a balance"), recording.expect("a recording"));
    assert!(recording.phases.len() > 2, "there are impacts");
    let energy = &recording.energy;
    for (k, (t, stored)) in recording.times.iter().zip(energy.stored()).enumerate() {
        let sum: f64 = energy.given().iter().map(|(_, values)| values[k]).sum();
        close(&format!("at {t}"), stored, sum, 10.0 * balance.tolerance);
    }
    let shown = energy.balance();
    assert!(
        shown.len() < energy.given().len() + 1,
        "the least of them have one course: {shown:?}"
    );
    for (k, stored) in shown[0].1.iter().enumerate() {
        let sum: f64 = shown[1..].iter().map(|(_, values)| values[k]).sum();
        close("what is shown", *stored, sum, 10.0 * (balance.tolerance + energy.noise));
    }
    for (courses, ends) in [(&energy.work, &balance.work), (&energy.events, &balance.events)] {
        assert_eq!(courses.len(), ends.len());
        for ((known, values), (name, end)) in courses.iter().zip(ends) {
            assert_eq!((known, values[0]), (name, 0.0));
            close(name, values[values.len() - 1], *end, 1e-12);
        }
    }
    // The damper only takes; an impact takes at once.
    let given = energy.given();
    let of = |name: &str| given.iter().find(|(known, _)| known == name).expect("a course").1;
    assert!(of("by damper").is_sorted_by(|a, b| a >= b));
    let (floor, first) = (of("by the events of floor"), recording.phases[1]);
    assert!(floor[first - 1] == 0.0 && floor[first] < -0.01);
}

#[test]
fn a_balance_that_does_not_close_is_remarked() {
    let soft = "simulation: (duration: 2, formulation: Penalty, penalty: (factor: 100, augmented: 0))";
    let text = planar(2.0, MIXTURE).replace("simulation: (duration: 2)", soft);
    assert!(text.contains(soft), "{text}");
    let (report, balance) = balanced(&experiment(&text, &Changes::default()));
    assert!(balance.missing.abs() > balance.tolerance, "{balance:?}");
    assert!(
        report.remarks.iter().any(|remark| remark.contains("does not balance")),
        "{:?}",
        report.remarks
    );
}

#[test]
fn powers_have_derivatives() {
    let file = parse("test.ron", &planar(0.5, MIXTURE)).expect("a scene");
    let experiment = Experiment::new(&file, &tight()).expect("an experiment");
    let (adjoint, forward) = (
        experiment.gradient(Method::Adjoint),
        experiment.gradient(Method::Forward),
    );
    let quotients = experiment.gradient(Method::FiniteDifference).expect("quotients");
    let (adjoint, forward) = (adjoint.expect("a gradient"), forward.expect("a gradient"));
    for ((a, f), q) in adjoint
        .objectives
        .iter()
        .zip(&forward.objectives)
        .zip(&quotients.objectives)
    {
        let largest = f.gradient.iter().fold(0.0, |most: f64, slope| most.max(slope.abs()));
        assert!(largest > 1e-4, "{}: {:?}", f.name, f.gradient);
        all_close(&a.name, &a.gradient, &f.gradient, 1e-9 * largest);
        all_close(&a.name, &q.gradient, &f.gradient, 1e-6 * largest);
    }
}

/// Energy that comes and goes between counts too: nothing is on its way at either end.
#[test]
fn a_swing_from_rest_to_rest_is_balanced_to_its_tolerance() {
    let scene = planar(
        2.367_841_947_57,
        r#"ground: { "O": [0, 0] }, points: { "P": (at: [1, 0], mass: 1) },
        joints: { "rod": Link(from: "O", to: "P", length: 1) }, memory: { "m": (start: 0, rate: "P.vx - m") },
        forces: { "drag": Load(at: "P", force: ["-1e-9*m", 0]) },"#,
    );
    let (report, _) = experiment(&scene, &Changes::default())
        .run_balanced(false, &mut |_| {})
        .expect("it runs");
    assert_eq!(report.remarks, [""; 0]);
    let balance = report.balance.expect("a balance");
    assert!(balance.tolerance < 1e-5, "{}", balance.tolerance);
}
