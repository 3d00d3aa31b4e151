//! The numbers of a glTF file: three buffer views, and accessors into them.

use gltf_json::accessor::{ComponentType, GenericComponentType, Type};
use gltf_json::buffer::{Stride, Target as Use, View};
use gltf_json::validation::{Checked, USize64};
use gltf_json::{Accessor, Buffer, Extras, Index, Value};

use super::Document;
use crate::error::{Error, ErrorKind, Result};

/// Indices of the buffer views.
pub(super) const VERTICES: usize = 0;
const INDICES: usize = 1;
pub(super) const KEYS: usize = 2;

impl Document {
    /// Puts the buffer views one after the other; those without content are last or all.
    pub(super) fn join_views(&mut self) -> Vec<u8> {
        let buffer = Index::new(0);
        let mut binary = Vec::with_capacity(self.views.iter().map(Vec::len).sum());
        let uses = [Some(Use::ArrayBuffer), Some(Use::ElementArrayBuffer), None];
        for (section, (content, used)) in self.views.iter().zip(uses).enumerate() {
            if content.is_empty() {
                continue;
            }
            self.root.push(View {
                buffer,
                byte_length: USize64::from(content.len()),
                byte_offset: Some(USize64::from(binary.len())),
                byte_stride: (section == VERTICES).then_some(Stride(size_of::<[f32; 3]>())),
                name: None,
                target: used.map(Checked::Valid),
                extensions: None,
                extras: Extras::default(),
            });
            binary.extend_from_slice(content);
        }
        if !binary.is_empty() {
            self.root.push(Buffer {
                byte_length: USize64::from(binary.len()),
                name: None,
                uri: None,
                extensions: None,
                extras: Extras::default(),
            });
        }
        binary
    }

    pub(super) fn floats<const N: usize>(
        &mut self,
        view: usize,
        values: &[[f32; N]],
        type_: Type,
        with_range: bool,
    ) -> Result<Index<Accessor>> {
        if let Some(value) = values.iter().flatten().find(|value| !value.is_finite()) {
            let message = "a place cannot be written in single precision, as glTF has it";
            return Err(Error::new(ErrorKind::NotFinite, message)
                .with_value(f64::from(*value))
                .advise("choose a part of the motion where everything stays within 1e38 m"));
        }
        let range = |pick: fn(f32, f32) -> f32| {
            let least = values
                .iter()
                .copied()
                .reduce(|a, b| std::array::from_fn(|k| pick(a[k], b[k])));
            least.map(|least| Value::from(least.to_vec()))
        };
        let (min, max) = match with_range {
            true => (range(f32::min), range(f32::max)),
            false => (None, None),
        };
        let offset = self.views[view].len();
        for value in values.iter().flatten() {
            self.views[view].extend_from_slice(&value.to_le_bytes());
        }
        Ok(self.accessor(view, offset, values.len(), (ComponentType::F32, type_), (min, max)))
    }

    pub(super) fn indices(&mut self, faces: &[[u32; 3]]) -> Index<Accessor> {
        let offset = self.views[INDICES].len();
        for index in faces.iter().flatten() {
            self.views[INDICES].extend_from_slice(&index.to_le_bytes());
        }
        let kind = (ComponentType::U32, Type::Scalar);
        self.accessor(INDICES, offset, 3 * faces.len(), kind, (None, None))
    }

    fn accessor(
        &mut self,
        view: usize,
        offset: usize,
        count: usize,
        (component, type_): (ComponentType, Type),
        (min, max): (Option<Value>, Option<Value>),
    ) -> Index<Accessor> {
        self.root.push(Accessor {
            buffer_view: Some(Index::new(view as u32)),
            byte_offset: Some(USize64::from(offset)),
            count: USize64::from(count),
            component_type: Checked::Valid(GenericComponentType(component)),
            extensions: None,
            extras: Extras::default(),
            type_: Checked::Valid(type_),
            min,
            max,
            name: None,
            normalized: false,
            sparse: None,
        })
    }
}
/// The container of text and binary data, each filled up to a multiple of four bytes (4.4).
pub(super) fn container(mut text: Vec<u8>, mut binary: Vec<u8>) -> Result<Vec<u8>> {
    text.resize(text.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let mut chunks = Vec::with_capacity(text.len() + binary.len() + 16);
    for (kind, content) in [(b"JSON", text), (b"BIN\0", binary)] {
        if !content.is_empty() {
            chunks.extend_from_slice(&length(content.len())?);
            chunks.extend_from_slice(kind);
            chunks.extend_from_slice(&content);
        }
    }
    let header = [*b"glTF", 2_u32.to_le_bytes(), length(chunks.len() + 12)?];
    Ok([header.concat(), chunks].concat())
}

fn length(bytes: usize) -> Result<[u8; 4]> {
    let length = u32::try_from(bytes).map_err(|_| {
        Error::new(
            ErrorKind::Request,
            "the animation takes more than 4 GiB, which glTF cannot hold",
        )
        .advise("write fewer states a second with --fps, or a part of the motion with --from and --to")
    })?;
    Ok(length.to_le_bytes())
}
