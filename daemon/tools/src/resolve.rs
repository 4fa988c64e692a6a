//! Answers `resolve`: finds the present place of a node, and the node at a place.
//!
//! The language server's outline is the truth about places, and the map about IDs. Without a server the answer is the
//! map's, and says that it is not verified; without a map a position still gets its enclosing symbols. A server that
//! does not answer in time is an error, because another attempt may well succeed.

use std::sync::Arc;
use std::time::Duration;

use hob_base::WsPath;
use hob_bridge::{
    KnownFile, OutlineMatch, OutlineQuery, QualifiedEntry, find, flatten_outline, from_map, is_stale,
    locate_in_outline,
};
use hob_live::instance::{Completeness as Whole, Instance, ServerAnswer};
use hob_live::live::LiveError;
use hob_live::requests::{self, RequestPosition, ServerOutline, ServerQueryContext};
use hob_map::graph::{NodeInfo, NodeRef};
use hob_proto::tools::resolve::{NodeResult, ResolveArgs, Symbol};
use hob_proto::{ErrorCode, NodeId, ToolError};

use super::ask::ask;
use super::position::LineSpot;
use super::{NeededIndex, ToolCall, ToolOutcome, target, to_data};
use hob_host::{Freshness, Phase, Workspace};
use hob_results::to_sentence;
use hob_results::{errors, resolve as to_proto};

/// Longest time that the outline may take, the start of a server included.
const PATIENCE: Duration = Duration::from_secs(15);

/// Longest time that the server may take for the signature; the map has one too.
const SIGNATURE_PATIENCE: Duration = Duration::from_secs(3);

pub(super) fn resolve(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: ResolveArgs = call.parse_args()?;
    match (&args.node_id, &args.file, args.line, &args.subject) {
        (Some(id), None, None, None) => place_of(call, id),
        (None, Some(file), Some(line), None) => node_at(call, file, line, args.col),
        (None, None, None, Some(_)) => super::entity::resolve_subject(call, args),
        _ => Err(errors::one_shape_of_resolve()),
    }
}

/// Finds the present place of a node.
pub(super) fn place_of(call: &mut ToolCall<'_>, text: &str) -> ToolOutcome {
    let workspace = call.workspace(NeededIndex::Map)?;
    let id = id_of(call, &workspace, text)?;
    let Some(path) = id.path() else { return Err(errors::node_without_file(text)) };
    call.warn_of_unmapped(&workspace.map(), [path]);
    let subject = ResolveFile::new(&workspace, path)?;
    if !subject.file_exists() {
        return Err(errors::file_of_node_gone(&subject.file, name_of(&id)));
    }
    let outline = subject.server_outline(call).map_err(|error| {
        match Mapped::from_subject(&subject).def_with_id(&id) {
            Some(def) => errors::live_with_range(error, &id, def.lines),
            None => error,
        }
    })?;
    let current = subject.is_current(call);
    let mapped = Mapped::from_subject(&subject);
    if mapped.id.as_ref().is_some_and(|file| file.lang() != id.lang()) {
        return Err(errors::missing_node(&workspace.map(), &workspace, &id));
    }
    let sought = SoughtDefinition { subject, id, mapped, current };
    let NodeId::Symbol { qualified, ordinal, .. } = &sought.id else {
        return to_data(&sought.of_file(outline.is_some()));
    };
    let Some(outline) = outline else { return sought.of_map() };
    let wanted = OutlineQuery { qualified, ordinal: *ordinal, def: sought.mapped_def(), current };
    let entries = flatten_outline(&outline.value);
    match find(&wanted, &entries) {
        OutlineMatch::Here(entry) => to_data(&sought.found_result(call, entry, &[])),
        OutlineMatch::Relocated(entry) => to_data(&sought.found_result(call, entry, &outline.value)),
        OutlineMatch::Unlisted => {
            call.notes
                .warnings
                .push("The language server lists no such symbol: the place is the map's.".into());
            sought.of_map()
        }
        OutlineMatch::Missing(_) if !outline.is_complete() && !current => sought.of_map(),
        OutlineMatch::Missing(names) => Err(errors::symbol_gone(&sought.id, &names)),
    }
}

/// Returns the ID that a target is or means. An ID need not be in the map, because its node may have moved.
fn id_of(call: &mut ToolCall<'_>, workspace: &Workspace, text: &str) -> Result<NodeId, ToolError> {
    if NodeId::looks_like(text)
        && let Ok(id) = text.parse()
    {
        return Ok(id);
    }
    let map = workspace.map();
    target::one(call, &map, workspace, text).map(|node| map.id(node))
}

/// Finds the node at a place.
fn node_at(call: &mut ToolCall<'_>, file: &str, line: u32, col: Option<u32>) -> ToolOutcome {
    let (workspace, no_map) = workspace_with_or_without_map(call)?;
    let subject = ResolveFile::new(&workspace, file)?;
    if !subject.file_exists() {
        return Err(errors::file_deleted(&subject.file));
    }
    let spot = LineSpot { file: subject.file.clone(), line, col };
    let at = spot.name_or_any_place(&workspace, &call.cancel)?;
    let (line, col) = (at.line, at.col);
    let map_says = |error| {
        let mapped = Mapped::from_subject(&subject);
        match from_map(&mapped.defs, line, col).node {
            Some(def) => errors::live_with_range(error, &def.id, def.lines),
            None => error,
        }
    };
    let outline = subject.server_outline(call).map_err(map_says)?;
    let current = subject.is_current(call);
    if no_map.is_none() {
        call.warn_of_unmapped(&workspace.map(), [subject.file.as_str()]);
    }
    let mapped = if no_map.is_some() { Mapped::default() } else { Mapped::from_subject(&subject) };
    let known = KnownFile { defs: &mapped.defs, current: current || no_map.is_some() };
    let live = outline
        .as_ref()
        .map(|outline| (locate_in_outline(&outline.value, line, col, known), outline.is_complete()));
    let (enclosing, verified) = match (live, no_map) {
        (Some((enclosing, complete)), no_map) if complete || !enclosing.chain.is_empty() => {
            call.notes.warnings.extend(no_map.map(|error| error_as_warning(&error)));
            (enclosing, true)
        }
        (_, Some(no_map)) => return Err(no_map),
        _ => (from_map(&mapped.defs, line, col), false),
    };
    let file_id = mapped.id.as_ref().map(ToString::to_string);
    let mut result = to_proto::position(&enclosing, &subject.file, (line, col), file_id);
    result.verified = verified;
    to_data(&result)
}

/// Returns the workspace, with the error of its map if the map is not built.
fn workspace_with_or_without_map(
    call: &mut ToolCall<'_>,
) -> Result<(Arc<Workspace>, Option<ToolError>), ToolError> {
    match call.workspace(NeededIndex::Map) {
        Ok(workspace) => Ok((workspace, None)),
        Err(error) if error.code == ErrorCode::MapNotBuilt => {
            let workspace = call.workspace(NeededIndex::State)?;
            if workspace.progress.now().phase > Phase::Text {
                call.workspace(NeededIndex::Text)?;
            }
            Ok((workspace, Some(error)))
        }
        Err(error) => Err(error),
    }
}

/// Converts an error to the text of a warning.
fn error_as_warning(error: &ToolError) -> String {
    let code = serde_json::to_value(error.code).ok();
    let code = code.as_ref().and_then(|code| code.as_str()).unwrap_or_default();
    format!("{code}: {} {}", error.message, error.hint)
}

/// Returns the name to search elsewhere when a node is gone.
fn name_of(id: &NodeId) -> &str {
    match id {
        NodeId::Symbol { qualified, .. } => qualified.rsplit('.').next().unwrap_or(qualified),
        NodeId::File { path, .. } => path.rsplit('/').next().unwrap_or(path),
        NodeId::External { package, .. } => package,
    }
}

/// The file of the question.
struct ResolveFile {
    workspace: Arc<Workspace>,
    file: WsPath,
}

impl ResolveFile {
    fn new(workspace: &Arc<Workspace>, file: &str) -> Result<Self, ToolError> {
        let file = hob_workspace::confine(workspace.root(), file)
            .map_err(|error| errors::outside_workspace(&error, workspace.root()))?;
        Ok(Self { workspace: Arc::clone(workspace), file })
    }

    fn file_exists(&self) -> bool {
        self.workspace.root().join_ws(&self.file).as_path().is_file()
    }

    /// Returns true if the map has ingested every change of the file that the server was told of.
    fn is_current(&self, call: &ToolCall<'_>) -> bool {
        matches!(call.notes.freshness, Freshness::Fresh) && !self.workspace.stale_files().has(&self.file)
    }

    fn ask_server<T>(
        &self,
        call: &mut ToolCall<'_>,
        patience: Duration,
        question: impl Fn(&Instance, ServerQueryContext<'_>) -> Result<T, LiveError>,
    ) -> Result<T, LiveError> {
        ask(call, &self.workspace, &self.file, patience, question)
    }

    /// Returns the language server's outline of the file; `None`, with a warning, where no server has one.
    fn server_outline(
        &self,
        call: &mut ToolCall<'_>,
    ) -> Result<Option<ServerAnswer<Vec<ServerOutline>>>, ToolError> {
        let question = |server: &Instance, asking: ServerQueryContext<'_>| {
            requests::outline_of_file(server, &self.file, asking)
        };
        match self.ask_server(call, PATIENCE, question) {
            Ok(answer) => {
                if let Whole::Partial(why) | Whole::Unknown(why) = &answer.completeness {
                    call.notes.warnings.push(to_sentence(&format!("something may be missing: {why}")));
                }
                Ok(Some(answer))
            }
            Err(error @ LiveError::Stopped { .. }) => Err(errors::server_failed(&error, PATIENCE)),
            Err(error) => {
                let error = errors::server_failed(&error, PATIENCE);
                call.notes
                    .warnings
                    .push(format!("Not verified, the map's word: {}", error_as_warning(&error)));
                Ok(None)
            }
        }
    }

    fn signature(&self, call: &mut ToolCall<'_>, line: u32, col: u32) -> Option<String> {
        let at = RequestPosition { file: self.file.clone(), line, col };
        let question =
            |server: &Instance, asking: ServerQueryContext<'_>| requests::type_of(server, &at, asking);
        let hover = self.ask_server(call, SIGNATURE_PATIENCE, question).ok()?.value?;
        Some(hover.signature).filter(|signature| !signature.is_empty())
    }
}

/// A copy of the map's definitions of a file, because nothing may wait for a server while it holds the map.
#[derive(Default)]
struct Mapped {
    id: Option<NodeId>,
    defs: Vec<NodeInfo>,
}

impl Mapped {
    fn from_subject(subject: &ResolveFile) -> Self {
        let map = subject.workspace.map();
        let Some(file) = map.file_at(subject.file.as_str()) else { return Self::default() };
        let defs = map.defs_of(file).into_iter().filter_map(|def| map.info(def.into()));
        Self { id: Some(map.id(NodeRef::File(file))), defs: defs.collect() }
    }

    fn def_with_id(&self, id: &NodeId) -> Option<&NodeInfo> {
        self.defs.iter().find(|def| def.id == *id)
    }
}

/// A node to be found in its file.
struct SoughtDefinition {
    subject: ResolveFile,
    id: NodeId,
    mapped: Mapped,
    current: bool,
}

impl SoughtDefinition {
    fn mapped_def(&self) -> Option<&NodeInfo> {
        self.mapped.def_with_id(&self.id)
    }

    /// Makes the result for a symbol at a place; nothing is verified yet.
    fn result(&self, at: (u32, u32), symbol: Symbol) -> NodeResult {
        NodeResult {
            node_id: self.id.to_string(),
            location: to_proto::anchor_at(&self.subject.file, at.0, at.1),
            verified: false,
            map_stale: false,
            map_range: None,
            relocated: false,
            in_map: self.mapped_def().is_some(),
            current_node_id: None,
            symbol,
        }
    }

    fn of_file(&self, verified: bool) -> NodeResult {
        let name = self.subject.file.file_name().to_owned();
        let symbol = Symbol { name, kind: "file".to_owned(), signature: String::new() };
        NodeResult { verified, in_map: self.mapped.id.is_some(), ..self.result((1, 1), symbol) }
    }

    /// Answers with the map's place, which no server can confirm.
    fn of_map(&self) -> ToolOutcome {
        let Some(def) = self.mapped_def() else {
            let workspace = &self.subject.workspace;
            return Err(errors::missing_node(&workspace.map(), workspace, &self.id));
        };
        let kind = def.kind.as_str().to_owned();
        let symbol = Symbol { name: def.name.clone(), kind, signature: def.signature.clone() };
        let range = Some(to_proto::map_range(def));
        to_data(&NodeResult { map_range: range, ..self.result(def.name_at, symbol) })
    }

    /// Returns the answer for the symbol that the server found; `outline` is not empty if it was found only by its last
    /// name.
    fn found_result(
        &self,
        call: &mut ToolCall<'_>,
        entry: &QualifiedEntry<'_>,
        outline: &[ServerOutline],
    ) -> NodeResult {
        let def = self.mapped_def();
        let seen = entry.outline;
        let relocated = !outline.is_empty();
        let map_stale = relocated || def.is_some_and(|def| is_stale(seen, def, self.current));
        // Some servers give no place of names; the map's counts then, if the map is current.
        let named = def.filter(|def| self.current && !relocated && def.name_at.0 != seen.name_at.0);
        let (line, col) = named.map_or(seen.name_at, |def| def.name_at);
        let known = KnownFile { defs: &self.mapped.defs, current: self.current };
        let now = locate_in_outline(outline, seen.name_at.0, seen.name_at.1, known)
            .node
            .filter(|node| node.id != self.id);
        let signature = self.subject.signature(call, line, col);
        let mapped = now.or(def).map(|def| def.signature.clone()).filter(|text| !text.is_empty());
        let symbol = Symbol {
            name: entry.name().to_owned(),
            kind: seen.kind.to_owned(),
            signature: signature.or(mapped).or_else(|| seen.detail.clone()).unwrap_or_default(),
        };
        NodeResult {
            verified: true,
            map_stale,
            map_range: def.filter(|_| map_stale).map(to_proto::map_range),
            relocated,
            current_node_id: now.map(|node| node.id.to_string()),
            ..self.result((line, col), symbol)
        }
    }
}
