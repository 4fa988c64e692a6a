//! Finds the uses of a symbol in a project that depends on the project of the symbol.
//!
//! The text index finds the lines with the name. In each file that imports the package, the joined map of both projects
//! says what the name means ([`hob_host::OutsideSource::of_sibling`]). So a use counts only if the rules of the map
//! lead to the very definition, and is as sure as they are.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use hob_base::{Deadline, WsPath};
use hob_host::{OutsideSource, Workspace};
use hob_live::requests::RequestPosition;
use hob_map::graph::{Confidence, EdgeKind, NodeInfo};
use hob_proto::tools::map::Neighbor;
use hob_text::LineMatch;

use crate::ToolCall;
use crate::elsewhere::{brings_in, lines_with_word};
use crate::package_meaning::{Opening, definitions_at};
use crate::route_requests::{merge_sites, neighbor_on};

/// Longest time of the search for the name: nothing else finds the uses.
const PATIENCE: Duration = Duration::from_secs(5);

/// Most files whose imports are examined.
const MOST_FILES: usize = 64;

/// The symbol whose uses are searched, with its project.
pub(super) struct SymbolOfSibling {
    pub(super) owner: Arc<Workspace>,
    pub(super) name: String,
    pub(super) file: WsPath,
    /// The line of its name, from 1.
    pub(super) line: u32,
}

impl SymbolOfSibling {
    /// Returns the symbol of a node; `None` for packages and files.
    pub(super) fn of_node(owner: &Arc<Workspace>, info: &NodeInfo) -> Option<Self> {
        let is_definition = !info.qualified.is_empty();
        let file = info.path.clone().filter(|_| is_definition)?;
        Some(Self { owner: Arc::clone(owner), name: info.name.clone(), file, line: info.name_at.0 })
    }

    /// Returns the functions and files of `workspace`, which `call` is about, that use the symbol; notes if not all
    /// places were searched.
    pub(super) fn users_in(&self, call: &mut ToolCall<'_>, workspace: &Arc<Workspace>) -> Vec<Neighbor> {
        let cancel = call.cancel.with_deadline(Deadline::after(PATIENCE));
        let Some(mut lines) = lines_with_word(workspace, &self.name, &cancel) else {
            let said = format!(
                "Uses of `{}` were not looked for: the name is short, stands on many lines, or the search took too long.",
                self.name
            );
            call.notes.warnings.push(said);
            return Vec::new();
        };
        let mut imports: HashMap<WsPath, bool> = HashMap::new();
        let mut is_whole = true;
        lines.retain(|line| {
            let has_room = imports.len() < MOST_FILES || imports.contains_key(&line.path);
            is_whole &= has_room;
            !brings_in(&line.text)
                && has_room
                && *imports.entry(line.path.clone()).or_insert_with(|| self.join_into(workspace, &line.path))
        });
        if !is_whole {
            let said = format!("Uses of `{}` were looked for in {MOST_FILES} files only.", self.name);
            call.notes.warnings.push(said);
        }
        let mut users = Vec::new();
        for line in lines {
            let Some(sure) = self.meant_on(call, workspace, &line) else { continue };
            let edge = if self.is_called_on(&line) { EdgeKind::Calls } else { EdgeKind::References };
            let user = neighbor_on(&workspace.map(), &line, sure, &|_, _| true);
            users.extend(user.map(|user| Neighbor { edge: edge.as_str().to_owned(), ..user }));
        }
        merge_sites(users)
    }

    /// Returns true if an argument list follows the name on a line.
    fn is_called_on(&self, line: &LineMatch) -> bool {
        let behind = line.text.get((line.byte_col as usize).saturating_sub(1) + self.name.len()..);
        behind.is_some_and(|behind| behind.trim_start().starts_with('('))
    }

    /// Joins the symbol's project to the map of a project in which a file imports it. Returns false if the file does
    /// not.
    fn join_into(&self, workspace: &Workspace, file: &WsPath) -> bool {
        let packages: HashSet<_> = {
            let map = workspace.map();
            map.outside_refs_in(file.as_str(), 1..=u32::MAX, usize::MAX)
                .into_iter()
                .map(|one| one.package)
                .collect()
        };
        let mut sources =
            packages.iter().filter_map(|package| OutsideSource::of_sibling(package, &self.owner));
        let Some(source) = sources.next() else { return false };
        if !workspace.joined_packages().contains(&source.package) {
            workspace.join_package(source);
        }
        true
    }

    /// Returns the confidence that the name on a line means the symbol; `None` if it does not.
    fn meant_on(
        &self,
        call: &mut ToolCall<'_>,
        workspace: &Arc<Workspace>,
        line: &LineMatch,
    ) -> Option<Confidence> {
        let at = RequestPosition { file: line.path.clone(), line: line.line, col: line.col };
        let found = definitions_at(call, workspace, &at, Opening::Denied);
        let file = self.owner.root().join_ws(&self.file);
        let own = found.iter().find(|one| one.place.file == file && one.line_and_col().0 == self.line);
        own.map(|one| one.sure)
    }
}
