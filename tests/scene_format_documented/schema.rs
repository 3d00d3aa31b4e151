//! The fields and kinds of the schema, from its source text.

use std::fs;
use std::path::Path;

/// A struct or enum that is read from scene files.
pub struct Item {
    pub name: String,
    pub kind: Kind,
}

/// What an item consists of.
pub enum Kind {
    Struct(Vec<Field>),
    Enum(Vec<Variant>),
}

/// A variant of an enum, with its named fields if it has any.
pub struct Variant {
    pub name: String,
    pub fields: Vec<Field>,
}

/// A named field.
pub struct Field {
    pub name: String,
    /// Its type as written.
    pub of: String,
    /// Whether it may be left out.
    pub has_default: bool,
}

impl Field {
    /// `T` of a field of type `Named<T>`.
    pub fn map_of(&self) -> Option<&str> {
        self.of.strip_prefix("Named<")?.strip_suffix('>')
    }
}

/// Names of the fields in their order.
pub fn names(fields: &[Field]) -> Vec<String> {
    fields.iter().map(|field| field.name.clone()).collect()
}

/// The field of another item through which the struct is written, which is how users know it.
pub fn written_as(items: &[Item], name: &str) -> String {
    let fields = items.iter().flat_map(|item| -> Vec<&Field> {
        match &item.kind {
            Kind::Struct(fields) => fields.iter().collect(),
            Kind::Enum(variants) => variants.iter().flat_map(|variant| &variant.fields).collect(),
        }
    });
    let of_type = |field: &&Field| field.of.split(|c: char| !c.is_alphanumeric()).any(|word| word == name);
    let mut found = fields.filter(of_type);
    let field = found.next().unwrap_or_else(|| panic!("a field of type {name}"));
    field.name.clone()
}

/// All items that are deserialized.
pub fn items() -> Vec<Item> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/design/src/scene/schema");
    let entries = fs::read_dir(folder).expect("the schema");
    let mut items = Vec::new();
    for entry in entries {
        let source = fs::read_to_string(entry.expect("a file").path()).expect("source text");
        items.extend(items_of(&source));
    }
    assert!(items.iter().any(|item| item.name == "Scene"));
    items
}

fn items_of(source: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut attributes = String::new();
    let (mut inside, mut switched) = (false, false);
    for line in source.lines() {
        let code = line.trim();
        let indentation = line.len() - line.trim_start().len();
        if code.starts_with("///") {
            continue;
        }
        if code.starts_with("#[") {
            attributes += code;
            continue;
        }
        let declared = code.trim_start_matches("pub ");
        // Enums of kinds are declared by macros, one of which adds a field.
        if let Some(macro_name) = code.strip_suffix("! {") {
            (switched, attributes) = (macro_name == "switched_kinds", "Deserialize".to_string());
            continue;
        }
        let is_struct = declared.starts_with("struct ") && code.ends_with('{') && !code.contains('$');
        let is_enum = declared.starts_with("enum ") && code.ends_with('{') && !code.contains('$');
        if (is_struct || is_enum) && attributes.contains("Deserialize") {
            items.push(item(declared, is_struct, &attributes));
            inside = true;
        } else if line == "}" {
            (inside, switched) = (false, switched && inside);
        } else if inside {
            let item = items.last_mut().expect("the item that is open");
            if switched && line == "    }," {
                add_line(item, "active: bool,", 8, true);
            }
            add_line(item, code, indentation, attributes.contains("serde(default"));
        }
        attributes.clear();
    }
    items
}

fn item(declared: &str, is_struct: bool, attributes: &str) -> Item {
    let renamed = attributes
        .split("rename = \"")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let name = declared.split([' ', '<', '(']).nth(1).expect("a name");
    Item {
        name: renamed.unwrap_or(name).to_string(),
        kind: if is_struct {
            Kind::Struct(Vec::new())
        } else {
            Kind::Enum(Vec::new())
        },
    }
}

fn add_line(item: &mut Item, code: &str, indentation: usize, has_default: bool) {
    let field = || {
        let (name, of) = code
            .trim_start_matches("pub ")
            .trim_start_matches("r#")
            .split_once(": ")?;
        Some(Field {
            name: name.to_string(),
            of: of.trim_end_matches(',').to_string(),
            // A field that is an option may be left out without a default of its own.
            has_default: has_default || of.starts_with("Option<"),
        })
    };
    match (&mut item.kind, indentation) {
        (Kind::Struct(fields), 4) => fields.extend(field()),
        (Kind::Enum(variants), 4) => {
            let name = code.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            if !name.is_empty() {
                variants.push(Variant {
                    name: name.to_string(),
                    fields: Vec::new(),
                });
            }
        }
        (Kind::Enum(variants), 8) => {
            let variant = variants.last_mut().expect("the variant that is open");
            variant.fields.extend(field());
        }
        _ => {}
    }
}
