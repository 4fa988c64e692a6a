//! Lists the names that Elixir itself binds: special forms, functions of `Kernel`, types, and the modules of its own
//! libraries.

use crate::langs::BuiltinWords;

/// Elixir's words for the resolution, which pins none of them to a definition by the name alone.
pub(super) const BUILTINS: BuiltinWords = BuiltinWords {
    globals: "\
        def defp defmacro defmacrop defmodule defstruct defexception defprotocol defimpl defguard defguardp defdelegate \
        defoverridable alias import require use quote unquote unquote_splicing case cond if unless else do end fn for with \
        try receive raise reraise throw rescue catch after super and or not in when abs apply binary_part bit_size byte_size \
        ceil div elem exit floor hd inspect is_atom is_binary is_bitstring is_boolean is_exception is_float is_function \
        is_integer is_list is_map is_map_key is_nil is_number is_pid is_port is_reference is_struct is_tuple length make_ref \
        map_size max min node put_elem rem round self send spawn spawn_link spawn_monitor tl trunc tuple_size binding dbg \
        destructure function_exported? get_in get_and_update_in put_in pop_in update_in macro_exported? match? sigil_r sigil_s \
        sigil_w struct struct! tap then to_charlist to_string to_timeout var! alias! exports \
        any none atom map pid port reference tuple float integer list nonempty_list neg_integer non_neg_integer pos_integer \
        term arity as_boolean binary bitstring boolean byte char charlist nonempty_charlist fun function identifier iodata iolist \
        keyword mfa module no_return number timeout improper_list maybe_improper_list nonempty_improper_list \
        assert refute assert_raise assert_receive assert_received refute_receive refute_received assert_in_delta refute_in_delta \
        catch_error catch_exit catch_throw flunk on_exit setup setup_all start_supervised start_supervised! stop_supervised \
        describe test doctest \
        Access Agent Application Atom Base Behaviour Bitwise Calendar Code Config Date DateTime Duration DynamicSupervisor EEx Enum \
        Enumerable Collectable ExUnit Exception File Float Function GenEvent GenServer IEx IO Inspect Integer JSON Kernel Keyword List \
        Logger Macro Map MapSet Mix Module NaiveDateTime Node OptionParser PartitionSupervisor Path Port Process Protocol Range \
        Record Regex Registry Stream String StringIO Supervisor System Task Time Tuple URI Version",
    members: "",
    member_prefix: None,
};

/// Returns true if a module is one of Elixir's own libraries, by the first part of its name.
pub(super) fn is_own_module(first: &str) -> bool {
    first.starts_with(char::is_uppercase) && BUILTINS.globals.split_whitespace().any(|word| word == first)
}
