//! The numbers of a glTF file: its buffers, and what the file says lies where in them.

use gltf_json::accessor::{Accessor, ComponentType, Type};
use gltf_json::validation::Checked;
use gltf_json::{Index, Root};

use super::{Reason, entry};
use crate::scene::bytes::LONGEST;

/// How many times a number may be used: by several nodes with one mesh, or by several meshes.
const COPIES: usize = 16;

/// What every file may have.
const SMALL: usize = 1 << 20;

/// The buffers of a file.
pub(super) struct Numbers<'r> {
    root: &'r Root,
    binary: Option<&'r [u8]>,
    /// Files of numbers, each once.
    files: Vec<(&'r str, Vec<u8>)>,
    /// Bytes that may still be read from the buffers.
    left: usize,
}

/// The text of a file and, if it is one binary file, its numbers.
pub(super) fn split(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), Reason> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes, None));
    }
    let rest = bytes.get(12..).ok_or("it ends within its head")?;
    let (kind, text, rest) = chunk(rest).ok_or("it ends within its text")?;
    if kind != b"JSON" {
        return Err("its text is missing".to_string());
    }
    let binary = chunk(rest).filter(|(kind, ..)| kind == b"BIN\0");
    Ok((text, binary.map(|(_, bytes, _)| bytes)))
}

/// Kind and bytes of the first chunk, and the bytes after it.
fn chunk(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let length = u32::from_le_bytes(*bytes.first_chunk()?) as usize;
    let (chunk, rest) = bytes.get(8..)?.split_at_checked(length)?;
    Some((&bytes[4..8], chunk, rest))
}

impl<'r> Numbers<'r> {
    /// Loads the buffers of a file, whose text has this length; `open` gives the bytes of a file of numbers.
    pub(super) fn load(
        root: &'r Root,
        binary: Option<&'r [u8]>,
        text: usize,
        open: &dyn Fn(&str) -> Result<Vec<u8>, Reason>,
    ) -> Result<Self, Reason> {
        let mut files: Vec<(&str, Vec<u8>)> = Vec::new();
        let mut bytes = text + binary.map_or(0, <[u8]>::len);
        for uri in root.buffers.iter().filter_map(|buffer| buffer.uri.as_deref()) {
            if uri.starts_with("data:") {
                return Err("its numbers are inside the text; save it as .glb".to_string());
            }
            if files.iter().any(|(known, _)| *known == uri) {
                continue;
            }
            let loaded = open(uri)?;
            bytes += loaded.len();
            if bytes > LONGEST as usize {
                return Err("its numbers are longer than the 64 MiB that they may have".to_string());
            }
            files.push((uri, loaded));
        }
        Ok(Self {
            root,
            binary,
            files,
            left: (COPIES * bytes).clamp(SMALL, LONGEST as usize),
        })
    }

    fn buffer(&self, index: usize) -> Option<&[u8]> {
        match &self.root.buffers.get(index)?.uri {
            None => self.binary.filter(|_| index == 0),
            Some(uri) => {
                let mut files = self.files.iter();
                files.find(|(known, _)| known == uri).map(|(_, bytes)| bytes.as_slice())
            }
        }
    }

    /// Vectors of three numbers.
    pub(super) fn vectors(&mut self, index: Index<Accessor>) -> Result<Vec<[f64; 3]>, Reason> {
        let accessor = entry(&self.root.accessors, index, "accessor")?;
        match (&accessor.type_, kind(accessor)) {
            (Checked::Valid(Type::Vec3), Some(ComponentType::F32)) => {}
            _ => {
                return Err(format!(
                    "its accessor {} has no vectors of floating-point numbers",
                    index.value()
                ));
            }
        }
        let number = |bytes: &[u8; 4]| f64::from(f32::from_le_bytes(*bytes));
        let vector = |bytes: &[u8]| std::array::from_fn(|k| bytes.as_chunks().0.get(k).map_or(0.0, number));
        self.elements(accessor, 12)
            .map(|list| list.into_iter().map(vector).collect())
            .map_err(|what| about(index, what))
    }

    /// Numbers of vertices.
    pub(super) fn indices(&mut self, index: Index<Accessor>) -> Result<Vec<u32>, Reason> {
        let accessor = entry(&self.root.accessors, index, "accessor")?;
        let size = match (&accessor.type_, kind(accessor)) {
            (Checked::Valid(Type::Scalar), Some(ComponentType::U8)) => 1,
            (Checked::Valid(Type::Scalar), Some(ComponentType::U16)) => 2,
            (Checked::Valid(Type::Scalar), Some(ComponentType::U32)) => 4,
            _ => return Err(format!("its accessor {} has no whole numbers", index.value())),
        };
        let number = |bytes: &[u8]| {
            bytes
                .iter()
                .rev()
                .fold(0, |number, byte| number << 8 | u32::from(*byte))
        };
        self.elements(accessor, size)
            .map(|list| list.into_iter().map(number).collect())
            .map_err(|what| about(index, what))
    }

    /// The bytes of each element, which has that many.
    fn elements(&mut self, accessor: &Accessor, size: usize) -> Result<Vec<&[u8]>, &'static str> {
        if accessor.sparse.is_some() {
            return Err("is sparse, which is not read");
        }
        let view = accessor
            .buffer_view
            .and_then(|view| self.root.buffer_views.get(view.value()));
        let view = view.ok_or("has no numbers")?;
        let count = usize::try_from(accessor.count.0).map_err(|_| OUTSIDE)?;
        let stride = view
            .byte_stride
            .map(|stride| stride.0)
            .filter(|stride| *stride > 0)
            .unwrap_or(size);
        if stride < size {
            return Err("has elements that overlap");
        }
        let part = |bytes, start: u64, length: u64| -> Option<&[u8]> {
            let bytes: &[u8] = bytes;
            bytes
                .get(usize::try_from(start).ok()?..)?
                .get(..usize::try_from(length).ok()?)
        };
        let offset = |offset: Option<gltf_json::validation::USize64>| offset.map_or(0, |offset| offset.0);
        let wanted = match count {
            0 => Some(0),
            _ => stride
                .checked_mul(count - 1)
                .and_then(|before| before.checked_add(size)),
        };
        let wanted = wanted.ok_or(OUTSIDE)? as u64;
        let left = self.left.checked_sub(count.saturating_mul(size));
        self.left = left.unwrap_or_default();
        let bytes = self.buffer(view.buffer.value()).ok_or("has no numbers")?;
        let bytes = part(bytes, offset(view.byte_offset), view.byte_length.0).ok_or(OUTSIDE)?;
        let bytes = part(bytes, offset(accessor.byte_offset), wanted).ok_or(OUTSIDE)?;
        left.ok_or("is used too many times: put fewer copies of a mesh into the scene")?;
        Ok(bytes.chunks(stride).map(|chunk| &chunk[..size]).collect())
    }
}

/// What is wrong with an accessor that ends behind its buffer.
const OUTSIDE: &str = "lies outside its buffer";

fn about(index: Index<Accessor>, what: &str) -> Reason {
    format!("its accessor {} {what}", index.value())
}

fn kind(accessor: &Accessor) -> Option<ComponentType> {
    match &accessor.component_type {
        Checked::Valid(kind) => Some(kind.0),
        Checked::Invalid => None,
    }
}
