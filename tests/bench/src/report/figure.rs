//! The figures that rows note for a report: the program, the unit and every value, so that a spread can be computed.
//!
//! A row notes what it measured in addition to printing it. If no report is written, the notes are not read. Ratios are
//! computed here and not in the rows, because a report runs each row several times and shows how far the runs are
//! apart.

use std::cell::RefCell;

use crate::stats::Times;

/// The unit of the values of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Millis,
    Bytes,
    Tokens,
    Calls,
    /// A fraction of a whole, from 0 to 1.
    Share,
}

impl Unit {
    /// Formats a value with its unit.
    pub(crate) fn show(self, value: f64) -> String {
        match self {
            Self::Millis if value >= 1000.0 => format!("{:.2} s", value / 1000.0),
            Self::Millis if value >= 10.0 => format!("{value:.0} ms"),
            Self::Millis => format!("{value:.2} ms"),
            Self::Bytes => format!("{:.2} MB", value / 1e6),
            Self::Tokens => format!("{value:.0} tokens"),
            Self::Calls => format!("{value:.0} calls"),
            Self::Share => format!("{value:.3}"),
        }
    }
}

/// The smallest, the middle and the largest of several values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) min: f64,
    pub(crate) median: f64,
    pub(crate) max: f64,
    /// The number of values.
    pub(crate) count: usize,
}

impl Spread {
    /// Returns the spread of values, or `None` if none of them is a number.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let middle = sorted.len() / 2;
        let median = match sorted.len() % 2 {
            0 => f64::midpoint(sorted[middle - 1], sorted[middle]),
            _ => sorted[middle],
        };
        Some(Self { min, median, max, count: sorted.len() })
    }

    /// Returns the difference between the largest and the smallest value.
    pub(crate) fn width(&self) -> f64 {
        self.max - self.min
    }
}

/// The values of one program, in one unit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    pub(crate) who: String,
    pub(crate) unit: Unit,
    pub(crate) values: Vec<f64>,
}

impl Sample {
    pub(crate) fn new(who: &str, unit: Unit, values: Vec<f64>) -> Self {
        Self { who: who.to_owned(), unit, values }
    }

    pub(crate) fn times(who: &str, times: &Times) -> Self {
        Self::new(who, Unit::Millis, times.values().to_vec())
    }

    pub(crate) fn spread(&self) -> Option<Spread> {
        Spread::of(&self.values)
    }
}

/// The sense of a comparison: which of its values are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sense {
    /// Another program does the same work: less is better.
    Race,
    /// A call of hob's as a multiple of a simpler call: there is no winner.
    Multiple,
    /// A share of a whole or of the text, without another program: less is better.
    Less,
    /// A share of right answers, without another program: more is better.
    More,
}

/// One comparison in one run of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    pub(crate) row: String,
    pub(crate) name: String,
    pub(crate) sense: Sense,
    pub(crate) hob: Sample,
    /// The other program, or `None` if the value already is a share.
    pub(crate) other: Option<Sample>,
}

impl Figure {
    /// Returns hob's median divided by the other's, or the median alone.
    pub(crate) fn ratio(&self) -> Option<f64> {
        let hob = self.hob.spread()?.median;
        match &self.other {
            Some(other) => Some(hob / other.spread()?.median).filter(|ratio| ratio.is_finite()),
            None => Some(hob),
        }
    }
}

/// Something that was not measured, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Absence {
    pub(crate) row: String,
    pub(crate) what: String,
    pub(crate) why: String,
}

/// The notes of rows.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    figures: RefCell<Vec<Figure>>,
    absences: RefCell<Vec<Absence>>,
}

impl Sheet {
    /// Notes a race of two programs.
    pub(crate) fn note_race(&self, row: &str, name: &str, hob: (&str, &Times), other: (&str, &Times)) {
        self.note_figure(
            row,
            name,
            Sense::Race,
            Sample::times(hob.0, hob.1),
            Some(Sample::times(other.0, other.1)),
        );
    }

    /// Notes a call of hob's as a multiple of a simpler call.
    pub(crate) fn note_multiple(&self, row: &str, name: &str, hob: &Times, unit: (&str, &Times)) {
        self.note_figure(
            row,
            name,
            Sense::Multiple,
            Sample::times("hob", hob),
            Some(Sample::times(unit.0, unit.1)),
        );
    }

    /// Notes any other figure. A sample without values is not noted.
    pub(crate) fn note_figure(
        &self,
        row: &str,
        name: &str,
        sense: Sense,
        hob: Sample,
        other: Option<Sample>,
    ) {
        let is_empty = hob.values.is_empty() || other.as_ref().is_some_and(|other| other.values.is_empty());
        if !is_empty {
            let (row, name) = (row.to_owned(), name.to_owned());
            self.figures.borrow_mut().push(Figure { row, name, sense, hob, other });
        }
    }

    /// Notes that something was left out.
    pub(crate) fn note_absence(&self, row: &str, what: &str, why: &str) {
        let absence = Absence { row: row.to_owned(), what: what.to_owned(), why: why.to_owned() };
        self.absences.borrow_mut().push(absence);
    }

    /// Returns the figures that were noted so far, and clears them.
    pub(crate) fn take_figures(&self) -> Vec<Figure> {
        self.figures.take()
    }

    /// Returns the absences that were noted so far, and clears them.
    pub(crate) fn take_absences(&self) -> Vec<Absence> {
        self.absences.take()
    }
}

#[cfg(test)]
mod tests {
    use super::{Figure, Sample, Sense, Sheet, Spread, Unit};

    #[test]
    fn a_spread_is_the_smallest_middle_and_largest() {
        let spread = Spread::of(&[3.0, 1.0, 2.0]).expect("there are values");
        assert_eq!((spread.min, spread.median, spread.max, spread.count), (1.0, 2.0, 3.0, 3));
        assert_eq!(Spread::of(&[4.0, 2.0]).expect("two").median, 3.0);
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[f64::NAN]), None);
        assert_eq!(Spread::of(&[f64::NAN, 7.0]).expect("one").width(), 0.0);
    }

    #[test]
    fn a_ratio_is_made_of_medians() {
        let sample = |who, values: &[f64]| Sample::new(who, Unit::Millis, values.to_vec());
        let mut figure = Figure {
            row: "index".into(),
            name: "wall".into(),
            sense: Sense::Race,
            hob: sample("hob", &[1.0, 2.0, 30.0]),
            other: Some(sample("rg", &[4.0, 4.0, 5.0])),
        };
        assert_eq!(figure.ratio(), Some(0.5));
        figure.other = Some(sample("rg", &[0.0]));
        assert_eq!(figure.ratio(), None);
        figure.other = None;
        assert_eq!(figure.ratio(), Some(2.0));
    }

    #[test]
    fn a_sheet_has_no_figure_without_values() {
        let sheet = Sheet::default();
        let empty = Sample::new("hob", Unit::Bytes, Vec::new());
        sheet.note_figure("cost", "disk", Sense::Less, empty, None);
        sheet.note_absence("cost", "csearch", "not given");
        assert_eq!(sheet.take_figures().len(), 0);
        assert_eq!(sheet.take_absences().len(), 1);
        assert_eq!(sheet.take_absences().len(), 0);
    }

    #[test]
    fn values_are_shown_with_three_digits_that_mean_something() {
        assert_eq!(Unit::Millis.show(1234.0), "1.23 s");
        assert_eq!(Unit::Millis.show(0.714), "0.71 ms");
        assert_eq!(Unit::Millis.show(71.4), "71 ms");
        assert_eq!(Unit::Bytes.show(1_500_000.0), "1.50 MB");
    }
}
