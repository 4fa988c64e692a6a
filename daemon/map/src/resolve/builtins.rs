//! Lists names that the language itself defines, unless the file binds them otherwise.
//!
//! A project that happens to define one method called `append` is not what every `x.append()` means. For these names a
//! unique definition proves nothing, so the `name` rung excludes them. The lists are not complete: they have only names
//! that are common enough to be resolved wrongly.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::langs::lang::Lang;
use crate::langs::semantics::BuiltinWords;

/// The lists, indexed by language.
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

/// Returns true if the language itself binds a bare name in every file.
pub(super) fn is_global(lang: Lang, name: &str) -> bool {
    WORDS[lang as usize].globals.contains(name)
}

/// Returns true if values of the language's own types have a member of this name.
pub(super) fn is_common_member(lang: Lang, name: &str) -> bool {
    let words = &WORDS[lang as usize];
    words.members.contains(name) || words.member_prefix.is_some_and(|prefix| name.starts_with(prefix))
}
