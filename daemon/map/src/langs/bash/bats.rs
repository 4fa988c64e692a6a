//! Defines tests of Bats: `@test "what it shows" { … }`.
//!
//! To the grammar such a test is a command with a description and a brace for arguments, and its lines are commands of
//! the file. So the test's end is found in the text: it is a `}` that begins a line, and until then the walk is inside
//! the test.

use super::items::ShellItem;
use super::rules::ShellRules;
use crate::facts::{DefFlags, DefKind};
use crate::langs::support::test_title;
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// Longest test that is read, in bytes.
const LIMIT: usize = 64 * 1024;

impl ShellRules {
    pub(super) fn define_test<'t>(
        &mut self,
        node: Node<'t>,
        arguments: &[Node<'t>],
        cx: &mut Cx<'t>,
    ) -> WalkStep {
        let Some(first) = arguments.first() else { return WalkStep::Into };
        let named = test_title("test", cx.text(*first).trim_matches(['"', '\'']));
        let name = &*named;
        let (line, col) = cx.position(*first);
        let quoted = u32::from(cx.text(*first).starts_with(['"', '\'']));
        let (kind, flags, end) = (DefKind::Function, DefFlags::TEST, first.end_byte());
        let item = ShellItem { node, name, name_at: (line, col + quoted), kind, flags, end };
        let rest = cx.slice(node.end_byte(), cx.source.len().min(node.end_byte() + LIMIT));
        let mut outer = self.lead.take_outer(node, cx);
        if let Some(length) = rest.find("\n}") {
            outer.end = node.end_byte() + length + 2;
            outer.end_line =
                node.end_position().row as u32 + 1 + rest[..=length].matches('\n').count() as u32;
        }
        let end = outer.end;
        self.locals.clear();
        self.test = self.define_with(&item, outer, None, cx).map(|def| (end, def));
        WalkStep::Into
    }
}
