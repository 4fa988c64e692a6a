//! Lists the names that belong to Lua unless a file says otherwise.

use crate::langs::semantics::BuiltinWords;

/// Lua's words for the resolution, which pins none of them to a definition by the name alone.
pub(crate) const BUILTINS: BuiltinWords =
    BuiltinWords { globals: GLOBALS, members: MEMBERS, member_prefix: None };

const GLOBALS: &str = "\
    _ENV _G _VERSION arg assert bit bit32 collectgarbage coroutine debug dofile error getfenv getmetatable io \
    ipairs jit load loadfile loadstring math module ngx newproxy next os package pairs pcall print rawequal \
    rawget rawlen rawset redis require select setfenv setmetatable string table tonumber tostring type unpack \
    utf8 vim xpcall";

const MEMBERS: &str = "\
    __call __eq __gc __index __len __newindex __tostring abs add byte ceil char clear clock close concat \
    connect copy count create date debug destroy error exit extend filter find first floor flush format gmatch \
    gsub get getenv id index info insert is key keys last len length lines log lower map match max maxn merge \
    min name new next now open pack parse path pop print push rand random read receive remove rename rep replace \
    reset resume reverse run seek select send set setvbuf settimeout size sort split start status stop string sub \
    time tmpname tostring trim type unpack update upper value values wait wrap write yield";
