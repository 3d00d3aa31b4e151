//! The structure of the source is the one that CONTRIBUTING.md describes: data flows one way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A module, by its names from the room on: `["model", "force", "line"]`.
type Module = Vec<String>;

/// One file of the source.
struct File {
    path: PathBuf,
    module: Module,
    text: String,
}

/// What a room may use, from the table of rooms.
struct Room {
    name: String,
    knows: BTreeSet<String>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The words in backticks of a cell.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_string).collect()
}

/// The rows of the table of rooms, in its order. "all above" in the last cell stands for every room before.
fn rooms(page: &str) -> Vec<Room> {
    let mut rooms: Vec<Room> = Vec::new();
    let table = page.lines().skip_while(|line| !line.starts_with("| room |")).skip(2);
    for line in table.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        let [name, .., knows] = cells[..] else {
            panic!("a row of the table of rooms has three cells: {line}");
        };
        let mut known: BTreeSet<String> = quoted(knows).into_iter().collect();
        if knows.contains("all above") {
            known.extend(rooms.iter().map(|room| room.name.clone()));
        }
        for name in quoted(name) {
            let name = name.trim_end_matches('/').trim_end_matches(".rs").to_string();
            let knows = known.clone();
            rooms.push(Room { name, knows });
        }
    }
    rooms
}

fn source_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry can be read").path();
        let name = path
            .file_name()
            .expect("an entry has a name")
            .to_string_lossy()
            .into_owned();
        if path.is_dir() && name != "tests" {
            source_files(&path, found);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

/// A file's text without comments and tests: only what is compiled into the program counts.
fn code(text: &str) -> String {
    let before_tests = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let lines = before_tests.replace("#[cfg(test)]\nmod tests;", "");
    let mut code = String::new();
    for line in lines.lines() {
        code.push_str(line.split("//").next().unwrap_or(line));
        code.push('\n');
    }
    code
}

/// All files of the workspace with their modules.
fn files() -> Vec<File> {
    let mut files = Vec::new();
    let mut sources = vec![(root().join("src"), None)];
    for entry in fs::read_dir(root().join("crates")).expect("the crates are there") {
        let path = entry.expect("an entry can be read").path();
        let name = path
            .file_name()
            .expect("a crate has a name")
            .to_string_lossy()
            .into_owned();
        // The other crates have rooms of their own; this one is a room.
        sources.push((path.join("src"), (name == "viewer").then_some(name)));
    }
    for (source, room) in sources {
        let mut paths = Vec::new();
        source_files(&source, &mut paths);
        for path in paths {
            let inside = path.strip_prefix(&source).expect("a file is inside its source");
            let mut module: Module = room.iter().cloned().collect();
            module.extend(
                inside
                    .with_extension("")
                    .iter()
                    .map(|part| part.to_string_lossy().into_owned()),
            );
            if matches!(module.last().map(String::as_str), Some("mod" | "lib")) {
                module.pop();
            }
            let text = code(&fs::read_to_string(&path).expect("a source file can be read"));
            files.push(File { path, module, text });
        }
    }
    files
}

/// A word at the start of a text, and what follows.
fn word(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    text.split_at(end)
}

/// The paths of a use tree behind `prefix`, such as `a::{b, c::d}`; returns what follows the tree.
fn tree<'a>(text: &'a str, prefix: &[String], paths: &mut Vec<Module>) -> &'a str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = tree(rest, prefix, paths).trim_start();
            rest = match rest.strip_prefix(',') {
                Some(rest) if !rest.trim_start().starts_with('}') => rest,
                Some(rest) => return rest.trim_start().strip_prefix('}').unwrap_or(rest),
                None => return rest.strip_prefix('}').unwrap_or(rest),
            };
        }
    }
    let (name, mut rest) = word(text);
    let mut path = prefix.to_vec();
    if !name.is_empty() {
        path.push(name.to_string());
    }
    if let Some(behind) = rest.strip_prefix("::")
        && (behind.starts_with(|c: char| c.is_alphabetic() || c == '_') || behind.trim_start().starts_with('{'))
    {
        return tree(behind, &path, paths);
    }
    if let Some(alias) = rest.trim_start().strip_prefix("as ") {
        rest = word(alias.trim_start()).1;
    }
    paths.push(path);
    rest
}

/// All paths of a file that begin with one of the words.
fn paths(text: &str, beginnings: &[&str]) -> Vec<Module> {
    let mut paths = Vec::new();
    for beginning in beginnings {
        let start = format!("{beginning}::");
        for (at, _) in text.match_indices(&start) {
            let before = text[..at].chars().next_back();
            if before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':' && c != '$') {
                tree(&text[at..], &[], &mut paths);
            }
        }
    }
    paths
}

/// The structure: files by module, and what each mod file passes on from its children.
struct House {
    files: Vec<File>,
    by_module: BTreeMap<Module, usize>,
    rooms: BTreeSet<String>,
    passed_on: BTreeMap<Module, Module>,
}

impl House {
    fn read(rooms: &[Room]) -> Self {
        let files = files();
        let by_module = files
            .iter()
            .enumerate()
            .map(|(i, file)| (file.module.clone(), i))
            .collect();
        let mut house = Self {
            files,
            by_module,
            rooms: rooms.iter().map(|room| room.name.clone()).collect(),
            passed_on: BTreeMap::new(),
        };
        for file in &house.files {
            for (at, start) in file
                .text
                .match_indices("pub use ")
                .chain(file.text.match_indices("pub(super) use "))
            {
                let mut found = Vec::new();
                tree(&file.text[at + start.len()..], &[], &mut found);
                for path in found {
                    let mut target = file.module.clone();
                    target.extend(path.iter().filter(|name| *name != "self").cloned());
                    let mut name = file.module.clone();
                    name.extend(path.last().cloned());
                    if name != target {
                        house.passed_on.insert(name, target);
                    }
                }
            }
        }
        house
    }

    /// The file that a path used in a file leads to, if it is one of the workspace.
    fn target(&self, file: &File, path: &[String]) -> Option<usize> {
        let mut module = match path.first()?.as_str() {
            "crate" if path.get(1).is_some_and(|name| self.rooms.contains(name)) => Vec::new(),
            "crate" if file.module.first().is_some_and(|room| room == "viewer") => vec!["viewer".to_string()],
            "crate" => Vec::new(),
            _ => file.module.clone(),
        };
        let mut rest = path;
        while let [first, behind @ ..] = rest {
            match first.as_str() {
                "super" => drop(module.pop()),
                "crate" | "self" => {}
                _ => break,
            }
            rest = behind;
        }
        module.extend(rest.iter().cloned());
        self.resolve(module)
    }

    fn resolve(&self, mut module: Module) -> Option<usize> {
        let full = module.clone();
        while !module.is_empty() {
            if let Some(&file) = self.by_module.get(&module) {
                let next = full.get(..=module.len());
                let passed = next.and_then(|next| self.passed_on.get(next));
                return passed.map_or(Some(file), |passed| self.resolve(passed.clone()));
            }
            module.pop();
        }
        None
    }

    /// Every use of one file by another.
    fn arrows(&self) -> Vec<(usize, usize)> {
        let mut arrows = BTreeSet::new();
        for (from, file) in self.files.iter().enumerate() {
            for path in paths(&file.text, &["crate", "super", "self"]) {
                if let Some(to) = self.target(file, &path)
                    && to != from
                {
                    arrows.insert((from, to));
                }
            }
        }
        arrows.into_iter().collect()
    }

    fn name(&self, file: usize) -> String {
        let path = &self.files[file].path;
        path.strip_prefix(root()).unwrap_or(path).display().to_string()
    }
}

fn house() -> (Vec<Room>, House) {
    let page = fs::read_to_string(root().join("CONTRIBUTING.md")).expect("CONTRIBUTING.md is there");
    let rooms = rooms(&page);
    let house = House::read(&rooms);
    (rooms, house)
}

#[test]
fn every_room_is_in_the_table_and_uses_only_what_the_table_says() {
    let (rooms, house) = house();
    let mut wrong = BTreeSet::new();
    for file in &house.files {
        let Some(room) = file.module.first() else { continue };
        if !house.rooms.contains(room) && room != "main" {
            wrong.insert(format!("{room} has no row in the table of rooms"));
        }
    }
    for (from, to) in house.arrows() {
        let (Some(user), Some(used)) = (house.files[from].module.first(), house.files[to].module.first()) else {
            continue;
        };
        let allowed = |room: &Room| room.name == *user && room.knows.contains(used);
        if user != used && user != "main" && !rooms.iter().any(allowed) {
            wrong.insert(format!(
                "{user} must not use {used}: {} uses {}",
                house.name(from),
                house.name(to)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_room_knows_only_rooms_before_it() {
    let (rooms, _) = house();
    assert!(rooms.len() > 15, "the table of rooms is read");
    for (i, room) in rooms.iter().enumerate() {
        for known in &room.knows {
            assert!(
                rooms[..i].iter().any(|before| before.name == *known),
                "{} knows {known}, which does not stand before it",
                room.name
            );
        }
    }
}

/// Groups of files that use each other in a circle. What a mod file uses below itself is its table of contents.
fn circles(house: &House) -> Vec<Vec<usize>> {
    let count = house.files.len();
    let mut reached = vec![BTreeSet::new(); count];
    let mut used = vec![Vec::new(); count];
    for (from, to) in house.arrows() {
        let (user, below) = (&house.files[from], &house.files[to]);
        if !below.module.starts_with(&user.module) {
            used[from].push(to);
        }
    }
    for (from, reached) in reached.iter_mut().enumerate() {
        let mut waiting = used[from].clone();
        while let Some(file) = waiting.pop() {
            if reached.insert(file) {
                waiting.extend(&used[file]);
            }
        }
    }
    let circle = |i: usize| -> Vec<usize> {
        (0..count)
            .filter(|j| reached[i].contains(j) && reached[*j].contains(&i))
            .collect()
    };
    let groups: BTreeSet<Vec<usize>> = (0..count).map(circle).collect();
    groups.into_iter().filter(|group| !group.is_empty()).collect()
}

#[test]
fn no_files_stand_in_a_circle() {
    let (_, house) = house();
    let circles: Vec<String> = circles(&house)
        .iter()
        .map(|group| {
            let names: Vec<String> = group.iter().map(|&file| house.name(file)).collect();
            names.join("\n    ")
        })
        .collect();
    assert!(
        circles.is_empty(),
        "files use each other in a circle:\n{}",
        circles.join("\n")
    );
}

/// Where there is no operating system, asking for the time or for a thread is a panic.
#[test]
fn clocks_and_threads_are_those_of_one_room() {
    // The program and its window, and a thread that feeds another program.
    let free = |file: &File| {
        matches!(file.module[..], [ref room, ..] if ["machine", "cli", "viewer"].contains(&room.as_str()))
            || file.module == ["output", "mp4"]
    };
    let taken = ["Instant", "SystemTime"].map(|name| ["std", "time", name].map(str::to_string).to_vec());
    for file in files().iter().filter(|file| !free(file)) {
        for path in paths(&file.text, &["std"]) {
            let is_thread = path.get(1).is_some_and(|module| module == "thread");
            assert!(
                !is_thread && !taken.iter().any(|taken| path.starts_with(taken)),
                "{}: {path:?}",
                file.path.display()
            );
        }
    }
}
