//! The reference page: its sections, tables and examples.

use std::fs;
use std::path::Path;

/// The page.
pub struct Page {
    pub text: String,
    sections: Vec<Section>,
    /// The code blocks in the language of scenes.
    pub examples: Vec<String>,
}

struct Section {
    heading: String,
    rows: Vec<Row>,
}

/// A row of a table of fields.
#[derive(Clone)]
pub struct Row {
    /// The field in its first cell.
    pub name: String,
    /// The other cells.
    pub cells: Vec<String>,
}

impl Page {
    /// Reads the page.
    pub fn read() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/scene-format.md");
        let text = fs::read_to_string(path).expect("the page");
        let mut sections: Vec<Section> = Vec::new();
        let mut examples = Vec::new();
        let mut block: Option<(bool, String)> = None;
        for line in text.lines() {
            match (line.strip_prefix("```"), &mut block) {
                (Some(language), None) => block = Some((language == "ron", String::new())),
                (Some(_), Some((true, code))) => {
                    examples.push(code.clone());
                    block = None;
                }
                (Some(_), Some(_)) => block = None,
                (None, Some((_, code))) => *code += &format!("{line}\n"),
                (None, None) if line.starts_with('#') => sections.push(Section {
                    heading: line.to_string(),
                    rows: Vec::new(),
                }),
                (None, None) => {
                    if let (Some(row), Some(section)) = (row(line), sections.last_mut()) {
                        section.rows.push(row);
                    }
                }
            }
        }
        Self {
            text,
            sections,
            examples,
        }
    }

    /// The fields described in the section with this name in its heading.
    pub fn rows_of(&self, owner: &str) -> Vec<Row> {
        let quoted = format!("`{owner}`");
        let mut found = self.sections.iter().filter(|s| s.heading.contains(&quoted));
        let section = found.next().unwrap_or_else(|| panic!("a section about {quoted}"));
        assert!(found.next().is_none(), "one section about {quoted}");
        section.rows.clone()
    }
}

/// A row whose first cell is the name of a field.
fn row(line: &str) -> Option<Row> {
    let mut cells = line.trim_matches('|').split('|').map(str::trim);
    let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
    let is_field = name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    is_field.then(|| Row {
        name: name.to_string(),
        cells: cells.map(String::from).collect(),
    })
}

/// A whole scene from an example that may be only a part of one.
pub fn completed(example: &str) -> String {
    if example.starts_with("Scene(") {
        return example.to_string();
    }
    let required = [
        ("name", "\"example\""),
        ("space", "Planar"),
        ("simulation", "(duration: 1)"),
    ];
    let mut scene = "Scene(\n".to_string();
    for (field, value) in required {
        let given = example.lines().any(|line| line.starts_with(&format!("{field}:")));
        if !given {
            scene += &format!("{field}: {value},\n");
        }
    }
    scene + example + ")"
}
