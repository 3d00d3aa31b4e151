//! Springs with hysteresis: the example of Serban and Recuero, 5.2, with values of two independent methods to twelve digits.

use costate::run::{Experiment, Method, Verdict};
use costate::scene::parse;
use costate::scene::schema::FormulationKind::{Index3, Multipliers, Nullspace, Penalty, Stabilized};

use crate::{changes, of, shipped, under, worst_difference};

/// Times of the reversals (s) with their derivatives by ka, kb, alpha.
const REVERSALS: [(f64, [f64; 3]); 19] = [
    (
        0.42151266743750604,
        [-0.0003414596240606172, -0.0004723646372478627, 8.798038027738484e-05],
    ),
    (
        0.8710606940223876,
        [-0.0006366606289293623, -0.0014616007325773674, 0.0005071021030983136],
    ),
    (
        1.4279046829607518,
        [-0.000733470683226044, -0.0023065286479850597, 0.0008922504644300974],
    ),
    (
        2.000335116927806,
        [-0.0009843670828715912, -0.004330681697160015, 0.001211259847965132],
    ),
    (
        2.5709690442853925,
        [-0.0009166202103928933, -0.005379835057619459, 0.0011356930779729383],
    ),
    (
        3.1246319251947026,
        [-0.0007318212030119822, -0.004479518661793748, 0.0009214237544435612],
    ),
    (
        3.656278504737399,
        [-0.00044119237188026326, -0.0013449190839297774, 0.0005763809458955313],
    ),
    (
        4.16763091489762,
        [-0.00021626561287310948, 0.0011495628652548058, 0.0002986347124562616],
    ),
    (
        4.672001298563243,
        [-0.00019374946995303927, 0.00024793935099749677, 0.0002625419348336935],
    ),
    (
        5.1795568590749514,
        [-0.00024311688061294087, -0.0013761667535879794, 0.0003220970591481147],
    ),
    (
        5.688062806200963,
        [-0.0002242772200192886, -0.0009102718174840238, 0.0003021204486233308],
    ),
    (
        6.1932427099685015,
        [-0.0001660928068352343, 0.0003507087402811281, 0.0002297100701039142],
    ),
    (
        6.696128464707145,
        [-0.00014463544876845051, 0.00023598955789703102, 0.00019948053907845438],
    ),
    (
        7.199606928711144,
        [-0.00015621645991908655, -0.0006381742124019813, 0.00021260314893876162],
    ),
    (
        7.70358865821705,
        [-0.00015226658100311513, -0.0005732479747257539, 0.00020886680110594993],
    ),
    (
        8.206495983037545,
        [-0.00012865570897016936, 0.00012975905450701505, 0.00017925500504349393],
    ),
    (
        8.708409069553372,
        [-0.00011548125529034789, 0.0001582606300565922, 0.00016090098878046124],
    ),
    (
        9.210480549855177,
        [-0.00011831992200308444, -0.0003622444476427667, 0.00016352524068546643],
    ),
    (
        9.71280480615183,
        [-0.0001165407808363845, -0.00038560429214329887, 0.00016175740853994412],
    ),
];

/// States at whole seconds: elongation, its derivatives by ka, kb, alpha, the integral of its square, and those of that.
const STATES: [(f64, [f64; 3], f64, [f64; 3]); 10] = [
    (
        -0.0029512066912780327,
        [3.633903800261178e-05, 6.801331721667781e-05, -2.0394197743820326e-05],
        6.015043193898101e-06,
        [-7.12870817206017e-08, -1.0299813847554045e-07, 2.394741589253521e-08],
    ),
    (
        -0.023216981254780368,
        [0.00019534628136188848, 0.0004515228482693467, -0.00019053962551369565],
        0.0001076685713078076,
        [-1.2945873475103856e-06, -1.7954877254105986e-06, 9.868567062962463e-07],
    ),
    (
        -0.0465464664343148,
        [-0.00011850327650151531, -0.0025425655825490087, 0.00017195880393076855],
        0.0008524321105274808,
        [-7.448988996151344e-06, 6.20765527924834e-06, 7.054413627979471e-06],
    ),
    (
        -0.034956299240982834,
        [-0.00011052085284237282, -0.0010826656614298569, 0.00016806610855516196],
        0.003045493475308124,
        [-8.3854976955887e-06, 0.00019622780355867947, 6.703973447021869e-06],
    ),
    (
        -0.04083386117474753,
        [-8.585490443857207e-05, -0.0016227789986420185, 0.00012931344894188932],
        0.0060048441565174375,
        [-9.378402301066293e-06, 0.00035929579013059396, 5.847727805418073e-06],
    ),
    (
        -0.03717964248939965,
        [-0.00011582653018717578, -0.0014876679337423467, 0.00017187241166505342],
        0.01079297781547555,
        [-1.1292383974751783e-05, 0.0006875682683226097, 6.327714226138384e-06],
    ),
    (
        -0.03953871477305167,
        [-9.073071395343635e-05, -0.0014073766863555914, 0.00013577065715930596],
        0.017102965658664742,
        [-1.1135964333329806e-05, 0.0010974791038666446, 3.6059586888289635e-06],
    ),
    (
        -0.03780438758162981,
        [-0.00011263986491397345, -0.0015880748492112754, 0.00016663509365361098],
        0.025679805777808713,
        [-1.2763779017641308e-05, 0.001661414933728372, 3.3136730196256086e-06],
    ),
    (
        -0.03904617724811526,
        [-9.446032439288383e-05, -0.0013464410054115116, 0.0001408110690231764],
        0.03642469060068448,
        [-1.2164913220019854e-05, 0.0023816547667084294, -3.218890286307549e-07],
    ),
    (
        -0.03805399384515159,
        [-0.00011000326035824942, -0.0016128625690178461, 0.0001627024466348351],
        0.049939788606382804,
        [-1.3366438839570916e-05, 0.0032667901576461014, -1.5302249600439613e-06],
    ),
];

const PARAMETERS: [&str; 3] = ["ka", "kb", "alpha"];

#[test]
fn the_reversals_of_the_oscillator_come_at_the_times_of_the_reference_with_its_derivatives() {
    for formulation in [Nullspace, Multipliers, Stabilized, Index3, Penalty] {
        let report = shipped("hysteretic_oscillator", &under(formulation))
            .gradient(Method::Forward)
            .unwrap();
        assert_eq!(report.events.len(), REVERSALS.len());
        for ((event, slopes), (t, want)) in report.events.iter().zip(REVERSALS) {
            assert!((event.t - t).abs() < 1e-11, "{} and {t}", event.t);
            for (slope, want) in slopes.as_ref().unwrap().iter().zip(want) {
                assert!((slope - want).abs() < 1e-9 * want.abs(), "{t}: {slope} and {want}");
            }
        }
    }
}

#[test]
fn elongation_and_integral_have_the_derivatives_of_the_reference_at_every_second() {
    let text = include_str!("../../scenes/hysteretic_oscillator.ron");
    let text = text.replace("\"taken up\": Final(\"work\")", "\"u\": Final(\"u\")");
    let file = parse("hysteretic_oscillator.ron", &text).unwrap();
    for (second, (u, du, g, dg)) in STATES.into_iter().enumerate() {
        let mut changes = changes(1e-12, 1e-13);
        changes.duration = Some(second as f64 + 1.0);
        let experiment = Experiment::new(&file, &changes).unwrap();
        let adjoint = experiment.gradient(Method::Adjoint).unwrap();
        for (objective, value, slopes) in [("u", u, du), ("G", g, dg)] {
            let found = adjoint.objectives.iter().find(|found| found.name == objective).unwrap();
            assert!((found.value - value).abs() < 1e-11, "{objective} at {second}");
            for (parameter, want) in PARAMETERS.into_iter().zip(slopes) {
                let slope = of(&adjoint, objective, parameter);
                assert!(
                    (slope - want).abs() < 1e-7 * want.abs(),
                    "{objective} by {parameter} at {second}: {slope} and {want}"
                );
            }
            assert_eq!(of(&adjoint, objective, "beta"), 0.0);
        }
        let forward = experiment.gradient(Method::Forward).unwrap();
        let difference = worst_difference(&adjoint, &forward);
        assert!(difference < 1e-9, "second {second}: {difference:e}");
    }
}

/// A mass between two springs with hysteresis, one of them along a line that turns, with everything that memory can meet:
/// impacts that turn the elongation round, a spring that is switched, stiffening.
fn shaken(formulation: &str) -> Experiment {
    let text = format!(
        r#"Scene(name: "shaken", space: Planar, gravity: [0, -9.81],
        parameters: {{ "ka": 90.0, "kb": 25.0, "alpha": 9.0, "beta": 0.4, "L": 0.8, "e": 0.6, "m": 0.7, "on": 0.9, "u0": 0.11 }},
        ground: {{ "A": [0, 1.2], "B": [-1.1, 0.1] }},
        points: {{ "P": (at: ["u0", 0.35], velocity: [0.9, 0.4], mass: "m") }},
        forces: {{
            "upper": HystereticSpring(of: Distance("A", "P"), natural: "L", ka: "ka", kb: "kb", alpha: "alpha", beta: "beta"),
            "side": HystereticSpring(of: Coordinate("P.x"), natural: 0.05, ka: "2*ka", kb: "kb", alpha: "alpha"),
            "late": HystereticSpring(of: Distance("B", "P"), natural: 1, ka: "ka", kb: "kb", alpha: 6, active: false),
        }},
        contacts: {{ "wall": Limit(of: Coordinate("P.x"), at_most: 0.14, law: Restitution("e")) }},
        events: {{
            "on": (when: At("on"), then: [Enable("late")]),
            "off": (when: At(1.7), then: [Disable("late")]),
        }},
        objectives: {{
            "x": Final("P.x"), "y": Final("P.y"), "work": Final("upper.work + side.work + late.work"),
            "loss": Final("side.loss"), "force": Integral("side.force^2 + upper.elongation"),
        }},
        simulation: (duration: 2.3, formulation: {formulation}))"#
    );
    Experiment::new(&parse("shaken.ron", &text).unwrap(), &changes(1e-11, 1e-12)).unwrap()
}

#[test]
fn reversals_by_impacts_and_switched_springs_have_derivatives_that_differences_confirm() {
    for formulation in ["Nullspace", "Penalty"] {
        let experiment = shaken(formulation);
        let certificate = experiment.certify(Method::Adjoint, &|_| {}).unwrap().1;
        let contradicted = certificate
            .entries
            .iter()
            .filter(|entry| entry.verdict != Verdict::Passed);
        let contradicted: Vec<_> = contradicted.map(|entry| format!("{entry:?}")).collect();
        assert!(contradicted.is_empty(), "{contradicted:#?}");
        let adjoint = experiment.gradient(Method::Adjoint).unwrap();
        let forward = experiment.gradient(Method::Forward).unwrap();
        let difference = worst_difference(&adjoint, &forward);
        assert!(difference < 1e-9, "{difference:e}");
        for parameter in &adjoint.parameters {
            assert_ne!(of(&adjoint, "work", parameter), 0.0, "{parameter}");
        }
    }
}
