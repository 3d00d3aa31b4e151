//! STL, as bytes or as text: triangles one by one.

use super::MeshPart;

/// Bytes before the triangles, and of a triangle: a normal, three corners, and two bytes that mean nothing.
const HEADER: usize = 84;
const TRIANGLE: usize = 50;

/// The triangles of a file; their normals follow from their corners.
///
/// # Errors
/// What is wrong with the file.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<MeshPart>, String> {
    let count = bytes
        .get(80..HEADER)
        .and_then(|count| count.try_into().ok())
        .map(u32::from_le_bytes);
    let length = count.and_then(|count| TRIANGLE.checked_mul(count as usize)?.checked_add(HEADER));
    let positions = match length == Some(bytes.len()) {
        true => of_bytes(&bytes[HEADER..]),
        false => of_text(bytes)?,
    };
    let faces = (0..positions.len() as u32 / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]);
    Ok(vec![MeshPart {
        faces: faces.collect(),
        positions,
        normals: Vec::new(),
    }])
}

fn of_bytes(bytes: &[u8]) -> Vec<[f64; 3]> {
    let triangles = bytes.chunks_exact(TRIANGLE);
    let numbers = triangles.flat_map(|triangle| triangle[12..48].as_chunks::<4>().0);
    let numbers: Vec<f64> = numbers.map(|number| f32::from_le_bytes(*number).into()).collect();
    numbers.as_chunks().0.to_vec()
}

fn of_text(bytes: &[u8]) -> Result<Vec<[f64; 3]>, String> {
    let text =
        std::str::from_utf8(bytes).map_err(|_| "it is neither text nor as long as its number of triangles says")?;
    if !text.trim_start().starts_with("solid") {
        return Err("it does not begin with `solid`".to_string());
    }
    let mut positions = Vec::new();
    for (k, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        if words.next() != Some("vertex") {
            continue;
        }
        let numbers: Option<Vec<f64>> = words.map(|word| word.parse().ok()).collect();
        match numbers.and_then(|numbers| <[f64; 3]>::try_from(numbers).ok()) {
            Some(corner) => positions.push(corner),
            None => return Err(format!("its line {} has no three numbers", k + 1)),
        }
    }
    match positions.len() % 3 {
        0 => Ok(positions),
        _ => Err("a triangle has no three corners".to_string()),
    }
}
