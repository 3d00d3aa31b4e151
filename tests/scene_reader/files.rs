//! Files that cannot be read say why, and which file was probably meant.

use std::fs;
use std::path::Path;

use costate::error::{Error, ErrorKind};
use costate::scene::read;
use tempfile::TempDir;

use super::{SCENE, changed, printed};

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).expect("written");
    }
    folder
}

fn failure(path: &Path) -> Error {
    read(path).expect_err("no scene")
}

fn advice(error: &Error) -> &str {
    error.advice().expect("advice")
}

#[test]
fn a_scene_file_is_read_and_its_errors_show_its_name() {
    let broken = changed("Planar", "Plana");
    let folder = folder(&[("good.ron", SCENE.as_bytes()), ("bad.ron", broken.as_bytes())]);
    let file = read(&folder.path().join("good.ron")).expect("a scene");
    assert_eq!(file.scene.name, "Pendulum ü");
    assert!(file.source.file.ends_with("good.ron"));
    let report = printed(&failure(&folder.path().join("bad.ron")));
    assert!(report.contains("bad.ron:4:12]"), "{report}");
}

#[test]
fn a_missing_file_suggests_the_one_that_was_meant() {
    let folder = folder(&[("five_bar.ron", b""), ("pendulum.ron", b""), ("notes.txt", b"")]);
    let cases = [
        ("fivebar.ron", "did you mean", "five_bar.ron?"),
        ("pendulum", "did you mean", "pendulum.ron?"),
        (
            "something_else.ron",
            "the scenes in that folder are",
            "`five_bar.ron`, `pendulum.ron`",
        ),
        ("no/such.ron", "there is no folder", "no either"),
    ];
    for (name, words, file) in cases {
        let error = failure(&folder.path().join(name));
        assert_eq!(error.kind(), ErrorKind::File);
        assert!(error.message().contains(name), "{error}");
        assert!(
            advice(&error).contains(words) && advice(&error).contains(file),
            "{}",
            advice(&error)
        );
    }
    let empty = tempfile::tempdir().expect("a folder");
    let error = failure(&empty.path().join("a.ron"));
    assert_eq!(advice(&error), "no file in that folder ends in .ron");
}

#[test]
fn a_folder_in_place_of_a_file_lists_its_scenes() {
    let folder = folder(&[("five_bar.ron", b"")]);
    let error = failure(folder.path());
    assert_eq!(error.kind(), ErrorKind::File);
    assert!(error.message().contains("is a folder"), "{error}");
    assert!(advice(&error).contains("five_bar.ron"));
}

#[test]
fn what_is_no_text_says_where_it_stops_being_text() {
    let utf16: Vec<u8> = [0xFF, 0xFE, b'S', 0].to_vec();
    let folder = folder(&[("utf16.ron", &utf16), ("latin.ron", b"Scene(\n  name: \"\xFC\")")]);
    let error = failure(&folder.path().join("utf16.ron"));
    assert!(advice(&error).contains("UTF-16"));
    let error = failure(&folder.path().join("latin.ron"));
    assert!(error.message().contains("byte 16 (line 2)"), "{error}");
    assert!(advice(&error).contains("UTF-8"));
}

#[test]
fn a_file_beyond_the_limit_is_not_read() {
    let long = vec![b' '; (4 << 20) + 1];
    let folder = folder(&[("long.ron", &long), ("edge.ron", &long[1..])]);
    let error = failure(&folder.path().join("long.ron"));
    assert_eq!(error.kind(), ErrorKind::File);
    assert!(error.message().contains("longer than the 4 MiB"), "{error}");
    let error = failure(&folder.path().join("edge.ron"));
    assert_eq!(error.message(), "there is no scene in this file");
}
