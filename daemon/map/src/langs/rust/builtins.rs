//! Lists the names that belong to Rust unless a file says otherwise.

use crate::langs::semantics::BuiltinWords;

/// Rust's words for the resolution, which pins none of them to a definition by the name alone.
pub(crate) const BUILTINS: BuiltinWords =
    BuiltinWords { globals: GLOBALS, members: MEMBERS, member_prefix: None };

const GLOBALS: &str = "\
    AsMut AsRef Box Clone Copy Debug Default DoubleEndedIterator Drop Eq Err ExactSizeIterator Extend Fn \
    FnMut FnOnce From FromIterator Hash Into IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd \
    Result Self Send Sized Some String Sync ToOwned ToString TryFrom TryInto Unpin Vec assert assert_eq \
    assert_ne bool cfg char column compile_error concat dbg debug_assert debug_assert_eq debug_assert_ne \
    drop env eprint eprintln f32 f64 file format format_args i128 i16 i32 i64 i8 include include_bytes \
    include_str isize line matches module_path option_env panic print println str stringify thread_local \
    todo u128 u16 u32 u64 u8 unimplemented unreachable usize vec write writeln";

const MEMBERS: &str = "\
    abs all and and_then any append as_bytes as_deref as_mut as_ptr as_ref as_slice as_str borrow borrow_mut \
    by_ref bytes capacity chain char_indices chars checked_add checked_sub chunks clear clone cloned cmp \
    collect concat contains contains_key copied count cycle dedup default deref display drain drop ends_with \
    entry enumerate eq err expect extend filter filter_map find find_map first flat_map flatten flush fmt \
    fold for_each from fuse get get_mut get_or_insert_with hash id index insert inspect into into_inner \
    into_iter is_ascii is_empty is_err is_none is_ok is_some iter iter_mut join keys kind last len lines \
    load lock map map_err max max_by_key min min_by_key name ne new next next_back nth ok ok_or ok_or_else \
    open or or_default or_else or_insert or_insert_with parent parse partial_cmp path peek peekable pop \
    position product push push_str read recv remove repeat replace resize retain rev rfind run send set skip \
    skip_while sort sort_by sort_by_key splice split split_at split_once split_whitespace start starts_with \
    step_by store strip_prefix strip_suffix sum swap take take_while text then then_some to_lowercase \
    to_owned to_string to_uppercase to_vec trim trim_end trim_start truncate try_from try_into unwrap \
    unwrap_err unwrap_or unwrap_or_default unwrap_or_else update value values windows with with_capacity \
    write write_all write_str zip";
