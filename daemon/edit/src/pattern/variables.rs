//! Checks that a rewrite uses only variables that its pattern has.
//!
//! ast-grep's command line inserts nothing where a rewrite names a variable that the pattern has not captured, which
//! deletes code silently. Here that is an error.

use std::collections::BTreeSet;
use std::fmt;

use ast_grep_core::matcher::PatternNode;
use ast_grep_core::meta_var::MetaVariable;

/// A variable by its name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Variable {
    name: String,
    /// `$$$NAME`, which holds a list.
    is_list: bool,
}

impl fmt::Display for Variable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}", if self.is_list { "$$$" } else { "$" }, self.name)
    }
}

/// Returns the variables that a match of the pattern has.
pub(super) fn of_pattern(pattern: &PatternNode) -> BTreeSet<Variable> {
    let mut found = BTreeSet::new();
    collect_variables(pattern, &mut found);
    found
}

fn collect_variables(node: &PatternNode, found: &mut BTreeSet<Variable>) {
    match node {
        PatternNode::MetaVar { meta_var: MetaVariable::Capture(name, _) } => {
            found.insert(Variable { name: name.clone(), is_list: false });
        }
        PatternNode::MetaVar { meta_var: MetaVariable::MultiCapture(name) } => {
            found.insert(Variable { name: name.clone(), is_list: true });
        }
        PatternNode::Internal { children, .. } => {
            children.iter().for_each(|child| collect_variables(child, found));
        }
        PatternNode::MetaVar { .. } | PatternNode::Terminal { .. } => {}
    }
}

/// Returns the variables that a rewrite names, by ast-grep's rules.
pub(super) fn of_rewrite(rewrite: &str) -> BTreeSet<Variable> {
    let mut found = BTreeSet::new();
    let mut rest = rewrite;
    while let Some(at) = rest.find('$') {
        rest = &rest[at..];
        let dollars = rest.bytes().take(3).take_while(|byte| *byte == b'$').count();
        let name = &rest[dollars..];
        let end = name.find(|c| !is_name(c)).unwrap_or(name.len());
        if end == 0 || name.starts_with(|c: char| c.is_ascii_digit()) {
            rest = &rest[1..];
            continue;
        }
        found.insert(Variable { name: name[..end].to_owned(), is_list: dollars == 3 });
        rest = &name[end..];
    }
    found
}

fn is_name(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'
}

/// Checks the variables of a rewrite; the error names the fault in words.
pub(super) fn check_variables(known: &BTreeSet<Variable>, used: &BTreeSet<Variable>) -> Result<(), String> {
    let Some(unknown) = used.iter().find(|variable| !known.contains(variable)) else { return Ok(()) };
    let other = Variable { name: unknown.name.clone(), is_list: !unknown.is_list };
    if known.contains(&other) {
        return Err(format!("the rewrite says `{unknown}` of what the pattern calls `{other}`"));
    }
    let known: Vec<String> = known.iter().map(|variable| format!("`{variable}`")).collect();
    let has = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    Err(format!("the rewrite names `{unknown}`, which the pattern does not capture; it captures {has}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable_names(rewrite: &str) -> Vec<String> {
        of_rewrite(rewrite).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_rewrite_is_read_as_ast_grep_reads_it() {
        assert_eq!(variable_names("f($A, $$$B) + $$C"), ["$A", "$$$B", "$C"]);
        assert_eq!(variable_names("costs $5, $a, $, $$$"), Vec::<String>::new());
        assert_eq!(variable_names("$$$$A$B1é$Cc"), ["$$$A", "$B1", "$C"]);
    }
}
