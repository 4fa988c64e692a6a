//! Marks the lines of which an answer is not sure. A sure line has no mark; a guess has one, and a line at the end
//! says what the marks mean.

/// The mark of a line: the confidence of an answer in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// The line is certain: resolved by the map or confirmed by a language server.
    #[default]
    Sure,
    /// The call does not name the symbol, but a value that holds it.
    ThroughValue,
    /// A framework calls the symbol: a route's handler, a task, a fixture, a command.
    ByFramework,
    /// The use names a symbol of this name, and its type is unknown.
    ByName,
    /// The use may mean one of several definitions.
    Candidate,
    /// The map has the use, and the language server did not list it.
    FromMap,
}

impl Mark {
    /// Returns the mark of a confidence in results: `live`, `scip`, `exact`, `import`, `flow`, `framework`,
    /// `name`, `candidate`.
    #[must_use]
    pub fn of_confidence(confidence: &str) -> Self {
        match confidence {
            "flow" => Self::ThroughValue,
            "framework" => Self::ByFramework,
            "name" => Self::ByName,
            "candidate" => Self::Candidate,
            _ => Self::Sure,
        }
    }

    /// Returns the character before the line; empty for a sure one.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Sure => "",
            Self::ThroughValue => ">",
            Self::ByFramework => "@",
            Self::ByName => "~",
            Self::Candidate => "?",
            Self::FromMap => "+",
        }
    }

    /// Returns the words for the line at the end.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Self::Sure => "",
            Self::ThroughValue => "> through a value that holds it",
            Self::ByFramework => "@ called by a framework, which it is registered with",
            Self::ByName => "~ by its name, which no other definition has",
            Self::Candidate => "? may mean another",
            Self::FromMap => "+ known to the map, not listed by the language server",
        }
    }
}
