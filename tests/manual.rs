//! Completions and manual pages know every command and option.

#![cfg(feature = "cli")]

mod support;

use std::process::Output;

fn costate(arguments: &[&str]) -> Output {
    support::costate(arguments).output().unwrap()
}

const COMMANDS: [&str; 9] = [
    "check",
    "run",
    "gradient",
    "optimize",
    "sweep",
    "export",
    "render",
    "completions",
    "manual",
];

#[test]
fn completions_know_commands_and_options() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let answer = costate(&["completions", shell]);
        assert!(
            answer.status.success() && answer.stderr.is_empty(),
            "{shell}: {answer:?}"
        );
        let script = String::from_utf8(answer.stdout).unwrap();
        for word in COMMANDS.iter().chain(&["certify", "formulation", "max-time"]) {
            assert!(script.contains(word), "{shell} does not know `{word}`");
        }
    }
    assert_eq!(costate(&["completions", "cmd"]).status.code(), Some(2));
}

#[test]
fn every_command_has_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("man");
    let answer = costate(&["manual", "--out", out.to_str().unwrap()]);
    assert!(answer.status.success(), "{answer:?}");
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let program = read("costate.1");
    for command in COMMANDS {
        assert!(
            program.contains(&format!("costate\\-{command}(1)")),
            "no `{command}` in costate.1"
        );
        assert!(read(&format!("costate-{command}.1")).contains(&format!("costate {command}")));
    }
    assert!(read("costate-gradient.1").contains("\\-\\-certify"));
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let answer = costate(&["manual", "--out", file.path().to_str().unwrap()]);
    assert_eq!(answer.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&answer.stderr).contains("folder"), "{answer:?}");
}

/// The badges of the README are a picture in the repository, which shows without a network.
#[test]
fn badges_say_what_the_manifests_say() {
    let read =
        |path: &str| std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let (badges, python) = (read("docs/images/badges.svg"), read("python/pyproject.toml"));
    assert!(read("README.md").contains("](docs/images/badges.svg)"));
    let python = python
        .split("requires-python = \">=")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let [rust, python] = [env!("CARGO_PKG_RUST_VERSION"), python].map(|version| format!("{version}+"));
    for told in [env!("CARGO_PKG_LICENSE"), &rust, &python] {
        assert!(badges.contains(&format!(">{told}</text>")), "{told}");
    }
}
