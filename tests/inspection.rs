//! Arrows and values of parts are those of the motion.

mod support;

use costate::appearance::{Arrow, Owner};
use costate::model::quantity::VectorKind;
use costate::run::{Changes, Experiment};
use costate::show::{Arrows, Inspection, Show};
use support::{experiment, planar, shipped, tight};

fn show(experiment: Experiment) -> Show {
    Show::new(experiment, &mut |_| {}).unwrap()
}

/// The vectors of a kind at a time in its unit, each with its place, from the arrows that are drawn.
fn vectors(show: &Show, kind: VectorKind, t: f64) -> Vec<([f64; 3], [f64; 3])> {
    let mut arrows = Arrows::new(show).unwrap();
    let drawn = arrows.at(show, t, &[kind]).unwrap();
    let legend = *arrows.legends(&[kind]).next().expect("a legend");
    let vector = |arrow: &Arrow| (arrow.reach * legend.value / legend.length).into();
    drawn.iter().map(|arrow| (arrow.at.into(), vector(arrow))).collect()
}

fn inspected(show: &Show, name: &str, t: f64) -> Inspection {
    let items = show.items(t);
    let owner = items
        .iter()
        .map(|item| item.owner)
        .find(|owner| owner.name(show.model()) == name);
    show.inspect(owner.expect(name), t).unwrap().unwrap()
}

fn reading(inspection: &Inspection, label: &str) -> Vec<f64> {
    let found = inspection.readings.iter().find(|reading| reading.label == label);
    let found = found.unwrap_or_else(|| panic!("no {label} in {inspection:?}"));
    found.values.clone()
}

fn close(found: &[f64], expected: &[f64], within: f64) {
    assert_eq!(found.len(), expected.len());
    let open = found
        .iter()
        .zip(expected)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    assert!(open < within, "{found:?}, not {expected:?}");
}

#[test]
fn the_arrows_of_a_conical_pendulum_are_those_of_its_closed_form() {
    let show = show(shipped("hanging_lamp", &Changes::default()));
    let (speed, tension) = (1.843443431312753, 16.991418422250685);
    let [(at, velocity)] = vectors(&show, VectorKind::Velocity, 0.0)[..] else {
        panic!("one place moves");
    };
    close(&at, &[0.6, 0.0, -1.03923048454], 1e-9);
    close(&velocity, &[0.0, speed, 0.0], 1e-9);
    let [(_, acceleration)] = vectors(&show, VectorKind::Acceleration, 0.0)[..] else {
        panic!("one place moves");
    };
    close(&acceleration, &[-speed * speed / 0.6, 0.0, 0.0], 1e-6);
    let reactions = vectors(&show, VectorKind::Reaction, 0.0);
    assert_eq!(reactions.len(), 2, "at both ends of the cord");
    let (at, force) = reactions.iter().find(|(at, _)| at[2] < -1.0).expect("at the lamp");
    let towards_hook = at.map(|x| -x * tension / 1.2);
    close(force, &towards_hook, 1e-6);
}

#[test]
fn forces_of_springs_and_contacts_hold_a_weight() {
    let fields = r#"
        gravity: [0, -10],
        ground: { "top": [0, 5] },
        points: { "ball": (at: [0, 1], velocity: [0, 0], mass: 3), "slow": (at: [2, 0.5], mass: 1) },
        forces: { "coil": Spring(from: "top", to: "ball", stiffness: 2, natural_length: 1) },
        contacts: {
            "floor": Touch(point: "ball", radius: 0.25, surface: Plane(through: [0, 0.75], normal: [0, 1]), law: Restitution(0)),
            "ground": Touch(point: "slow", surface: Plane(through: [0, 0.5], normal: [0, 1]), law: Restitution(0)),
        },
    "#;
    let show = show(experiment(&planar(0.5, fields), &tight()));
    // The coil pulls with 2 (4 - 1) = 6 N; the floor carries the rest of 30 N, where the ball touches it.
    let springs = vectors(&show, VectorKind::Spring, 0.25);
    close(&springs[0].1, &[0.0, -6.0, 0.0], 1e-9);
    close(&springs[1].1, &[0.0, 6.0, 0.0], 1e-9);
    let contacts = vectors(&show, VectorKind::Contact, 0.25);
    close(&contacts[0].0, &[0.0, 0.75, 0.0], 1e-9);
    close(&contacts[0].1, &[0.0, 24.0, 0.0], 1e-9);
    close(&contacts[1].1, &[0.0, 10.0, 0.0], 1e-9);

    let floor = inspected(&show, "floor", 0.25);
    assert_eq!(floor.kind, "contact");
    close(&reading(&floor, "force"), &[24.0], 1e-9);
    close(&reading(&floor, "gap"), &[0.0], 1e-9);
    assert_eq!(floor.readings[0].unit, "sliding");
    let coil = inspected(&show, "coil", 0.25);
    close(&reading(&coil, "tension"), &[6.0], 1e-9);
    close(&reading(&coil, "stored energy"), &[9.0], 1e-9);
}

#[test]
fn a_part_says_its_name_kind_and_values_as_the_outputs_do() {
    let show = show(shipped("five_bar", &Changes::default()));
    let t = 1.0;
    let recorded = |name: &str| {
        let outputs = &show.recording.outputs;
        let series = outputs.iter().find(|series| series.name == name).expect(name);
        let k = show
            .recording
            .times
            .iter()
            .position(|&time| (time - t).abs() < 1e-9)
            .expect("a sample");
        series.values[k]
    };
    let point = inspected(&show, "P2", t);
    assert_eq!(point.kind, "point");
    close(&reading(&point, "position"), &[recorded("x2"), recorded("y2")], 1e-6);
    let joined: Vec<&str> = point.readings.iter().map(|reading| reading.label.as_str()).collect();
    assert!(
        joined.iter().filter(|label| label.ends_with(": tension")).count() == 2,
        "{joined:?}"
    );
    let ground = inspected(&show, "A", t);
    assert_eq!(ground.kind, "ground point");
    close(&reading(&ground, "position"), &[-0.5, 0.0], 1e-12);
    let is_bar = |owner: &Owner| matches!(owner, Owner::Body(_));
    let bars = show.items(t).into_iter().map(|item| item.owner).filter(is_bar);
    let names: Vec<String> = bars.map(|owner| owner.name(show.model()).to_string()).collect();
    let energies: Vec<f64> = names
        .iter()
        .map(|name| reading(&inspected(&show, name, t), "kinetic energy")[0])
        .collect();
    assert!(energies.len() >= 4 && energies.iter().all(|energy| *energy > 0.0));
    let k = show
        .recording
        .times
        .iter()
        .position(|&time| (time - t).abs() < 1e-9)
        .expect("a sample");
    let total = show.recording.energy.kinetic[k];
    let sum: f64 = energies.iter().sum();
    assert!((sum / total - 1.0).abs() < 1e-6, "{sum} of {total}");
}

#[test]
fn the_scale_of_arrows_holds_over_the_whole_motion() {
    let show = show(shipped("bouncing_ball", &Changes::default()));
    let mut arrows = Arrows::new(&show).unwrap();
    let length = |arrows: &mut Arrows, t: f64| {
        let drawn = arrows.at(&show, t, &[VectorKind::Velocity]).unwrap();
        drawn[0].reach.iter().map(|x| x * x).sum::<f64>().sqrt()
    };
    // In free fall the speed is g t.
    let (one, three) = (length(&mut arrows, 0.1), length(&mut arrows, 0.3));
    assert!((three / one - 3.0).abs() < 1e-6, "{one}, {three}");
    let legend = arrows.legends(&[VectorKind::Velocity]).next().unwrap();
    assert!((one * legend.value / legend.length / 0.98 - 1.0).abs() < 1e-6);
    let extent = show.scale.extent();
    for i in 0..200 {
        let t = show.film.span().1 * f64::from(i) / 200.0;
        assert!(length(&mut arrows, t) < 0.4 * extent);
    }
}

/// A bar between an end stop and a spring, and a block that rubs on the ground.
#[test]
fn outputs_have_the_units_of_what_they_read_or_none() {
    let text = planar(
        0.1,
        r#"parameters: { "k": (value: 20, unit: "N/m"), "h": (value: 0.3, unit: "m"), "n": 2 }, gravity: [0, -9.81],
        ground: { "O": [0, 0], "W": [2, 0] },
        points: { "P": (guess: [1, 0]), "B": (at: [3, 0], velocity: [1, 0], mass: 1) },
        bodies: { "rod": Bar(from: "O", to: "P", length: 1, mass: 1) },
        forces: { "spring": Spring(from: "P", to: "W", stiffness: "k", natural_length: 1) },
        contacts: {
            "stop": Limit(of: Angle("rod"), at_least: -1.5, law: Restitution(0.5)),
            "floor": Touch(point: "B", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: 0.1)),
        },
        outputs: {
            "height": "P.y", "above": "P.y - h + 0.1", "speed": "hypot(P.vx, P.vy)", "fall": "P.ay", "turn": "rod.omega",
            "lean": "rod.angle - pi/2", "way": "atan2(P.y, P.x)", "pull": "spring.force", "stretch": "spring.rate",
            "stop": "stop.gap", "press": "stop.force", "load": "floor.force", "rub": "floor.friction", "slip": "floor.slip",
            "heat": "floor.heat", "energy": "energy.total", "time": "t", "stiff": "k", "again": "above + P.y",
            "moment": "P.x*spring.force", "turns": "rod.angle/(2*pi)", "mixed": "P.y + P.vy", "count": "n", "sum": "P.y + n",
        },"#,
    );
    let recording = show(experiment(&text, &Changes::default())).recording;
    let units: Vec<&str> = recording.outputs.iter().map(|series| series.unit.as_str()).collect();
    let expected = [
        "m", "m", "m/s", "m/s²", "rad/s", "rad", "rad", "N", "m/s", "rad", "N m", "N", "N", "m/s", "W", "J", "s",
        "N/m", "m", "", "", "", "", "",
    ];
    assert_eq!(units, expected);
    // In centimetres nothing is said to be metres.
    let shown = show(experiment(
        &text.replace(r#"unit: "m""#, r#"unit: "cm""#),
        &Changes::default(),
    ));
    let units: Vec<&str> = shown
        .recording
        .outputs
        .iter()
        .map(|series| series.unit.as_str())
        .collect();
    assert_eq!((units[0], units[8], units[17]), ("", "", "N/m"));
    let readings = inspected(&shown, "rod", 0.0).readings;
    assert!(readings.len() > 2 && readings.iter().all(|reading| reading.unit.is_empty()));
}

#[test]
fn objectives_have_the_units_of_what_they_are_made_of_or_none() {
    let text = planar(
        0.1,
        r#"parameters: { "h": (value: 0.3, unit: "m"), "k": (value: 2, unit: "N/m") }, gravity: [0, -9.81],
        points: { "P": (at: [0, 1], mass: 1) },
        outputs: { "height": "P.y", "above": "P.y - h" },
        objectives: {
            "end": Final("above"), "top": Max("P.vy"), "then": At(time: 0.05, of: "P.ay"), "sum": Sum([(1, Final("height")), (1, Final("above"))]),
            "area": Integral("height"), "way": Integral("P.vy"), "speed": Integral("P.ay"), "work": Integral("energy.total"), "time": Integral("t"),
            "odd": Integral("k"), "mixed": Sum([(1, Final("height")), (1, Integral("height"))]), "square": Integral("height^2"),
            "both": Formula("end + h"), "twice": Formula("2*end"),
        },"#,
    );
    let model = experiment(&text, &Changes::default()).mechanism.model;
    let units: Vec<String> = model
        .objective_units()
        .into_iter()
        .map(Option::unwrap_or_default)
        .collect();
    let expected = [
        "m", "m/s", "m/s²", "", "m s", "m", "m/s", "J s", "s²", "", "", "", "m", "",
    ];
    assert_eq!(units, expected);
}
