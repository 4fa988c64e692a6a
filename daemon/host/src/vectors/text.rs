//! Chooses the texts of a definition that are embedded: its name and the text about it.
//!
//! A definition's body is not embedded: the mean of many words means little, and the calls of a function say more about
//! others than about itself. All texts are in the facts, so making vectors reads no files.

use std::sync::Arc;

use hob_map::facts::{Def, DefFlags};
use hob_map::graph::NodeRef;
use hob_map::{FileFacts, Map};
use rustc_hash::FxHasher;
use std::hash::{Hash as _, Hasher as _};

/// Weights of the parts of a definition: the best of a handful of settings that were tried on questions over five
/// projects; between its neighbours there is little.
const NAME: f32 = 1.0;
const DOC: f32 = 3.0;
const SIGNATURE: f32 = 0.5;
const OUTER: f32 = 0.5;
const PATH: f32 = 0.5;

/// The texts of a definition with their weights.
pub(super) type WeightedTexts<'f> = [(&'f str, f32); 5];

/// Returns the texts of a definition with their weights.
pub(super) fn weighted_texts<'f>(path: &'f str, facts: &'f FileFacts, def: &Def) -> WeightedTexts<'f> {
    let outer = def.parent.map_or("", |parent| facts.name(facts.def(parent).qualified));
    [
        (facts.name(def.name), NAME),
        (facts.doc(def), DOC),
        (facts.signature(def), SIGNATURE),
        (outer, OUTER),
        (path, PATH),
    ]
}

/// Returns the worth of a vector for a definition, where there is not room for all: definitions that others can use
/// come first, then those used most; among equals a hash of the name decides, which is the same in every run.
pub(super) fn vector_worth(map: &Map, facts: &FileFacts, node: NodeRef, def: &Def) -> u64 {
    let is_offer = def.kind.is_type() || def.kind.is_callable() || def.kind.is_prose();
    let offered = def.flags.has(DefFlags::EXPORTED) || def.kind.is_prose();
    let class = u64::from(is_offer) + 2 * u64::from(offered && is_offer && !def.flags.has(DefFlags::TEST));
    let mut hasher = FxHasher::default();
    facts.name(def.qualified).hash(&mut hasher);
    // The bits of non-negative numbers are in the order of the numbers.
    let score = u64::from(map.score(node).max(0.0).to_bits());
    class << 62 | score << 30 | (hasher.finish() >> 34)
}

/// Returns the source of a node's text, whatever its kind: files and packages are embedded by their names.
pub(super) fn of_node(map: &Map, node: NodeRef) -> Option<EmbedSource> {
    match node {
        NodeRef::Def(at) => {
            let (path, facts) = map.file(at.file)?;
            facts.defs.get(at.def.index())?;
            Some(EmbedSource::Def(path.to_string(), Arc::clone(facts), at.def.index()))
        }
        NodeRef::File(_) | NodeRef::External(_) => Some(EmbedSource::Name(map.info(node)?.name)),
    }
}

/// The source of an embedded text, without the map.
pub(super) enum EmbedSource {
    Def(String, Arc<FileFacts>, usize),
    Name(String),
}
