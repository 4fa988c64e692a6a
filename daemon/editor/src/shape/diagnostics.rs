//! Reduces diagnostics, pushed or pulled, to the parts that an editor understands.

use serde_json::{Map, Value};

use super::abilities::Diagnostics;

/// Returns true if diagnostics may have to be changed for this editor.
pub(crate) fn need_shaping(can: &Diagnostics) -> bool {
    !(knows_parts(can) && can.tags.has_all(2) && can.versions && can.related_documents)
}

/// Returns true if the editor understands every part that a diagnostic of a server may have.
pub(crate) fn knows_parts(can: &Diagnostics) -> bool {
    can.related_information && can.code_descriptions && can.data
}

/// Shapes the diagnostics of a server for an editor: a list with its document (`diagnostics`), a report on one
/// document (`items`), or reports on several.
pub(crate) fn report(mut result: Value, can: &Diagnostics) -> Value {
    if let Some(fields) = result.as_object_mut() {
        shape_report(fields, can);
    }
    result
}

fn shape_report(report: &mut Map<String, Value>, can: &Diagnostics) {
    if report.contains_key("diagnostics") && !can.versions {
        report.remove("version");
    }
    if !can.related_documents {
        report.remove("relatedDocuments");
    }
    for field in ["diagnostics", "items"] {
        for entry in report.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten() {
            match entry.as_object_mut() {
                // A report on one document within a report on the workspace; it keeps its version, whatever the
                // editor's abilities.
                Some(inner) if inner.contains_key("items") => shape_report(inner, can),
                Some(diagnostic) => one(diagnostic, can),
                None => {}
            }
        }
    }
    let related = report.get_mut("relatedDocuments").and_then(Value::as_object_mut);
    for inner in related.into_iter().flat_map(|related| related.values_mut()) {
        if let Some(inner) = inner.as_object_mut() {
            shape_report(inner, can);
        }
    }
}

/// Shapes a list of diagnostics, such as those that an action fixes.
pub(crate) fn list(list: &mut Value, can: &Diagnostics) {
    let all = list.as_array_mut().into_iter().flatten();
    all.filter_map(Value::as_object_mut).for_each(|diagnostic| one(diagnostic, can));
}

fn one(diagnostic: &mut Map<String, Value>, can: &Diagnostics) {
    let parts = [
        ("relatedInformation", can.related_information),
        ("codeDescription", can.code_descriptions),
        ("data", can.data),
    ];
    for (field, _) in parts.iter().filter(|(_, understood)| !understood) {
        diagnostic.remove(*field);
    }
    can.tags.filter(diagnostic);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::abilities::Abilities;
    use super::*;

    fn abilities_of(said: Value) -> Diagnostics {
        Abilities::from_capabilities(&json!({"textDocument": {"publishDiagnostics": said}})).diagnostics
    }

    fn full_diagnostic() -> Value {
        json!({"message": "m", "tags": [1, 2], "data": {"fix": 1}, "codeDescription": {"href": "h"},
               "relatedInformation": [{"message": "r"}]})
    }

    #[test]
    fn each_part_is_said_by_itself() {
        let told = json!({"uri": "file:///a", "version": 3, "diagnostics": [full_diagnostic()]});
        let plain = json!({"uri": "file:///a", "diagnostics": [{"message": "m"}]});
        assert_eq!(report(told.clone(), &abilities_of(json!({}))), plain);
        for (said, field, value) in [
            (json!({"dataSupport": true}), "data", json!({"fix": 1})),
            (json!({"codeDescriptionSupport": true}), "codeDescription", json!({"href": "h"})),
            (json!({"relatedInformation": true}), "relatedInformation", json!([{"message": "r"}])),
            (json!({"tagSupport": {"valueSet": [1]}}), "tags", json!([1])),
        ] {
            let mut expected = plain.clone();
            expected["diagnostics"][0][field] = value;
            assert_eq!(report(told.clone(), &abilities_of(said)), expected, "{field}");
        }
        let mut expected = plain;
        expected["version"] = 3.into();
        assert_eq!(report(told, &abilities_of(json!({"versionSupport": true}))), expected);
    }

    #[test]
    fn reports_on_several_documents_are_shaped_too() {
        let inner = json!({"kind": "full", "uri": "file:///b", "version": 1, "items": [full_diagnostic()]});
        let plain = json!({"kind": "full", "uri": "file:///b", "version": 1, "items": [{"message": "m"}]});
        assert_eq!(report(json!({"items": [inner]}), &abilities_of(json!({}))), json!({"items": [plain]}));
        let asked =
            json!({"kind": "full", "items": [full_diagnostic()], "relatedDocuments": {"file:///b": inner}});
        let mut able = abilities_of(json!({}));
        assert_eq!(
            report(asked.clone(), &able),
            json!({"kind": "full", "items": [{"message": "m"}]}),
            "nobody asked for others"
        );
        able.related_documents = true;
        assert_eq!(report(asked, &able)["relatedDocuments"]["file:///b"], plain);
    }
}
