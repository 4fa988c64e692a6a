//! Bounds patterns and files, so that matching ends and the stack does not overflow.
//!
//! A match recurses as deep as the pattern, and as deep as the code wherever one variable stands twice, because then
//! two pieces of code are compared. The matcher tries the part of a list behind a `$$$` before it accepts it, once more
//! at every level of the pattern; and with several `$$$` it copies the captures at every step. No match can be
//! interrupted, so hob bounds it before it begins. All bounds are far above the code that people write.

use std::collections::HashMap;

use ast_grep_core::matcher::PatternNode;
use ast_grep_core::meta_var::MetaVariable;
use tree_sitter::Tree;

/// Most bytes of a pattern, and of a rewrite.
pub(super) const TEXT: usize = 32 * 1024;
/// Most levels of a pattern's tree.
const PATTERN_DEPTH: usize = 200;
/// Most levels of a pattern at which something follows a `$$$`; each doubles the work.
const PROBES: usize = 8;
/// Most levels of a file's tree, where pieces of code are compared.
const FILE_DEPTH: usize = 1_000;
/// Most items of a list in a file, where several `$$$` may share it out.
const FILE_WIDTH: usize = 10_000;
/// Most bytes of all replacements in a file.
pub(super) const RESULT: usize = 32 * 1024 * 1024;

/// The demands of a pattern on the files that it is matched against.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Demands {
    /// True if pieces of code are compared: then no tree may be too deep.
    compares: bool,
    /// True if lists are shared out: then none may be too long.
    shares: bool,
}

/// Refuses a tree that is nested too deep for a pattern.
pub(super) fn check_pattern_tree(tree: &Tree) -> Result<(), String> {
    let depth = measure_tree(tree).depth;
    if depth > PATTERN_DEPTH { Err(format!("it is nested {depth} levels deep")) } else { Ok(()) }
}

/// Returns the demands of the pattern, or the reason why it takes too long to match.
pub(super) fn demands_of(pattern: &PatternNode) -> Result<Demands, String> {
    let mut seen = PatternVisit::default();
    seen.visit(pattern, 0);
    if seen.probes > PROBES {
        return Err(format!(
            "it has `$$$` with something behind them within each other, {} deep",
            seen.probes
        ));
    }
    let compares = seen.captures.values().any(|times| *times > 1);
    Ok(Demands { compares, shares: seen.shares })
}

impl Demands {
    /// Returns the reason why a file cannot be searched, if there is one.
    pub(super) fn reason_to_refuse(self, tree: &Tree) -> Option<String> {
        if !self.compares && !self.shares {
            return None;
        }
        let shape = measure_tree(tree);
        if self.compares && shape.depth > FILE_DEPTH {
            return Some(format!("its code is nested {} deep and a variable stands twice", shape.depth));
        }
        (self.shares && shape.width > FILE_WIDTH)
            .then(|| format!("it has a list of {} and the pattern several `$$$` in one", shape.width))
    }
}

#[derive(Default)]
struct PatternVisit {
    captures: HashMap<String, usize>,
    probes: usize,
    shares: bool,
}

impl PatternVisit {
    fn visit(&mut self, node: &PatternNode, probes: usize) {
        match node {
            PatternNode::MetaVar {
                meta_var: MetaVariable::Capture(name, _) | MetaVariable::MultiCapture(name),
            } => *self.captures.entry(name.clone()).or_default() += 1,
            PatternNode::Internal { children, .. } => self.visit_list(children, probes),
            PatternNode::MetaVar { .. } | PatternNode::Terminal { .. } => {}
        }
    }

    fn visit_list(&mut self, children: &[PatternNode], probes: usize) {
        let first = children.iter().position(is_ellipsis);
        self.shares |= children.iter().filter(|child| is_ellipsis(child)).count() > 1;
        for (at, child) in children.iter().enumerate() {
            let probes = probes + usize::from(first.is_some_and(|first| first < at));
            if matches!(child, PatternNode::Internal { .. }) {
                self.probes = self.probes.max(probes);
            }
            self.visit(child, probes);
        }
    }
}

fn is_ellipsis(node: &PatternNode) -> bool {
    matches!(node, PatternNode::MetaVar { meta_var: MetaVariable::Multiple | MetaVariable::MultiCapture(_) })
}

struct PatternTreeShape {
    depth: usize,
    width: usize,
}

/// Measures a tree: its depth, and most children of one node.
fn measure_tree(tree: &Tree) -> PatternTreeShape {
    let mut shape = PatternTreeShape { depth: 1, width: 0 };
    let mut cursor = tree.walk();
    let mut depth = 1;
    loop {
        shape.width = shape.width.max(cursor.node().child_count() as usize);
        if cursor.goto_first_child() {
            depth += 1;
            shape.depth = shape.depth.max(depth);
            continue;
        }
        while !cursor.goto_next_sibling() {
            depth -= 1;
            if !cursor.goto_parent() {
                return shape;
            }
        }
    }
}
