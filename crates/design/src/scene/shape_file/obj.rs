//! Wavefront OBJ, with all digits that its text gives.

use std::collections::HashMap;

use super::MeshPart;

/// A corner of a polygon: its vertex, place in the texture, and normal, as counted in the file from zero on.
type Corner = [Option<usize>; 3];

/// What the lines of a file give.
#[derive(Default)]
struct Lines {
    positions: Vec<[f64; 3]>,
    /// Places in the texture are counted only.
    textures: usize,
    normals: Vec<[f64; 3]>,
    faces: Vec<[Corner; 3]>,
}

/// The triangles of a file, those with normals first; polygons become triangles.
///
/// # Errors
/// What is wrong with the text.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<MeshPart>, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = Lines::default();
    for (k, line) in text.lines().enumerate() {
        let added = lines.add(line);
        added.map_err(|what| format!("its line {} {what}", k + 1))?;
    }
    lines.check()?;
    Ok([true, false].map(|with_normals| lines.part(with_normals)).into())
}

impl Lines {
    /// Materials, groups, points and lines are not used.
    fn add(&mut self, line: &str) -> Result<(), &'static str> {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => self.positions.push(vector(words)?),
            Some("vt") => self.textures += 1,
            Some("vn") => self.normals.push(vector(words)?),
            Some("f") => self.polygon(words)?,
            _ => {}
        }
        Ok(())
    }

    /// Triangles from the first corner of a polygon to its sides.
    fn polygon<'t>(&mut self, words: impl Iterator<Item = &'t str>) -> Result<(), &'static str> {
        let counts = [self.positions.len(), self.textures, self.normals.len()];
        let corners = words
            .take_while(|word| !word.starts_with('#'))
            .map(|word| corner(word, counts))
            .collect::<Option<Vec<_>>>()
            .ok_or("has a vertex that is not there")?;
        let [first, rest @ ..] = corners.as_slice() else {
            return Err("has a polygon without corners");
        };
        self.faces
            .extend(rest.windows(2).map(|side| [*first, side[0], side[1]]));
        Ok(())
    }

    /// Refuses what no line gives; lines may name what comes after them.
    fn check(&self) -> Result<(), String> {
        let counts = [self.positions.len(), self.textures, self.normals.len()];
        for (k, what) in ["vertex", "place in a texture", "normal"].into_iter().enumerate() {
            let outside = |corner: &&Corner| corner[k].is_some_and(|index| index >= counts[k]);
            if let Some(index) = self.faces.iter().flatten().find(outside).and_then(|corner| corner[k]) {
                return Err(format!("it names the {what} {}, which is not there", index + 1));
            }
        }
        Ok(())
    }

    /// The triangles whose corners all have normals, or the others.
    fn part(&self, with_normals: bool) -> MeshPart {
        let mut part = MeshPart::default();
        let mut known: HashMap<(usize, Option<usize>), u32> = HashMap::new();
        for face in &self.faces {
            if face.iter().all(|corner| corner[2].is_some()) != with_normals {
                continue;
            }
            part.faces.push(face.map(|[vertex, _, normal]| {
                let (vertex, normal) = (vertex.unwrap_or_default(), normal.filter(|_| with_normals));
                *known.entry((vertex, normal)).or_insert_with(|| {
                    part.positions.push(self.positions[vertex]);
                    part.normals.extend(normal.map(|index| self.normals[index]));
                    part.positions.len() as u32 - 1
                })
            }));
        }
        part
    }
}

/// The first three numbers; weights and colours may follow.
fn vector<'t>(words: impl Iterator<Item = &'t str>) -> Result<[f64; 3], &'static str> {
    let numbers: Vec<f64> = words.take(3).map_while(|word| word.parse().ok()).collect();
    numbers.try_into().map_err(|_| "has no three numbers")
}

/// `vertex`, `vertex/texture`, `vertex//normal` or `vertex/texture/normal`; nothing for what is none of these.
fn corner(word: &str, counts: [usize; 3]) -> Option<Corner> {
    let mut corner = Corner::default();
    for (k, digits) in word.split('/').enumerate() {
        let count = *counts.get(k)?;
        if k == 0 || !digits.is_empty() {
            corner[k] = Some(index(digits, count)?);
        }
    }
    Some(corner)
}

/// Counted from one on, or, if negative, from the last before it.
fn index(digits: &str, count: usize) -> Option<usize> {
    let given: isize = digits.parse().ok()?;
    match given {
        0 => None,
        1.. => Some(given as usize - 1),
        _ => count.checked_add_signed(given),
    }
}
