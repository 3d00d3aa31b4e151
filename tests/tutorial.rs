//! The tutorial is followed from its text alone: its scenes are saved, its commands run, and what they print and draw is
//! compared with what it shows.
#![cfg(feature = "cli")]

use std::path::Path;
use std::process::Command;

/// Relative difference of numbers that are printed alike on other machines.
const TOLERANCE: f64 = 1e-6;

/// Part of the pixels by which a picture may differ.
const PIXELS: f64 = 0.01;

/// A block of the page: its language and its lines.
struct Block {
    language: String,
    text: String,
}

fn page() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tutorial.md")).unwrap()
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            continue;
        };
        let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        blocks.push(Block {
            language: language.to_string(),
            text: text.join("\n"),
        });
    }
    blocks
}

/// The words of a command, those in quotes as one.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('"').enumerate();
    let words = parts.flat_map(|(k, part)| match k % 2 {
        1 => vec![part.to_string()],
        _ => part.split_whitespace().map(str::to_string).collect(),
    });
    words.collect()
}

/// Standard output of a command, which must succeed.
fn run(command: &str, folder: &Path) -> String {
    let words = words(command);
    let (program, arguments) = words.split_first().unwrap();
    assert_eq!(program, "costate", "{command}");
    let output = Command::new(env!("CARGO_BIN_EXE_costate"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{command}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Whether two lines say the same: equal words, and numbers that are nearly equal; times of computations may differ.
fn alike(shown: &str, printed: &str) -> bool {
    let timed = shown.ends_with(" s") && shown.contains("computed in");
    let near = |(shown, printed): (&str, &str)| match (shown.parse::<f64>(), printed.parse::<f64>()) {
        (Ok(shown), Ok(printed)) => timed || (shown - printed).abs() <= TOLERANCE * (1.0 + shown.abs()),
        _ => shown == printed,
    };
    let (shown, printed): (Vec<&str>, Vec<&str>) =
        (shown.split_whitespace().collect(), printed.split_whitespace().collect());
    shown.len() == printed.len() && shown.into_iter().zip(printed).all(near)
}

/// Whether the lines shown are those printed, where `...` stands for any.
fn compare(shown: &str, printed: &str) {
    let mut printed = printed.lines();
    let mut skipping = false;
    for line in shown.lines() {
        if line == "..." {
            skipping = true;
            continue;
        }
        let found = if skipping {
            printed.find(|found| alike(line, found))
        } else {
            printed.next().filter(|found| alike(line, found))
        };
        assert!(found.is_some(), "not printed: {line}\nof\n{shown}");
        skipping = false;
    }
    assert!(skipping || printed.next().is_none(), "more is printed than\n{shown}");
}

/// Follows the page in a folder, comparing what is printed; returns the number of commands.
fn follow(page: &str, folder: &Path) -> usize {
    let (mut commands, mut printed) = (0, String::new());
    for block in blocks(page) {
        match block.language.as_str() {
            "ron" => {
                let name = block.text.lines().next().unwrap().strip_prefix("// ").unwrap();
                std::fs::write(folder.join(name), &block.text).unwrap();
            }
            "sh" => {
                printed.clear();
                for command in block.text.lines() {
                    printed += &run(command, folder);
                    commands += 1;
                }
            }
            "text" => compare(&block.text, &printed),
            other => panic!("a block in {other:?}"),
        }
    }
    commands
}

fn pixels(path: &Path) -> (u32, u32, Vec<u8>) {
    let file = std::fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    (info.width, info.height, bytes)
}

#[test]
fn the_tutorial_prints_and_draws_what_it_shows() {
    let (page, folder) = (page(), tempfile::tempdir().unwrap());
    assert!(follow(&page, folder.path()) >= 10);
    // `images/tutorial_FOLDER_FILE` is the file of that name in the folder that a command wrote.
    let pictures: Vec<&str> = page
        .split("](images/tutorial_")
        .skip(1)
        .map(|rest| rest.split(')').next().unwrap())
        .collect();
    assert!(pictures.len() >= 4);
    for picture in pictures {
        let (of, file) = picture.split_once('_').unwrap();
        let committed = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("docs/images")
            .join(format!("tutorial_{picture}"));
        let (shown, drawn) = (pixels(&committed), pixels(&folder.path().join(of).join(file)));
        assert_eq!((shown.0, shown.1), (drawn.0, drawn.1), "{picture}");
        let different = shown.2.chunks(3).zip(drawn.2.chunks(3)).filter(|(a, b)| a != b).count();
        let most = PIXELS * f64::from(shown.0) * f64::from(shown.1);
        assert!(
            (different as f64) < most,
            "{picture} is not what is drawn: {different} pixels"
        );
    }
}

#[test]
fn what_is_shown_and_not_printed_is_found_out() {
    let fails =
        |shown: &'static str, printed: &'static str| std::panic::catch_unwind(|| compare(shown, printed)).is_err();
    assert!(!fails("a 1.0000001\n...\nc", "a 1.0\nb\nc"));
    assert!(fails("a 1.001", "a 1.0"));
    assert!(fails("a", "a\nb"));
    assert!(fails("a\n...\nd", "a\nb\nc"));
}
