//! Objectives of measured data: columns to outputs and events, cells to numbers.

use super::Build;
use super::site::Site;
use crate::error::{Error, Result};
use crate::expression::suggest;
use crate::model::{Channel, Datum, Fit, Measured, MeasuredAt};
use crate::scene::DataFile;
use crate::scene::schema::{self, Cells, Named};

/// A `Fit` as written.
pub(super) struct WrittenFit<'a> {
    pub data: &'a str,
    pub time: Option<&'a str>,
    pub columns: &'a Named<schema::Measured>,
    pub events: &'a Named<schema::Measured>,
    pub spread: Spread<'a>,
}

/// Standard deviations or weights, or neither.
#[derive(Clone, Copy)]
pub(super) struct Spread<'a> {
    pub sigma: Option<&'a Cells>,
    pub weight: Option<&'a Cells>,
}

/// Name of the column of times when none is written.
const TIME: &str = "t";

impl<'s> Build<'s> {
    /// Adds measured data to the model; returns their index.
    pub(super) fn fit(&mut self, written: &WrittenFit, site: &Site) -> Result<usize> {
        // Lines of a table outside the folder of the scene are not shown.
        self.read_fit(written, site)
            .map_err(|error| site.at("data").placed(error))
    }

    fn read_fit(&mut self, written: &WrittenFit, site: &Site) -> Result<usize> {
        let known = self.file.data.iter().find(|table| table.path == written.data);
        let table = known.cloned().ok_or_else(|| unread(written.data, site))?;
        let named = self.columns_named_as_outputs(written, &table, site)?;
        let columns = if written.columns.is_empty() {
            &named
        } else {
            written.columns
        };
        let mut reader = Reader {
            table: &table,
            written,
            site,
            channels: Vec::new(),
            data: Vec::new(),
            deviations: Vec::new(),
        };
        let times = match columns.is_empty() {
            true => Vec::new(),
            false => reader.times()?,
        };
        for (column, measured) in columns.iter() {
            let site = site.at("columns").at(column);
            let output = self.output(&measured.of, &site.at("of"))?;
            let at = |row: usize| times[row].map(MeasuredAt::Time);
            reader.channel(column, measured, Measured::Value(output), at, &site)?;
        }
        for (column, measured) in written.events.iter() {
            let site = site.at("events").at(column);
            let names = self.names_of_events(&measured.of, &site.at("of"))?;
            let at = |row: usize| Some(MeasuredAt::Occurrence(row + 1));
            reader.channel(column, measured, Measured::EventTimes(names), at, &site)?;
        }
        let fit = reader.finish()?;
        self.model.fits.push(fit);
        Ok(self.model.fits.len() - 1)
    }

    /// The columns that no field names, where neither columns nor events are written: each must be an output.
    fn columns_named_as_outputs(
        &self,
        written: &WrittenFit,
        table: &DataFile,
        site: &Site,
    ) -> Result<Named<schema::Measured>> {
        let time = written.time.unwrap_or(TIME);
        if !written.columns.is_empty() || !written.events.is_empty() {
            return Ok(Named::default());
        }
        let is_spread = |name: &str| {
            let given = [written.spread.sigma, written.spread.weight];
            given
                .iter()
                .any(|cells| matches!(cells, Some(Cells::Column(column)) if column == name))
        };
        let used = |name: &str| name == time || is_spread(name);
        let mut columns = Vec::new();
        for name in table.header().filter(|name| !used(name)) {
            if !self.model.outputs.iter().any(|(output, _)| output == name) {
                let near = suggest(name, self.scene.outputs.names(), "outputs");
                return site.at("data").refuse(
                    format!("{} of {} is not an output", table.described(name), table.shown()),
                    format!("say what it measures in `columns`, which then lists all that count; {near}"),
                );
            }
            columns.push((name.to_string(), schema::Measured::of(name)));
        }
        Ok(Named(columns))
    }
}

fn unread(path: &str, site: &Site) -> Error {
    site.at("data")
        .error(format!("the data file {path} was not read"))
        .advise("read the scene from a file: the path is relative to its folder")
}

/// Collects channels and values from a table.
struct Reader<'a, 's> {
    table: &'a DataFile,
    written: &'a WrittenFit<'a>,
    site: &'a Site<'s>,
    channels: Vec<Channel>,
    data: Vec<Datum>,
    /// By channel: whether its standard deviations are known.
    deviations: Vec<bool>,
}

impl<'a, 's> Reader<'a, 's> {
    /// Index of a column; `at` is where it is named.
    fn column(&self, name: &str, at: &Site) -> Result<usize> {
        self.table.column(name).ok_or_else(|| {
            at.error(format!("{} has no column `{name}`", self.table.shown()))
                .advise(suggest(name, self.table.suggestions(), "columns"))
        })
    }

    /// Time of every row; none where the cell is empty.
    fn times(&self) -> Result<Vec<Option<f64>>> {
        let at = if self.written.time.is_some() { "time" } else { "data" };
        let column = self.column(self.written.time.unwrap_or(TIME), &self.site.at(at))?;
        (0..self.table.len())
            .map(|row| self.table.number(row, column))
            .collect()
    }

    /// Reads the values of a column, each with its place among what the channel measures.
    fn channel(
        &mut self,
        name: &str,
        measured: &schema::Measured,
        of: Measured,
        at: impl Fn(usize) -> Option<MeasuredAt>,
        site: &Site<'s>,
    ) -> Result<()> {
        let column = self.column(name, &site.at("key"))?;
        let (spread, place) = self.spread(measured, site)?;
        for row in 0..self.table.len() {
            let Some(value) = self.table.number(row, column)? else {
                continue;
            };
            let at = at(row).ok_or_else(|| {
                let message = format!("the column `{name}` has a value, but the time is missing");
                self.table
                    .error(row, message)
                    .advise("write the time, or leave the value out too")
            })?;
            let weight = self.weight(row, spread, place)?;
            if weight == 0.0 {
                continue;
            }
            self.data.push(Datum {
                channel: self.channels.len(),
                at,
                measured: value,
                weight,
                line: self.table.line(row),
            });
        }
        self.deviations.push(spread.sigma.is_some());
        self.channels.push(Channel {
            column: name.to_string(),
            text: measured.of.clone(),
            of,
        });
        Ok(())
    }

    /// The standard deviations or weights of a column, and where they are written.
    fn spread<'w>(&self, measured: &'w schema::Measured, site: &'w Site<'s>) -> Result<(Spread<'w>, &'w Site<'s>)>
    where
        'a: 'w,
    {
        let own = Spread {
            sigma: measured.sigma.as_ref(),
            weight: measured.weight.as_ref(),
        };
        let (spread, place) = match (own.sigma, own.weight) {
            (None, None) => (self.written.spread, self.site),
            _ => (own, site),
        };
        if spread.sigma.is_some() && spread.weight.is_some() {
            return place.at("weight").refuse(
                "a standard deviation and a weight exclude each other",
                "give `sigma` where standard deviations are known, otherwise `weight`",
            );
        }
        Ok((spread, place))
    }

    fn weight(&self, row: usize, spread: Spread, site: &Site) -> Result<f64> {
        match (spread.sigma, spread.weight) {
            (Some(cells), _) => {
                let sigma = self.cell(row, cells, &site.at("sigma"), "standard deviation", false)?;
                Ok(1.0 / (sigma * sigma))
            }
            (None, Some(cells)) => self.cell(row, cells, &site.at("weight"), "weight", true),
            (None, None) => Ok(1.0),
        }
    }

    /// A positive number, or zero if allowed, that is written in the scene or in a column.
    fn cell(&self, row: usize, cells: &Cells, site: &Site, what: &str, zero: bool) -> Result<f64> {
        let rule = if zero { "at least zero" } else { "positive" };
        let good = |value: f64| value > 0.0 || (zero && value == 0.0);
        match cells {
            Cells::Value(value) if good(*value) => Ok(*value),
            Cells::Value(value) => Err(site
                .error(format!("the {what} is {value}, but must be {rule}"))
                .with_value(*value)
                .advise("write it in the unit of the measured values")),
            Cells::Column(name) => {
                let column = self.column(name, site)?;
                let value = self.table.number(row, column)?;
                value.filter(|value| good(*value)).ok_or_else(|| {
                    let found = value.map_or("missing".to_string(), |value| value.to_string());
                    let message = format!("the {what} in the column `{name}` is {found}, but must be {rule}");
                    self.table.error(row, message).advise("give every measured value one")
                })
            }
        }
    }

    fn finish(self) -> Result<Fit> {
        if self.data.is_empty() {
            let message = format!("{} has no measured value for this objective", self.table.shown());
            let advice = "name columns with values in `columns` or `events`";
            return self.site.at("data").refuse(message, advice);
        }
        let known = self.deviations.iter().all(|known| *known);
        if !known && self.deviations.contains(&true) {
            return self.site.refuse(
                "some columns have standard deviations and some have not",
                "give `sigma` for all columns, or `weight` instead of it",
            );
        }
        Ok(Fit {
            objective: self.site.element().to_string(),
            file: self.table.shown().to_string(),
            channels: self.channels,
            data: self.data,
            deviations_known: known,
        })
    }
}
