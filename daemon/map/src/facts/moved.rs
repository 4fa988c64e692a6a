//! Moves the places of facts from an assembled text to the file that contains its parts.
//!
//! The code of a notebook is spread over strings of JSON. Its extractor reads the code as one text, and afterwards
//! replaces each line, column and byte by that of the file, before the facts are sorted and sealed.

use super::builder::FactsBuilder;

/// Maps places of a text to the file from which the text was taken.
pub(crate) trait SourcePlaces {
    /// Returns the line and UTF-16 column in the file, both from 1, of a line and column of the text.
    fn place_of(&self, line: u32, col: u32) -> (u32, u32);

    /// Returns the byte in the file for a byte of the text.
    fn byte_of(&self, byte: u32) -> u32;
}

impl FactsBuilder {
    /// Moves every fact so far to its place in the file.
    pub(crate) fn move_places(&mut self, places: &dyn SourcePlaces) {
        let line_of = |line: u32| places.place_of(line, 1).0;
        for def in &mut self.defs {
            def.lines = (line_of(def.lines.0), line_of(def.lines.1));
            let last = def.bytes.1.saturating_sub(1).max(def.bytes.0);
            def.bytes = (places.byte_of(def.bytes.0), places.byte_of(last) + 1);
            def.name_at = places.place_of(def.name_at.0, def.name_at.1);
        }
        self.imports.iter_mut().for_each(|import| import.line = line_of(import.line));
        for found in &mut self.refs {
            let (line, col) = places.place_of(found.line, found.col());
            *found = found.moved_to(line, col);
        }
        for call in &mut self.calls {
            (call.line, call.col) = places.place_of(call.line, call.col);
        }
        for call in &mut self.flows.calls {
            (call.line, call.col) = places.place_of(call.line, call.col);
        }
        if let Some(places) = &mut self.flow_places {
            places.move_lines(&line_of);
        }
        for (first, last) in &mut self.unmapped {
            (*first, *last) = (line_of(*first), line_of(*last));
        }
    }
}
