//! Maps a method to the part of a server's capabilities that covers it.

use serde_json::{Map, Value};

use super::union::unite_values;

/// Methods, each with the capability by which a server declares it (or, for files, asks to be told).
const COVERED_BY: &[(&str, &str)] = &[
    ("callHierarchy/incomingCalls", "/callHierarchyProvider"),
    ("callHierarchy/outgoingCalls", "/callHierarchyProvider"),
    ("codeAction/resolve", "/codeActionProvider/resolveProvider"),
    ("codeLens/resolve", "/codeLensProvider/resolveProvider"),
    ("completionItem/resolve", "/completionProvider/resolveProvider"),
    ("documentLink/resolve", "/documentLinkProvider/resolveProvider"),
    ("inlayHint/resolve", "/inlayHintProvider/resolveProvider"),
    ("textDocument/codeAction", "/codeActionProvider"),
    ("textDocument/codeLens", "/codeLensProvider"),
    ("textDocument/colorPresentation", "/colorProvider"),
    ("textDocument/completion", "/completionProvider"),
    ("textDocument/declaration", "/declarationProvider"),
    ("textDocument/definition", "/definitionProvider"),
    ("textDocument/diagnostic", "/diagnosticProvider"),
    ("textDocument/documentColor", "/colorProvider"),
    ("textDocument/documentHighlight", "/documentHighlightProvider"),
    ("textDocument/documentLink", "/documentLinkProvider"),
    ("textDocument/documentSymbol", "/documentSymbolProvider"),
    ("textDocument/foldingRange", "/foldingRangeProvider"),
    ("textDocument/formatting", "/documentFormattingProvider"),
    ("textDocument/hover", "/hoverProvider"),
    ("textDocument/implementation", "/implementationProvider"),
    ("textDocument/inlayHint", "/inlayHintProvider"),
    ("textDocument/inlineCompletion", "/inlineCompletionProvider"),
    ("textDocument/inlineValue", "/inlineValueProvider"),
    ("textDocument/linkedEditingRange", "/linkedEditingRangeProvider"),
    ("textDocument/moniker", "/monikerProvider"),
    ("textDocument/onTypeFormatting", "/documentOnTypeFormattingProvider"),
    ("textDocument/prepareCallHierarchy", "/callHierarchyProvider"),
    ("textDocument/prepareRename", "/renameProvider/prepareProvider"),
    ("textDocument/prepareTypeHierarchy", "/typeHierarchyProvider"),
    ("textDocument/rangeFormatting", "/documentRangeFormattingProvider"),
    ("textDocument/rangesFormatting", "/documentRangeFormattingProvider/rangesSupport"),
    ("textDocument/references", "/referencesProvider"),
    ("textDocument/rename", "/renameProvider"),
    ("textDocument/selectionRange", "/selectionRangeProvider"),
    ("textDocument/semanticTokens", "/semanticTokensProvider"),
    ("textDocument/semanticTokens/full", "/semanticTokensProvider/full"),
    ("textDocument/semanticTokens/full/delta", "/semanticTokensProvider/full/delta"),
    ("textDocument/semanticTokens/range", "/semanticTokensProvider/range"),
    ("textDocument/signatureHelp", "/signatureHelpProvider"),
    ("textDocument/typeDefinition", "/typeDefinitionProvider"),
    ("textDocument/willSave", "/textDocumentSync/willSave"),
    ("textDocument/willSaveWaitUntil", "/textDocumentSync/willSaveWaitUntil"),
    ("typeHierarchy/subtypes", "/typeHierarchyProvider"),
    ("typeHierarchy/supertypes", "/typeHierarchyProvider"),
    ("workspace/diagnostic", "/diagnosticProvider/workspaceDiagnostics"),
    ("workspace/didCreateFiles", "/workspace/fileOperations/didCreate"),
    ("workspace/didDeleteFiles", "/workspace/fileOperations/didDelete"),
    ("workspace/didRenameFiles", "/workspace/fileOperations/didRename"),
    ("workspace/executeCommand", "/executeCommandProvider"),
    ("workspace/symbol", "/workspaceSymbolProvider"),
    ("workspace/willCreateFiles", "/workspace/fileOperations/willCreate"),
    ("workspace/willDeleteFiles", "/workspace/fileOperations/willDelete"),
    ("workspace/willRenameFiles", "/workspace/fileOperations/willRename"),
    ("workspaceSymbol/resolve", "/workspaceSymbolProvider/resolveProvider"),
];

/// Returns true if a server's capabilities cover a method; `None` for a method outside of the protocol, which only the
/// server itself can know.
pub(crate) fn offers_method(server: &Value, method: &str) -> Option<bool> {
    covered_by(method).map(|pointer| server.pointer(pointer).is_some_and(is_offered))
}

/// Returns the methods that stand for a whole feature of documents, each with its capability.
pub(crate) fn whole_features() -> impl Iterator<Item = (&'static str, &'static str)> {
    let is_whole = |(method, pointer): &(&str, &str)| {
        method.starts_with("textDocument/")
            && pointer.rfind('/') == Some(0)
            && !["textDocument/colorPresentation", "textDocument/moniker"].contains(method)
    };
    COVERED_BY.iter().copied().filter(is_whole)
}

/// Returns true if a server declares that it carries out a command.
pub(crate) fn offers_command(server: &Value, command: &str) -> bool {
    let commands = server.pointer("/executeCommandProvider/commands").and_then(Value::as_array);
    commands.into_iter().flatten().any(|one| one.as_str() == Some(command))
}

/// Adds a server's registrations (methods with their options) to its capabilities, so that an editor that comes later
/// learns all of them at once.
pub(crate) fn with_registrations<'a>(
    server: &Value,
    registered: impl IntoIterator<Item = (&'a str, &'a Value)>,
) -> Value {
    let mut server = if server.is_object() { server.clone() } else { Value::Object(Map::new()) };
    let known = registered.into_iter().filter_map(|(method, options)| Some((covered_by(method)?, options)));
    for (pointer, options) in known {
        let options = if options.is_object() { options } else { &Value::Bool(true) };
        if let Some(at) = make_value_at(&mut server, pointer) {
            unite_values(at, options);
        }
    }
    server
}

/// Returns true if the value of a capability means yes.
pub(crate) fn is_offered(value: &Value) -> bool {
    value.is_object() || value == &Value::Bool(true)
}

fn covered_by(method: &str) -> Option<&'static str> {
    let at = COVERED_BY.binary_search_by(|(one, _)| one.cmp(&method)).ok()?;
    Some(COVERED_BY[at].1)
}

/// Returns the value at a pointer, and makes missing objects on the way; `None` if another value is in the way.
fn make_value_at<'a>(server: &'a mut Value, pointer: &str) -> Option<&'a mut Value> {
    pointer.split('/').skip(1).try_fold(server, |at, key| {
        if at.is_null() {
            *at = Value::Object(Map::new());
        }
        Some(at.as_object_mut()?.entry(key).or_insert(Value::Null))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_method_is_found() {
        for (method, _) in COVERED_BY {
            assert_eq!(offers_method(&json!({}), method), Some(false), "{method}");
        }
    }

    #[test]
    fn a_method_is_covered_by_its_own_field() {
        let server = json!({
            "hoverProvider": true,
            "completionProvider": {"resolveProvider": true},
            "renameProvider": {"prepareProvider": false},
            "codeActionProvider": true,
            "definitionProvider": false,
            "semanticTokensProvider": {"legend": {}, "full": {"delta": true}, "range": false},
            "workspace": {"fileOperations": {"willRename": {"filters": []}}},
            "textDocumentSync": 2,
            "callHierarchyProvider": {},
        });
        for method in [
            "textDocument/hover",
            "textDocument/completion",
            "completionItem/resolve",
            "textDocument/rename",
            "textDocument/codeAction",
            "textDocument/semanticTokens/full",
            "textDocument/semanticTokens/full/delta",
            "workspace/willRenameFiles",
            "textDocument/prepareCallHierarchy",
            "callHierarchy/incomingCalls",
        ] {
            assert_eq!(offers_method(&server, method), Some(true), "{method}");
        }
        for method in [
            "textDocument/prepareRename",
            "codeAction/resolve",
            "textDocument/definition",
            "textDocument/semanticTokens/range",
            "workspace/willCreateFiles",
            "textDocument/willSaveWaitUntil",
            "textDocument/references",
            "workspace/diagnostic",
        ] {
            assert_eq!(offers_method(&server, method), Some(false), "{method}");
        }
        for method in ["rust-analyzer/expandMacro", "textDocument/switchSourceHeader", "textDocument", ""] {
            assert_eq!(offers_method(&server, method), None, "{method}");
        }
    }

    #[test]
    fn commands_are_known_by_name() {
        let server = json!({"executeCommandProvider": {"commands": ["a.fix"]}});
        assert!(offers_command(&server, "a.fix") && !offers_command(&server, "b.fix"));
        assert!(!offers_command(&json!(null), "a.fix"));
    }

    #[test]
    fn what_is_registered_later_counts_as_if_it_had_been_said_at_once() {
        let server = json!({"hoverProvider": true, "executeCommandProvider": {"commands": ["a"]}, "referencesProvider": 7});
        let commands = json!({"commands": ["b"]});
        let filters = json!({"filters": [{"pattern": {"glob": "**"}}]});
        let registered = [
            ("workspace/executeCommand", &commands),
            ("textDocument/definition", &Value::Null),
            ("workspace/willRenameFiles", &filters),
            ("workspace/didChangeWatchedFiles", &filters),
            ("vendor/thing", &commands),
        ];
        let expected = json!({
            "hoverProvider": true,
            "executeCommandProvider": {"commands": ["a", "b"]},
            "referencesProvider": 7,
            "definitionProvider": true,
            "workspace": {"fileOperations": {"willRename": filters}},
        });
        assert_eq!(with_registrations(&server, registered), expected);
        assert_eq!(
            with_registrations(&Value::Null, [("textDocument/hover", &Value::Null)]),
            json!({"hoverProvider": true})
        );
    }
}
