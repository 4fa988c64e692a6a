//! Cuts lists to their largest prefix that fits.

use serde_json::Value;

use super::estimate::chars_of;

/// Returns every list at `path` (dotted, `[]` into each element) in `value`.
pub(super) fn lists_at<'v>(value: &'v mut Value, path: &str) -> Vec<&'v mut Vec<Value>> {
    let (step, rest) = match path.split_once('.') {
        Some((step, rest)) => (step, Some(rest)),
        None => (path, None),
    };
    let (name, each) = match step.strip_suffix("[]") {
        Some(name) => (name, true),
        None => (step, false),
    };
    let Some(child) = value.get_mut(name) else { return Vec::new() };
    match (each, rest, child) {
        (false, None, Value::Array(items)) => vec![items],
        (false, Some(rest), child) => lists_at(child, rest),
        (true, Some(rest), Value::Array(items)) => {
            items.iter_mut().flat_map(|item| lists_at(item, rest)).collect()
        }
        _ => Vec::new(),
    }
}

/// Truncates all `lists` to the same length, the largest that saves at least `excess` characters but keeps `keep` items
/// of each. Returns the number of items removed.
pub(super) fn cut_lists(mut lists: Vec<&mut Vec<Value>>, excess: usize, keep: usize) -> usize {
    let costs: Vec<Vec<usize>> =
        lists.iter().map(|list| list.iter().map(|item| chars_of(item) + 1).collect()).collect();
    let longest = costs.iter().map(Vec::len).max().unwrap_or(0);
    let saved = |cap: usize| costs.iter().map(|list| list.iter().skip(cap).sum::<usize>()).sum::<usize>();
    // The largest cap in keep..=longest that saves enough; savings fall as the cap grows.
    let (mut low, mut high) = (keep.min(longest), longest);
    while low < high {
        let mid = (low + high).div_ceil(2);
        if saved(mid) >= excess { low = mid } else { high = mid - 1 }
    }
    let mut gone = 0;
    for list in &mut lists {
        gone += list.len().saturating_sub(low);
        list.truncate(low);
    }
    gone
}

/// Returns the longest list anywhere in `value`, by cost.
pub(super) fn costliest_list(value: &mut Value) -> Option<(usize, &mut Vec<Value>)> {
    match value {
        Value::Array(items) => {
            let own = chars_of(&*items);
            Some((own, items))
        }
        Value::Object(fields) => fields.values_mut().filter_map(costliest_list).max_by_key(|(cost, _)| *cost),
        _ => None,
    }
    .filter(|(_, list)| !list.is_empty())
}
