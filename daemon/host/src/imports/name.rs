//! Names an imported index after its indexer and its folder, in characters that every file system takes.

use hob_base::{ContentHash, WsPath};

/// Most characters of an index's name, well below what file systems take.
const LONGEST_NAME: usize = 120;

/// Returns the name of an index: its indexer, and its folder unless that is the root. As the name becomes a file's
/// name, characters that not every file system takes are written as numbers.
pub(super) fn name_of(tool: &str, folder: &WsPath) -> String {
    let tool = if tool.is_empty() { "unnamed" } else { tool };
    let whole = if folder.is_root() { tool.to_owned() } else { format!("{tool}@{folder}") };
    let mut name = String::new();
    for c in whole.chars() {
        match c {
            '/' => name.push('+'),
            '@' | '-' | '_' => name.push(c),
            '.' if !name.is_empty() => name.push(c),
            c if c.is_ascii_alphanumeric() => name.push(c),
            c => name.push_str(&format!("={:x}=", c as u32)),
        }
    }
    if name.len() > LONGEST_NAME {
        let hash = ContentHash::of(name.as_bytes()).to_string();
        name.truncate(LONGEST_NAME - 17);
        name = format!("{name}-{}", &hash[..16]);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_named_after_its_indexer_and_folder() {
        let folder = |text| WsPath::new(text).expect("relative");
        assert_eq!(name_of("scip-typescript", &WsPath::root()), "scip-typescript");
        assert_eq!(name_of("scip-typescript", &folder("packages/a.b")), "scip-typescript@packages+a.b");
        assert_eq!(name_of("../x y", &WsPath::root()), "=2e=.+x=20=y");
        assert_eq!(name_of("", &WsPath::root()), "unnamed");
        let (long, other) = (format!("{}1", "x".repeat(500)), format!("{}2", "x".repeat(500)));
        assert_ne!(name_of(&long, &WsPath::root()), name_of(&other, &WsPath::root()));
        assert_eq!(name_of(&long, &WsPath::root()).len(), LONGEST_NAME);
    }
}
