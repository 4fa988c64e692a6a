//! Tools that are not about code.

use super::{ToolDef, ToolSet};

/// A call that does nothing: the unit in which the cost of other calls is measured. In no list.
pub static NOOP: ToolDef = ToolDef {
    name: "hob_noop",
    title: "Do nothing",
    description: "Goes all the way to the daemon and back.",
    output: "{}",
    set: ToolSet::Hidden,
    ..ToolDef::READ
};
