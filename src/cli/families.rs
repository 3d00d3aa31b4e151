//! Families of names, which differ in the whole numbers in their brackets, on one line each.

use std::collections::HashMap;

/// Greatest number of members that are listed one by one.
const FEW: usize = 8;

/// A name without its indices, and these.
fn pattern(name: &str) -> (String, Vec<i64>) {
    let (mut pattern, mut indices, mut rest) = (String::new(), Vec::new(), name);
    while let Some((before, after)) = rest.split_once('[') {
        let Some((inside, behind)) = after.split_once(']') else {
            break;
        };
        let numbers: Option<Vec<i64>> = inside.split(',').map(|number| number.parse().ok()).collect();
        pattern.push_str(before);
        match numbers {
            Some(numbers) => {
                // A control character stands in no name.
                pattern.push_str(&format!("[{}]", vec!["\0"; numbers.len()].join(",")));
                indices.extend(numbers);
            }
            None => pattern.push_str(&format!("[{inside}]")),
        }
        rest = behind;
    }
    pattern.push_str(rest);
    (pattern, indices)
}

/// The entries by name, in order; those of a family of many as one, `P[1..20].x`, where its first one was.
pub(super) fn gathered<'n, T>(entries: impl Iterator<Item = (&'n str, T)>) -> Vec<(String, Vec<T>)> {
    let entries: Vec<_> = entries.map(|(name, entry)| (name, pattern(name), entry)).collect();
    let mut members: HashMap<String, usize> = HashMap::new();
    for (_, (pattern, _), _) in &entries {
        *members.entry(pattern.clone()).or_default() += 1;
    }
    let mut found: Vec<(String, Vec<T>)> = Vec::new();
    let mut families: HashMap<String, (usize, Vec<[i64; 2]>)> = HashMap::new();
    for (name, (pattern, indices), entry) in entries {
        // Names without indices are not one another's family.
        if indices.is_empty() || members[&pattern] <= FEW {
            found.push((name.to_string(), vec![entry]));
            continue;
        }
        let (place, ranges) = families.entry(pattern.clone()).or_insert_with(|| {
            found.push((pattern, Vec::new()));
            (found.len() - 1, indices.iter().map(|index| [*index; 2]).collect())
        });
        for ([least, greatest], index) in ranges.iter_mut().zip(indices) {
            (*least, *greatest) = (index.min(*least), index.max(*greatest));
        }
        found[*place].1.push(entry);
    }
    for (place, ranges) in families.into_values() {
        for [least, greatest] in ranges {
            let range = match least == greatest {
                true => least.to_string(),
                false => format!("{least}..{greatest}"),
            };
            found[place].0 = found[place].0.replacen('\0', &range, 1);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::gathered;

    fn labels(names: &[String]) -> Vec<String> {
        let entries = names.iter().map(|name| (name.as_str(), ()));
        gathered(entries)
            .into_iter()
            .map(|(label, members)| format!("{label}: {}", members.len()))
            .collect()
    }

    #[test]
    fn families_of_many_are_one_entry_at_the_place_of_their_first() {
        let mut names: Vec<String> = (0..20)
            .flat_map(|i| ["x", "y"].map(|axis| format!("P[{i}].{axis}")))
            .collect();
        names.insert(1, "rod.angle".to_string());
        names.extend((1..=3).flat_map(|i| (-1..=3).map(move |j| format!("N[{i},{j}] a[7]"))));
        assert_eq!(
            labels(&names),
            [
                "P[0..19].x: 20",
                "rod.angle: 1",
                "P[0..19].y: 20",
                "N[1..3,-1..3] a[7]: 15"
            ]
        );
    }

    #[test]
    fn few_members_and_other_brackets_stay() {
        let names = ["m[1]", "speed[m/s]", "m[2]", "a[", "b]["].map(str::to_string);
        assert_eq!(
            labels(&names),
            ["m[1]: 1", "speed[m/s]: 1", "m[2]: 1", "a[: 1", "b][: 1"]
        );
    }
}
