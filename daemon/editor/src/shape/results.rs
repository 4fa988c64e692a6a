//! Reduces servers' answers to the form that an editor understands.
//!
//! Most editors understand nearly everything, and most answers pass with their bytes unchanged: [`needs_shaping`]
//! decides without the answer whether it has to be parsed at all.

use serde_json::Value;

use super::abilities::{Abilities, EditAbilities};
pub(crate) use super::edits::Refused;
use super::{code_actions, completion, diagnostics, edits, folds, locations, markdown, signatures, symbols};

/// The context that an answer does not contain: its document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    /// The URI of the document of the question; empty if it has none.
    pub(crate) uri: &'a str,
    /// The document's text as the server has it, if it is known. Only foldings need it.
    pub(crate) text: Option<&'a str>,
}

/// A change that an answer needs before an editor understands it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shaping {
    Links,
    Symbols,
    WorkspaceSymbols,
    DocumentLinks,
    Completions,
    Completion,
    Hover,
    Signatures,
    Edit,
    WithEdit,
    CodeActions,
    CodeAction,
    Folds,
    Diagnostics,
}

/// Returns true if answers to a method (or the parameters of a server's own message) have to be parsed for this editor
/// at all.
pub(crate) fn needs_shaping(method: &str, abilities: &Abilities) -> bool {
    shaping_of(method, abilities).is_some()
}

/// Shapes a server's answer to `method`, or the parameters of its own message (`workspace/applyEdit`,
/// `textDocument/publishDiagnostics`), for the editor. Values of an unexpected shape pass unchanged. Columns are still
/// the server's: they are translated afterwards ([`super::translate`]).
///
/// # Errors
/// [`Refused`] if the answer is an edit that the editor cannot carry out.
pub(crate) fn for_editor(
    method: &str,
    result: Value,
    abilities: &Abilities,
    context: &Context<'_>,
) -> Result<Value, Refused> {
    let Some(shaping) = shaping_of(method, abilities) else { return Ok(result) };
    Ok(match shaping {
        Shaping::Links => locations::without_links(result),
        Shaping::Symbols => symbols::of_document(result, abilities, context.uri),
        Shaping::WorkspaceSymbols => symbols::of_workspace(result, abilities),
        Shaping::DocumentLinks => without_tooltips(result),
        Shaping::Completions => completion::list(result, &abilities.completion),
        Shaping::Completion => completion::one(result, &abilities.completion),
        Shaping::Hover => hover(result),
        Shaping::Signatures => signatures::help(result, abilities.signatures),
        Shaping::Edit => edits::workspace_edit(result, abilities.edits)?,
        Shaping::WithEdit => edits::with_edit(result, abilities.edits)?,
        Shaping::CodeAction => {
            edits::with_edit(code_actions::make_action_plainer(result, abilities), abilities.edits)?
        }
        Shaping::CodeActions => code_actions::list(result, abilities),
        Shaping::Folds => folds::whole_lines(result, context.text),
        Shaping::Diagnostics => diagnostics::report(result, &abilities.diagnostics),
    })
}

/// Returns the change that answers to a method need for this editor; `None` if they pass as they are.
fn shaping_of(method: &str, abilities: &Abilities) -> Option<Shaping> {
    let (links, can) = (&abilities.links, abilities);
    let (understands, otherwise) = match method {
        "textDocument/declaration" => (links.declaration, Shaping::Links),
        "textDocument/definition" => (links.definition, Shaping::Links),
        "textDocument/typeDefinition" => (links.type_definition, Shaping::Links),
        "textDocument/implementation" => (links.implementation, Shaping::Links),
        "textDocument/documentSymbol" => (!symbols::document_needs(can), Shaping::Symbols),
        "workspace/symbol" => (!symbols::workspace_needs(can), Shaping::WorkspaceSymbols),
        "textDocument/documentLink" | "documentLink/resolve" => (can.link_tooltips, Shaping::DocumentLinks),
        "textDocument/completion" => (!completion::need_shaping(&can.completion), Shaping::Completions),
        "completionItem/resolve" => (!completion::need_shaping(&can.completion), Shaping::Completion),
        "textDocument/hover" => (can.hover_markdown, Shaping::Hover),
        "textDocument/signatureHelp" => (knows_signatures(can), Shaping::Signatures),
        "textDocument/rename"
        | "workspace/willCreateFiles"
        | "workspace/willRenameFiles"
        | "workspace/willDeleteFiles" => (knows_edits(can.edits), Shaping::Edit),
        "workspace/applyEdit" => (knows_edits(can.edits), Shaping::WithEdit),
        "codeAction/resolve" => {
            (knows_edits(can.edits) && !code_actions::need_shaping(can), Shaping::CodeAction)
        }
        "textDocument/codeAction" => {
            (knows_edits(can.edits) && !code_actions::need_shaping(can), Shaping::CodeActions)
        }
        "textDocument/foldingRange" => (!can.folds_lines_only, Shaping::Folds),
        "textDocument/publishDiagnostics" | "textDocument/diagnostic" | "workspace/diagnostic" => {
            (!diagnostics::need_shaping(&can.diagnostics), Shaping::Diagnostics)
        }
        _ => return None,
    };
    (!understands).then_some(otherwise)
}

fn knows_signatures(abilities: &Abilities) -> bool {
    let can = abilities.signatures;
    can.markdown && can.label_offsets && can.active_parameter
}

fn knows_edits(edits: EditAbilities) -> bool {
    edits.document_changes && edits.create && edits.rename && edits.delete
}

fn hover(mut result: Value) -> Value {
    if let Some(contents) = result.get_mut("contents") {
        markdown::make_plain(contents);
    }
    result
}

/// Removes tooltips from a link, or from a list of links.
fn without_tooltips(mut result: Value) -> Value {
    let links: &mut [Value] = match &mut result {
        Value::Array(links) => links,
        one => std::slice::from_mut(one),
    };
    for link in links.iter_mut().filter_map(Value::as_object_mut) {
        link.remove("tooltip");
    }
    result
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use hob_live::offer::client_capabilities;

    const METHODS: &[&str] = &[
        "textDocument/declaration",
        "textDocument/definition",
        "textDocument/typeDefinition",
        "textDocument/implementation",
        "textDocument/documentSymbol",
        "workspace/symbol",
        "textDocument/completion",
        "completionItem/resolve",
        "textDocument/hover",
        "textDocument/signatureHelp",
        "textDocument/rename",
        "workspace/willRenameFiles",
        "workspace/applyEdit",
        "codeAction/resolve",
        "textDocument/codeAction",
        "textDocument/publishDiagnostics",
    ];

    fn shape_for(method: &str, result: Value, capabilities: &Value) -> Result<Value, Refused> {
        let context = Context { uri: "file:///a", text: None };
        for_editor(method, result, &Abilities::from_capabilities(capabilities), &context)
    }

    #[test]
    fn what_is_offered_needs_no_shaping_for_an_editor_that_can_as_much() {
        let abilities = Abilities::from_capabilities(&hob_live::offer::client_capabilities());
        for method in [
            "textDocument/definition",
            "textDocument/completion",
            "textDocument/codeAction",
            "textDocument/hover",
        ] {
            assert!(!needs_shaping(method, &abilities), "{method}");
        }
    }

    #[test]
    fn answers_are_read_only_for_editors_that_do_not_understand_them() {
        let mut all = client_capabilities();
        // Editors may support abilities that servers are not told of.
        all["textDocument"]["declaration"] = json!({"linkSupport": true});
        all["textDocument"]["publishDiagnostics"]["tagSupport"] = json!({"valueSet": [1, 2]});
        for pointer in ["/textDocument/documentSymbol", "/workspace/symbol"] {
            let symbols = all.pointer_mut(pointer).expect("it is offered");
            symbols["tagSupport"] = json!({"valueSet": [1]});
        }
        all["textDocument"]["diagnostic"]["relatedDocumentSupport"] = true.into();
        let (able, plain) = (Abilities::from_capabilities(&all), Abilities::from_capabilities(&Value::Null));
        for method in METHODS {
            assert!(!needs_shaping(method, &able), "{method}");
            assert!(needs_shaping(method, &plain), "{method}");
        }
        for method in ["textDocument/references", "vendor/ask"] {
            assert!(!needs_shaping(method, &plain), "{method}");
        }
    }

    #[test]
    fn nothing_of_an_unexpected_shape_is_lost() {
        for method in METHODS {
            for odd in [json!(null), json!(7), json!([]), json!({}), json!("text"), json!([null, 7, []])] {
                let expected = match *method {
                    // The list has no action.
                    "textDocument/codeAction" if odd.as_array().is_some_and(|list| !list.is_empty()) => {
                        json!([])
                    }
                    _ => odd.clone(),
                };
                assert_eq!(shape_for(method, odd, &Value::Null), Ok(expected), "{method}");
            }
        }
    }

    #[test]
    fn each_method_has_an_ability_of_its_own() {
        let only_definition = json!({"textDocument": {"definition": {"linkSupport": true}}});
        let link = json!([{"targetUri": "file:///b", "targetSelectionRange": [1]}]);
        assert_eq!(shape_for("textDocument/definition", link.clone(), &only_definition), Ok(link.clone()));
        let place = json!([{"uri": "file:///b", "range": [1]}]);
        assert_eq!(shape_for("textDocument/implementation", link, &only_definition), Ok(place));
    }

    #[test]
    fn a_link_tells_more_only_to_who_shows_it() {
        let given = json!([{"range": [0], "target": "file:///b", "tooltip": "t"}]);
        let expected = json!([{"range": [0], "target": "file:///b"}]);
        assert_eq!(shape_for("textDocument/documentLink", given.clone(), &Value::Null), Ok(expected));
        let able = json!({"textDocument": {"documentLink": {"tooltipSupport": true}}});
        assert_eq!(shape_for("textDocument/documentLink", given.clone(), &able), Ok(given));
    }

    #[test]
    fn a_hover_is_plain_where_markdown_is_not_understood() {
        let given = json!({"contents": {"kind": "markdown", "value": "`f`"}});
        let expected = json!({"contents": {"kind": "plaintext", "value": "f"}});
        assert_eq!(shape_for("textDocument/hover", given.clone(), &Value::Null), Ok(expected));
        let able = json!({"textDocument": {"hover": {"contentFormat": ["plaintext", "markdown"]}}});
        assert_eq!(shape_for("textDocument/hover", given.clone(), &able), Ok(given));
    }
}
