//! What is drawn of a mechanism is what the mechanism is.

#[path = "appearance/hinges.rs"]
mod hinges;
#[path = "appearance/rubbing.rs"]
mod rubbing;

use std::path::Path;

use costate::appearance::{Appearance, Axial, Fastening, Item, Line, Owner, Pose, Shape, Unit, Vector};
use costate::model::Model;
use costate::run::{Changes, Experiment, Film};
use costate::scene::compiled::View;

fn film(name: &str) -> (Experiment, Film, Vec<(String, f64)>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes").join(name);
    let experiment = Experiment::open(&path, &Changes::default()).expect("the scene is valid");
    let (report, _, film) = experiment.film(400, &mut |_| ()).expect("it runs");
    (experiment, film, report.outputs)
}

fn items_at(experiment: &Experiment, film: &Film, t: f64) -> Vec<Item> {
    let mechanism = &experiment.mechanism;
    let frame = film.frame(t).expect("a frame");
    let pose = Pose {
        dimension: mechanism.model.dimension,
        t,
        q: &frame.x[mechanism.positions()],
        numbers: &frame.numbers(mechanism),
        mode: frame.mode,
    };
    Appearance::new(&mechanism.model, &View::default()).items(&pose)
}

fn joints(items: &[Item], model: &Model, how: Fastening) -> Vec<(String, Vector)> {
    let mut found: Vec<(String, Vector)> = items
        .iter()
        .filter_map(|item| match item.shape {
            Shape::Joint(at, this) if this == how => Some((item.owner.name(model).to_string(), at)),
            _ => None,
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

#[test]
fn the_five_bar_has_its_parts_once_and_by_name() {
    let (experiment, film, outputs) = film("five_bar.ron");
    let model = &experiment.mechanism.model;
    let items = items_at(&experiment, &film, 5.0);
    let count = |wanted: fn(&Shape) -> bool| items.iter().filter(|item| wanted(&item.shape)).count();
    assert_eq!(count(|shape| matches!(shape, Shape::Line(Line::Bar, _))), 4);
    assert_eq!(count(|shape| matches!(shape, Shape::Line(Line::Link, _))), 0);
    assert_eq!(count(|shape| matches!(shape, Shape::Line(Line::Spring, _))), 2);
    assert_eq!(count(|shape| matches!(shape, Shape::Surface(..))), 1);
    let pins = joints(&items, model, Fastening::Pin);
    let names: Vec<&str> = pins.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["P1", "P2", "P3"]);
    let grounds = joints(&items, model, Fastening::Ground);
    assert_eq!(grounds[0], ("A".to_string(), Vector::new(-0.5, 0.0, 0.0)));
    assert_eq!(grounds[1], ("B".to_string(), Vector::new(0.5, 0.0, 0.0)));
    let output = |name: &str| outputs.iter().find(|(other, _)| other == name).expect("an output").1;
    assert_eq!(pins[1].1, Vector::new(output("x2"), output("y2"), 0.0));
}

#[test]
fn links_keep_their_lengths_between_the_recorded_states() {
    let (experiment, film, _) = film("five_bar.ron");
    let model = &experiment.mechanism.model;
    let lengths = |t: f64| -> Vec<f64> {
        let items = items_at(&experiment, &film, t);
        let links = items.iter().filter_map(|item| match (&item.shape, item.owner) {
            (Shape::Line(Line::Bar, [a, b]), Owner::Body(_)) => Some((b - a).norm()),
            _ => None,
        });
        links.collect()
    };
    assert_eq!(model.bodies.len(), lengths(0.0).len());
    let start = lengths(0.0);
    for i in 0..997 {
        for (now, before) in lengths(5.0 * f64::from(i) / 997.0).iter().zip(&start) {
            assert!((now - before).abs() < 1e-5, "{now} instead of {before}");
        }
    }
}

#[test]
fn a_frame_is_the_state_after_the_events_of_its_time() {
    let (experiment, film, _) = film("bouncing_ball.ron");
    let coordinates = &experiment.mechanism.model.coordinates;
    let y = coordinates
        .iter()
        .position(|coordinate| coordinate.name.ends_with(".y"));
    let vy = experiment.mechanism.positions().len() + y.expect("a height");
    let impact = 3.194_382_824_999_7;
    let velocity = |t: f64| film.frame(t).expect("a frame").x[vy];
    assert!(velocity(impact - 1e-3) < -30.0);
    assert!(velocity(impact + 1e-3) > 20.0);
}

#[test]
fn shapes_that_a_scene_gives_take_the_place_of_its_bodies_and_move_with_them() {
    let (experiment, film, _) = film("hanging_lamp.ron");
    let model = &experiment.mechanism.model;
    let appearance = Appearance::new(model, &experiment.view);
    assert_eq!(appearance.given().len(), 1);
    for t in [0.0, 0.7, 1.9] {
        let frame = film.frame(t).expect("a frame");
        let pose = Pose {
            dimension: model.dimension,
            t,
            q: &frame.x[experiment.mechanism.positions()],
            numbers: &frame.numbers(&experiment.mechanism),
            mode: frame.mode,
        };
        let items = appearance.items(&pose);
        assert!(
            !items
                .iter()
                .any(|item| matches!(item.shape, Shape::Line(..) | Shape::Mass(..)))
        );
        let solids: Vec<_> = items
            .iter()
            .filter_map(|item| match &item.shape {
                Shape::Solid(solid) => Some((item.owner.name(model), solid.unit, solid.origin, solid.axes)),
                _ => None,
            })
            .collect();
        let (names, units): (Vec<_>, Vec<_>) = solids.iter().map(|solid| (solid.0, solid.1)).unzip();
        assert_eq!(names, ["cord", "cord", "lamp"]);
        assert_eq!(units, [Unit::Rod, Unit::Given(0), Unit::Ball]);
        let lamp = appearance.traced(&pose)[0];
        for (k, end) in lamp.iter().copied().enumerate() {
            // The shade hangs at the end of the cord, its axis along it; the hook is the origin.
            assert!((solids[1].2[k] - end).abs() < 1e-9);
            assert!((solids[1].3[0][k] - end / 1.2).abs() < 1e-9);
            // The cylinder of the cord ends 0.1 m above the lamp: it lies along its y axis, and begins at one end.
            let ends = [solids[0].2[k], solids[0].2[k] + solids[0].3[1][k]];
            let nearest = ends.map(|place| (place - end * 1.1 / 1.2).abs());
            assert!(nearest[0].min(nearest[1]) < 1e-9, "{ends:?}");
        }
        assert_eq!(solids[2].2, lamp);
    }
}

#[test]
fn shapes_at_ground_points_stay_where_these_are() {
    let (experiment, ..) = film("four_bar_path.ron");
    let show = costate::show::Show::new(experiment, &mut |_| ()).expect("a motion");
    let model = show.model();
    for t in [0.0, 0.1] {
        let items = show.items(t);
        let places: Vec<Vector> = items
            .iter()
            .filter(|item| item.owner.name(model) == "target[3]")
            .filter_map(|item| match &item.shape {
                Shape::Solid(solid) => Some(solid.origin),
                _ => None,
            })
            .collect();
        let [place] = places[..] else {
            panic!("one ring, not {places:?}")
        };
        assert!(
            (place.xy() - Vector::new(0.330_450_241, 1.157_545_902, 0.0).xy()).norm() < 1e-12,
            "{place}"
        );
    }
}

#[test]
fn a_cam_is_the_curve_that_its_roller_touches() {
    let (experiment, film, _) = film("cam.ron");
    for t in [0.1, 0.3, 0.58, 0.9] {
        let items = items_at(&experiment, &film, t);
        let circle = items.iter().find_map(|item| match item.shape {
            Shape::Circle(centre, radius) => Some((centre, radius)),
            _ => None,
        });
        let (roller, radius) = circle.expect("a roller");
        let edges: Vec<&Vec<Vector>> = items
            .iter()
            .filter_map(|item| match &item.shape {
                Shape::Edge(places, Some(centre)) if centre.norm() < 1e-12 => Some(places),
                _ => None,
            })
            .collect();
        assert_eq!(edges.len(), 4, "the edges of the body about the axle");
        let nearest = edges
            .iter()
            .flat_map(|places| places.windows(2))
            .map(|ends| {
                let along = ends[1] - ends[0];
                let part = ((roller - ends[0]).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
                (roller - ends[0] - along * part).norm()
            })
            .fold(f64::INFINITY, f64::min);
        assert!((nearest - radius).abs() < 1e-4, "{t}: {nearest} from {radius}");
    }
}

#[test]
fn what_acts_on_a_coordinate_of_a_point_is_drawn_there_while_it_acts() {
    let found = |name: &str, t: f64| {
        let (experiment, film, _) = film(name);
        let items = items_at(&experiment, &film, t).into_iter();
        let mut kinds = items.filter_map(|item| match item.shape {
            Shape::Axial(kind, _, axis) => Some((kind, axis)),
            _ => None,
        });
        (kinds.next(), kinds.count())
    };
    let spring = Some((Axial::Spring(0.0), 0));
    assert_eq!(found("hysteretic_oscillator.ron", 1.0), (spring, 0));
    // Up from teeth at multiples of the pitch; taken away after a second.
    let rack = Some((Axial::Rack(Some([0.0, 0.06]), 1.0), 1));
    assert_eq!(found("ratchet_hoist.ron", 0.5), (rack, 0));
    assert_eq!(found("ratchet_hoist.ron", 1.1), (None, 0));
    // Angles are no lengths.
    assert_eq!(found("pendulum_with_stop.ron", 0.1), (None, 0));
}

#[test]
fn a_lever_reaches_where_it_is_pushed_and_presses_and_a_drum_shows_how_it_turns() {
    let (experiment, film, _) = film("brake.ron");
    let items = items_at(&experiment, &film, 0.1);
    let model = &experiment.mechanism.model;
    let mut corners = items.iter().filter_map(|item| match &item.shape {
        Shape::Plate(_, corners) if item.owner.name(model) == "lever" => Some(corners.clone()),
        _ => None,
    });
    let corners = corners.next().expect("a lever");
    for place in [[-0.5, 0.4], [0.0, 0.2], [0.5, 0.4]] {
        let place = Vector::new(place[0], place[1], 0.0);
        assert!(corners.iter().any(|at| (at - place).norm() < 1e-6), "{corners:?}");
    }
    let spoke = |t: f64| {
        let items = items_at(&experiment, &film, t).into_iter();
        let mut ways = items.filter_map(|item| match item.shape {
            Shape::Spoke(_, radius, way) => Some((radius, way.y.atan2(way.x))),
            _ => None,
        });
        ways.next().expect("a mark")
    };
    let ((radius, before), (_, after)) = (spoke(0.0), spoke(0.1));
    assert_eq!((radius, before), (0.2, 0.0));
    // From 20 rad/s, slowed down by 12.5 rad/s^2.
    assert!((after - (20.0 * 0.1 - 12.5 * 0.1 * 0.1 / 2.0)).abs() < 1e-6, "{after}");
}

#[test]
fn the_paths_are_those_of_points_and_else_of_whatever_moves() {
    let paths = |name: &str| {
        let (experiment, film, _) = film(name);
        let model = &experiment.mechanism.model;
        let frame = film.frame(0.0).expect("a frame");
        let pose = Pose {
            dimension: model.dimension,
            t: 0.0,
            q: &frame.x[experiment.mechanism.positions()],
            numbers: &frame.numbers(&experiment.mechanism),
            mode: frame.mode,
        };
        Appearance::new(model, &View::default()).traced(&pose).len()
    };
    assert_eq!(paths("five_bar.ron"), 3, "joints that move");
    assert_eq!(paths("bouncing_ball.ron"), 1, "a free mass");
    assert_eq!(paths("superball.ron"), 1, "the centre of a free body");
    let bodies = paths("andrews_squeezer.ron");
    assert!(bodies > 7, "seven centres of mass and the pins: {bodies}");
}
