//! Lists a file's definitions with their facts, for callers that query a whole file at once.

use hob_base::FileId;

use super::{DefRef, Map};
use crate::facts::Def;

impl Map {
    /// Yields a file's definitions in source order; none if the file is not mapped.
    pub fn outline(&self, file: FileId) -> impl Iterator<Item = (DefRef, &Def)> {
        let defs = self.index.entry(file).into_iter().flat_map(|entry| entry.facts.defs_indexed());
        defs.map(move |(def, facts)| (DefRef { file, def }, facts))
    }
}
