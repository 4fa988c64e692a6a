//! Names that mean something of the language itself unless the file says otherwise.
//!
//! A project that happens to define one method called `append` is not what every `x.append()` means. For these names a
//! unique definition proves nothing, so the `name` rung leaves them out. Not a full list of each library: only the names
//! that are common enough to be pinned wrongly.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::langs::Lang;

/// The lists, by the number of their language.
static WORDS: LazyLock<Vec<Words>> = LazyLock::new(|| Lang::ALL.into_iter().map(Words::of).collect());

#[derive(Debug)]
struct Words {
    globals: FxHashSet<&'static str>,
    members: FxHashSet<&'static str>,
}

impl Words {
    fn of(lang: Lang) -> Self {
        let (globals, members) = match lang {
            Lang::Python => (PYTHON_GLOBALS, PYTHON_MEMBERS),
            Lang::TypeScript => (ECMA_GLOBALS, ECMA_MEMBERS),
            Lang::Rust => (RUST_GLOBALS, RUST_MEMBERS),
            Lang::Go => (GO_GLOBALS, GO_MEMBERS),
            Lang::Java => (JAVA_GLOBALS, JAVA_MEMBERS),
            Lang::Cpp => ("", CPP_MEMBERS),
            _ => ("", ""),
        };
        Self { globals: globals.split_whitespace().collect(), members: members.split_whitespace().collect() }
    }
}

/// Whether a bare name is bound by the language everywhere. `lang` stands for its family.
pub(super) fn is_global(lang: Lang, name: &str) -> bool {
    WORDS[lang as usize].globals.contains(name)
}

/// Whether values of the language's own types have a member of this name. `lang` stands for its family.
pub(super) fn is_common_member(lang: Lang, name: &str) -> bool {
    WORDS[lang as usize].members.contains(name) || (lang == Lang::Python && name.starts_with("__"))
}

const PYTHON_GLOBALS: &str = "\
    ArithmeticError AssertionError AttributeError BaseException BlockingIOError BrokenPipeError BufferError \
    BytesWarning ChildProcessError ConnectionError DeprecationWarning EOFError Ellipsis EnvironmentError \
    Exception ExceptionGroup False FileExistsError FileNotFoundError FloatingPointError FutureWarning \
    GeneratorExit IOError ImportError ImportWarning IndentationError IndexError InterruptedError \
    IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError None \
    NotADirectoryError NotImplemented NotImplementedError OSError OverflowError PendingDeprecationWarning \
    PermissionError ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError \
    RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit \
    TabError TimeoutError True TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError \
    UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError \
    __doc__ __file__ __import__ __name__ __package__ __path__ __spec__ abs aiter all anext any ascii bin \
    bool breakpoint bytearray bytes callable chr classmethod compile complex copyright credits delattr dict \
    dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex \
    id input int isinstance issubclass iter len license list locals map max memoryview min next object oct \
    open ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str sum \
    super tuple type vars zip";

const PYTHON_MEMBERS: &str = "\
    acquire add add_argument append args cancel capitalize clear close copy count cursor data date day debug \
    decode difference discard encode end endswith error exception execute exists extend fetchall fetchone \
    fileno find findall flush format fromkeys get group groups headers hour id index info insert \
    intersection isalnum isalpha isdigit isdisjoint isoformat isspace issubset items join key keys log lower \
    lstrip match minute month name open parent partition path pop popitem put read readline readlines \
    release remove replace result reverse rfind rjust rpartition rsplit rstrip run search second seek send \
    set setdefault shape sort split splitlines start startswith stop strftime strip sub tell text title \
    total translate truncate type union update upper value values wait warn warning write writelines year";

const ECMA_GLOBALS: &str = "\
    AbortController AbortSignal AggregateError Array ArrayBuffer ArrayLike Awaited BigInt Blob Boolean \
    Buffer CustomEvent DOMException DataView Date Document Element Error Event EventTarget Exclude Extract \
    File Float32Array Float64Array FormData Function HTMLElement Headers Infinity InstanceType Int32Array \
    Intl Iterable IterableIterator Iterator JSON KeyboardEvent Map Math MouseEvent NaN Node NonNullable \
    Number Object Omit Parameters Partial Pick Promise PromiseLike Proxy RangeError Readonly ReadonlyArray \
    ReadonlyMap ReadonlySet Record ReferenceError Reflect RegExp Request Required Response ReturnType Set \
    SharedArrayBuffer String Symbol SyntaxError TextDecoder TextEncoder TypeError URL URLSearchParams \
    Uint8Array WeakMap WeakRef WeakSet Window Worker __dirname __filename alert clearInterval clearTimeout \
    confirm console decodeURIComponent document encodeURIComponent eval exports fetch global globalThis \
    history isFinite isNaN localStorage location module navigator parseFloat parseInt performance process \
    queueMicrotask requestAnimationFrame require sessionStorage setImmediate setInterval setTimeout \
    structuredClone undefined window";

const ECMA_MEMBERS: &str = "\
    abort add addEventListener all appendChild apply assign at bind body call catch charAt charCodeAt \
    children clear click close code concat constructor createElement data debug delete dispatchEvent emit \
    end endsWith entries error every exec exit fill filter finally find findIndex findLast flat flatMap \
    focus forEach freeze from fromEntries get getAttribute getTime has hasOwnProperty height id includes \
    indexOf info isArray join json key keys lastIndexOf length line localeCompare log map match matchAll max \
    message min name next normalize now off on once open options padEnd padStart parent parse path pop \
    postMessage push querySelector race read reduce reduceRight reject remove removeEventListener repeat \
    replace replaceAll reset resolve reverse search send set setAttribute shift size slice some sort splice \
    split start startsWith status stop stringify style subscribe substring target test text then toFixed \
    toISOString toJSON toLowerCase toString toUpperCase trim trimEnd trimStart type unshift update url value \
    valueOf values warn width write";

const RUST_GLOBALS: &str = "\
    AsMut AsRef Box Clone Copy Debug Default DoubleEndedIterator Drop Eq Err ExactSizeIterator Extend Fn \
    FnMut FnOnce From FromIterator Hash Into IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd \
    Result Self Send Sized Some String Sync ToOwned ToString TryFrom TryInto Unpin Vec assert assert_eq \
    assert_ne bool cfg char column compile_error concat dbg debug_assert debug_assert_eq debug_assert_ne \
    drop env eprint eprintln f32 f64 file format format_args i128 i16 i32 i64 i8 include include_bytes \
    include_str isize line matches module_path option_env panic print println str stringify thread_local \
    todo u128 u16 u32 u64 u8 unimplemented unreachable usize vec write writeln";

const RUST_MEMBERS: &str = "\
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

const GO_GLOBALS: &str = "\
    any append bool byte cap clear close comparable complex complex128 complex64 copy delete error false \
    float32 float64 imag int int16 int32 int64 int8 iota len make max min new nil panic print println real \
    recover rune string true uint uint16 uint32 uint64 uint8 uintptr";

const GO_MEMBERS: &str = "\
    Add Bytes Close Context Copy Done Err Error Errorf Fatal Fatalf Flush Get Index Info Key Kind Len Less \
    Load Lock Log Logf Name New Next Path Print Printf Println RLock RUnlock Read Reset Run Scan Seek Set \
    Start Stop Store String Swap Unlock Value Wait Write WriteString";

const JAVA_GLOBALS: &str = "\
    ArithmeticException Boolean Byte CharSequence Character Class ClassCastException ClassLoader \
    ClassNotFoundException Cloneable Comparable Deprecated Double Enum Error Exception Float \
    FunctionalInterface IllegalArgumentException IllegalStateException IndexOutOfBoundsException Integer \
    InterruptedException Iterable Long Math NullPointerException Number NumberFormatException Object \
    Override Process Record Runnable Runtime RuntimeException SafeVarargs SecurityException Short \
    StackTraceElement String StringBuffer StringBuilder SuppressWarnings System Thread ThreadLocal Throwable \
    UnsupportedOperationException Void";

const JAVA_MEMBERS: &str = "\
    accept add addAll addFirst addLast append apply asList bytes charAt clear clone close collect compare \
    compareTo contains containsKey containsValue copyOf count create delete empty endsWith entrySet equals \
    equalsIgnoreCase error execute exists filter find findFirst flatMap flush forEach format get getBytes \
    getClass getKey getMessage getName getOrDefault getValue hasNext hashCode ifPresent indexOf info insert \
    intValue isEmpty isPresent iterator join keySet lastIndexOf length limit list lock map match max merge \
    min name next of ofNullable open orElse orElseGet orElseThrow parse peek poll pop print printStackTrace \
    printf println push put putAll putIfAbsent read reduce remove removeIf replace replaceAll reverse run \
    set size sort sorted split start startsWith stop stream submit substring test toArray toList toLowerCase \
    toString toUpperCase trim unlock valueOf values wait warn write";

const CPP_MEMBERS: &str = "\
    append assign at back begin c_str capacity cbegin cend clear close compare contains count data emplace \
    emplace_back empty end erase fail fill find first flush front get good has_value insert is_open join key \
    length load lock lower_bound max_size name next open pop pop_back pop_front push push_back push_front \
    rbegin read release rend replace reserve reset resize second seekg set shrink_to_fit size sort store str \
    substr swap tellg top type unlock update upper_bound value value_or what write";
