//! Describes the abilities that one editor declares at `initialize`.
//!
//! They are read once, so that the handling of every answer checks booleans and not paths in JSON. An ability that an
//! editor does not declare it does not have: by this rule the protocol keeps old editors working.

use std::collections::BTreeSet;

use serde_json::Value;

use super::encoding::Encoding;
use super::kinds::{Kinds, Tags};

/// The abilities that one editor declares at `initialize`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Abilities {
    /// The methods for which it accepts links in place of locations.
    pub(crate) links: Links,
    /// True if the editor accepts outlines as trees.
    pub(crate) symbol_trees: bool,
    /// The kinds and tags that symbols of a document may have.
    pub(crate) symbols: Symbols,
    /// The kinds and tags that symbols of the workspace may have.
    pub(crate) workspace_symbols: Symbols,
    /// True if it asks for the range of a workspace symbol later.
    pub(crate) resolves_symbols: bool,
    /// True if a link in a text may have a tooltip.
    pub(crate) link_tooltips: bool,
    /// True if hovers may be in Markdown.
    pub(crate) hover_markdown: bool,
    /// The parts that a completion may have.
    pub(crate) completion: Completion,
    /// The parts that a signature may have.
    pub(crate) signatures: Signatures,
    /// The steps that an edit of the workspace may have.
    pub(crate) edits: EditAbilities,
    /// The parts that a code action may have.
    pub(crate) code_actions: CodeActions,
    /// The parts that a diagnostic may have, and the ways to send it.
    pub(crate) diagnostics: Diagnostics,
    /// True if it folds only whole lines.
    pub(crate) folds_lines_only: bool,
    /// True if it can prepare a rename.
    pub(crate) prepares_rename: bool,
    /// True if it accepts semantic tokens.
    pub(crate) semantic_tokens: bool,
    /// True if it carries out `workspace/applyEdit`.
    pub(crate) apply_edit: bool,
    /// True if it answers `workspace/configuration`.
    pub(crate) configuration: bool,
    /// True if it answers `workspace/workspaceFolders`, and reports changes of them.
    pub(crate) workspace_folders: bool,
    /// True if it shows progress that a server begins (`window/workDoneProgress/create`).
    pub(crate) work_done_progress: bool,
    /// True if it carries out `window/showDocument`.
    pub(crate) show_document: bool,
    /// True if it keeps additional properties of the actions of `window/showMessageRequest`. Every editor answers the
    /// request itself.
    pub(crate) message_properties: bool,
    /// The encodings of columns that it offers and hob knows, in its order; empty if it offers none.
    pub(crate) encodings: Vec<Encoding>,
    /// The middle words of each `workspace/*/refresh` that the editor understands.
    refreshes: BTreeSet<String>,
    /// The capabilities that may be registered later, by their fields in the editor's capabilities, such as
    /// `textDocument.hover`.
    dynamic: BTreeSet<String>,
}

/// The methods whose answers may be links (`LocationLink`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Links {
    /// True if `textDocument/declaration` may answer with links.
    pub(crate) declaration: bool,
    /// True if `textDocument/definition` may answer with links.
    pub(crate) definition: bool,
    /// True if `textDocument/typeDefinition` may answer with links.
    pub(crate) type_definition: bool,
    /// True if `textDocument/implementation` may answer with links.
    pub(crate) implementation: bool,
}

/// The kinds and tags that a symbol may have.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Symbols {
    /// The kinds of symbols that the editor knows.
    pub(crate) kinds: Kinds,
    /// The tags of symbols that the editor knows.
    pub(crate) tags: Tags,
}

/// The parts that a completion may have.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Completion {
    /// True if its text may have tab stops.
    pub(crate) snippets: bool,
    /// True if the documentation may be in Markdown.
    pub(crate) markdown: bool,
    /// True if it may have details beside the label.
    pub(crate) label_details: bool,
    /// True if characters may accept an item.
    pub(crate) commit_characters: bool,
    /// True if an item may be selected at first.
    pub(crate) preselects: bool,
    /// True if the field `deprecated` may mark it as outdated.
    pub(crate) deprecated: bool,
    /// The tags of completions that the editor knows.
    pub(crate) tags: Tags,
    /// True if its edit may have a range to insert and one to replace.
    pub(crate) insert_replace: bool,
    /// True if it may set how white space of inserted lines is treated.
    pub(crate) insert_text_modes: bool,
    /// The kinds of completions that the editor knows.
    pub(crate) kinds: Kinds,
    /// The fields that a list may set for all of its items.
    pub(crate) list_defaults: BTreeSet<String>,
    /// The fields that the editor asks for later (`completionItem/resolve`). Documentation and details are always
    /// among them.
    pub(crate) resolves: BTreeSet<String>,
}

/// The parts that a signature may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Signatures {
    /// True if the documentation may be in Markdown.
    pub(crate) markdown: bool,
    /// True if parameters may be given as columns of the signature.
    pub(crate) label_offsets: bool,
    /// True if each signature may have an active parameter of its own.
    pub(crate) active_parameter: bool,
}

/// The steps that an edit of the workspace may have. Every editor accepts plain changes of texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct EditAbilities {
    /// True if an edit may list changes of documents in a given version, in order.
    pub(crate) document_changes: bool,
    /// True if an edit may create files.
    pub(crate) create: bool,
    /// True if an edit may rename files.
    pub(crate) rename: bool,
    /// True if an edit may delete files.
    pub(crate) delete: bool,
}

/// The parts that a code action may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct CodeActions {
    /// True if the editor accepts actions beside commands.
    pub(crate) literals: bool,
    /// True if it asks for the edit later (`codeAction/resolve`), with the server's `data`.
    pub(crate) resolves_edit: bool,
    /// True if actions may be disabled, with a reason.
    pub(crate) disabled: bool,
    /// True if an action may be marked as the preferred one.
    pub(crate) preferred: bool,
    /// True if the editor keeps the server's `data` in an action.
    pub(crate) data: bool,
}

/// The parts that a diagnostic may have, and the ways to send it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Diagnostics {
    /// True if it may list related places.
    pub(crate) related_information: bool,
    /// True if it may have the version of the document.
    pub(crate) versions: bool,
    /// The tags of diagnostics that the editor knows: unused and outdated code.
    pub(crate) tags: Tags,
    /// True if it may link to an explanation of its code.
    pub(crate) code_descriptions: bool,
    /// True if the editor keeps the `data` of a diagnostic and sends it back in a request for actions.
    pub(crate) data: bool,
    /// True if the editor pulls diagnostics (`textDocument/diagnostic`).
    pub(crate) pulls: bool,
    /// True if an answer may have diagnostics of other documents too.
    pub(crate) related_documents: bool,
}

/// The fields of `workspace` that declare support for a refresh.
const REFRESHES: &[(&str, &str)] = &[
    ("codeLens", "codeLens"),
    ("semanticTokens", "semanticTokens"),
    ("inlayHint", "inlayHint"),
    ("inlineValue", "inlineValue"),
    ("diagnostics", "diagnostic"),
    ("foldingRange", "foldingRange"),
];

/// The fields of a completion that every editor may ask for later.
const ALWAYS_RESOLVED: &[&str] = &["documentation", "detail"];

impl Abilities {
    /// Reads the `capabilities` of an editor's `initialize`; a field of an unexpected shape counts as absent.
    pub(crate) fn from_capabilities(client_capabilities: &Value) -> Self {
        let said = EditorCapabilities(client_capabilities);
        let link = |method: &str| said.is_true(&format!("/textDocument/{method}/linkSupport"));
        Self {
            links: Links {
                declaration: link("declaration"),
                definition: link("definition"),
                type_definition: link("typeDefinition"),
                implementation: link("implementation"),
            },
            symbol_trees: said.is_true("/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
            symbols: said.symbols("/textDocument/documentSymbol"),
            workspace_symbols: said.symbols("/workspace/symbol"),
            link_tooltips: said.is_true("/textDocument/documentLink/tooltipSupport"),
            resolves_symbols: said
                .lists_word("/workspace/symbol/resolveSupport/properties", "location.range"),
            hover_markdown: said.lists_word("/textDocument/hover/contentFormat", "markdown"),
            completion: said.completion_abilities(),
            signatures: said.signature_abilities(),
            edits: said.edit_abilities(),
            code_actions: said.code_actions(),
            diagnostics: said.diagnostics(),
            folds_lines_only: said.is_true("/textDocument/foldingRange/lineFoldingOnly"),
            prepares_rename: said.is_true("/textDocument/rename/prepareSupport"),
            semantic_tokens: said.has_object("/textDocument/semanticTokens"),
            apply_edit: said.is_true("/workspace/applyEdit"),
            configuration: said.is_true("/workspace/configuration"),
            workspace_folders: said.is_true("/workspace/workspaceFolders"),
            work_done_progress: said.is_true("/window/workDoneProgress"),
            show_document: said.is_true("/window/showDocument/support"),
            message_properties: said
                .is_true("/window/showMessage/messageActionItem/additionalPropertiesSupport"),
            encodings: Encoding::all_named(said.value_at("/general/positionEncodings")),
            refreshes: said.known_refreshes(),
            dynamic: said.dynamic_fields(),
        }
    }

    /// Returns true if the editor can carry out a request of a server (not an answer). Requests that hob does not
    /// know pass.
    pub(crate) fn carries_out(&self, method: &str) -> bool {
        match method {
            "workspace/applyEdit" => self.apply_edit,
            "workspace/configuration" => self.configuration,
            "workspace/workspaceFolders" => self.workspace_folders,
            "window/workDoneProgress/create" => self.work_done_progress,
            "window/showDocument" => self.show_document,
            "client/registerCapability" | "client/unregisterCapability" => !self.dynamic.is_empty(),
            other => other
                .strip_prefix("workspace/")
                .and_then(|rest| rest.strip_suffix("/refresh"))
                .is_none_or(|what| self.refreshes.contains(what)),
        }
    }

    /// Returns true if a method may be registered with the editor after `initialize`.
    pub(crate) fn can_register(&self, method: &str) -> bool {
        self.dynamic.contains(&field_of(method))
    }
}

/// Returns the field of an editor's capabilities that declares dynamic registration of a method.
fn field_of(method: &str) -> String {
    let mut words = method.split('/');
    let (area, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let field = match name {
        "didOpen" | "didChange" | "didSave" | "didClose" | "willSave" | "willSaveWaitUntil" => {
            "synchronization"
        }
        "prepareCallHierarchy" => "callHierarchy",
        "prepareTypeHierarchy" => "typeHierarchy",
        "prepareRename" => "rename",
        "documentColor" | "colorPresentation" => "colorProvider",
        "rangesFormatting" => "rangeFormatting",
        "didChangeWorkspaceFolders" => "workspaceFolders",
        files if area == "workspace" && files.ends_with("Files") && files != "didChangeWatchedFiles" => {
            "fileOperations"
        }
        same => same,
    };
    format!("{area}.{field}")
}

/// An editor's capabilities as it wrote them.
struct EditorCapabilities<'a>(&'a Value);

impl EditorCapabilities<'_> {
    fn value_at(&self, pointer: &str) -> &Value {
        self.0.pointer(pointer).unwrap_or(&Value::Null)
    }

    fn is_true(&self, pointer: &str) -> bool {
        self.value_at(pointer) == &Value::Bool(true)
    }

    fn has_object(&self, pointer: &str) -> bool {
        self.value_at(pointer).is_object()
    }

    fn words_at(&self, pointer: &str) -> impl Iterator<Item = &str> {
        self.value_at(pointer).as_array().into_iter().flatten().filter_map(Value::as_str)
    }

    fn lists_word(&self, pointer: &str, word: &str) -> bool {
        self.words_at(pointer).any(|one| one == word)
    }

    fn completion_abilities(&self) -> Completion {
        let item = "/textDocument/completion/completionItem";
        let resolves = format!("{item}/resolveSupport/properties");
        let always = ALWAYS_RESOLVED.iter().copied();
        let yes = |field: &str| self.is_true(&format!("{item}/{field}"));
        let defaults = self.words_at("/textDocument/completion/completionList/itemDefaults");
        Completion {
            snippets: yes("snippetSupport"),
            markdown: self.lists_word(&format!("{item}/documentationFormat"), "markdown"),
            label_details: yes("labelDetailsSupport"),
            commit_characters: yes("commitCharactersSupport"),
            preselects: yes("preselectSupport"),
            deprecated: yes("deprecatedSupport"),
            tags: Tags::from_tag_support(self.value_at(&format!("{item}/tagSupport"))),
            insert_replace: yes("insertReplaceSupport"),
            insert_text_modes: self.has_object(&format!("{item}/insertTextModeSupport")),
            kinds: Kinds::from_value_set(
                self.value_at("/textDocument/completion/completionItemKind/valueSet"),
            ),
            list_defaults: defaults.map(str::to_owned).collect(),
            resolves: always.chain(self.words_at(&resolves)).map(str::to_owned).collect(),
        }
    }

    fn symbols(&self, of: &str) -> Symbols {
        Symbols {
            kinds: Kinds::from_value_set(self.value_at(&format!("{of}/symbolKind/valueSet"))),
            tags: Tags::from_tag_support(self.value_at(&format!("{of}/tagSupport"))),
        }
    }

    fn signature_abilities(&self) -> Signatures {
        let of = "/textDocument/signatureHelp/signatureInformation";
        Signatures {
            markdown: self.lists_word(&format!("{of}/documentationFormat"), "markdown"),
            label_offsets: self.is_true(&format!("{of}/parameterInformation/labelOffsetSupport")),
            active_parameter: self.is_true(&format!("{of}/activeParameterSupport")),
        }
    }

    fn edit_abilities(&self) -> EditAbilities {
        let can = |what| self.lists_word("/workspace/workspaceEdit/resourceOperations", what);
        EditAbilities {
            document_changes: self.is_true("/workspace/workspaceEdit/documentChanges"),
            create: can("create"),
            rename: can("rename"),
            delete: can("delete"),
        }
    }

    fn code_actions(&self) -> CodeActions {
        let of = "/textDocument/codeAction";
        let resolves = self.lists_word(&format!("{of}/resolveSupport/properties"), "edit");
        let data = self.is_true(&format!("{of}/dataSupport"));
        CodeActions {
            literals: self.has_object(&format!("{of}/codeActionLiteralSupport")),
            resolves_edit: resolves && data,
            disabled: self.is_true(&format!("{of}/disabledSupport")),
            preferred: self.is_true(&format!("{of}/isPreferredSupport")),
            data,
        }
    }

    /// Reads the abilities for diagnostics: pushed and pulled ones have the same parts, and editors declare the parts
    /// for either.
    fn diagnostics(&self) -> Diagnostics {
        let of = ["/textDocument/publishDiagnostics", "/textDocument/diagnostic"];
        let yes = |field: &str| of.iter().any(|of| self.is_true(&format!("{of}/{field}")));
        let tags = of.map(|of| self.value_at(&format!("{of}/tagSupport")));
        Diagnostics {
            related_information: yes("relatedInformation"),
            versions: yes("versionSupport"),
            tags: Tags::from_tag_support(
                tags.into_iter().find(|said| !said.is_null()).unwrap_or(&Value::Null),
            ),
            code_descriptions: yes("codeDescriptionSupport"),
            data: yes("dataSupport"),
            pulls: self.has_object(of[1]),
            related_documents: yes("relatedDocumentSupport"),
        }
    }

    fn known_refreshes(&self) -> BTreeSet<String> {
        let understood = |field: &str| self.is_true(&format!("/workspace/{field}/refreshSupport"));
        REFRESHES
            .iter()
            .filter(|(field, _)| understood(field))
            .map(|(_, method)| (*method).to_owned())
            .collect()
    }

    fn dynamic_fields(&self) -> BTreeSet<String> {
        let mut dynamic = BTreeSet::new();
        for area in ["textDocument", "workspace"] {
            let fields = self.0.get(area).and_then(Value::as_object).into_iter().flatten();
            let said_so =
                fields.filter(|(_, can)| can.get("dynamicRegistration") == Some(&Value::Bool(true)));
            dynamic.extend(said_so.map(|(field, _)| format!("{area}.{field}")));
        }
        if self.is_true("/workspace/workspaceFolders") {
            dynamic.insert("workspace.workspaceFolders".to_owned());
        }
        dynamic
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use hob_live::offer::client_capabilities;

    #[test]
    fn whoever_says_nothing_understands_the_least() {
        for nothing in
            [Value::Null, json!({}), json!([1]), json!({"textDocument": 7, "workspace": {"symbol": []}})]
        {
            let abilities = Abilities::from_capabilities(&nothing);
            assert_eq!(abilities.completion.resolves.iter().collect::<Vec<_>>(), ["detail", "documentation"]);
            let without = Abilities { completion: Completion::default(), ..abilities };
            assert_eq!(without, Abilities::default());
        }
    }

    #[test]
    fn hob_itself_understands_all_that_it_offers() {
        let hob = Abilities::from_capabilities(&client_capabilities());
        assert!(hob.links.definition && hob.links.implementation && hob.symbol_trees && hob.resolves_symbols);
        assert!(hob.edits.document_changes && hob.edits.create && hob.edits.rename && hob.edits.delete);
        assert!(hob.code_actions.literals && hob.code_actions.resolves_edit && hob.code_actions.disabled);
        assert!(hob.completion.snippets && hob.completion.resolves.contains("additionalTextEdits"));
        assert!(
            hob.signatures.label_offsets && hob.diagnostics.pulls && hob.semantic_tokens && hob.apply_edit
        );
        assert_eq!(hob.encodings, [Encoding::Utf16]);
    }

    #[test]
    fn requests_of_servers_go_to_editors_that_carry_them_out() {
        let hob = Abilities::from_capabilities(&client_capabilities());
        let plain = Abilities::from_capabilities(&json!({}));
        for method in [
            "workspace/applyEdit",
            "workspace/codeLens/refresh",
            "workspace/diagnostic/refresh",
            "window/showDocument",
            "client/registerCapability",
        ] {
            assert!(hob.carries_out(method), "{method}");
            assert!(!plain.carries_out(method), "{method}");
        }
        assert!(!hob.carries_out("workspace/inlineValue/refresh"));
        assert!(plain.carries_out("window/showMessageRequest") && plain.carries_out("vendor/ask"));
    }

    #[test]
    fn a_method_is_registered_where_its_field_says_so() {
        let hob = Abilities::from_capabilities(&client_capabilities());
        for method in ["workspace/willRenameFiles", "workspace/didChangeWatchedFiles", "textDocument/didSave"]
        {
            assert!(hob.can_register(method), "{method}");
        }
        for method in ["textDocument/diagnostic", "textDocument/prepareTypeHierarchy", "vendor/ask", ""] {
            assert!(!hob.can_register(method), "{method}");
        }
        assert!(hob.can_register("textDocument/prepareCallHierarchy"));
    }
}
