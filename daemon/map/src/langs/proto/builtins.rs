//! Lists the names that Protocol Buffers bind everywhere: the language's own options, which no definition of a project
//! means.

use crate::langs::semantics::BuiltinWords;

/// Protocol Buffers' words for the resolution, which pins none of them to a definition by the name alone.
pub(crate) const BUILTINS: BuiltinWords = BuiltinWords { globals: GLOBALS, members: "", member_prefix: None };

const GLOBALS: &str = "\
    bool bytes double fixed32 fixed64 float int32 int64 sfixed32 sfixed64 sint32 sint64 string uint32 uint64";
