//! Computes the capabilities that an editor is offered: the union of those of its project's servers, and of the map's
//! where no server has them.
//!
//! With one server these are the server's own, except for fields that hob decides: documents are always synchronised by
//! changes, folders may come and go, columns may be counted otherwise. With several servers it is the union, and each
//! request finds its server ([`offers_method`]).

use serde_json::{Map, Value, json};

use super::abilities::Abilities;
use super::encoding::Encoding;
use super::methods::is_offered;
pub(crate) use super::methods::{offers_command, offers_method, with_registrations};
use super::union::unite_values;

/// Fields that hob computes and does not copy. Notebooks are not shared, and `offsetEncoding` is one server's own name
/// for `positionEncoding`.
const MADE_HERE: &[&str] = &[
    "textDocumentSync",
    "positionEncoding",
    "offsetEncoding",
    "notebookDocumentSync",
    "semanticTokensProvider",
    "diagnosticProvider",
    "experimental",
];

/// The capabilities that the map has where no server does.
const OF_THE_MAP: &[&str] = &[
    "definitionProvider",
    "referencesProvider",
    "hoverProvider",
    "documentSymbolProvider",
    "workspaceSymbolProvider",
    "foldingRangeProvider",
];

/// The protocol's `TextDocumentSyncKind` for incremental changes.
const INCREMENTAL: u32 = 2;

/// Returns the `ServerCapabilities` for an editor whose project these servers serve (`servers`: the capabilities of
/// each, with later registrations).
///
/// Semantic tokens are those of the first server that has them, because their numbers refer to one legend; an editor
/// that does not count in UTF-16 gets none, because their columns are relative to one another. Pulling diagnostics is
/// offered only if exactly one server supports it and the editor pulls; all other editors get them pushed. Experimental
/// capabilities pass only from a single server.
pub(crate) fn for_editor(
    servers: &[&Value],
    map_answers: bool,
    abilities: &Abilities,
    encoding: Encoding,
) -> Value {
    let mut told = Map::new();
    let mut tell = |field: &str, value: Value| told.insert(field.to_owned(), value);
    if !abilities.encodings.is_empty() {
        tell("positionEncoding", encoding.name().into());
    }
    tell("textDocumentSync", sync_options(servers));
    for field in OF_THE_MAP.iter().filter(|_| map_answers) {
        tell(field, Value::Bool(true));
    }
    if abilities.semantic_tokens
        && encoding == Encoding::Utf16
        && let Some(tokens) = values_of(servers, "semanticTokensProvider").next()
    {
        tell("semanticTokensProvider", tokens.clone());
    }
    if let Some(diagnostics) = diagnostic_provider(servers).filter(|_| abilities.diagnostics.pulls) {
        tell("diagnosticProvider", diagnostics.clone());
    }
    if let [Value::Object(alone)] = servers
        && let Some(own) = alone.get("experimental")
    {
        tell("experimental", own.clone());
    }
    take_over(servers, &mut told);
    told.retain(|_, value| !value.is_null());
    make_plainer(&mut told, abilities);
    Value::Object(told)
}

/// Adds all capabilities of the servers that hob does not compute itself.
fn take_over(servers: &[&Value], told: &mut Map<String, Value>) {
    let said = servers.iter().filter_map(|server| server.as_object()).flatten();
    for (field, value) in said.filter(|(field, _)| !MADE_HERE.contains(&field.as_str())) {
        unite_values(told.entry(field.clone()).or_insert(Value::Null), value);
    }
    let workspace = told.entry("workspace").or_insert(Value::Null);
    if !workspace.is_object() {
        *workspace = json!({});
    }
    if let Some(workspace) = workspace.as_object_mut() {
        let folders = json!({"supported": true, "changeNotifications": true});
        workspace.insert("workspaceFolders".to_owned(), folders);
    }
}

/// Returns how documents are synchronised: always by changes, and with every save, because after a save the editor's
/// text is the disk's.
fn sync_options(servers: &[&Value]) -> Value {
    let wants = |field: &str| {
        let said = |server: &&Value| {
            server.get("textDocumentSync").and_then(|sync| sync.get(field)) == Some(&Value::Bool(true))
        };
        servers.iter().any(said)
    };
    json!({
        "openClose": true,
        "change": INCREMENTAL,
        "willSave": wants("willSave"),
        "willSaveWaitUntil": wants("willSaveWaitUntil"),
        "save": {"includeText": false},
    })
}

/// Returns the options of the one server that supports pulling diagnostics, if there is exactly one.
fn diagnostic_provider<'a>(servers: &'a [&'a Value]) -> Option<&'a Value> {
    let mut pulled = values_of(servers, "diagnosticProvider");
    let one = pulled.next()?;
    pulled.next().is_none().then_some(one)
}

/// Returns the value of a capability from each server that has it.
fn values_of<'a>(servers: &'a [&'a Value], field: &'a str) -> impl Iterator<Item = &'a Value> {
    servers.iter().filter_map(move |server| server.get(field)).filter(|value| is_offered(value))
}

/// Replaces options that the editor does not understand by `true`.
fn make_plainer(told: &mut Map<String, Value>, abilities: &Abilities) {
    let plain = [
        ("codeActionProvider", abilities.code_actions.literals),
        ("renameProvider", abilities.prepares_rename),
    ];
    for (field, _) in plain.iter().filter(|(_, understands)| !understands) {
        if let Some(options) = told.get_mut(*field).filter(|options| options.is_object()) {
            *options = Value::Bool(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hob_live::offer::client_capabilities;

    fn capabilities_for_best(servers: &[&Value], map_answers: bool) -> Value {
        for_editor(
            servers,
            map_answers,
            &Abilities::from_capabilities(&client_capabilities()),
            Encoding::Utf16,
        )
    }

    #[test]
    fn of_one_server_the_editor_hears_what_it_said() {
        let server = json!({
            "textDocumentSync": 1,
            "hoverProvider": true,
            "definitionProvider": false,
            "completionProvider": {"triggerCharacters": ["."], "allCommitCharacters": [";"]},
            "codeActionProvider": {"codeActionKinds": ["quickfix"], "resolveProvider": true},
            "renameProvider": {"prepareProvider": true},
            "semanticTokensProvider": {"legend": {"tokenTypes": ["x"]}, "full": true},
            "diagnosticProvider": {"identifier": "i"},
            "experimental": {"own": 1},
            "workspace": {"workspaceFolders": {"supported": false}, "fileOperations": {"didRename": {"filters": [1]}}},
            "vendorProvider": {"any": 1},
        });
        let told = capabilities_for_best(&[&server], false);
        for field in [
            "hoverProvider",
            "completionProvider",
            "codeActionProvider",
            "renameProvider",
            "semanticTokensProvider",
            "diagnosticProvider",
            "experimental",
            "vendorProvider",
        ] {
            assert_eq!(told[field], server[field], "{field}");
        }
        assert_eq!(told.get("definitionProvider"), None);
        assert_eq!(told["positionEncoding"], "utf-16");
        assert_eq!(told["textDocumentSync"]["change"], 2);
        assert_eq!(
            told["workspace"]["workspaceFolders"],
            json!({"supported": true, "changeNotifications": true})
        );
        assert_eq!(told["workspace"]["fileOperations"], server["workspace"]["fileOperations"]);
    }

    #[test]
    fn several_servers_are_told_of_as_one() {
        let one = json!({
            "hoverProvider": true,
            "completionProvider": {"triggerCharacters": ["."]},
            "semanticTokensProvider": {"legend": 1, "full": true},
            "executeCommandProvider": {"commands": ["a"]},
            "experimental": {"own": 1},
            "workspace": {"fileOperations": {"willRename": {"filters": [1]}}},
            "textDocumentSync": {"willSaveWaitUntil": true},
        });
        let other = json!({
            "completionProvider": {"triggerCharacters": [":"], "resolveProvider": true},
            "semanticTokensProvider": {"legend": 2, "range": true},
            "diagnosticProvider": {"identifier": "d"},
            "executeCommandProvider": {"commands": ["b"]},
            "workspace": {"fileOperations": {"willRename": {"filters": [2]}}},
        });
        let told = capabilities_for_best(&[&one, &other], false);
        assert_eq!(told["hoverProvider"], true);
        assert_eq!(
            told["completionProvider"],
            json!({"triggerCharacters": [".", ":"], "resolveProvider": true})
        );
        assert_eq!(told["semanticTokensProvider"], one["semanticTokensProvider"]);
        assert_eq!(told["executeCommandProvider"], json!({"commands": ["a", "b"]}));
        assert_eq!(told["diagnosticProvider"], json!({"identifier": "d"}));
        assert_eq!(told["workspace"]["fileOperations"]["willRename"]["filters"], json!([1, 2]));
        assert_eq!(told["textDocumentSync"]["willSaveWaitUntil"], true);
        assert_eq!(told.get("experimental"), None);
    }

    #[test]
    fn questions_for_diagnostics_need_one_server_to_answer_and_an_editor_to_ask() {
        let server = json!({"diagnosticProvider": {}});
        assert_eq!(capabilities_for_best(&[&server, &server], false).get("diagnosticProvider"), None);
        let plain =
            for_editor(&[&server], false, &Abilities::from_capabilities(&Value::Null), Encoding::Utf16);
        assert_eq!(plain.get("diagnosticProvider"), None);
    }

    #[test]
    fn the_map_answers_what_no_server_does() {
        let options = json!({"workDoneProgress": true});
        let server = json!({"hoverProvider": options, "referencesProvider": false});
        let with_map = capabilities_for_best(&[&server], true);
        assert_eq!(with_map["hoverProvider"], options);
        for field in OF_THE_MAP {
            assert!(is_offered(&with_map[field]), "{field}");
        }
        assert!(is_offered(&capabilities_for_best(&[], true)["definitionProvider"]));
        assert_eq!(capabilities_for_best(&[], false).get("definitionProvider"), None);
        assert_eq!(capabilities_for_best(&[], true).get("renameProvider"), None);
    }

    #[test]
    fn an_editor_that_can_do_less_is_told_less() {
        let server = json!({
            "codeActionProvider": {"codeActionKinds": ["quickfix"]},
            "renameProvider": {"prepareProvider": true},
            "semanticTokensProvider": {"legend": 1},
        });
        let plain =
            for_editor(&[&server], false, &Abilities::from_capabilities(&Value::Null), Encoding::Utf16);
        assert_eq!(plain["codeActionProvider"], true);
        assert_eq!(plain["renameProvider"], true);
        assert_eq!(plain.get("semanticTokensProvider"), None);
        assert_eq!(plain.get("positionEncoding"), None);
        let mut utf8 = client_capabilities();
        utf8["general"]["positionEncodings"] = json!(["utf-8"]);
        let utf8 = for_editor(&[&server], false, &Abilities::from_capabilities(&utf8), Encoding::Utf8);
        assert_eq!(utf8["positionEncoding"], "utf-8");
        assert_eq!(utf8.get("semanticTokensProvider"), None);
    }

    #[test]
    fn nonsense_is_no_capability() {
        for nonsense in [json!(null), json!(7), json!([]), json!({"workspace": 3, "textDocumentSync": []})] {
            let told = capabilities_for_best(&[&nonsense, &nonsense], false);
            assert_eq!(told["workspace"]["workspaceFolders"]["supported"], true, "{nonsense}");
        }
    }
}
