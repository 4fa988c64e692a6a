//! Decides which of several locked versions a requirement means.
//!
//! It is no solver: a package manager has solved the lock file, which mostly has one version of a name. Where it has
//! several, the leading numbers decide, because the ranges of Cargo and npm compare those first.

use std::cmp::Ordering;

/// Compares versions by their numbers, then as text; a release comes after its own pre-releases.
pub(crate) fn compare_versions(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.trim_start_matches('v'), b.trim_start_matches('v'));
    let ((a_release, a_rest), (b_release, b_rest)) = (split(a), split(b));
    numbers_of_release(a_release)
        .cmp(numbers_of_release(b_release))
        .then_with(|| a_rest.is_empty().cmp(&b_rest.is_empty()))
        .then_with(|| a_rest.cmp(b_rest))
}

/// Returns true if `version` may be what `requirement` means. Every version meets a requirement without leading
/// numbers.
pub(super) fn meets_requirement(requirement: &str, version: &str) -> bool {
    let text = requirement.trim();
    let open = text.contains(['<', '>', '*', '|', '!', ' ']) || text.contains(" - ");
    let wanted: Vec<u64> =
        numbers_of_release(split(text.trim_start_matches(['^', '~', '=', 'v'])).0).collect();
    if open || wanted.is_empty() {
        return true;
    }
    let mut have = numbers_of_release(split(version.trim_start_matches('v')).0);
    // Compares up to the first number that is not zero; all numbers when nothing else would do.
    let exact = text.starts_with('=');
    let leading = wanted.iter().position(|n| *n > 0).map_or(wanted.len(), |at| at + 1);
    let count = if exact { wanted.len() } else { leading };
    wanted.iter().take(count).all(|n| have.next() == Some(*n))
}

/// Splits a version into the release's numbers and the rest.
fn split(version: &str) -> (&str, &str) {
    let end = version.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(version.len());
    version.split_at(end)
}

fn numbers_of_release(release: &str) -> impl Iterator<Item = u64> {
    release.split('.').filter_map(|part| part.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_numbers() {
        assert_eq!(compare_versions("1.10.0", "1.9.9"), Ordering::Greater);
        assert_eq!(compare_versions("1.0.0", "1.0.0-rc.1"), Ordering::Greater);
        assert_eq!(compare_versions("v2.0.0", "2.0.0"), Ordering::Equal);
    }

    #[test]
    fn leading_numbers_decide() {
        for (requirement, version) in [
            ("^1.2", "1.9.0"),
            ("1", "1.0.4"),
            ("0.4.1", "0.4.9"),
            ("~1.2", "1.2.9"),
            (">=1, <3", "2.0.0"),
            ("*", "7.1"),
        ] {
            assert!(meets_requirement(requirement, version), "{requirement} {version}");
        }
        for (requirement, version) in [("^1.2", "2.0.0"), ("0.4", "0.5.0"), ("=1.2.3", "1.2.4")] {
            assert!(!meets_requirement(requirement, version), "{requirement} {version}");
        }
    }
}
