//! Lists the names that belong to Go unless a file says otherwise.

use crate::langs::semantics::BuiltinWords;

/// Go's words for the resolution, which pins none of them to a definition by the name alone.
pub(crate) const BUILTINS: BuiltinWords =
    BuiltinWords { globals: GLOBALS, members: MEMBERS, member_prefix: None };

const GLOBALS: &str = "\
    any append bool byte cap clear close comparable complex complex128 complex64 copy delete error false \
    float32 float64 imag int int16 int32 int64 int8 iota len make max min new nil panic print println real \
    recover rune string true uint uint16 uint32 uint64 uint8 uintptr";

const MEMBERS: &str = "\
    Add Bytes Close Context Copy Done Err Error Errorf Fatal Fatalf Flush Get Index Info Key Kind Len Less \
    Load Lock Log Logf Name New Next Path Print Printf Println RLock RUnlock Read Reset Run Scan Seek Set \
    Start Stop Store String Swap Unlock Value Wait Write WriteString";
