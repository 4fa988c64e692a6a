//! Lists the names that belong to Python unless a file says otherwise.

use crate::langs::semantics::BuiltinWords;

/// Python's words for the resolution, which pins none of them to a definition by the name alone.
pub(crate) const BUILTINS: BuiltinWords =
    BuiltinWords { globals: GLOBALS, members: MEMBERS, member_prefix: Some("__") };

const GLOBALS: &str = "\
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

const MEMBERS: &str = "\
    acquire add add_argument append args cancel capitalize clear close copy count cursor data date day debug \
    decode difference discard encode end endswith error exception execute exists extend fetchall fetchone \
    fileno find findall flush format fromkeys get group groups headers hour id index info insert \
    intersection isalnum isalpha isdigit isdisjoint isoformat isspace issubset items join key keys log lower \
    lstrip match minute month name open parent partition path pop popitem put read readline readlines \
    release remove replace result reverse rfind rjust rpartition rsplit rstrip run search second seek send \
    set setdefault shape sort split splitlines start startswith stop strftime strip sub tell text title \
    total translate truncate type union update upper value values wait warn warning write writelines year";
