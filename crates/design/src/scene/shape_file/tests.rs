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
fn stl_as_text_and_as_bytes_gives_the_same_triangles() {
    let folder = tempfile::tempdir().unwrap();
    let corners = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.5]];
    let lines = corners.map(|[x, y, z]| format!("vertex {x} {y} {z}\n")).concat();
    let text = format!("solid s\nfacet normal 0 0 1\nouter loop\n{lines}endloop\nendfacet\nendsolid s\n");
    // The header of a binary file may begin like a text.
    let mut bytes = b"solid".to_vec();
    bytes.resize(80, 0);
    bytes.extend(1_u32.to_le_bytes());
    let numbers = [[0.0; 3]].iter().chain(&corners).flatten();
    bytes.extend(numbers.flat_map(|x| x.to_le_bytes()).chain([0, 0]));
    fs::write(folder.path().join("text.stl"), &text).unwrap();
    fs::write(folder.path().join("bytes.STL"), &bytes).unwrap();
    let [a, b] = ["text.stl", "bytes.STL"].map(|name| with_shape(folder.path(), name).unwrap().shapes[0].clone());
    assert_eq!(
        (&a.positions, &a.normals, &a.faces),
        (&b.positions, &b.normals, &b.faces)
    );
    assert_eq!(a.bounds(), [[0.0; 3], [1.0, 2.0, 0.5]]);
    let broken = [
        (bytes[..100].to_vec(), "no triangles"),
        (b"\xff\xfe".repeat(50), "neither text"),
        (b"hello".to_vec(), "`solid`"),
        (text.replace("1 0 0", "1 zero 0").into_bytes(), "line 5"),
        (text.replace("vertex 1 0 0\n", "").into_bytes(), "corners"),
        (b"solid s\nendsolid s\n".to_vec(), "no triangles"),
    ];
    for (bytes, words) in broken {
        fs::write(folder.path().join("broken.stl"), &bytes).unwrap();
        let error = with_shape(folder.path(), "broken.stl").unwrap_err();
        assert!(error.to_string().contains(words), "{error} {words}");
        assert!(error.advice().is_some());
    }
}

#[test]
fn what_is_no_shape_is_refused_at_its_name_in_the_scene() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("right.obj", TETRAHEDRON);
    write("wrong.obj", "v 0 0 zero\n");
    write("empty.obj", "v 0 0 0\n");
    write("wrong.glb", "glTF");
    write("shape.step", "");
    write(
        "inside.gltf",
        r#"{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 1, "uri": "data:;base64,AA=="}]}"#,
    );
    for (file, message, advice) in [
        ("rigth.obj", "there is no file", "right.obj"),
        ("wrong.obj", "cannot be read", "export"),
        ("empty.obj", "has no triangles", "surfaces"),
        ("wrong.glb", "cannot be read", "export"),
        ("shape.step", "no file of triangles", ".stl, .glb or .gltf"),
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

#[test]
fn texts_keep_all_digits_of_their_corners() {
    let folder = tempfile::tempdir().unwrap();
    let corners = [[12.3, 0.1, 1e-9], [12.300000001, 0.1, 0.0], [12.3, 0.7, -1.0 / 3.0]];
    let lines = |kind: &str| corners.map(|[x, y, z]| format!("{kind} {x} {y} {z} 1\n")).concat();
    let stl = lines("vertex").replace(" 1\n", "\n");
    let files = [
        ("a.obj", format!("{}f 1 2 3 # all\n", lines("v"))),
        ("a.stl", format!("solid s\n{stl}endsolid s\n")),
    ];
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
        let shape = with_shape(folder.path(), name).unwrap().shapes[0].clone();
        assert_eq!(shape.positions, corners, "{name}");
    }
}

#[test]
fn an_obj_names_corners_from_its_end_and_has_normals_where_all_corners_of_a_triangle_have_some() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        "v 0 0 0\nv 1 0 0\nf -2//1 -1//1 3//1\nv 0 1 0\nvt 0 0\nvn 0 0 -1\nl 1 2\nf 1/1 2/1 3/1\nf 1//1 2//1 3\n";
    fs::write(folder.path().join("a.obj"), text).unwrap();
    let shape = with_shape(folder.path(), "a.obj").unwrap().shapes[0].clone();
    assert_eq!(shape.faces, [[0, 1, 2], [3, 4, 5], [6, 7, 8]]);
    assert_eq!(
        shape.positions.as_chunks::<3>().0,
        [[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]; 3]
    );
    assert_eq!(
        [shape.normals[0], shape.normals[3]],
        [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]
    );
}

#[test]
fn a_corner_written_twice_with_other_last_digits_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let text = TETRAHEDRON.replace("f 2 3 4", "v 0 1.0000000000000002 0\nf 2 5 4");
    fs::write(folder.path().join("a.obj"), text).unwrap();
    let shape = with_shape(folder.path(), "a.obj").unwrap().shapes[0].clone();
    assert!((shape.enclosed().unwrap().volume - 1.0 / 6.0).abs() < 1e-15);
}
