//! What sticks and what slips is seen: marks, cones that hold the forces, and the course over time.

use std::path::Path;

use costate::appearance::{Material, friction_blocks};
use costate::model::quantity::VectorKind;
use costate::run::{Changes, Experiment};
use costate::show::{Arrows, FrictionState, Show};

fn show(name: &str) -> Show {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes").join(name);
    let experiment = Experiment::open(&path, &Changes::default()).expect("the scene is valid");
    Show::new(experiment, &mut |_| ()).expect("it runs")
}

#[test]
fn the_force_is_within_the_cone_while_it_sticks_and_on_it_while_it_slips() {
    let mut seen = [0; 2];
    for (name, times) in [
        ("tipping_block.ron", vec![0.01, 0.05, 0.3, 1.0, 1.85]),
        ("drop_and_roll.ron", vec![1.6, 2.9]),
        ("incline_block.ron", vec![0.01, 0.1, 0.5]),
    ] {
        let show = show(name);
        let mut arrows = Arrows::new(&show).expect("arrows");
        let kinds = [VectorKind::Contact];
        for t in times {
            let forces = arrows.at(&show, t, &kinds).expect("arrows");
            for cone in arrows.cones(&show, t, &kinds).expect("cones") {
                let near = |arrow: &&costate::appearance::Arrow| (arrow.at - cone.at).norm() < 1e-12;
                let force = forces.iter().find(near).expect("a force").reach;
                let axis = cone.axis.normalize();
                let along = force.dot(&axis);
                let share = (force - axis * along).norm() / along / (cone.radius / cone.axis.norm());
                let marks = show.friction_marks(t);
                let mark = marks
                    .iter()
                    .find(|mark| (mark.at - cone.at).norm() < 1e-12)
                    .expect("a mark");
                match mark.state {
                    FrictionState::Stick => assert!(share < 1.0, "{name} {t}: {share}"),
                    FrictionState::Slip => assert!((share - 1.0).abs() < 1e-6, "{name} {t}: {share}"),
                    FrictionState::Open => panic!("{name} {t}: a cone of an open contact"),
                }
                seen[usize::from(mark.state == FrictionState::Slip)] += 1;
            }
        }
    }
    assert!(seen[0] > 2 && seen[1] > 4, "{seen:?}");
}

#[test]
fn the_course_of_friction_changes_with_its_events() {
    let show = show("tipping_block.ron");
    let states = |name: &str| {
        let mut courses = show.recording.frictions.iter();
        let mut states = courses
            .find(|course| course.name == name)
            .expect("a course")
            .states
            .clone();
        states.dedup();
        states
    };
    use FrictionState::{Open, Slip, Stick};
    assert_eq!(states("rear"), [Stick, Slip, Open, Slip, Stick]);
    assert_eq!(states("front"), [Stick, Slip, Stick]);
    for course in &show.recording.frictions {
        assert_eq!(course.states.len(), show.recording.phases.len());
    }
}

#[test]
fn joints_with_friction_have_a_mark_at_their_place() {
    let show = show("slider_crank_friction.ron");
    let marks = show.friction_marks(0.1);
    assert_eq!(marks.len(), show.model().frictions.len());
    // The slider moves on the x axis.
    assert!(marks.iter().any(|mark| mark.at.x > 0.1 && mark.at.y.abs() < 1e-9));
    let blocks = friction_blocks(&marks, &show.scale);
    assert!(
        blocks
            .iter()
            .all(|block| matches!(block.material, Material::Friction(FrictionState::Slip)))
    );
}
