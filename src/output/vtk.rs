//! VTK's XML files: polygonal data with named cell data, and collections of them over time.

use std::fmt::Write;

/// Triangles with data.
#[derive(Clone, Debug, Default)]
pub struct PolyData {
    /// Time in seconds.
    pub time: f64,
    /// Vertices in metres.
    pub points: Vec<[f32; 3]>,
    /// Vertices of the triangles.
    pub faces: Vec<[u32; 3]>,
    /// A value per triangle, by name.
    pub numbers: Vec<(String, Vec<i32>)>,
    /// Red, green and blue per triangle.
    pub colours: Vec<[u8; 3]>,
    /// Lists of texts by name, for whatever the numbers are indices into.
    pub texts: Vec<(String, Vec<String>)>,
}

/// The text of a file and the raw data behind it.
#[derive(Default)]
struct Writer {
    text: String,
    data: Vec<u8>,
}

impl PolyData {
    /// The content of a `.vtp` file, with raw appended data.
    pub fn to_vtp(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.line(r#"<?xml version="1.0"?>"#);
        writer.line(
            r#"<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64"><PolyData>"#,
        );
        self.write_fields(&mut writer);
        writer.line(&format!(
            r#"<Piece NumberOfPoints="{}" NumberOfPolys="{}">"#,
            self.points.len(),
            self.faces.len()
        ));
        writer.line("<Points>");
        let points = self.points.iter().flatten().flat_map(|x| x.to_le_bytes());
        writer.array("Float32", "Points", 3, points.collect());
        writer.line("</Points><Polys>");
        let corners = self.faces.iter().flatten().flat_map(|i| i.to_le_bytes());
        // Of the types that VTK takes for indices, this one is half as long as the default.
        writer.array("Int32", "connectivity", 1, corners.collect());
        let ends = (1..=self.faces.len()).flat_map(|face| (3 * face as u32).to_le_bytes());
        writer.array("Int32", "offsets", 1, ends.collect());
        writer.line("</Polys><CellData>");
        for (name, values) in &self.numbers {
            let values = values.iter().flat_map(|value| value.to_le_bytes());
            writer.array("Int32", name, 1, values.collect());
        }
        writer.array("UInt8", "colour", 3, self.colours.concat());
        writer.line("</CellData></Piece></PolyData>");
        writer.finish()
    }

    fn write_fields(&self, writer: &mut Writer) {
        writer.line("<FieldData>");
        writer.line(&format!(
            r#"<DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">{}</DataArray>"#,
            self.time
        ));
        for (name, texts) in &self.texts {
            writer.line(&format!(
                r#"<DataArray type="String" Name="{}" NumberOfTuples="{}" format="ascii">"#,
                escaped(name),
                texts.len()
            ));
            for text in texts {
                // Character by character, each text ended by a zero.
                let codes: Vec<String> = text.bytes().chain([0]).map(|byte| byte.to_string()).collect();
                writer.line(&codes.join(" "));
            }
            writer.line("</DataArray>");
        }
        writer.line("</FieldData>");
    }
}

impl Writer {
    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn array(&mut self, kind: &str, name: &str, components: usize, content: Vec<u8>) {
        self.line(&format!(
            r#"<DataArray type="{kind}" Name="{}" NumberOfComponents="{components}" format="appended" offset="{}"/>"#,
            escaped(name),
            self.data.len()
        ));
        self.data.extend_from_slice(&(content.len() as u64).to_le_bytes());
        self.data.extend_from_slice(&content);
    }

    fn finish(mut self) -> Vec<u8> {
        // The data begin behind the underscore.
        self.text.push_str(r#"<AppendedData encoding="raw">_"#);
        let mut content = self.text.into_bytes();
        content.extend_from_slice(&self.data);
        content.extend_from_slice(b"\n</AppendedData></VTKFile>\n");
        content
    }
}

/// The content of a `.pvd` file: files by time.
pub fn collection(files: &[(f64, String)]) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\"><Collection>\n",
    );
    for (time, file) in files {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            r#"<DataSet timestep="{time}" part="0" file="{}"/>"#,
            escaped(file)
        );
    }
    text + "</Collection></VTKFile>\n"
}

/// A text as the value of an attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
