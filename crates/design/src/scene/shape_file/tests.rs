mod damaged;

use std::fs;
use std::path::Path;

use crate::error::Error;
use crate::scene::{SceneFile, ShapeFile, read};

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// Reads a scene with a shape of this file beside it.
fn with_shape(folder: &Path, file: &str) -> Result<SceneFile, Error> {
    let scene = folder.join("scene.ron");
    let text = format!(
        "Scene(name: \"\", space: Planar, points: {{ \"P\": (at: [0, 0], mass: 1) }},
        view: (shapes: {{ \"P\": [Mesh(file: {file:?})] }}), simulation: (duration: 1))"
    );
    fs::write(&scene, text).unwrap();
    read(&scene)
}

#[test]
fn polygons_of_an_obj_become_triangles_with_the_normals_of_their_planes() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.obj"), format!("{TETRAHEDRON}f 1 2 3 4\n")).unwrap();
    let scene = with_shape(folder.path(), "a.obj").unwrap();
    let shape = &scene.shapes[0];
    assert_eq!((shape.faces.len(), shape.positions.len()), (6, 18));
    assert_eq!(shape.normals[0], [0.0, 0.0, -1.0]);
    let third = 1.0 / 3.0_f64.sqrt();
    assert!(shape.normals[9].iter().all(|x| (x - third).abs() < 1e-12));
    assert_eq!(shape.bounds(), [[0.0; 3], [1.0; 3]]);
}

#[test]
fn what_is_no_shape_is_refused_at_its_name_in_the_scene() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("right.obj", TETRAHEDRON);
    write("wrong.obj", "v 0 0 zero\n");
    write("empty.obj", "v 0 0 0\n");
    write("wrong.glb", "glTF");
    write("shape.stl", "");
    write(
        "inside.gltf",
        r#"{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 1, "uri": "data:;base64,AA=="}]}"#,
    );
    for (file, message, advice) in [
        ("rigth.obj", "there is no file", "right.obj"),
        ("wrong.obj", "cannot be read", "export"),
        ("empty.obj", "has no triangles", "surfaces"),
        ("wrong.glb", "cannot be read", "export"),
        ("shape.stl", "no file of triangles", ".obj, .glb or .gltf"),
        ("inside.gltf", "save it as .glb", "export"),
    ] {
        let error = with_shape(folder.path(), file).expect_err(file);
        assert!(error.message().contains(message), "{file}: {}", error.message());
        assert!(error.message().contains(file), "{}", error.message());
        assert!(
            error.advice().is_some_and(|found| found.contains(advice)),
            "{file}: {:?}",
            error.advice()
        );
        assert_eq!(error.line(), Some(2), "{file}");
    }
}

#[test]
fn a_shape_written_as_obj_is_read_as_the_same() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.obj"), TETRAHEDRON).unwrap();
    let first = with_shape(folder.path(), "a.obj").unwrap().shapes[0].clone();
    fs::write(folder.path().join("b.obj"), first.obj()).unwrap();
    let second = with_shape(folder.path(), "b.obj").unwrap().shapes[0].clone();
    let corners = |shape: &ShapeFile| -> Vec<[[f64; 3]; 3]> {
        let of = |face: &[u32; 3]| face.map(|i| shape.positions[i as usize]);
        shape.faces.iter().map(of).collect()
    };
    assert_eq!(corners(&first), corners(&second));
    let face = second.faces[3];
    assert!((second.normals[face[0] as usize][0] - 1.0 / 3.0_f64.sqrt()).abs() < 1e-7);
}
