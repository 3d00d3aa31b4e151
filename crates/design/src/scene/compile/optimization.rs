//! The optimization of a scene: names resolved to objectives and parameters, with every default filled in.

use super::Build;
use super::site::Site;
use crate::error::Result;
use crate::scene::compiled::{DesignVariable, Limit, LimitSide, LoadCase, Optimization, Stopping};
use crate::scene::schema::{self, Finite, Goal, Solver};

const MEMORY: u32 = 10;
const FIRST_STEP: f64 = 0.1;

impl Build<'_> {
    /// Resolves the `optimization` part of the scene; after the objectives.
    pub(super) fn optimization(&self) -> Result<Option<Optimization>> {
        let Some(written) = &self.scene.optimization else {
            return Ok(None);
        };
        let site = Site::new(self.file, "optimization");
        let variables = self.variables(&written.over, &site.at("over"))?;
        let limits = self.objective_limits(&written.subject_to, &site.at("subject_to"))?;
        let cases = self.cases(&written.cases, &site.at("cases"))?;
        let limits = in_each(limits, &cases);
        let options = written.options.clone().unwrap_or_default();
        let site_of_options = site.at("options");
        let goal = self.goal(&written.minimize, &site.at("minimize"))?;
        let mut found = Optimization {
            is_fit: self.is_made_of(&goal, |part| matches!(part, schema::Objective::Fit { .. })),
            is_least_squares: self.is_made_of(&goal, |part| {
                matches!(part, schema::Objective::Fit { .. } | schema::Objective::SumOfSquares(_))
            }),
            goal,
            variables,
            limits,
            cases,
            solver: Solver::Lbfgs,
            memory: site_of_options.counted("memory", options.memory, MEMORY)? as usize,
            first_step: site_of_options.plain("first_step", options.first_step, FIRST_STEP, false)?,
            particles: match options.particles {
                Some(count) => Some(site_of_options.counted("particles", Some(count), 1)?),
                None => None,
            },
            starts: site.counted("starts", written.starts, 1)?,
            seed: written.seed.unwrap_or(0),
            stopping: stopping(written.stopping.as_ref(), &site.at("stopping"))?,
        };
        found.solver = solver(written.solver, &found, &site.at("solver"))?;
        Ok(Some(found))
    }

    fn goal(&self, written: &Goal, site: &Site) -> Result<Vec<(f64, String)>> {
        let terms = match written {
            Goal::Objective(name) => {
                self.known_objective(name, site)?;
                return Ok(vec![(1.0, name.clone())]);
            }
            Goal::Sum(terms) => terms,
        };
        if terms.is_empty() {
            let advice = "write minimize: [(factor, \"objective\"), ..]";
            return site.refuse("the sum to minimize has no terms", advice);
        }
        for (k, (_, name)) in terms.iter().enumerate() {
            self.known_objective(name, &site.at(k).at(1))?;
        }
        Ok(terms.clone())
    }

    /// Whether the objectives of a goal are of a kind and have positive factors.
    fn is_made_of(&self, goal: &[(f64, String)], is_kind: fn(&schema::Objective) -> bool) -> bool {
        let is = |name: &str| self.scene.objectives.get(name).is_some_and(is_kind);
        goal.iter().all(|(factor, name)| *factor > 0.0 && is(name))
    }

    fn known_objective(&self, name: &str, site: &Site) -> Result<()> {
        match self.scene.objectives.get(name) {
            Some(_) => Ok(()),
            None => Err(site.unknown(["objective", "objectives"], name, self.scene.objectives.names())),
        }
    }

    /// The load cases, each with a name of its own, which set what the scene has.
    fn cases(&self, written: &[schema::Case], site: &Site) -> Result<Vec<LoadCase>> {
        let mut cases: Vec<LoadCase> = Vec::new();
        for (k, case) in written.iter().enumerate() {
            let site = site.at(k);
            if case.name.trim().is_empty() || cases.iter().any(|known| known.name == case.name) {
                let message = format!("the name \"{}\" of this case is empty or taken", case.name);
                return site.at("name").refuse(message, "give every case a name of its own");
            }
            let (parameters, constants) = (&self.scene.parameters, &self.scene.constants);
            let unknown = |name: &&str| parameters.get(name).is_none() && constants.get(name).is_none();
            if let Some(name) = case.set.names().find(unknown) {
                let known = parameters.names().chain(constants.names());
                return Err(site
                    .at("set")
                    .unknown(["parameter or constant", "parameters and constants"], name, known));
            }
            if let Some(name) = case.set.names().find(|name| self.file.counts(name)) {
                return site.at("set").at(name).refuse(
                    format!("`{name}` says which entries the scene has, which a load case cannot change"),
                    "set another constant or a parameter; `--set` changes this one for all cases",
                );
            }
            cases.push(LoadCase {
                name: case.name.clone(),
                weight: site.plain("weight", case.weight, 1.0, false)?,
            });
        }
        Ok(cases)
    }

    fn variables(&self, written: &[schema::Variable], site: &Site) -> Result<Vec<DesignVariable>> {
        if written.is_empty() {
            return site.refuse("no parameter is varied", "write over: [\"parameter\", ..]");
        }
        let mut variables: Vec<DesignVariable> = Vec::new();
        for (k, entry) in written.iter().enumerate() {
            let site = site.at(k);
            if variables.iter().any(|known| known.name == entry.parameter) {
                let message = format!("the parameter `{}` is listed twice", entry.parameter);
                return site.refuse(message, "list every parameter once");
            }
            variables.push(self.variable(entry, &site)?);
        }
        Ok(variables)
    }

    fn variable(&self, written: &schema::Variable, site: &Site) -> Result<DesignVariable> {
        let name = &written.parameter;
        let parameters = &self.numbers.parameters;
        if self.scene.constants.get(name).is_some() {
            let message = format!("`{name}` is a constant: nothing is differentiated by it");
            return Err(site.error(message).advise("write it in `parameters` to vary it"));
        }
        let Some(parameter) = parameters.itself(name) else {
            return Err(site.unknown(["parameter", "parameters"], name, self.scene.parameters.names()));
        };
        let (start, unit) = (parameter.value, parameter.unit.clone());
        let bounds = written.bounds.map(Finite::interval).or(parameter.bounds);
        let (lower, upper) = bounds.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        if lower >= upper || !(lower..=upper).contains(&start) {
            let message = format!("`{name}` starts at {start}, which is not between {lower} and {upper}");
            return Err(site
                .error(message)
                .with_value(start)
                .advise("write the bounds as (low, high) with the value of the parameter between them"));
        }
        let usual = usual_scale(start, upper - lower);
        let scale = site.plain("scale", written.scale, usual, false)?;
        Ok(DesignVariable {
            name: name.clone(),
            unit,
            start,
            lower,
            upper,
            scale,
        })
    }

    fn objective_limits(&self, written: &schema::Named<schema::Limit>, site: &Site) -> Result<Vec<Limit>> {
        let mut limits = Vec::new();
        for (name, limit) in written.iter() {
            let site = site.at(name);
            self.known_objective(name, &site)?;
            refuse_contradiction(name, limit, &site)?;
            let sides = [
                (LimitSide::Equal, limit.equals),
                (LimitSide::AtLeast, limit.at_least),
                (LimitSide::AtMost, limit.at_most),
            ];
            let given = sides.into_iter().filter_map(|(side, bound)| Some((side, bound?.0)));
            limits.extend(given.map(|(side, bound)| Limit {
                objective: name.to_string(),
                case: None,
                side,
                bound,
            }));
        }
        Ok(limits)
    }
}

/// Every limit in each of the cases, where there are some.
fn in_each(limits: Vec<Limit>, cases: &[LoadCase]) -> Vec<Limit> {
    if cases.is_empty() {
        return limits;
    }
    let in_case = |limit: &Limit, case: &LoadCase| Limit {
        case: Some(case.name.clone()),
        ..limit.clone()
    };
    let all = limits
        .iter()
        .flat_map(|limit| cases.iter().map(move |case| in_case(limit, case)));
    all.collect()
}

/// A limit has `equals` alone, or one or both of the others in their order.
fn refuse_contradiction(name: &str, limit: &schema::Limit, site: &Site) -> Result<()> {
    match (limit.equals, limit.at_least, limit.at_most) {
        (None, None, None) => site.refuse(
            format!("the objective `{name}` has no limit here"),
            "give `at_least`, `at_most` or both, or `equals`",
        ),
        (Some(_), Some(_), _) | (Some(_), _, Some(_)) => site.refuse(
            format!("`equals` of `{name}` leaves nothing to the other limit"),
            "give `equals` alone, or `at_least` and `at_most`",
        ),
        (None, Some(low), Some(high)) if low.0 > high.0 => site.refuse(
            format!("no value of `{name}` keeps both limits"),
            "exchange `at_least` and `at_most`",
        ),
        _ => Ok(()),
    }
}

/// The size of a large step when none is written: the value itself, half of the width between the bounds, or one.
fn usual_scale(start: f64, width: f64) -> f64 {
    match (start != 0.0, width.is_finite()) {
        (true, _) => start.abs(),
        (false, true) => 0.5 * width,
        (false, false) => 1.0,
    }
}

/// The method as written, or the one that suits the goal, bounds and limits.
fn solver(written: Option<Solver>, optimization: &Optimization, site: &Site) -> Result<Solver> {
    match (written, optimization.limits.is_empty()) {
        (None | Some(Solver::Slsqp), false) => Ok(Solver::Slsqp),
        (Some(other), false) => site.refuse(
            format!("the solver {other:?} cannot keep the limits of `subject_to`"),
            "write `solver: Slsqp`, or leave the solver out",
        ),
        (Some(Solver::GaussNewton), true) if !optimization.is_least_squares => site.refuse(
            "the solver GaussNewton minimizes `Fit` and `SumOfSquares` objectives only",
            "leave the solver out, or minimize `Fit` and `SumOfSquares` objectives with positive factors",
        ),
        (Some(solver), true) => Ok(solver),
        (None, true) if optimization.is_least_squares => Ok(Solver::GaussNewton),
        (None, true) if optimization.has_bounds() => Ok(Solver::LbfgsB),
        (None, true) => Ok(Solver::Lbfgs),
    }
}

fn stopping(written: Option<&schema::Stopping>, site: &Site) -> Result<Stopping> {
    let (default, written) = (Stopping::default(), written.cloned().unwrap_or_default());
    Ok(Stopping {
        gradient: site.plain("gradient", written.gradient, default.gradient, true)?,
        decrease: site.plain("decrease", written.decrease, default.decrease, true)?,
        violation: site.plain("violation", written.violation, default.violation, false)?,
        target: written.target.map_or(default.target, |target| target.0),
        max_iterations: site.counted("max_iterations", written.max_iterations, default.max_iterations)?,
        max_simulations: site.counted("max_simulations", written.max_simulations, default.max_simulations)?,
    })
}
