//! "Did you mean": the known name that a misspelt one resembles most.

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

fn folded(name: &str) -> String {
    name.chars()
        .flat_map(char::to_lowercase)
        .map(|c| if matches!(c, '-' | '_') { ' ' } else { c })
        .collect()
}
