//! Lists the names that belong to Java unless a file says otherwise.

use crate::langs::semantics::BuiltinWords;

/// Java's words for the resolution, which pins none of them to a definition by the name alone.
pub(crate) const BUILTINS: BuiltinWords =
    BuiltinWords { globals: GLOBALS, members: MEMBERS, member_prefix: None };

const GLOBALS: &str = "\
    ArithmeticException Boolean Byte CharSequence Character Class ClassCastException ClassLoader \
    ClassNotFoundException Cloneable Comparable Deprecated Double Enum Error Exception Float \
    FunctionalInterface IllegalArgumentException IllegalStateException IndexOutOfBoundsException Integer \
    InterruptedException Iterable Long Math NullPointerException Number NumberFormatException Object \
    Override Process Record Runnable Runtime RuntimeException SafeVarargs SecurityException Short \
    StackTraceElement String StringBuffer StringBuilder SuppressWarnings System Thread ThreadLocal Throwable \
    UnsupportedOperationException Void";

const MEMBERS: &str = "\
    accept add addAll addFirst addLast append apply asList bytes charAt clear clone close collect compare \
    compareTo contains containsKey containsValue copyOf count create delete empty endsWith entrySet equals \
    equalsIgnoreCase error execute exists filter find findFirst flatMap flush forEach format get getBytes \
    getClass getKey getMessage getName getOrDefault getValue hasNext hashCode ifPresent indexOf info insert \
    intValue isEmpty isPresent iterator join keySet lastIndexOf length limit list lock map match max merge \
    min name next of ofNullable open orElse orElseGet orElseThrow parse peek poll pop print printStackTrace \
    printf println push put putAll putIfAbsent read reduce remove removeIf replace replaceAll reverse run \
    set size sort sorted split start startsWith stop stream submit substring test toArray toList toLowerCase \
    toString toUpperCase trim unlock valueOf values wait warn write";
