//! Units of quantities and outputs, where a scene is in metres, kilograms, seconds and radians.

use super::{BushingPart, Hysteresis, Latching, Output, Quantity, ReactionPart, Rubbing};
use crate::model::constraint::ConstraintKind;
use crate::model::force::ForceKind;
use crate::model::marker::Orientation;
use crate::model::{CoordinateKind, FormulaArgument, Model, Term};

/// Parts of units that parameters may have in such a scene.
const SI: [&str; 16] = [
    "", "m", "kg", "s", "rad", "N", "Nm", "J", "W", "Pa", "Hz", "K", "A", "V", "C", "F",
];

/// Units of length that parameters may have, in metres.
const OF_LENGTH: [(&str, f64); 10] = [
    ("m", 1.0),
    ("km", 1e3),
    ("dm", 0.1),
    ("cm", 0.01),
    ("mm", 1e-3),
    ("µm", 1e-6),
    ("um", 1e-6),
    ("nm", 1e-9),
    ("in", 0.0254),
    ("ft", 0.3048),
];

/// Units of a place or an angle, and of its rates.
const LENGTHS: [&str; 3] = ["m", "m/s", "m/s²"];
const ANGLES: [&str; 3] = ["rad", "rad/s", "rad/s²"];

impl Quantity {
    /// The unit in a scene that [`Model::is_in_si`]; none where there is none or it is not known. Numbers and outputs have theirs from [`Model::output_units`].
    pub fn unit(&self, model: &Model) -> Option<&'static str> {
        let either = |turns: bool, [length, angle]: [&'static str; 2]| Some(if turns { angle } else { length });
        match self {
            Self::Time => Some("s"),
            Self::Coordinate(i, rate) => match model.coordinates[*i].kind {
                CoordinateKind::Length => Some(LENGTHS[*rate as usize]),
                CoordinateKind::Angle => Some(ANGLES[*rate as usize]),
                CoordinateKind::Fraction | CoordinateKind::Quaternion => None,
            },
            Self::Speed(_, rate) => Some(ANGLES[*rate as usize]),
            Self::Marker(_, _, rate) | Self::Stretch(_, rate) => Some(LENGTHS[*rate as usize]),
            Self::Distance(..) => Some("m"),
            Self::SpringForce(_) => Some("N"),
            Self::ForcePower(_) | Self::Friction(_, Rubbing::Heat) => Some("W"),
            Self::TorsionAngle(force) => either(!model.acts_along(*force), ["m", "rad"]),
            Self::TorsionTorque(force) => either(!model.acts_along(*force), ["N", "N m"]),
            Self::Bushing(_, part) => Some(match part {
                BushingPart::Angle => "rad",
                BushingPart::Force(_) => "N",
                BushingPart::Torque(_) => "N m",
                BushingPart::Energy => "J",
            }),
            Self::Hysteretic(_, Hysteresis::Work | Hysteresis::Loss) => Some("J"),
            Self::Reaction(group, part) => model.unit_of_reaction(*group, *part),
            Self::Gap(contact) | Self::Ratchet(contact, Latching::Held) => {
                either(model.gap_turns(*contact)?, ["m", "rad"])
            }
            Self::ContactForce(contact) => either(model.gap_turns(*contact)?, ["N", "N m"]),
            Self::Friction(friction, Rubbing::Force | Rubbing::ForceComponent(_)) => {
                either(model.rubs_turning(*friction), ["N", "N m"])
            }
            Self::Friction(friction, Rubbing::Slip | Rubbing::SlipComponent(_)) => {
                either(model.rubs_turning(*friction), ["m/s", "rad/s"])
            }
            Self::Momentum { angular, .. } => either(*angular, ["kg m/s", "kg m²/s"]),
            Self::Kinetic | Self::Potential | Self::Total => Some("J"),
            _ => None,
        }
    }
}

impl Output {
    /// The unit, with those of the outputs before it.
    fn unit<'a>(&self, (model, is_in_si): (&'a Model, bool), earlier: &[Option<&'a str>]) -> Option<&'a str> {
        self.expression.unit(|k| match self.arguments.get(k)? {
            Quantity::Number(number) => model.number_unit(*number),
            Quantity::Output(output) => *earlier.get(*output)?,
            quantity => quantity.unit(model).filter(|_| is_in_si),
        })
    }
}

impl Model {
    /// The unit of each output; none where it has none, or where it does not follow from its expression.
    pub fn output_units(&self) -> Vec<Option<&str>> {
        let (mut units, is_in_si) = (Vec::with_capacity(self.outputs.len()), self.is_in_si());
        for (_, output) in &self.outputs {
            units.push(output.unit((self, is_in_si), &units));
        }
        units
    }

    /// The unit of each objective; none where its terms have none in common, and of terms with a factor and sums of squares.
    pub fn objective_units(&self) -> Vec<Option<String>> {
        let (outputs, is_in_si) = (self.output_units(), self.is_in_si());
        let of = |value: &Output| value.unit((self, is_in_si), &outputs).map(str::to_string);
        let mut units = vec![None; self.objectives.len()];
        for objective in self.objective_order() {
            let of_term = |term: &Term| match term {
                _ if !term.coefficient().is_empty() => None,
                Term::Final { value, .. } => of(value),
                Term::Integral { integrand, .. } => times_seconds(&of(&self.integrands[*integrand])?),
                Term::AtEvents { sum, .. } => of(&self.event_sums[*sum].value),
                Term::Peak { peak, .. } => of(&self.peaks[*peak].value),
                Term::At { reading, .. } => of(&self.readings[*reading].value),
                Term::Formula { formula, .. } => self.formula_unit(*formula, &units),
                Term::Fit { .. } => None,
            };
            let found: Vec<Option<String>> = self.objectives[objective].terms.iter().map(of_term).collect();
            if let [first, rest @ ..] = &found[..]
                && rest.iter().all(|unit| unit == first)
            {
                units[objective] = first.clone();
            }
        }
        units
    }

    /// The unit of a formula of objectives with these units.
    fn formula_unit(&self, formula: usize, units: &[Option<String>]) -> Option<String> {
        let [part] = &self.formulas[formula].parts[..] else {
            return None;
        };
        let unit = part.expression.unit(|k| match part.arguments.get(k)? {
            FormulaArgument::Objective(objective) => units[*objective].as_deref(),
            FormulaArgument::Number(number) => self.number_unit(*number),
        });
        unit.map(str::to_string).filter(|_| !self.formulas[formula].squared)
    }

    /// The unit of a number that is a parameter.
    fn number_unit(&self, number: usize) -> Option<&str> {
        let name = &self.numbers.get(number)?.name;
        let parameter = self.parameters.iter().find(|parameter| parameter.name == *name)?;
        Some(parameter.unit.as_str()).filter(|unit| !unit.is_empty())
    }

    /// Whether no parameter has a unit of another system, such as centimetres: then none says in which units quantities are.
    pub fn is_in_si(&self) -> bool {
        let is_si = |unit: &str| {
            unit.split(|letter: char| !letter.is_alphabetic())
                .all(|part| SI.contains(&part))
        };
        self.parameters.iter().all(|parameter| is_si(&parameter.unit))
    }

    /// The unit of length in metres: that of the parameters which have one, where it is the same; otherwise a metre.
    pub fn metres(&self) -> f64 {
        let lengths = self.parameters.iter().filter_map(|parameter| {
            let known = OF_LENGTH.iter().find(|(name, _)| *name == parameter.unit);
            known.map(|(_, metres)| *metres)
        });
        let mut lengths = lengths.collect::<Vec<_>>();
        lengths.dedup();
        match lengths[..] {
            [metres] => metres,
            _ => 1.0,
        }
    }

    /// Whether a torsion spring acts on a place along an axis, not on an angle.
    fn acts_along(&self, force: usize) -> bool {
        let force = &self.forces[force];
        let ForceKind::Torsion(torsion) = &force.kind else {
            return false;
        };
        let is_length = |i: usize| self.coordinates[force.local.coordinates[i]].kind == CoordinateKind::Length;
        let mut ends = [torsion.a, torsion.b].into_iter();
        ends.any(|end| matches!(end, Orientation::Angle(i) if is_length(i)))
    }

    /// Whether the gap of a contact is an angle; none where it is neither that nor a length.
    fn gap_turns(&self, contact: usize) -> Option<bool> {
        let gap = &self.constraints[self.contacts[contact].gap];
        let ConstraintKind::CoordinateLimit(_) = &gap.kind else {
            return Some(false);
        };
        let mut kinds = gap.local.coordinates.iter().map(|&i| self.coordinates[i].kind);
        match kinds.next()? {
            CoordinateKind::Length => Some(false),
            CoordinateKind::Angle => Some(true),
            CoordinateKind::Fraction | CoordinateKind::Quaternion => None,
        }
    }

    /// Whether friction acts against turning.
    fn rubs_turning(&self, friction: usize) -> bool {
        let force = &self.forces[self.frictions[friction].force].kind;
        matches!(force, ForceKind::Sliding(sliding) if sliding.freedom.turns())
    }

    fn unit_of_reaction(&self, group: usize, part: ReactionPart) -> Option<&'static str> {
        let mut constraints = self.groups[group].constraints.iter();
        let is_coupled = constraints.any(|&index| matches!(self.constraints[index].kind, ConstraintKind::Coupling(_)));
        match part {
            ReactionPart::Power => Some("W"),
            // What goes with a combination of coordinates is neither force nor torque.
            _ if is_coupled => None,
            ReactionPart::Component(_) | ReactionPart::Magnitude | ReactionPart::Tension => Some("N"),
            ReactionPart::Moment(_) | ReactionPart::MomentMagnitude | ReactionPart::Torque => Some("N m"),
            ReactionPart::Signed { of_moment } | ReactionPart::InFrame { of_moment, .. } => {
                Some(if of_moment { "N m" } else { "N" })
            }
        }
    }
}

/// The unit of an integral over time; none where it cannot be written in a few signs.
fn times_seconds(unit: &str) -> Option<String> {
    let simple = |unit: &str| Some(unit.to_string()).filter(|unit| !unit.contains('/') && unit != "1");
    match (unit, unit.strip_suffix("/s²"), unit.strip_suffix("/s")) {
        ("W", ..) => Some("J".to_string()),
        ("s", ..) => Some("s²".to_string()),
        (_, Some(rate), _) => simple(rate).map(|unit| format!("{unit}/s")),
        (.., Some(whole)) => simple(whole),
        _ => simple(unit).map(|unit| format!("{unit} s")),
    }
}
