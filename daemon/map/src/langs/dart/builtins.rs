//! Lists the names that belong to Dart unless a file says otherwise.

use crate::langs::semantics::BuiltinWords;

/// Dart's words for the resolution, which pins none of them to a definition by the name alone.
pub(super) const BUILTINS: BuiltinWords =
    BuiltinWords { globals: GLOBALS, members: MEMBERS, member_prefix: None };

const GLOBALS: &str = "\
    ArgumentError AssertionError BigInt Comparable Comparator ConcurrentModificationError DateTime Deprecated \
    Duration Enum Error Exception Expando Finalizer FormatException Function Future FutureOr \
    IndexError Invocation Iterable Iterator List Map MapEntry Match Never NoSuchMethodError Null Object \
    OutOfMemoryError Pattern RangeError Record RegExp RegExpMatch RuneIterator Runes Set Sink StackOverflowError \
    StackTrace StateError Stopwatch Stream String StringBuffer StringSink Symbol Type TypeError \
    UnimplementedError UnsupportedError Uri UriData WeakReference bool deprecated double dynamic identical \
    identityHashCode int num override pragma print void";

const MEMBERS: &str = "\
    abs add addAll addListener any append asMap bool build call cancel cast catchError ceil clamp clear close \
    code codeUnitAt compareTo complete contains containsKey containsValue content copyWith count createState data \
    description dispose elementAt emit endsWith entries every expand first firstWhere floor fold followedBy \
    forEach format from fromJson get hashCode height icon id index indexOf initState insert isEmpty isNegative \
    isNotEmpty isOdd iterator join key keys last lastIndexOf length listen map message moveNext name next noSuchMethod \
    notifyListeners of onError padLeft parse path pop props push putIfAbsent read reduce remove removeAt \
    removeLast removeListener removeWhere replaceAll reversed round runtimeType send set setState shuffle \
    single singleWhere size skip sort split sqrt start startsWith state stop sublist substring take text then timeout \
    title toDouble toInt toIso8601String toJson toList toLowerCase toMap toRadixString toSet toString \
    toStringAsFixed toUpperCase trim truncate tryParse type update url value values watch when whenComplete where \
    whereType width write writeln";
