//! Lists the capabilities that hob declares to a language server: everything that any editor may want to use.
//!
//! A server hears this once and is then shared, also by editors that come later and can do less; for those the editor
//! session simplifies the server's answers. So hob declares nothing that it could not simplify, and nothing that
//! belongs to one vendor, because the server would then send messages that no other editor knows. Two capabilities of
//! the protocol's own are left out as well, because they change the answers for agents: a client that knows
//! declarations gets fewer definitions (pyright), and one that knows tags of diagnostics gets more diagnostics of code
//! that is not wrong.

use serde_json::{Value, json};

/// Types that a semantic token can have, as the protocol (3.17) lists them.
const TOKEN_TYPES: &[&str] = &[
    "namespace",
    "type",
    "class",
    "enum",
    "interface",
    "struct",
    "typeParameter",
    "parameter",
    "variable",
    "property",
    "enumMember",
    "event",
    "function",
    "method",
    "macro",
    "keyword",
    "modifier",
    "comment",
    "string",
    "number",
    "regexp",
    "operator",
    "decorator",
];

/// Modifiers that a semantic token can have, as the protocol (3.17) lists them.
const TOKEN_MODIFIERS: &[&str] = &[
    "declaration",
    "definition",
    "readonly",
    "static",
    "deprecated",
    "abstract",
    "async",
    "modification",
    "documentation",
    "defaultLibrary",
];

/// The families of code actions that the protocol names. Servers filter by them; other kinds still come.
const CODE_ACTION_KINDS: &[&str] = &[
    "",
    "quickfix",
    "refactor",
    "refactor.extract",
    "refactor.inline",
    "refactor.rewrite",
    "source",
    "source.organizeImports",
    "source.fixAll",
];

/// The highest number of a symbol's kind, and of a completion item's.
const KINDS: (u32, u32) = (26, 25);

/// Returns the `capabilities` of hob's `initialize`. hob declares only UTF-16 columns, which every server has to know.
#[must_use]
pub fn client_capabilities() -> Value {
    json!({
        "general": {"positionEncodings": ["utf-16"]},
        "window": {
            "workDoneProgress": true,
            "showDocument": {"support": true},
            // Editors that do not keep a server's additional properties could not send them back.
            "showMessage": {"messageActionItem": {"additionalPropertiesSupport": false}},
        },
        "experimental": {"serverStatusNotification": true},
        "workspace": workspace(),
        "textDocument": text_document(),
    })
}

/// Returns the capabilities that are about the whole project.
fn workspace() -> Value {
    let refresh = json!({"refreshSupport": true});
    json!({
        "applyEdit": true,
        "configuration": true,
        "workspaceFolders": true,
        "didChangeConfiguration": {"dynamicRegistration": true},
        "didChangeWatchedFiles": {"dynamicRegistration": true, "relativePatternSupport": true},
        "executeCommand": {"dynamicRegistration": true},
        "symbol": {
            "dynamicRegistration": true,
            "symbolKind": {"valueSet": all_up_to(KINDS.0)},
            "resolveSupport": {"properties": ["location.range"]},
        },
        "fileOperations": {
            "dynamicRegistration": true,
            "willCreate": true,
            "didCreate": true,
            "willRename": true,
            "didRename": true,
            "willDelete": true,
            "didDelete": true,
        },
        // hob does not normalise line ends: agents' edits change no other byte, and not every editor would do it.
        "workspaceEdit": {
            "documentChanges": true,
            "resourceOperations": ["create", "rename", "delete"],
            "failureHandling": "transactional",
            "normalizesLineEndings": false,
        },
        "diagnostics": refresh,
        "codeLens": refresh,
        "semanticTokens": refresh,
        "inlayHint": refresh,
    })
}

/// Returns the capabilities that are about one document. Methods that only editors call have no dynamic registration:
/// hob would have to repeat it to an editor that comes later, and servers that may not register declare at once what
/// they can do.
fn text_document() -> Value {
    let (fixed, dynamic) = (json!({"dynamicRegistration": false}), json!({"dynamicRegistration": true}));
    let links = json!({"dynamicRegistration": true, "linkSupport": true});
    json!({
        "synchronization": {
            "dynamicRegistration": true, "willSave": true, "willSaveWaitUntil": true, "didSave": true,
        },
        "definition": links,
        "typeDefinition": links,
        "implementation": links,
        "references": dynamic,
        "hover": {"dynamicRegistration": true, "contentFormat": ["markdown", "plaintext"]},
        "documentSymbol": {
            "dynamicRegistration": true,
            "hierarchicalDocumentSymbolSupport": true,
            "symbolKind": {"valueSet": all_up_to(KINDS.0)},
        },
        "callHierarchy": dynamic,
        "typeHierarchy": fixed,
        "rename": {"dynamicRegistration": true, "prepareSupport": true, "honorsChangeAnnotations": false},
        "publishDiagnostics": {
            "versionSupport": true,
            "relatedInformation": true,
            "codeDescriptionSupport": true,
            "dataSupport": true,
        },
        // Declared at once or never: otherwise hob would wait in vain for diagnostics of a file that it asks about
        // meanwhile.
        "diagnostic": {"dynamicRegistration": false},
        "completion": completion_capabilities(),
        "signatureHelp": {
            "dynamicRegistration": false,
            "contextSupport": true,
            "signatureInformation": {
                "documentationFormat": ["markdown", "plaintext"],
                "parameterInformation": {"labelOffsetSupport": true},
                "activeParameterSupport": true,
            },
        },
        "documentHighlight": fixed,
        "documentLink": {"dynamicRegistration": false, "tooltipSupport": true},
        "colorProvider": fixed,
        "formatting": fixed,
        "rangeFormatting": fixed,
        "onTypeFormatting": fixed,
        "codeAction": {
            "dynamicRegistration": false,
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": CODE_ACTION_KINDS}},
            "resolveSupport": {"properties": ["edit"]},
            "dataSupport": true,
            "isPreferredSupport": true,
            "disabledSupport": true,
            "honorsChangeAnnotations": false,
        },
        "codeLens": fixed,
        "foldingRange": {
            "dynamicRegistration": false,
            "lineFoldingOnly": false,
            "foldingRangeKind": {"valueSet": ["comment", "imports", "region"]},
        },
        "selectionRange": fixed,
        "semanticTokens": semantic_tokens(),
        // A hint comes whole: an editor that cannot resolve it would lose the parts that come later.
        "inlayHint": fixed,
        "linkedEditingRange": fixed,
    })
}

/// Returns the capabilities for completions. Defaults for a whole list, and edits that insert or replace, are left out:
/// they save little, and hob would have to rewrite each item for the editors that do not know them.
fn completion_capabilities() -> Value {
    json!({
        "dynamicRegistration": false,
        "contextSupport": true,
        "completionItem": {
            "snippetSupport": true,
            "commitCharactersSupport": true,
            "documentationFormat": ["markdown", "plaintext"],
            "deprecatedSupport": true,
            "preselectSupport": true,
            "tagSupport": {"valueSet": [1]},
            "insertReplaceSupport": false,
            "resolveSupport": {"properties": ["documentation", "detail", "additionalTextEdits"]},
            "labelDetailsSupport": true,
        },
        "completionItemKind": {"valueSet": all_up_to(KINDS.1)},
    })
}

fn semantic_tokens() -> Value {
    json!({
        "dynamicRegistration": false,
        "requests": {"range": true, "full": {"delta": true}},
        "tokenTypes": TOKEN_TYPES,
        "tokenModifiers": TOKEN_MODIFIERS,
        "formats": ["relative"],
        "overlappingTokenSupport": false,
        "multilineTokenSupport": false,
        "serverCancelSupport": false,
        "augmentsSyntaxTokens": true,
    })
}

fn all_up_to(last: u32) -> Value {
    (1..=last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_belongs_to_one_vendor_is_offered() {
        let offered = client_capabilities();
        let experimental = offered["experimental"].as_object().expect("an object");
        assert_eq!(experimental.keys().collect::<Vec<_>>(), ["serverStatusNotification"]);
        assert_eq!(offered.pointer("/textDocument/diagnostic/dynamicRegistration"), Some(&json!(false)));
        assert_eq!(offered.pointer("/general/positionEncodings"), Some(&json!(["utf-16"])));
    }
}
