//! Resolves bare names through `#include`, in C and C++.
//!
//! Following every chain of headers for every name would cost more than all other resolution together. So the search
//! runs the other way round: a name has few definitions that it can mean; only if it has several, the headers that the
//! file reaches decide.

use std::rc::Rc;
use std::sync::Arc;

use hob_base::FileId;
use rustc_hash::FxHashSet;

use super::guess::Group;
use super::{Resolver, Site, WantedKind};
use crate::index::{FileEntry, NameId};
use crate::langs::rules::ModuleTarget;
use crate::node::{Confidence, DefRef};

/// Most files that define a name whose meanings are not cached for later queries.
const MANY_FILES: usize = 16;
/// Most headers followed from one file.
const MAX_HEADERS: usize = 128;

/// A bare name that was looked for in a file's headers, and the definition that it means.
pub(super) type IncludedName = ((FileId, NameId, WantedKind), Option<(DefRef, Confidence)>);

impl<'m> Resolver<'m> {
    /// Returns the definition that a bare name means through the file's headers.
    pub(super) fn included_def(&self, site: Site<'m>, name: &str) -> Option<(DefRef, Confidence)> {
        let name = self.index.name_id(name)?;
        let asked = (site.file, name, site.want);
        // The references of a file are in order of their names.
        if let Some((_, known)) = self.last_included.get().filter(|(last, _)| *last == asked) {
            return known;
        }
        let found = self.find_included(site, name);
        // What stopped early depends on the caller's state.
        self.last_included.set((!self.was_cut()).then_some((asked, found)));
        found
    }

    fn find_included(&self, site: Site<'m>, name: NameId) -> Option<(DefRef, Confidence)> {
        let groups = self.get_or_compute(&self.visible, (name, site.want), || {
            Group::split(self, self.bare_meanings(site.want, name)).into()
        });
        let written =
            |group: &&Group| group.all.iter().any(|def| self.includes_by_name(site.entry, def.file));
        if let [group] = &groups[..] {
            let sure = if written(&group) { Confidence::Import } else { Confidence::Name };
            return Some((group.representative(self), sure));
        }
        if groups.is_empty() {
            return None;
        }
        let direct = self.included_files(site.file);
        let included = groups.iter().filter(|group| group.all.iter().any(|def| direct.contains(&def.file)));
        if let Some(group) = single_item(included) {
            return Some((group.representative(self), Confidence::Import));
        }
        let reach = self.reached_headers(site.file);
        let within = |def: &DefRef| reach.binary_search(&def.file).is_ok();
        let near = groups.iter().filter(|group| group.all.iter().any(within));
        Some((single_item(near)?.representative(self), Confidence::Import))
    }

    /// Returns the definitions that a bare name can mean, from any file.
    fn bare_meanings(&self, want: WantedKind, name: NameId) -> Vec<DefRef> {
        let find = || self.visible_bare(want, self.index.name(name));
        match self.keeps && self.index.files_defining_id(name).len() > MANY_FILES {
            true => self.index.targets().meanings((name, want as u8), || find().into()).to_vec(),
            false => find(),
        }
    }

    /// Returns true if the path of one of the file's includes may mean `header`.
    fn includes_by_name(&self, entry: &FileEntry, header: FileId) -> bool {
        let Some(header) = self.entry(header) else { return false };
        let path = header.path.as_str();
        entry.star_imports().any(|star| {
            let written = entry.facts.name(star.module).trim_matches(['"', '<', '>']);
            let written = without_prefixes(without_prefixes(written, "./"), "../");
            path.strip_suffix(written).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        })
    }

    /// Returns the files that `file` reaches through includes, including itself, sorted.
    fn reached_headers(&self, file: FileId) -> Arc<[FileId]> {
        self.index.targets().reached_files(file, || {
            let mut reached = self.follow_includes(file, MAX_HEADERS);
            reached.sort_unstable();
            reached.into()
        })
    }

    /// Returns the files that `file` reaches through includes: itself first, then the nearest; at most `most`.
    pub(crate) fn follow_includes(&self, file: FileId, most: usize) -> Vec<FileId> {
        let mut seen = FxHashSet::from_iter([file]);
        let (mut reached, mut at) = (vec![file], 0);
        while let Some(&next) = reached.get(at) {
            at += 1;
            for &header in self.included_files(next).iter() {
                if reached.len() < most && seen.insert(header) {
                    reached.push(header);
                }
            }
        }
        reached
    }

    /// Returns the files of the project that a file includes directly.
    fn included_files(&self, file: FileId) -> Rc<[FileId]> {
        self.get_or_compute(&self.includes, file, || {
            let Some(entry) = self.entry(file) else { return Rc::default() };
            let targets = entry.star_imports().map(|star| self.resolve_module(file, entry, star.module));
            let headers = targets.filter_map(|module| match &*module.target {
                ModuleTarget::File(header) => Some(*header),
                _ => None,
            });
            headers.collect()
        })
    }
}

/// Removes a prefix as often as it is there. `trim_start_matches` would prepare a search each time.
fn without_prefixes<'t>(mut text: &'t str, prefix: &str) -> &'t str {
    while let Some(rest) = text.strip_prefix(prefix) {
        text = rest;
    }
    text
}

/// Returns the only item, if there is exactly one.
fn single_item<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}
