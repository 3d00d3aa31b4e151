//! Parameter values that replace those of the scene.

use std::collections::HashMap;

use super::site::Site;
use crate::error::{Error, ErrorKind, Result};
use crate::expression::suggest;
use crate::scene::SceneFile;
use crate::scene::schema::{Named, Number};

/// What a request changes in the scene, such as `--set NAME=VALUE` on the command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// Pairs of a parameter or constant and its value, in its unit; an expression in the scene is replaced by it.
    pub parameters: Vec<(String, f64)>,
    /// Load case of the optimization, whose values come on top.
    pub case: Option<String>,
}

impl Overrides {
    /// The values by name, checked.
    pub(super) fn checked(&self, file: &SceneFile) -> Result<HashMap<&str, f64>> {
        let mut values = HashMap::new();
        for (name, value) in &self.parameters {
            let request = |message: String| Error::new(ErrorKind::Request, message).named(name);
            let scene = &file.scene;
            if scene.parameters.get(name).is_none() && scene.constants.get(name).is_none() {
                let known = scene.parameters.names().chain(scene.constants.names());
                let advice = suggest(name, known, "parameters and constants");
                return Err(request(format!("the scene has no parameter `{name}`")).advise(advice));
            }
            if !value.is_finite() {
                return Err(request(format!("the value {value} for `{name}` is not finite"))
                    .with_value(*value)
                    .advise("give a finite number"));
            }
            if values.insert(name.as_str(), *value).is_some() {
                return Err(request(format!("the parameter `{name}` is set twice")).advise("set every parameter once"));
            }
        }
        Ok(values)
    }
}

impl Overrides {
    /// What the load case sets, with its place.
    pub(super) fn case<'s>(&self, file: &'s SceneFile) -> Option<(&'s Named<Number>, Site<'s>)> {
        let cases = file
            .scene
            .optimization
            .as_ref()
            .map(|written| written.cases.iter().enumerate())?;
        let mut named = cases.filter(|(_, case)| Some(&case.name) == self.case.as_ref());
        let (k, case) = named.next()?;
        Some((&case.set, Site::new(file, "optimization").at("cases").at(k).at("set")))
    }
}

/// The same error as the fault of the request: with the place only when the text there had a part in it.
pub(super) fn as_request(error: Error, file: &SceneFile, keep_place: bool) -> Error {
    let mut request = Error::new(ErrorKind::Request, error.message())
        .advise("the values that were set lead outside the bounds of the scene; set others");
    if let Some(name) = error.name() {
        request = request.named(name);
    }
    if let Some(value) = error.value() {
        request = request.with_value(value);
    }
    match error.place().filter(|_| keep_place) {
        Some(place) => request.at_place(place).in_source(file.source.clone()),
        None => request,
    }
}
