//! What friction cannot do is refused by name, with advice.

use costate::error::Error;
use costate::run::Changes;
use costate::scene::parse;

use crate::support::{experiment, failure, planar, spatial, tight};

fn sliding(law: &str) -> String {
    planar(
        0.5,
        &format!(
            r#"gravity: [0, -9.81], parameters: {{ "m": 1.0 }},
            points: {{ "P": (at: [0, 0], mass: "m", velocity: [1, 0]) }},
            contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: {law}) }},
            objectives: {{ "x": Final("P.x") }},"#
        ),
    )
}

#[track_caller]
pub fn assert_refused(error: &Error, words: &[&str]) {
    let text = format!("{error} {}", error.advice().unwrap_or_default());
    for word in words {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(error.advice().is_some_and(|advice| advice.len() > 10), "{text}");
}

fn unread(text: &str) -> Error {
    let compiled = parse("test.ron", text).and_then(|file| costate::run::Experiment::new(&file, &Changes::default()));
    compiled.map(|_| ()).unwrap_err()
}

#[test]
fn what_has_no_meaning_is_refused_where_it_is_written() {
    let unsorted = sliding("Friction(coefficient: 0.5, static: 0.4)");
    assert_refused(&unread(&unsorted), &["static", "0.4", "below"]);
    assert_refused(
        &unread(&sliding("Friction(coefficient: -0.1)")),
        &["coefficient", "at least zero"],
    );
    assert_refused(
        &unread(&sliding("Friction(coefficient: 0.1, stribeck: 0)")),
        &["stribeck", "positive"],
    );
    let limit = planar(
        1.0,
        r#"points: { "P": (at: [0, 0], mass: 1) },
        contacts: { "stop": Limit(of: Coordinate("P.x"), at_most: 2, law: Friction(coefficient: 0.1)) },"#,
    );
    assert_refused(&unread(&limit), &["limit", "surface"]);
    let space = |law: &str| {
        spatial(
            1.0,
            &format!(
                r#"points: {{ "P": (at: [0, 0, 0], mass: 1) }},
                contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: {law}) }},"#
            ),
        )
    };
    let speed = unread(&space("Friction(coefficient: 0.1, surface_speed: 1)"));
    assert_refused(&speed, &["surface_speed", "surface_velocity", "planar"]);
    let short = unread(&space("Friction(coefficient: 0.1, surface_velocity: [1, 0])"));
    assert_refused(&short, &["three components"]);
    let velocity = unread(&sliding("Friction(coefficient: 0.1, surface_velocity: [1, 0, 0])"));
    assert_refused(&velocity, &["surface_velocity", "surface_speed"]);
}

/// A corner that rubs and one that sticks land at one instant.
#[test]
fn impacts_with_contacts_that_stick_are_refused() {
    let text = planar(
        0.5,
        r#"gravity: [0, -9.81],
        bodies: { "block": Rigid(mass: 1, inertia: 0.1, at: [0, 0.5, 0], markers: { "a": [-0.2, -0.1], "b": [0.2, -0.1] }) },
        contacts: {
            "rough": Touch(point: "block.a", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: 0.3)),
            "sticky": Touch(point: "block.b", surface: Plane(through: [0, 0], normal: [0, 1]), law: Stick),
        },"#,
    );
    assert_refused(&failure(&text), &["rough", "impact", "stick"]);
}

#[test]
fn laws_of_impact_that_do_not_go_together_are_refused() {
    assert_refused(
        &unread(&sliding("Friction(coefficient: 0.3, tangential: 0.2)")),
        &["slip velocity", "one stage", "hypothesis: Newton"],
    );
    let text = planar(
        0.5,
        r#"gravity: [0, -9.81],
        bodies: { "block": Rigid(mass: 1, inertia: 0.1, at: [0, 0.5, 0], markers: { "a": [-0.2, -0.1], "b": [0.2, -0.1] }) },
        contacts: {
            "one": Touch(point: "block.a", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: 0.3)),
            "other": Touch(point: "block.b", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: 0.3, hypothesis: Newton)),
        },"#,
    );
    assert_refused(&failure(&text), &["one", "other", "hypothes"]);
}

/// A rod whose foot slips towards the side to which it leans has no unique motion where the coefficient is above
/// (1 + 3 sin^2)/(3 sin cos), here 1.33847 (Painlevé).
#[test]
fn a_rod_that_jams_is_refused_with_the_limit() {
    let rod = |mu: f64| {
        planar(
            0.01,
            &format!(
                r#"gravity: [0, -9.81], constants: {{ "phi": 0.5 }},
                bodies: {{ "rod": Rigid(mass: 1, inertia: "1/12", at: ["-sin(phi)/2", "cos(phi)/2", "phi - pi/2"], velocity: [-3, 0, 0], markers: {{ "foot": [0.5, 0] }}) }},
                contacts: {{ "floor": Touch(point: "rod.foot", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: {mu})) }},
                objectives: {{ "x": Final("rod.x") }},"#
            ),
        )
    };
    let moved = |mu: f64, speed: &str| {
        let text = rod(mu).replace("[-3, 0, 0]", &format!("[{speed}, 0, 0]"));
        experiment(&text, &tight()).run(false, &mut |_| {}).map(|_| ())
    };
    for speed in ["-3", "3"] {
        moved(1.3, speed).unwrap();
    }
    moved(2.0, "-3").unwrap();
    let error = &moved(2.0, "3").unwrap_err();
    assert_refused(error, &["floor", "jams", "1.338"]);
}

/// Where feet stick on a belt that moves below them, how they share its friction is open; a fourth foot carries an unknown load.
#[test]
fn friction_in_space_that_is_not_unique_is_refused() {
    let block = |feet: &[[f64; 2]], velocity: &str, belt: &str| {
        let marker = |(k, [x, y]): (usize, &[f64; 2])| format!("\"f{k}\": [{x}, {y}, -0.1]");
        let contact = |k: usize| {
            format!(
                "\"foot {k}\": Touch(point: \"box.f{k}\", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction(coefficient: 0.3{}))",
                belt.replace("FOOT", &k.to_string())
            )
        };
        let markers: Vec<String> = feet.iter().enumerate().map(marker).collect();
        let contacts: Vec<String> = (0..feet.len()).map(contact).collect();
        spatial(
            0.5,
            &format!(
                r#"gravity: [0, 0, -9.81],
                bodies: {{ "box": Solid(mass: 1, inertia: [0.01, 0.01, 0.01, 0, 0, 0], at: [0, 0, 0.1], velocity: {velocity}, angular_velocity: [0, 0, 0], markers: {{ {} }}) }},
                contacts: {{ {} }},"#,
                markers.join(", "),
                contacts.join(", ")
            ),
        )
    };
    let three = [[0.1, 0.0], [-0.1, 0.1], [-0.1, -0.1]];
    // Belts of one speed that each foot has to itself, and one for all.
    let (own, shared) = (
        r#", surface_velocity: ["0.5 + 0*FOOT", 0, 0]"#,
        ", surface_velocity: [0.5, 0, 0]",
    );
    for velocity in ["[0.5, 0, 0]", "[1, 0, 0]"] {
        assert_refused(
            &failure(&block(&three, velocity, own)),
            &["foot", "sticks", "friction in space"],
        );
    }
    for velocity in ["[0, 0, 0]", "[0.5, 0, 0]", "[5, 0, 0]"] {
        for belt in ["", shared] {
            experiment(&block(&three, velocity, belt), &tight())
                .run(false, &mut |_| {})
                .unwrap();
        }
    }
}
