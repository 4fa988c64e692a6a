//! Lists the names that belong to C and C++ unless a file says otherwise.

use crate::langs::semantics::BuiltinWords;

/// C++'s words for the resolution, which pins none of them to a definition by the name alone.
pub(crate) const BUILTINS: BuiltinWords = BuiltinWords { globals: "", members: MEMBERS, member_prefix: None };

const MEMBERS: &str = "\
    append assign at back begin c_str capacity cbegin cend clear close compare contains count data emplace \
    emplace_back empty end erase fail fill find first flush front get good has_value insert is_open join key \
    length load lock lower_bound max_size name next open pop pop_back pop_front push push_back push_front \
    rbegin read release rend replace reserve reset resize second seekg set shrink_to_fit size sort store str \
    substr swap tellg top type unlock update upper_bound value value_or what write";
