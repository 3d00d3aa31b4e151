//! Triangles of files beside a scene, which the part `view` names: Wavefront OBJ, STL and glTF 2.0.

#[cfg(feature = "meshes")]
mod gltf;
#[cfg(feature = "meshes")]
mod obj;
mod revolved;
#[cfg(feature = "meshes")]
mod stl;
mod volume;

use std::path::Path;

#[cfg(feature = "meshes")]
use super::bytes;
use super::folder::Folder;
use crate::error::{Error, ErrorKind, Result};

pub(super) use volume::Enclosed;

/// The triangles of a file, in its own units.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapeFile {
    /// Path as written in the scene.
    pub path: String,
    /// Vertices, all finite.
    pub positions: Vec<[f64; 3]>,
    /// Unit normals at the vertices.
    pub normals: Vec<[f64; 3]>,
    /// Vertices of the triangles, counter-clockwise seen from outside.
    pub faces: Vec<[u32; 3]>,
}

/// Vertices with normals, if all have some, and triangles of them.
#[derive(Debug, Default)]
struct MeshPart {
    positions: Vec<[f64; 3]>,
    normals: Vec<[f64; 3]>,
    faces: Vec<[u32; 3]>,
}

/// The parts of a file, by its ending.
#[cfg(feature = "meshes")]
fn parts_of(path: &Path, folder: &Folder) -> Result<Vec<MeshPart>> {
    let file = &folder.find(path)?.path;
    let ending = file.extension().map(|ending| ending.to_ascii_lowercase());
    let bytes = || load(file);
    let parts = match ending.as_deref().and_then(|ending| ending.to_str()) {
        Some("obj") => obj::read(&bytes()?),
        Some("stl") => stl::read(&bytes()?),
        Some("glb" | "gltf") => gltf::read(&bytes()?, path, folder),
        _ => {
            return Err(refused(file, "is no file of triangles that can be read")
                .advise("give a file that ends with .obj, .stl, .glb or .gltf"));
        }
    };
    parts.map_err(|reason| {
        refused(file, &format!("cannot be read: {reason}")).advise("export it again, as .glb or .obj with triangles")
    })
}

#[cfg(feature = "meshes")]
fn load(file: &Path) -> Result<Vec<u8>> {
    bytes::load(file, "file", "export fewer triangles")
}

/// A build without the feature `meshes` reads none.
#[cfg(not(feature = "meshes"))]
fn parts_of(path: &Path, _: &Folder) -> Result<Vec<MeshPart>> {
    Err(refused(path, "cannot be read: this build reads no meshes")
        .advise("build costate-design with the feature meshes"))
}

impl ShapeFile {
    /// The triangles as OBJ.
    pub fn obj(&self) -> String {
        let mut text = String::new();
        for (kind, vectors) in [("v", &self.positions), ("vn", &self.normals)] {
            for [x, y, z] in vectors {
                text.push_str(&format!("{kind} {x} {y} {z}\n"));
            }
        }
        for face in &self.faces {
            let [a, b, c] = face.map(|i| i + 1);
            text.push_str(&format!("f {a}//{a} {b}//{b} {c}//{c}\n"));
        }
        text
    }

    /// Reads a file; `path` is the one written.
    pub(super) fn read(path: &str, folder: &Folder) -> Result<Self> {
        let file = Path::new(path);
        let parts = parts_of(file, folder)?;
        let mut shape = Self {
            path: path.to_string(),
            ..Self::default()
        };
        for part in parts {
            shape.add(part).map_err(|reason| refused(file, reason))?;
        }
        if shape.faces.is_empty() {
            return Err(refused(file, "has no triangles").advise("export surfaces, not only points and lines"));
        }
        Ok(shape)
    }

    /// Appends a part. Without normals every triangle gets vertices of its own with the normal of its plane.
    fn add(&mut self, part: MeshPart) -> std::result::Result<(), &'static str> {
        let places = part.positions;
        // Pictures are in single precision.
        if places.iter().flatten().any(|x| !(*x as f32).is_finite()) {
            return Err("has a vertex that is not finite, or beyond 3e38");
        }
        let first = self.positions.len() as u32;
        let faces = part.faces.iter();
        if faces.clone().flatten().any(|&i| i as usize >= places.len()) {
            return Err("has a triangle with a vertex that is not there");
        }
        if part.normals.len() == places.len() {
            self.normals.extend(part.normals.into_iter().map(normalized));
            self.positions.extend(places);
            self.faces.extend(faces.map(|face| face.map(|i| i + first)));
            return Ok(());
        }
        for face in faces {
            let corners = face.map(|i| places[i as usize]);
            let start = self.positions.len() as u32;
            self.positions.extend(corners);
            self.normals.extend([plane_normal(corners); 3]);
            self.faces.push([start, start + 1, start + 2]);
        }
        Ok(())
    }

    /// Least and greatest coordinates.
    pub fn bounds(&self) -> [[f64; 3]; 2] {
        let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for at in &self.positions {
            for k in 0..3 {
                bounds[0][k] = bounds[0][k].min(at[k]);
                bounds[1][k] = bounds[1][k].max(at[k]);
            }
        }
        bounds
    }
}

fn plane_normal([a, b, c]: [[f64; 3]; 3]) -> [f64; 3] {
    let [u, v]: [[f64; 3]; 2] = [b, c].map(|corner| std::array::from_fn(|k| corner[k] - a[k]));
    normalized([
        u[1] * v[2] - u[2] * v[1],
        u[2] * v[0] - u[0] * v[2],
        u[0] * v[1] - u[1] * v[0],
    ])
}

/// The direction of a normal; upwards for one without.
fn normalized(normal: [f64; 3]) -> [f64; 3] {
    let length = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length.is_finite() && length > 0.0 {
        normal.map(|x| x / length)
    } else {
        [0.0, 0.0, 1.0]
    }
}

fn refused(file: &Path, reason: &str) -> Error {
    let shown = file.display().to_string();
    Error::new(ErrorKind::File, format!("{shown} {reason}")).named(shown)
}

#[cfg(all(test, feature = "meshes"))]
mod tests;
