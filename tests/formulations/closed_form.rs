//! Derivatives of Q2, C+ and the flow in closed form against the implicit path and difference quotients, on the shipped
//! scenes.

use std::path::Path;

use costate::formulation::{Elimination, Formulation, TermSlopes};
use costate::hybrid::{At, Differentiable, HybridSystem, Tangent};
use costate::mechanism::{Mechanism, Workspace};
use costate::model::Mode;
use costate::model::constraint::Direction;
use costate::model::residual::{Instant, ResidualAlong};
use costate::run::{Changes, Experiment};
use costate::scene::schema::FormulationKind;

use crate::element_support::Random;

const SCENES: [&str; 12] = [
    "andrews_squeezer",
    "bouncing_ball",
    "double_pendulum_wall",
    "five_bar",
    "five_bar_restitution",
    "five_bar_smooth",
    "four_bar",
    "latch",
    "n_four_bar",
    "pendulum_with_stop",
    "slider_crank",
    "torsional_pendulum",
];

struct Subject {
    name: &'static str,
    mechanism: Mechanism,
    mode: Mode,
    t: f64,
    /// A random state off the constraints, so that every term of q' counts.
    x: Vec<f64>,
    dx: Vec<f64>,
}

fn subject(name: &'static str, random: &mut Random) -> Subject {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scenes")
        .join(format!("{name}.ron"));
    let changes = Changes {
        formulation: Some(FormulationKind::Nullspace),
        ..Changes::default()
    };
    let Experiment {
        mut mechanism, start, ..
    } = Experiment::open(&path, &changes).unwrap();
    mechanism.choices.by = Elimination::Qr;
    let started = mechanism.start(start, &mut mechanism.workspace()).unwrap();
    let end = mechanism.velocities().end;
    let mut vary = |x: &[f64], size: f64| -> Vec<f64> {
        let entries = x.iter().enumerate();
        entries
            .map(|(i, x)| if i < end { x + size * random.unit() } else { *x })
            .collect()
    };
    let x = vary(&started.x, 0.02);
    let dx = vary(&vec![0.0; x.len()], 1.0);
    Subject {
        name,
        mechanism,
        mode: started.mode,
        t: start,
        x,
        dx,
    }
}

/// dq' and da by the closed forms.
fn closed_form(subject: &Subject, workspace: &mut Workspace) -> Vec<f64> {
    let Subject {
        mechanism,
        mode,
        t,
        x,
        dx,
        ..
    } = subject;
    let (positions, velocities) = (mechanism.positions(), mechanism.velocities());
    let (nv, model) = (model_size(mechanism), &mechanism.model);
    mechanism
        .evaluate_motion(At::new(*t, mode, x), true, workspace)
        .unwrap();
    let (a, none, rest) = (workspace.a.clone(), vec![0.0; mode.rows], vec![0.0; nv]);
    let numbers = vec![0.0; workspace.terms.numbers.len()];
    let direction = Direction {
        t: 0.0,
        q: &dx[positions.clone()],
        v: &dx[velocities.clone()],
        numbers: &numbers,
    };
    let at = Instant {
        t: *t,
        q: &x[positions],
        v: &x[velocities],
        a: &a,
        lambda: &none,
        attitudes: None,
    };
    let mut along = ResidualAlong::new(model);
    model.residual_along(&at, mode, &workspace.terms, &direction, &mut along);
    let (force, rate) = (along.force.clone(), along.rate.clone());
    model.residual_along(
        &Instant { a: &rest, ..at },
        mode,
        &workspace.terms,
        &direction,
        &mut along,
    );
    let mut slopes = TermSlopes {
        jacobian: vec![0.0; mode.rows * nv],
        force,
        gamma: along.acceleration[..mode.rows].to_vec(),
    };
    model.jacobian_along(&at, mode, &workspace.terms, &direction, &mut slopes.jacobian);
    let Formulation::Nullspace(nullspace) = &mut workspace.formulation else {
        panic!("another formulation")
    };
    let (bases, changes) = (nullspace.bases(mode), nullspace.base_slopes(mode, &slopes.jacobian));
    let mut slope = direction.v.to_vec();
    let columns = bases.pseudo_inverse.iter().zip(&changes.pseudo_inverse);
    for ((column, change), (along, rate)) in columns.zip(rate.iter().zip(&workspace.terms.rate)) {
        for (slope, (value, change)) in slope.iter_mut().zip(column.iter().zip(change)) {
            *slope -= value * along + change * rate;
        }
    }
    slope.extend(nullspace.acceleration_slope(mode, &workspace.terms, &a, &slopes));
    slope
}

fn model_size(mechanism: &Mechanism) -> usize {
    mechanism.model.nq()
}

fn implicit(subject: &Subject, workspace: &mut Workspace) -> Vec<f64> {
    let Subject {
        mechanism,
        mode,
        t,
        x,
        dx,
        ..
    } = subject;
    let along = Tangent {
        t: 0.0,
        x: dx,
        numbers: &vec![0.0; mechanism.numbers()],
    };
    let mut out = vec![0.0; x.len()];
    mechanism.linearize(At::new(*t, mode, x), workspace).unwrap();
    mechanism.flow_jvp(At::new(*t, mode, x), &along, workspace, &mut out);
    out.truncate(2 * model_size(mechanism));
    out
}

/// Richardson's extrapolation of two central differences.
fn quotient(subject: &Subject, workspace: &mut Workspace) -> Vec<f64> {
    let Subject {
        mechanism,
        mode,
        t,
        x,
        dx,
        ..
    } = subject;
    let mut central = |step: f64| -> Vec<f64> {
        let mut flow = |step: f64| {
            let shifted: Vec<f64> = x.iter().zip(dx).map(|(x, dx)| x + step * dx).collect();
            let mut out = vec![0.0; x.len()];
            mechanism
                .flow(At::new(*t, mode, &shifted), workspace, &mut out)
                .unwrap();
            out
        };
        let (up, down) = (flow(step), flow(-step));
        up.iter()
            .zip(&down)
            .map(|(up, down)| (up - down) / (2.0 * step))
            .collect()
    };
    let (wide, narrow) = (central(2e-4), central(1e-4));
    let mut out: Vec<f64> = wide
        .iter()
        .zip(&narrow)
        .map(|(wide, narrow)| (4.0 * narrow - wide) / 3.0)
        .collect();
    out.truncate(2 * model_size(mechanism));
    out
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    let size = b.iter().fold(f64::MIN_POSITIVE, |most, x| f64::max(most, x.abs()));
    a.iter()
        .zip(b)
        .fold(0.0, |most, (a, b)| f64::max(most, (a - b).abs() / size))
}

#[test]
fn the_closed_form_and_the_implicit_derivative_of_the_flow_agree_on_every_shipped_scene() {
    let mut random = Random::new(77);
    for name in SCENES {
        for _ in 0..5 {
            let subject = subject(name, &mut random);
            let mut workspace = subject.mechanism.workspace();
            let closed = closed_form(&subject, &mut workspace);
            let implicit = implicit(&subject, &mut workspace);
            let error = distance(&closed, &implicit);
            assert!(error <= 1e-12, "{name}: {error:e}");
            let from_quotient = distance(&implicit, &quotient(&subject, &mut workspace));
            assert!(
                from_quotient <= 1e-6,
                "{}: {from_quotient:e} from the quotient",
                subject.name
            );
            assert!(closed.iter().any(|slope| slope.abs() > 1e-3), "{name}: zero");
        }
    }
}

#[test]
fn the_derivatives_of_both_bases_keep_their_defining_equations() {
    // C C+ = I and Q2^T C+ = 0, differentiated, on a scene with independent rows.
    let mut random = Random::new(78);
    let subject = subject("five_bar", &mut random);
    let mut workspace = subject.mechanism.workspace();
    let (mode, nv) = (&subject.mode, model_size(&subject.mechanism));
    subject
        .mechanism
        .evaluate_motion(At::new(subject.t, mode, &subject.x), false, &mut workspace)
        .unwrap();
    let slope: Vec<f64> = (0..mode.rows * nv).map(|_| random.unit()).collect();
    let Formulation::Nullspace(nullspace) = &mut workspace.formulation else {
        panic!("another formulation")
    };
    let (bases, changes) = (nullspace.bases(mode), nullspace.base_slopes(mode, &slope));
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    for (j, (column, change)) in bases.pseudo_inverse.iter().zip(&changes.pseudo_inverse).enumerate() {
        for (i, row) in workspace.terms.jacobian.dense(mode.rows).chunks(nv).enumerate() {
            let identity = dot(&slope[i * nv..][..nv], column) + dot(row, change);
            assert!(identity.abs() < 1e-12, "row {i}, column {j}: {identity:e}");
        }
        for (null, null_change) in bases.null.iter().zip(&changes.null) {
            let orthogonal = dot(null_change, column) + dot(null, change);
            assert!(orthogonal.abs() < 1e-12, "column {j}: {orthogonal:e}");
        }
    }
    assert!(changes.null.iter().flatten().any(|slope| slope.abs() > 0.1));
}
