//! Converts links into locations: the target alone, without the range of the question.

use serde_json::{Value, json};

/// Converts `LocationLink`s to `Location`s; a `Location` stays as it is.
pub(crate) fn without_links(mut result: Value) -> Value {
    match &mut result {
        Value::Array(places) => places.iter_mut().for_each(without_link),
        one => without_link(one),
    }
    result
}

/// Converts a link to the location of the target's name, not of the whole target, because editors put the cursor there.
fn without_link(place: &mut Value) {
    let Some(link) = place.as_object_mut() else { return };
    let Some(uri) = link.remove("targetUri") else { return };
    let range = link.remove("targetSelectionRange").or_else(|| link.remove("targetRange"));
    *place = json!({"uri": uri, "range": range});
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_become_places_and_places_stay() {
        let place = json!({"uri": "file:///b", "range": [3]});
        let link = json!({
            "originSelectionRange": [1], "targetUri": "file:///a", "targetRange": [0], "targetSelectionRange": [2],
        });
        let plain = json!({"uri": "file:///a", "range": [2]});
        assert_eq!(without_links(json!([link, place])), json!([plain, place]));
        assert_eq!(without_links(link), plain);
        assert_eq!(without_links(place.clone()), place);
        assert_eq!(without_links(json!([null, 7])), json!([null, 7]));
    }
}
