//! A spring between a part of the mechanism and a hand that moves: it belongs to a motion, not to the scene.

use std::fmt::Write;
use std::sync::Arc;

use super::Experiment;
use crate::error::Result;
use crate::model::Model;
use crate::scene::SceneFile;
use crate::scene::schema::force::Load;
use crate::scene::schema::{Body, Force, Number, Placement, Space};

/// How often a part swings on the hand, per second of the playback, and its damping over the critical one.
const FREQUENCY: f64 = 1.5;
const DAMPING: f64 = 0.7;

/// A part that is drawn by a hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Pull {
    /// Name of the point, bar or rigid body.
    pub part: String,
    /// Place in the frame of a body, in metres; nothing of a point.
    pub place: [f64; 3],
    /// Times and places of the hand in the ground frame: straight on at constant speed between them, and at rest from the last on. It takes
    /// hold at the first time.
    pub path: Vec<(f64, [f64; 3])>,
    /// When it lets go, if it does.
    pub until: Option<f64>,
    /// Force per distance in N/m.
    pub stiffness: f64,
    /// Force per speed in N s/m.
    pub damping: f64,
}

impl Pull {
    /// Takes hold of a part at a time. As stiff as suits the masses of the mechanism at so many simulated seconds per second.
    pub fn new(model: &Model, speed: f64, (part, place): (&str, [f64; 3]), hold: (f64, [f64; 3])) -> Self {
        let masses = model.bodies.iter().map(|body| model.numbers[body.mass()].value);
        let (mass, rate) = (masses.sum::<f64>(), std::f64::consts::TAU * FREQUENCY / speed);
        Self {
            part: part.to_string(),
            place,
            path: vec![hold],
            until: None,
            stiffness: mass * rate * rate,
            damping: 2.0 * DAMPING * mass * rate,
        }
    }

    /// Lets the hand move to a place within a time from now on; what was before stays.
    pub fn move_to(&mut self, now: f64, within: f64, to: [f64; 3]) {
        let Some(&(t, from)) = self.path.last() else { return };
        if from == to {
            return;
        }
        let start = now.max(t);
        if start > t {
            self.path.push((start, from));
        }
        self.path.push((start + within, to));
    }

    /// The place of the hand over time along an axis.
    fn hand(&self, axis: usize) -> String {
        let mut text = format!("{:?}", self.path[0].1[axis]);
        let mut before = 0.0;
        for (k, &(t, at)) in self.path.iter().enumerate() {
            let slope = (self.path.get(k + 1)).map_or(0.0, |&(next, to)| (to[axis] - at[axis]) / (next - t));
            if slope != before {
                // Writing to a text does not fail.
                let _ = write!(text, " + ({:?})*max(0, t - ({t:?}))", slope - before);
            }
            before = slope;
        }
        text
    }

    /// The force on a place along an axis.
    fn force(&self, place: &str, (axis, name): (usize, &str)) -> String {
        let until = (self.until).map_or(String::new(), |until| format!("*(1 - step(t - ({until:?})))"));
        let (from, hand) = (self.path[0].0, self.hand(axis));
        let [stiffness, damping] = [self.stiffness, self.damping];
        format!("step(t - ({from:?})){until}*({stiffness:?}*({hand} - {place}.{name}) - ({damping:?})*{place}.v{name})")
    }
}

impl Experiment {
    /// The same scene with springs that hands draw on.
    ///
    /// # Errors
    /// As of a scene that has these forces.
    pub fn with_pulls(&self, pulls: &[Pull]) -> Result<Self> {
        let (file, changes) = self.recipe();
        let mut file = file.clone();
        for pull in pulls {
            let name = unused_name(&file);
            let at = attachment(&mut file, pull, &name);
            let place = format!("'{}'", at.replace('.', "'.'"));
            let axes = ["x", "y", "z"].into_iter().enumerate();
            let force = axes.take(self.mechanism.model.dimension);
            let load = Load {
                at,
                force: force.map(|axis| Number::Text(pull.force(&place, axis))).collect(),
                frame: None,
                active: true,
            };
            file.scene.forces.0.push((name, Force::Load(load)));
        }
        Self::prepare(Arc::new(file), changes.clone())
    }
}

/// What a hand holds: a point, a new marker of a body, or the origin of one that the scene has from elsewhere.
fn attachment(file: &mut SceneFile, pull: &Pull, name: &str) -> String {
    let scene = &mut file.scene;
    let Some((_, body)) = scene.bodies.0.iter_mut().find(|(body, _)| *body == pull.part) else {
        let is_point = scene.points.get(&pull.part).is_some();
        return if is_point {
            pull.part.clone()
        } else {
            format!("{}.origin", pull.part)
        };
    };
    let (markers, count) = match body {
        // Across a bar there are no places in space.
        Body::Bar(bar) => (&mut bar.markers, if scene.space == Space::Planar { 2 } else { 1 }),
        Body::Rigid(rigid) => (&mut rigid.markers, 2),
        Body::Solid(solid) => (&mut solid.markers, 3),
    };
    let marker = Placement {
        at: pull.place[..count].iter().map(|x| Number::Literal(*x)).collect(),
        orientation: None,
        within: None,
    };
    markers.0.push((name.to_string(), marker));
    format!("{}.{name}", pull.part)
}

/// A name that no force and no marker of the scene has.
fn unused_name(file: &SceneFile) -> String {
    let scene = &file.scene;
    let used = |name: &str| {
        let mut markers = scene.bodies.iter().flat_map(|(_, body)| body.markers().names());
        scene.forces.names().any(|other| other == name) || markers.any(|other| other == name)
    };
    let names = (1..).map(|k| format!("hand {k}"));
    names.into_iter().find(|name| !used(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Pull;
    use crate::run::{Changes, Experiment};
    use crate::scene::parse;

    fn experiment(text: &str) -> Experiment {
        Experiment::new(
            &parse("", &format!("Scene(name: \"\", {text})")).unwrap(),
            &Changes::default(),
        )
        .unwrap()
    }

    fn end(experiment: &Experiment, name: &str) -> f64 {
        let (report, _) = experiment.run(false, &mut |_| ()).unwrap();
        report.outputs.iter().find(|(output, _)| output == name).unwrap().1
    }

    const MASS: &str =
        r#"space: Planar, points: { "P": (at: [1, 2], mass: 2) }, outputs: { "x": "P.x", "vx": "P.vx", "y": "P.y" }"#;

    fn pull(part: &str, place: [f64; 3], path: &[(f64, [f64; 3])]) -> Pull {
        Pull {
            part: part.to_string(),
            place,
            path: path.to_vec(),
            until: None,
            stiffness: 18.0,
            damping: 0.0,
        }
    }

    /// The hand rests for a second, goes two metres in the next, rests again, and lets go a second later: x = 1 + ramp(t - 1) - ramp(t - 2)
    /// with ramp(s) = 2 (s - sin(w s)/w) on a mass that had no speed.
    #[test]
    fn a_mass_swings_on_the_hand_and_goes_straight_on_where_it_lets_go() {
        let mass = experiment(&format!("{MASS}, simulation: (duration: 3.5, rtol: 1e-11)"));
        let mut hand = pull("P", [0.0; 3], &[(0.5, [1.0, 2.0, 0.0])]);
        hand.move_to(1.0, 1.0, [3.0, 2.0, 0.0]);
        hand.until = Some(3.0);
        assert_eq!(hand.path.len(), 3);
        let pulled = mass.with_pulls(&[hand]).unwrap();
        let ramp = |s: f64| 2.0 * (s - (3.0 * s).sin() / 3.0);
        let rate = |s: f64| 2.0 * (1.0 - (3.0 * s).cos());
        let speed = rate(2.0) - rate(1.0);
        let x = 1.0 + ramp(2.0) - ramp(1.0) + 0.5 * speed;
        for (name, expected) in [("x", x), ("vx", speed), ("y", 2.0)] {
            let found = end(&pulled, name);
            assert!((found - expected).abs() < 1e-9, "{name} {found} {expected}");
        }
        assert_eq!(end(&mass, "x"), 1.0);
    }

    /// What is held stays where it is held: a bar, a rigid body and one in space are drawn at a place of their own, and turn.
    #[test]
    fn a_body_is_drawn_where_it_is_held() {
        let bar = r#"space: Planar, ground: { "O": [0, 0] }, points: { "Q": (guess: [2, 0]) },
            bodies: { "a bar": Bar(from: "O", to: "Q", length: 2, mass: 3, angle: 0, markers: { "hand 1": [1, 0] }) },
            forces: { "hand 1": Load(at: "Q", force: [0, 0]) }, outputs: { "rate": "'a bar'.alpha" }"#;
        let rigid = r#"space: Planar, bodies: { "a bar": Rigid(mass: 1, inertia: 4, at: [0, 0, 0]) }, outputs: { "rate": "'a bar'.alpha" }"#;
        let solid = r#"space: Spatial, bodies: { "a bar": Solid(mass: 1, inertia: [4, 4, 4, 0, 0, 0], at: [0, 0, 0]) },
            outputs: { "rate": "'a bar'.alpha_z" }"#;
        // One metre out, with 18 N across: 18 N m over the moment of inertia about what it turns about, m l^2 / 3 or J.
        for (scene, dimension) in [(bar, 2), (rigid, 2), (solid, 3)] {
            let still = experiment(&format!("{scene}, simulation: (duration: 1e-6)"));
            let pulled = still
                .with_pulls(&[pull("a bar", [1.0, 0.0, 0.0], &[(-1.0, [1.0, 1.0, 0.0])])])
                .unwrap();
            assert_eq!(pulled.mechanism.model.dimension, dimension);
            let found = end(&pulled, "rate");
            assert!((found - 4.5).abs() < 1e-5, "{found}");
        }
    }

    #[test]
    fn a_hand_is_as_stiff_as_suits_the_masses_and_the_speed_of_the_playback() {
        let experiment = experiment(&format!("{MASS}, simulation: (duration: 1)"));
        let hold = (0.0, [0.0; 3]);
        let [slow, fast] = [0.1, 1.0].map(|speed| Pull::new(&experiment.mechanism.model, speed, ("P", [0.0; 3]), hold));
        assert!((fast.stiffness - 2.0 * (3.0 * std::f64::consts::PI).powi(2)).abs() < 1e-9);
        assert!((slow.stiffness / fast.stiffness - 100.0).abs() < 1e-9);
    }
}
