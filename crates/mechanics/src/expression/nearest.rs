//! "Did you mean": the known name that a misspelt one resembles most, and advice from it.

/// The candidate most like `name`, if any is similar enough to suggest.
///
/// Upper and lower case count as equal, and so do spaces, hyphens and underscores. One wrong character in four is
/// forgiven (an exchange of neighbours is one), none in a single letter. Of equally similar candidates the first is taken.
pub fn nearest_name<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    let wanted = folded(name);
    let length = wanted.chars().count();
    let forgiven = if length < 2 { 0 } else { length.div_ceil(4) };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let offered = folded(candidate);
        if offered.chars().count().abs_diff(length) > forgiven {
            continue;
        }
        let distance = strsim::osa_distance(&wanted, &offered);
        if distance <= forgiven && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate.to_string())
}

/// Advice about an unknown name: the nearest candidate, or all of them when they are few.
pub fn suggest<'a>(name: &str, candidates: impl Iterator<Item = &'a str> + Clone, kind: &str) -> String {
    const MANY: usize = 12;
    if let Some(near) = nearest_name(name, candidates.clone()) {
        return format!("did you mean `{near}`?");
    }
    let listed: Vec<String> = candidates
        .clone()
        .take(MANY)
        .map(|candidate| format!("`{candidate}`"))
        .collect();
    match (listed.len(), candidates.count()) {
        (0, _) => format!("the scene has no {kind}"),
        (few, all) if few < all => format!("the {kind} are {}, ..", listed.join(", ")),
        _ => format!("the {kind} are {}", listed.join(", ")),
    }
}

fn folded(name: &str) -> String {
    name.chars()
        .flat_map(char::to_lowercase)
        .map(|c| if matches!(c, '-' | '_') { ' ' } else { c })
        .collect()
}
