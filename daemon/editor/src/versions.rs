//! Translates versions of documents in edits: a server numbers its own text, and an editor refuses an edit with another
//! number than its own.

use hob_live::documents::EditorId;
use hob_live::instance::Instance;
use hob_live::overlay::ProjectOverlay;
use serde_json::Value;

/// The methods whose answers (or parameters) may contain edits of several documents.
const WITH_EDITS: &[&str] = &[
    "codeAction/resolve",
    "textDocument/codeAction",
    "textDocument/rename",
    "workspace/applyEdit",
    "workspace/willCreateFiles",
    "workspace/willDeleteFiles",
    "workspace/willRenameFiles",
];

/// Returns true if messages of a method may have versions of documents in them.
pub(super) fn may_have(method: &str) -> bool {
    WITH_EDITS.contains(&method)
}

/// Replaces the server's versions by the editor's wherever a document is edited; by `null`, which means "any version",
/// where the text is not the editor's.
pub(super) fn to_editor_versions(
    said: &mut Value,
    view: &ProjectOverlay,
    instance: &Instance,
    editor: EditorId,
) {
    walk(said, &|uri, version| {
        let doc = view.document_of_uri(uri);
        view.has_open(editor, &doc).then(|| instance.editors_version(&doc, version, editor)).flatten()
    });
}

fn walk(said: &mut Value, number: &dyn Fn(&str, i32) -> Option<i32>) {
    match said {
        Value::Array(all) => all.iter_mut().for_each(|one| walk(one, number)),
        Value::Object(fields) => {
            if fields.contains_key("edits")
                && let Some(document) = fields.get_mut("textDocument")
                && let Some(version) = document["version"].as_i64()
            {
                let version = i32::try_from(version).ok();
                let uri = document["uri"].as_str().unwrap_or_default().to_owned();
                document["version"] = version.and_then(|version| number(&uri, version)).into();
            }
            // A server must get these values back unchanged.
            let opaque = ["data", "arguments"];
            let fields = fields.iter_mut().filter(|(name, _)| !opaque.contains(&name.as_str()));
            fields.for_each(|(_, value)| walk(value, number));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn edits_have_the_editors_numbers_and_nothing_else_changes() {
        let edit = |version: Value| json!({"textDocument": {"uri": "a", "version": version}, "edits": []});
        let other = json!({"textDocument": {"uri": "b", "version": 9}, "edits": []});
        let mut said = json!([{"edit": {"documentChanges": [edit(json!(4)), other, {"kind": "create", "uri": "c"}]},
            "data": edit(json!(4))}]);
        walk(&mut said, &|uri, version| (uri == "a").then_some(version + 1));
        let changes = &said[0]["edit"]["documentChanges"];
        assert_eq!(changes[0], edit(json!(5)));
        assert_eq!(changes[1]["textDocument"]["version"], Value::Null);
        assert_eq!(said[0]["data"], edit(json!(4)));
    }
}
