//! Asks language servers for symbols by name, and for the confirmation of candidates.

use hob_base::Deadline;
use hob_live::requests::{self, ServerQueryContext};
use hob_live::uri::FileRef;
use hob_map::graph::NodeRef;
use hob_proto::tools::entity::{EntitySource, EntityStep};

use super::gather::{Gathered, SubjectView, best_fit, definition};
use super::path_step;
use crate::ToolCall;
use crate::ask::text_of;
use crate::nav::LONG_PATIENCE;
use crate::resolve::place_of;
use hob_words::entity::candidate::Candidate;
use hob_words::entity::fit::NameForms;
use hob_words::entity::kinds::SYMBOLS;

/// Most candidates that servers are asked to confirm.
const ASKED: usize = 5;

/// Most names for which running servers are asked.
const NAMES: usize = 4;

/// Adds the symbols that running servers know by the subject's names. No server is started for this, because a name
/// does not say which one.
pub(super) fn by_servers(call: &ToolCall<'_>, view: &SubjectView<'_>, gathered: &mut Gathered) {
    let workspace = view.workspace;
    let servers = workspace.live().pool().running_servers(workspace.root());
    let before = gathered.len();
    let cancel = call.cancel.with_deadline(Deadline::after(LONG_PATIENCE));
    let read = |path: &hob_base::WsPath| text_of(workspace, path);
    let names: Vec<String> = view.request.subject.names_to_find().into_iter().take(NAMES).collect();
    let mut failed = Vec::new();
    for server in &servers {
        for name in &names {
            match requests::workspace_symbols(
                server,
                name,
                ServerQueryContext { read: &read, cancel: &cancel },
            ) {
                Ok(answer) => answer.value.iter().for_each(|found| {
                    let FileRef::Inside(path) = &found.file else { return };
                    let map = workspace.map();
                    let node = map.file_at(path.as_str()).and_then(|file| map.symbol_at(file, found.at.0));
                    let info = node.and_then(|node| map.info(NodeRef::Def(node)));
                    // A line in the midst of another definition is not that definition's.
                    let Some(info) = info.filter(|info| info.name_at.0 == found.at.0) else { return };
                    let outer =
                        hob_text::ranked::terms_of(found.container.as_deref().unwrap_or(&info.qualified));
                    let named = NameForms {
                        name: &info.name,
                        terms: hob_text::ranked::terms_of(&info.name),
                        outer,
                        path: hob_text::ranked::terms_of(path.as_str()),
                    };
                    if let Some(fit) = best_fit(&view.request.subject, info.kind.as_str(), &named)
                        && view.admits_node(&map, info.node)
                    {
                        let candidate = definition(workspace, &map, &info, path, fit);
                        gathered.add(Candidate { source: EntitySource::Live, ..candidate });
                    }
                }),
                Err(error) => failed.push(error.to_string()),
            }
        }
    }
    let note = match (servers.len(), failed.first()) {
        (0, _) => "no language server runs yet: a nav_ tool starts one".to_owned(),
        (count, None) => format!("{} symbols from {count} language servers", gathered.len() - before),
        (_, Some(why)) => format!("{} symbols; not all answered: {why}", gathered.len() - before),
    };
    gathered.steps.push(path_step("generate", "symbols of language servers", "live", note));
}

/// Keeps only those of the likeliest few candidates that a language server confirms. An error says why none was
/// confirmed, if servers refused.
pub(super) fn keep_confirmed(
    call: &mut ToolCall<'_>,
    candidates: &mut Vec<Candidate>,
    steps: &mut Vec<EntityStep>,
) -> Result<(), String> {
    let (mut kept, mut refused, mut asked) = (Vec::new(), None, 0);
    for mut candidate in std::mem::take(candidates) {
        if asked == ASKED {
            break;
        }
        let is_symbol = SYMBOLS.contains(&candidate.kind.as_str());
        if !is_symbol || !matches!(candidate.source, EntitySource::Map | EntitySource::Live) {
            continue;
        }
        asked += 1;
        match place_of(call, &candidate.id) {
            Ok(place) if place["verified"] == true => {
                candidate.attributes.insert("verified".to_owned(), true.into());
                if let Some(line) = place["location"]["line"].as_u64() {
                    candidate.attributes.insert("line".to_owned(), line.into());
                }
                kept.push(candidate);
            }
            Ok(_) => refused = refused.or_else(|| call.notes.warnings.last().cloned()),
            Err(error) => refused = Some(format!("{} {}", error.message, error.hint)),
        }
    }
    let why = refused.clone().map(|why| format!(": {why}")).unwrap_or_default();
    steps.push(path_step(
        "verify",
        "ask the language server",
        "live",
        format!("{} of {asked} confirmed{why}", kept.len()),
    ));
    *candidates = kept;
    match refused {
        Some(why) if candidates.is_empty() && asked > 0 => Err(why),
        _ => Ok(()),
    }
}
