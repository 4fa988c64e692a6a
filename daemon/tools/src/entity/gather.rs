//! Gathers candidates from the map by name: symbols, sections and files. It also has the parts that all sources share.

use std::collections::{BTreeMap, BTreeSet};

use hob_base::WsPath;
use hob_map::Map;
use hob_map::facts::DefFlags;
use hob_map::graph::{Hit, KindFilter, MatchClass, NodeInfo, NodeKind, NodeRef, SearchQuery};
use hob_map::langs::Lang;
use hob_proto::tools::entity::{EntitySource, EntityStep, Mode};
use hob_text::ranked::terms_of;
use serde_json::{Map as Object, Value};

use super::past::PastRevision;
use super::path_step;
use super::paths::{file, fit_of_path};
use super::request::{SubjectRequest, SubjectScope};
use hob_host::Workspace;
use hob_words::entity::candidate::{Candidate, Traits};
use hob_words::entity::fit::{Fit, NameForms, NameMatchClass, name_match};
use hob_words::entity::kinds::kinds_of;
use hob_words::entity::subject::{Subject, SubjectReading};

/// Most hits of each name, and of each single word of a phrase.
const BY_NAME: usize = 40;
const BY_WORD: usize = 20;
/// Most words of a phrase that are searched one by one: in longer ones, each word would be a name by chance.
const FEW_WORDS: usize = 4;

/// The candidates that have been found so far, each once, and the steps that found them.
#[derive(Default)]
pub(super) struct Gathered {
    by_id: BTreeMap<(EntitySource, String), Candidate>,
    pub(super) steps: Vec<EntityStep>,
}

impl Gathered {
    /// Adds a candidate; of two fits of one thing, the better one stays.
    pub(super) fn add(&mut self, candidate: Candidate) {
        let key = (candidate.source, candidate.id.clone());
        match self.by_id.get_mut(&key) {
            Some(known) if known.fit.value >= candidate.fit.value => {}
            _ => drop(self.by_id.insert(key, candidate)),
        }
    }

    /// Returns the value of the best candidate's fit, from 0 to 1; 0 without candidates.
    pub(super) fn best_value(&self) -> f64 {
        self.by_id.values().map(|candidate| candidate.fit.value).fold(0.0, f64::max)
    }

    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    pub(super) fn into_candidates(self) -> (Vec<Candidate>, Vec<EntityStep>) {
        (self.by_id.into_values().collect(), self.steps)
    }
}

/// The workspace that is searched, and the bounds of the search.
pub(super) struct SubjectView<'v> {
    pub(super) workspace: &'v Workspace,
    pub(super) request: &'v SubjectRequest,
    pub(super) realm: &'v SubjectScope,
    /// The project at a revision, if the request is about one.
    pub(super) past: Option<&'v PastRevision>,
}

/// The map that is searched: the present one or that of a revision.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MapMoment {
    /// The present map, without files that were different at the revision.
    Now,
    /// The map of the files that have changed since the revision.
    Then,
}

impl SubjectView<'_> {
    pub(super) fn folder_in_scope(&self) -> Option<&WsPath> {
        match self.realm {
            SubjectScope::Folder(folder) => Some(folder),
            _ => None,
        }
    }

    pub(super) fn admits_path(&self, path: &str) -> bool {
        self.folder_in_scope().is_none_or(|below| {
            path == below.as_str()
                || path.strip_prefix(below.as_str()).is_some_and(|rest| rest.starts_with('/'))
        })
    }

    /// Returns true if a node of the present map may be an answer.
    pub(super) fn admits_node(&self, map: &Map, node: NodeRef) -> bool {
        let is_hidden = |past: &&PastRevision| {
            let path = node.file().and_then(|file| map.file(file)).map(|(path, _)| path.as_str());
            path.is_some_and(|path| past.hidden.contains(path))
        };
        self.past.filter(is_hidden).is_none() && self.is_within(map, node)
    }

    fn is_within(&self, map: &Map, node: NodeRef) -> bool {
        let Some(file) = node.file() else { return *self.realm == SubjectScope::Everywhere };
        let in_realm = match self.realm {
            SubjectScope::Everywhere => true,
            SubjectScope::Folder(folder) => map.file(file).is_some_and(|(path, _)| path.is_below(folder)),
            SubjectScope::Cluster(cluster) => map.cluster_of(file) == Some(*cluster),
        };
        in_realm && self.wants_language(map.file(file).map(|(_, facts)| facts.lang))
    }

    /// Returns true if files of this language are wanted.
    pub(super) fn wants_language(&self, lang: Option<Lang>) -> bool {
        let Some(wanted) = self.request.language else { return true };
        lang.is_some_and(|lang| lang == wanted || (wanted == Lang::TypeScript && lang == Lang::Tsx))
    }
}

/// Gathers symbols, sections and files by name.
pub(super) fn by_name(view: &SubjectView<'_>, when: MapMoment, gathered: &mut Gathered) {
    match (when, view.past) {
        (MapMoment::Then, Some(past)) => in_map(view, &past.map, Some(past), gathered),
        (MapMoment::Then, None) => {}
        (MapMoment::Now, _) => in_map(view, &view.workspace.map(), None, gathered),
    }
}

fn in_map(view: &SubjectView<'_>, map: &Map, past: Option<&PastRevision>, gathered: &mut Gathered) {
    let subject = &view.request.subject;
    let mut looked_for: Vec<(String, usize)> =
        subject.names_to_find().into_iter().map(|name| (name, BY_NAME)).collect();
    let words: Vec<&str> = subject.text.split_whitespace().collect();
    if view.request.strategy.mode != Mode::Quick && (2..=FEW_WORDS).contains(&words.len()) {
        looked_for.extend(
            words
                .iter()
                .filter(|word| word.len() > 3 && kinds_of(word).is_none())
                .map(|word| ((*word).to_owned(), BY_WORD)),
        );
    }
    let prefix = view.folder_in_scope().map_or("", |below| below.as_str());
    let (before, mut seen, mut is_found) = (gathered.len(), BTreeSet::new(), false);
    let preferred = view.request.hints.preferred_id.as_ref().and_then(|id| map.node(&id.parse().ok()?));
    let admits =
        |node: NodeRef| if past.is_some() { view.is_within(map, node) } else { view.admits_node(map, node) };
    let mut take = |node: NodeRef, gathered: &mut Gathered| {
        if seen.insert(node) && admits(node) {
            let found = map.info(node).and_then(|info| symbol(view, map, &info));
            let found = found.map(|found| past.map_or(found.clone(), |past| past.mark_as_past(found)));
            found.into_iter().for_each(|candidate| gathered.add(candidate));
        }
    };
    for (text, limit) in &looked_for {
        // A name that was made by joining words with hyphens can only be a file's: nobody writes a symbol so, and
        // searching symbols for it costs most.
        let is_made = text.contains('-') && !subject.text.contains('-');
        let kinds = if is_made { KindFilter::File } else { KindFilter::Any };
        let query = SearchQuery { text, kinds, path_prefix: prefix, limit: *limit };
        // If the very name was found, nothing is meant that only resembles one of its other spellings.
        let answer = if is_found { map.search_spelt(&query) } else { map.search(&query) };
        let is_meant = |hit: &Hit| hit.class == MatchClass::Exact && admits(hit.info.node);
        is_found |= subject.is_name && *text == subject.text && answer.hits.iter().any(is_meant);
        answer.hits.iter().for_each(|hit| take(hit.info.node, gathered));
    }
    preferred.into_iter().for_each(|node| take(node, gathered));
    let found = gathered.len() - before;
    let tried = looked_for.iter().take(6).map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let source = if past.is_some() { "git" } else { "map" };
    gathered.steps.push(path_step(
        "generate",
        "names",
        source,
        format!("{found} candidates called like {tried}"),
    ));
}

/// Returns the best fit of a name over all readings that allow its kind.
pub(super) fn best_fit(subject: &Subject, kind: &str, named: &NameForms<'_>) -> Option<Fit> {
    let allows = |reading: &&SubjectReading| reading.kinds.is_none_or(|kinds| kinds.contains(&kind));
    let fits = subject.readings.iter().filter(allows).filter_map(|reading| name_match(reading, named));
    let best = fits.reduce(|a, b| if b.value > a.value { b } else { a })?;
    let most_sure = if subject.is_name { best.most_sure } else { 1.0 };
    Some(Fit { most_sure, ..best })
}

/// Returns the candidate of a node; `None` for packages.
pub(super) fn symbol(view: &SubjectView<'_>, map: &Map, info: &NodeInfo) -> Option<Candidate> {
    let subject = &view.request.subject;
    if info.kind == NodeKind::External {
        return None;
    }
    let path = info.path.clone()?;
    if info.kind == NodeKind::File {
        let fit = fit_of_path(subject, "file", path.as_str())?;
        return Some(file(view.workspace, path.as_str(), Some(info), fit));
    }
    let container = info.qualified.strip_suffix(info.name.as_str()).unwrap_or_default();
    let (outer, below) = (terms_of(container), terms_of(path.as_str()));
    let named = NameForms { name: &info.name, terms: terms_of(&info.name), outer, path: below };
    let fit = best_fit(subject, info.kind.as_str(), &named).unwrap_or(Fit::of(NameMatchClass::Text, 0.0));
    Some(definition(view.workspace, map, info, &path, fit))
}

/// Returns the candidate of a definition.
pub(super) fn definition(
    workspace: &Workspace,
    map: &Map,
    info: &NodeInfo,
    path: &WsPath,
    fit: Fit,
) -> Candidate {
    let separator = |c: char| matches!(c, '.' | '/');
    let container = info.qualified.strip_suffix(info.name.as_str()).unwrap_or_default();
    let container = container.trim_end_matches(separator).to_owned();
    let lang = info.node.file().and_then(|file| map.file(file)).map(|(_, facts)| facts.lang);
    let mut attributes = Object::new();
    attributes.insert("file".to_owned(), path.as_str().into());
    attributes.insert("line".to_owned(), info.name_at.0.into());
    attributes.insert("end_line".to_owned(), info.lines.1.into());
    if !container.is_empty() {
        attributes.insert("container".to_owned(), container.clone().into());
    }
    attributes.extend(lang.map(|lang| ("language".to_owned(), Value::from(lang.id()))));
    Candidate {
        id: info.id.to_string(),
        label: if info.qualified.is_empty() { info.name.clone() } else { info.qualified.clone() },
        kind: info.kind.as_str().to_owned(),
        description: describe_definition(&info.signature, &info.doc),
        source: EntitySource::Map,
        uri: uri(workspace, path.as_str(), Some(info.name_at.0)),
        attributes,
        path: path.as_str().to_owned(),
        container,
        traits: Traits {
            is_test: map.is_test(info.node),
            is_declaration: info.flags.has(DefFlags::DECLARATION),
            is_prose: lang.is_some_and(Lang::is_prose),
            is_exported: info.flags.has(DefFlags::EXPORTED) || lang.is_some_and(Lang::is_prose),
            is_local: false,
            hub: f64::from(info.score),
        },
        fit,
        terms: Vec::new(),
    }
}

fn describe_definition(signature: &str, doc: &str) -> String {
    /// Most characters of a description that are shown.
    const SHOWN: usize = 300;
    let both = match (signature.trim(), doc.trim()) {
        (signature, "") => signature.to_owned(),
        ("", doc) => doc.to_owned(),
        (signature, doc) => format!("{signature} · {doc}"),
    };
    match both.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &both[..end]),
        None => both,
    }
}

pub(super) fn uri(workspace: &Workspace, path: &str, line: Option<u32>) -> String {
    let place =
        WsPath::new(path).map_or_else(|_| workspace.root().clone(), |path| workspace.root().join_ws(&path));
    let line = line.map(|line| format!("#L{line}")).unwrap_or_default();
    format!("{}{line}", hob_live::uri::of_path(&place).as_str())
}
