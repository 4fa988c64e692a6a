//! Combines the runs of a report: one line for each comparison, with the spread of its values and of its ratio.
//!
//! A ratio is computed in each run, from medians that were measured in turns. So the spread of the ratios shows how
//! much the machine influences them. A difference within that spread counts as no difference.

use super::figure::{Figure, Sample, Sense, Spread};

/// The row whose figures are counted and not timed: they are the same in every run.
const COUNTED: &str = "questions";

/// The outcome of a race, as far as its spread lets it be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Ahead,
    Behind,
    Even,
    /// The comparison was not a race.
    None,
}

impl Outcome {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Ahead => "hob is ahead",
            Self::Behind => "hob is behind",
            Self::Even => "within the spread",
            Self::None => "",
        }
    }
}

/// One comparison over all runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) corpus: String,
    pub(crate) row: String,
    pub(crate) name: String,
    pub(crate) sense: Sense,
    pub(crate) hob: Sample,
    pub(crate) other: Option<Sample>,
    /// The ratio of each run.
    pub(crate) ratios: Vec<f64>,
}

impl Line {
    /// Returns the name under which the line's ratio is kept.
    pub(crate) fn key(&self) -> String {
        format!("{}/{}/{}", self.corpus, self.row, self.name)
    }

    pub(crate) fn ratio(&self) -> Option<Spread> {
        Spread::of(&self.ratios)
    }

    /// Returns true if a side has only one value, so that its spread is unknown. This does not apply to what is
    /// counted.
    fn is_single(&self) -> bool {
        let sides = [Some(&self.hob), self.other.as_ref()];
        self.row != COUNTED && sides.into_iter().flatten().any(|side| side.values.len() < 2)
    }

    /// Returns true if one value is as good as many, because it is counted, or because it is a share and does not
    /// compare two programs.
    pub(crate) fn is_exact(&self) -> bool {
        self.row == COUNTED || matches!(self.sense, Sense::Less | Sense::More)
    }

    pub(crate) fn outcome(&self) -> Outcome {
        match (self.sense, self.ratio()) {
            (Sense::Race, Some(_)) if self.is_single() => Outcome::Even,
            (Sense::Race, Some(ratio)) if ratio.max < 1.0 => Outcome::Ahead,
            (Sense::Race, Some(ratio)) if ratio.min > 1.0 => Outcome::Behind,
            (Sense::Race, Some(_)) => Outcome::Even,
            _ => Outcome::None,
        }
    }
}

/// Adds the figures of one run on a corpus to the lines.
pub(crate) fn add_run(lines: &mut Vec<Line>, corpus: &str, figures: Vec<Figure>) {
    for figure in figures {
        let ratio = figure.ratio();
        let known = lines
            .iter_mut()
            .find(|line| line.corpus == corpus && line.row == figure.row && line.name == figure.name);
        match known {
            Some(line) => {
                line.hob.values.extend(figure.hob.values);
                if let (Some(line), Some(other)) = (&mut line.other, figure.other) {
                    line.values.extend(other.values);
                }
                line.ratios.extend(ratio);
            }
            None => lines.push(Line {
                corpus: corpus.to_owned(),
                row: figure.row,
                name: figure.name,
                sense: figure.sense,
                hob: figure.hob,
                other: figure.other,
                ratios: ratio.into_iter().collect(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::figure::{Figure, Sample, Sense, Unit};
    use super::{Line, Outcome, add_run};

    fn run(hob: &[f64], other: &[f64]) -> Vec<Figure> {
        let sample = |who, values: &[f64]| Sample::new(who, Unit::Millis, values.to_vec());
        vec![Figure {
            row: "regex".into(),
            name: "rare".into(),
            sense: Sense::Race,
            hob: sample("hob", hob),
            other: Some(sample("rg", other)),
        }]
    }

    #[test]
    fn runs_are_put_together_by_corpus_row_and_name() {
        let mut lines: Vec<Line> = Vec::new();
        add_run(&mut lines, "click", run(&[1.0, 3.0], &[4.0]));
        add_run(&mut lines, "click", run(&[4.0], &[4.0]));
        add_run(&mut lines, "rxjs", run(&[9.0, 9.0], &[3.0, 3.0]));
        assert_eq!(lines.len(), 2);
        assert_eq!((lines[0].key().as_str(), &lines[0].ratios[..]), ("click/regex/rare", &[0.5, 1.0][..]));
        assert_eq!(lines[0].hob.values.len(), 3);
        assert_eq!((lines[0].outcome(), lines[1].outcome()), (Outcome::Even, Outcome::Behind));
    }

    #[test]
    fn only_a_race_is_won_or_lost() {
        let mut lines: Vec<Line> = Vec::new();
        add_run(&mut lines, "click", run(&[1.0, 1.1], &[4.0, 4.1]));
        assert_eq!(lines[0].outcome(), Outcome::Ahead);
        lines[0].sense = Sense::Multiple;
        assert_eq!(lines[0].outcome(), Outcome::None);
    }

    #[test]
    fn one_value_wins_nothing_unless_it_is_counted() {
        let mut lines: Vec<Line> = Vec::new();
        add_run(&mut lines, "click", run(&[1.0, 1.1], &[4.0]));
        assert_eq!(lines[0].outcome(), Outcome::Even);
        lines[0].row = "questions".into();
        assert_eq!(lines[0].outcome(), Outcome::Ahead);
    }
}
