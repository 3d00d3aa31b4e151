//! Lines of tables with commas.

use crate::error::{Error, ErrorKind, Result};

/// What begins a formula, in the widths that spreadsheets know.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// The cell of a text, which no spreadsheet runs as a formula: one that looks like it gets an apostrophe in front.
pub fn csv_cell(text: &str) -> String {
    let formula = text.trim_start().starts_with(FORMULA) && text.parse::<f64>().is_err();
    format!("{}{text}", if formula { "'" } else { "" })
}

/// A table of these rows as CSV.
///
/// # Errors
/// Kind `File` when a row is not as long as the first.
pub fn csv<R: AsRef<[String]>>(rows: impl IntoIterator<Item = R>) -> Result<Vec<u8>> {
    let failed = |reason: String| Error::new(ErrorKind::File, format!("a table cannot be written: {reason}"));
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        let cells = row.as_ref().iter().map(|text| csv_cell(text));
        writer.write_record(cells).map_err(|error| failed(error.to_string()))?;
    }
    writer.into_inner().map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::csv;

    #[test]
    fn texts_that_look_like_formulas_are_texts_and_numbers_stay_numbers() {
        let row = [
            "=1+1", "@SUM(A1)", "-2+3", "+x", " =1", "＝1", "-1e-300", "-inf", "+2", "a=b", "x,=1", "",
        ];
        let table = String::from_utf8(csv([row.map(str::to_string)]).unwrap()).unwrap();
        assert_eq!(
            table,
            "'=1+1,'@SUM(A1),'-2+3,'+x,' =1,'＝1,-1e-300,-inf,+2,a=b,\"x,=1\",\n"
        );
    }
}
