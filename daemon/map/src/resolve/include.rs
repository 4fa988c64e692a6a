//! What `#include` makes visible, in C and C++.
//!
//! Following every chain of headers for every name would cost more than all other resolution together. So it goes the
//! other way round: the definitions that a name can mean are few; only where there are several is it asked which of
//! them the file's headers reach.

use std::rc::Rc;

use hob_base::FileId;
use rustc_hash::FxHashSet;

use super::guess::Group;
use super::{Resolver, Site};
use crate::facts::DefFlags;
use crate::graph::{Confidence, DefRef};
use crate::index::FileEntry;
use crate::langs::ModuleTarget;

/// Most headers followed from one file.
const MAX_HEADERS: usize = 400;

impl<'m> Resolver<'m> {
    /// The definition that a bare name means through the file's headers.
    pub(super) fn included(&self, site: Site<'m>, name: &str) -> Option<(DefRef, Confidence)> {
        let all = self.visible_bare(site, name)?;
        let groups = Group::split(self, all);
        if let [group] = &groups[..] {
            let near = group.all.iter().any(|def| self.includes_by_name(site.entry, def.file));
            return Some((group.best(self), if near { Confidence::Import } else { Confidence::Name }));
        }
        let reach = self.reach(site.file);
        let mut near = groups.iter().filter(|group| group.all.iter().any(|def| reach.contains(&def.file)));
        match (near.next(), near.next()) {
            (Some(group), None) => Some((group.best(self), Confidence::Import)),
            _ => None,
        }
    }

    /// Whether one of the file's includes is written so that it may mean `header`.
    fn includes_by_name(&self, entry: &FileEntry, header: FileId) -> bool {
        let Some(header) = self.entry(header) else { return false };
        let path = header.path.as_str();
        entry.stars().any(|star| {
            let written = entry.facts.name(star.module).trim_matches(['"', '<', '>']);
            let written = written.trim_start_matches("./").trim_start_matches("../");
            path.strip_suffix(written).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        })
    }

    /// The files reached from `file` through includes, itself among them.
    fn reach(&self, file: FileId) -> Rc<FxHashSet<FileId>> {
        if let Some(known) = self.reach.borrow().get(&file) {
            return Rc::clone(known);
        }
        let mut seen = FxHashSet::from_iter([file]);
        let mut queue = std::collections::VecDeque::from([file]);
        while let Some(next) = queue.pop_front() {
            let Some(entry) = self.entry(next) else { continue };
            for star in entry.stars() {
                let module = self.module(next, entry, star.module);
                if let ModuleTarget::File(header) = &*module.target
                    && seen.len() < MAX_HEADERS
                    && seen.insert(*header)
                {
                    queue.push_back(*header);
                }
            }
        }
        let seen = Rc::new(seen);
        self.reach.borrow_mut().insert(file, Rc::clone(&seen));
        seen
    }
}

impl Group {
    /// The definition that stands for the group: with a body, first by path and place.
    fn best(&self, resolver: &Resolver<'_>) -> DefRef {
        let key = |def: &&DefRef| {
            let found = resolver.def(**def);
            let declared = found.is_some_and(|(_, def)| def.flags.has(DefFlags::DECLARATION));
            (declared, found.map(|(entry, _)| entry.path.as_str()), def.def)
        };
        self.all.iter().min_by_key(key).copied().unwrap_or(self.all[0])
    }
}
