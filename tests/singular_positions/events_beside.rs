//! Events at and next to a singular position in mid-course: right, or refused by name.

use costate::error::ErrorKind;
use costate::run::Method;
use costate::scene::schema::FormulationKind::{Multipliers, Nullspace, Stabilized};

use super::support::experiment;
use super::{crossed_linkage, under, worst_difference};

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
