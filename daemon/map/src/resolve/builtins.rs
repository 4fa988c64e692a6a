//! Names that mean something of the language itself unless the file says otherwise.
//!
//! A project that happens to define one method called `append` is not what every `x.append()` means. For these names a
//! unique definition proves nothing, so the `name` rung leaves them out. Not a full list of each library: only the names
//! that are common enough to be pinned wrongly.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::langs::lang::Lang;
use crate::langs::semantics::BuiltinWords;

/// The lists, by the number of their language.
static WORDS: LazyLock<Vec<WordSets>> =
    LazyLock::new(|| Lang::ALL.into_iter().map(WordSets::for_lang).collect());

#[derive(Debug)]
struct WordSets {
    globals: FxHashSet<&'static str>,
    members: FxHashSet<&'static str>,
    member_prefix: Option<&'static str>,
}

impl WordSets {
    fn for_lang(lang: Lang) -> Self {
        let BuiltinWords { globals, members, member_prefix } = lang.semantics().builtins;
        Self {
            globals: globals.split_whitespace().collect(),
            members: members.split_whitespace().collect(),
            member_prefix,
        }
    }
}

/// Returns true if the language binds a bare name everywhere.
pub(super) fn is_global(lang: Lang, name: &str) -> bool {
    WORDS[lang as usize].globals.contains(name)
}

/// Returns true if values of the language's own types have a member of this name.
pub(super) fn is_common_member(lang: Lang, name: &str) -> bool {
    let words = &WORDS[lang as usize];
    words.members.contains(name) || words.member_prefix.is_some_and(|prefix| name.starts_with(prefix))
}
