//! Events at and next to a singular position in mid-course: right, or refused by name.

use costate::error::ErrorKind;
use costate::run::Method;
use costate::scene::schema::FormulationKind::{Multipliers, Nullspace, Stabilized};

use super::support::experiment;
use super::{crossed_linkage, support, under, worst_difference};

/// Wheels with a spring, coupled by one rod that turns with them, which starts at this angle from the line of their centres.
fn locomotive(wheels: usize, angle: f64, duration: f64) -> String {
    let each = |text: &dyn Fn(usize) -> String| (0..wheels).map(text).collect::<String>();
    let rate = |wheel: usize| if wheel == 0 { r#""w""# } else { r#""free""# };
    support::planar(
        duration,
        &format!(
            r#"gravity: [0, -9.81], parameters: {{ "r": 0.3, "m": 2.0, "w": 4.0, "k": 6.0 }},
            ground: {{ {} }},
            bodies: {{ {} "rod": Rigid(mass: 3, inertia: 1, centre: [1, 0], at: ["r*cos({angle:?})", "r*sin({angle:?})", 0], markers: {{ {} }}) }},
            joints: {{ {} }},
            forces: {{ "spring": TorsionSpring(between: ("ground", "w1"), stiffness: "k", natural_angle: 0.3) }},
            objectives: {{ "angle": Final("w0.angle"), "energy": Final("energy.total"), "at_start": At(time: 0, of: "energy.total") }},"#,
            each(&|i| format!(r#""O{i}": [{i}, 0],"#)),
            each(&|i| format!(
                r#""w{i}": Rigid(mass: "m", inertia: 0.08, centre: [0.02, 0.01], at: [{i}, 0, {angle:?}],
                    velocity: ["free", "free", {}], markers: {{ "pin": ["r", 0] }}),"#,
                rate(i)
            )),
            each(&|i| format!(r#""p{i}": [{i}, 0],"#)),
            each(&|i| format!(
                r#""o{i}": Revolute(between: ("O{i}", "w{i}.origin")), "j{i}": Revolute(between: ("w{i}.pin", "rod.p{i}")),"#
            )),
        ),
    )
}

/// The crossed linkage, with an event that changes nothing where its end B is this far above its line.
fn marked(height: &str) -> String {
    let event = format!(
        r#"memory: {{ "mark": 0 }}, events: {{ "cross": (when: Falling("B.y - ({height})"), then: [Set("mark", "B.vx")]) }}, outputs:"#
    );
    crossed_linkage(0.6).replace("outputs:", &event)
}

#[test]
fn derivatives_through_events_next_to_a_singular_position_are_right_or_refused() {
    for formulation in [Nullspace, Multipliers, Stabilized] {
        let changes = under(formulation, 1e-10);
        for method in [Method::Adjoint, Method::Forward] {
            let gradient = |text: &str| experiment(text, &changes).gradient(method);
            let want = gradient(&crossed_linkage(0.6)).expect("no event");
            for height in ["0.3", "0.1", "0.03", "0.01", "3e-3", "1e-3", "1e-4", "1e-6", "1e-9"] {
                for sign in ["", "-"] {
                    let height = format!("{sign}{height}");
                    match gradient(&marked(&height)) {
                        Ok(found) => {
                            let error = worst_difference(&found, &want);
                            let allowed = if height.contains("e-3") { 3e-7 } else { 5e-9 };
                            assert!(error < allowed, "{formulation:?}, {method:?}, {height}: {error:e}");
                        }
                        Err(error) => {
                            assert_eq!(error.kind(), ErrorKind::StepSize, "{error}");
                            assert!(error.to_string().contains("singular position"), "{error}");
                            assert!(height.contains("e-") && !height.ends_with("e-3"), "{height}: {error}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_locomotive_passes_its_dead_centre_and_starts_next_to_it() {
    for (wheels, angle, duration) in [(3, 0.01, 0.02), (3, -0.01, 0.02), (5, 0.4, 3.0), (5, 0.03, 0.02)] {
        let scene = experiment(&locomotive(wheels, angle, duration), &under(Nullspace, 1e-10));
        let [adjoint, forward] =
            [Method::Adjoint, Method::Forward].map(|method| scene.gradient(method).expect("it moves"));
        let error = worst_difference(&adjoint, &forward);
        assert!(error < 1e-8, "{wheels} wheels from {angle}: {error:e}");
        let [energy, at_start] = [1, 2].map(|k| adjoint.objectives[k].value);
        assert!(
            (energy - at_start).abs() < 1e-8 * at_start,
            "{wheels} wheels from {angle}: {energy} {at_start}"
        );
    }
}

#[test]
fn an_event_at_a_singular_position_is_refused_by_name() {
    let refusal = |formulation| {
        let found = experiment(&marked("0"), &under(formulation, 1e-10)).run(false, &mut |_| {});
        found.expect_err("an error")
    };
    let error = refusal(Nullspace);
    assert_eq!(error.kind(), ErrorKind::Event, "{error}");
    assert_eq!(error.name(), Some("cross"));
    let text = error.to_string();
    assert!(text.contains("singular position") && text.contains("coupler"), "{text}");
    for formulation in [Multipliers, Stabilized] {
        let error = refusal(formulation);
        assert!(error.to_string().contains("singular position"), "{error}");
    }
}
