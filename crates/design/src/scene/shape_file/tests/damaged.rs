//! Files of triangles that say what is not so.

use std::fs;
use std::path::Path;

use super::with_shape;
use crate::error::Error;
use crate::scene::ShapeFile;

/// A triangle, with its nine numbers beside it.
const GLTF: &str = r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 4}]}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
    "bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"byteLength": 36, "uri": "v.bin"}]}"#;

/// The triangle with parts of its text replaced.
fn changed(folder: &Path, changes: &[(&str, &str)]) -> Result<ShapeFile, Error> {
    let mut text = GLTF.to_string();
    for (from, to) in changes {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text = text.replace(from, to);
    }
    let numbers: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    fs::write(folder.join("v.bin"), numbers.map(f32::to_le_bytes).as_flattened()).unwrap();
    fs::write(folder.join("a.gltf"), text).unwrap();
    with_shape(folder, "a.gltf").map(|scene| scene.shapes[0].as_ref().clone())
}

#[test]
fn a_triangle_is_read_where_its_nodes_put_it() {
    let folder = tempfile::tempdir().unwrap();
    let one = changed(folder.path(), &[]).unwrap();
    assert_eq!(one.bounds(), [[0.0; 3], [1.0, 1.0, 0.0]]);
    let nodes = r#"[{"children": [1], "scale": [2, 2, 2]},
        {"mesh": 0, "rotation": [0, 0, 0.70710677, 0.70710677], "translation": [0, 0, 3]}]"#;
    let moved = changed(folder.path(), &[(r#"[{"mesh": 0}]"#, nodes)]).unwrap();
    let [low, high] = moved.bounds();
    for (found, expected) in low.iter().chain(&high).zip([-2.0, 0.0, 6.0, 0.0, 2.0, 6.0]) {
        assert!((found - expected).abs() < 1e-12, "{low:?} {high:?}");
    }
}

#[test]
fn what_lies_outside_its_buffer_or_is_not_there_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (from, to, message) in [
        (
            "\"POSITION\": 0",
            "\"POSITION\": 99",
            "names the accessor 99, which is not there",
        ),
        ("\"POSITION\": 0}", "\"POSITION\": 0}, \"indices\": 7", "accessor 7"),
        (
            "\"POSITION\": 0}",
            "\"POSITION\": 0}, \"indices\": 0",
            "no whole numbers",
        ),
        ("\"scene\": 0", "\"scene\": 3", "names the scene 3"),
        ("\"nodes\": [0]", "\"nodes\": [5]", "names the node 5"),
        ("{\"mesh\": 0}", "{\"mesh\": 4294967295}", "names the mesh 4294967295"),
        ("{\"mesh\": 0}", "{\"children\": [8]}", "names the node 8"),
        ("\"buffer\": 0", "\"buffer\": 1", "has no numbers"),
        ("\"bufferView\": 0", "\"bufferView\": 1", "has no numbers"),
        ("\"bufferView\": 0, ", "", "has no numbers"),
        (
            "\"byteLength\": 36}]",
            "\"byteLength\": 36, \"byteStride\": 4}]",
            "overlap",
        ),
        (
            "\"byteLength\": 36}]",
            "\"byteLength\": 36, \"byteStride\": 24}]",
            "outside its buffer",
        ),
        (
            "\"byteLength\": 36}]",
            "\"byteLength\": 18446744073709551615}]",
            "outside its buffer",
        ),
        (
            "\"byteLength\": 36}]",
            "\"byteLength\": 36, \"byteOffset\": 18446744073709551615}]",
            "outside",
        ),
        ("\"count\": 3", "\"count\": 4", "outside its buffer"),
        ("\"count\": 3", "\"count\": 18446744073709551615", "outside its buffer"),
        ("\"count\": 3", "\"count\": 1537228672809129302", "outside its buffer"),
        (
            "\"count\": 3",
            "\"count\": 3, \"byteOffset\": 18446744073709551604",
            "outside its buffer",
        ),
        ("\"count\": 3", "\"count\": 3, \"byteOffset\": 1", "outside its buffer"),
        ("5126", "5125", "no vectors of floating-point"),
        ("VEC3", "VEC2", "no vectors of floating-point"),
    ] {
        let error = changed(folder.path(), &[(from, to)]).expect_err(to);
        assert!(error.message().contains(message), "{to}: {}", error.message());
    }
    let sparse = r#""count": 300000000, "sparse": {"count": 1, "indices": {"bufferView": 0, "componentType": 5125},
        "values": {"bufferView": 0}}"#;
    let error = changed(folder.path(), &[("\"bufferView\": 0, ", ""), ("\"count\": 3", sparse)]).unwrap_err();
    assert!(error.message().contains("sparse"), "{}", error.message());
}

#[test]
fn nodes_that_multiply_or_go_in_circles_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let double: Vec<String> = (1..=40).map(|k| format!(r#"{{"children": [{k}, {k}]}}"#)).collect();
    let double = format!(r#"[{}, {{"mesh": 0}}]"#, double.join(", "));
    let diamond = r#"[{"children": [1, 2]}, {"children": [3]}, {"children": [3]}, {"mesh": 0}]"#;
    let circle = r#"[{"children": [1]}, {"children": [0]}]"#;
    for nodes in [&double, diamond, circle, r#"[{"children": [0]}]"#] {
        let error = changed(folder.path(), &[(r#"[{"mesh": 0}]"#, nodes)]).expect_err(nodes);
        assert!(error.message().contains("in two places"), "{}", error.message());
    }
    let deep: Vec<String> = (1..=20_000).map(|k| format!(r#"{{"children": [{k}]}}"#)).collect();
    let deep = format!(r#"[{}, {{"mesh": 0}}]"#, deep.join(", "));
    assert_eq!(
        changed(folder.path(), &[(r#"[{"mesh": 0}]"#, &deep)])
            .unwrap()
            .faces
            .len(),
        1
    );
}

#[test]
fn copies_of_a_mesh_take_no_more_memory_than_the_file_warrants() {
    let folder = tempfile::tempdir().unwrap();
    let copies = |count: usize| {
        let primitives = vec![r#"{"attributes": {"POSITION": 0}}"#; 1000].join(", ");
        let nodes = vec![r#"{"mesh": 0}"#; count].join(", ");
        let roots = (0..count).map(|k| k.to_string()).collect::<Vec<_>>().join(", ");
        let one = r#"{"attributes": {"POSITION": 0}, "mode": 4}"#;
        let changes = [
            (one, &*primitives),
            ("\"nodes\": [0]", &format!("\"nodes\": [{roots}]")),
            (r#"{"mesh": 0}"#, &nodes),
        ];
        changed(folder.path(), &changes)
    };
    assert_eq!(copies(3).unwrap().faces.len(), 3000);
    let error = copies(2000).expect_err("2 million triangles");
    assert!(error.message().contains("too many times"), "{}", error.message());
}

#[test]
fn damaged_binary_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let chunk = |kind: &[u8], bytes: &[u8], length: u32| [&length.to_le_bytes(), kind, bytes].concat();
    let text = GLTF.replace(r#", "uri": "v.bin""#, "");
    let text = text.as_bytes();
    let whole = [chunk(b"JSON", text, text.len() as u32), chunk(b"BIN\0", &[0; 36], 36)].concat();
    let head = [
        b"glTF".as_slice(),
        &2u32.to_le_bytes(),
        &(12 + whole.len() as u32).to_le_bytes(),
    ]
    .concat();
    let read = |bytes: &[u8]| {
        fs::write(folder.path().join("a.glb"), bytes).unwrap();
        with_shape(folder.path(), "a.glb")
    };
    let glb = [head.clone(), whole].concat();
    assert_eq!(read(&glb).unwrap().shapes[0].faces.len(), 1);
    for end in (0..glb.len()).step_by(7) {
        assert!(read(&glb[..end]).is_err(), "{end} bytes");
    }
    let beyond = [head, chunk(b"JSON", text, u32::MAX)].concat();
    assert!(read(&beyond).is_err());
}

#[test]
fn indices_that_no_obj_can_have_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for face in [
        "f 1 2 4",
        "f 1 2 0",
        "f 1 2 -4",
        "f 1 2 4294967297",
        "f 1/1 2/1 3/4611686018427387905",
        "f 1//1 2//1 3//-9223372036854775807",
        "f 1 2 9223372036854775807",
        "f 1 2 -9223372036854775808",
        "f 1 2 99999999999999999999",
        "f 1/ 2/ /3",
    ] {
        fs::write(
            folder.path().join("a.obj"),
            format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\n{face}\n"),
        )
        .unwrap();
        assert!(with_shape(folder.path(), "a.obj").is_err(), "{face}");
    }
}
