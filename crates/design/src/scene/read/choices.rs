//! Which names are allowed, and which of them was probably meant.

use ron::error::Error as RonError;

use super::options;
use crate::expression::nearest_name;
use crate::scene::schema::Scene;

/// The names in code quotes, separated by commas.
pub fn quoted_list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

/// Advice about a name that is none of the allowed ones.
pub fn advise(found: &str, allowed: &[&str]) -> String {
    let all = quoted_list(allowed.iter().copied());
    match nearest_name(found, allowed.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? Possible here: {all}"),
        None => format!("possible here: {all}"),
    }
}

/// The words that may stand in front of `position`, where the scene demands one of several kinds.
///
/// Asks the schema itself: with a word there that nobody knows, the deserializer lists those it knows.
pub fn kinds_at(text: &str, position: usize) -> Option<&'static [&'static str]> {
    const UNKNOWN: &str = "_no_such_kind_";
    let (before, after) = (text.get(..position)?, text.get(position..)?);
    let probe = format!("{before}{UNKNOWN} {after}");
    let error = options().from_str::<Scene>(&probe).err()?;
    match error.code {
        RonError::NoSuchEnumVariant { expected, found, .. } if found == UNKNOWN => Some(expected),
        _ => None,
    }
}
