//! Names that mean something of the language itself unless the file says otherwise.
//!
//! A project that happens to define one method called `append` is not what every `x.append()` means. For these names a
//! unique definition proves nothing, so the `name` rung leaves them out. Not a full list of each library: only the names
//! that are common enough to be pinned wrongly.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::langs::Lang;

/// The lists, by the number of their language.
static WORDS: LazyLock<Vec<BuiltinWords>> =
    LazyLock::new(|| Lang::ALL.into_iter().map(BuiltinWords::for_lang).collect());

#[derive(Debug)]
struct BuiltinWords {
    globals: FxHashSet<&'static str>,
    members: FxHashSet<&'static str>,
}

impl BuiltinWords {
    fn for_lang(lang: Lang) -> Self {
        let (globals, members) = match lang {
            Lang::Python => (PYTHON_GLOBALS, PYTHON_MEMBERS),
            Lang::TypeScript => (ECMA_GLOBALS, ECMA_MEMBERS),
            Lang::Rust => (RUST_GLOBALS, RUST_MEMBERS),
            Lang::Go => (GO_GLOBALS, GO_MEMBERS),
            Lang::Java => (JAVA_GLOBALS, JAVA_MEMBERS),
            Lang::Cpp => ("", CPP_MEMBERS),
            Lang::CSharp => (SHARP_GLOBALS, SHARP_MEMBERS),
            Lang::Kotlin => (KOTLIN_GLOBALS, KOTLIN_MEMBERS),
            Lang::Scala => (SCALA_GLOBALS, SCALA_MEMBERS),
            Lang::Swift => (SWIFT_GLOBALS, SWIFT_MEMBERS),
            Lang::Php => (PHP_GLOBALS, PHP_MEMBERS),
            Lang::Ruby => (RUBY_GLOBALS, RUBY_MEMBERS),
            Lang::Lua => (LUA_GLOBALS, LUA_MEMBERS),
            Lang::Bash => (BASH_GLOBALS, ""),
            _ => ("", ""),
        };
        Self { globals: globals.split_whitespace().collect(), members: members.split_whitespace().collect() }
    }
}

/// Returns true if the language binds a bare name everywhere. `lang` stands for its language group.
pub(super) fn is_global(lang: Lang, name: &str) -> bool {
    WORDS[lang as usize].globals.contains(name)
}

/// Returns true if values of the language's own types have a member of this name. `lang` stands for its language
/// group.
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

const PHP_GLOBALS: &str = "\
    ArgumentCountError ArithmeticError ArrayAccess ArrayIterator ArrayObject Attribute BackedEnum \
    BadFunctionCallException BadMethodCallException Closure Countable CurlHandle DOMDocument DOMElement \
    DOMNode DOMXPath DateInterval DatePeriod DateTime DateTimeImmutable DateTimeInterface DateTimeZone \
    DirectoryIterator DivisionByZeroError DomainException E_ALL E_ERROR E_NOTICE E_STRICT E_USER_ERROR \
    E_WARNING Error ErrorException Exception FilesystemIterator Generator InvalidArgumentException Iterator \
    IteratorAggregate IteratorIterator JsonException JsonSerializable LengthException LogicException NumberFormatter PDO \
    PDOException PDOStatement PHP_EOL PHP_INT_MAX PHP_OS PHP_VERSION PHP_VERSION_ID DIRECTORY_SEPARATOR \
    OutOfBoundsException OutOfRangeException OverflowException RangeException RecursiveDirectoryIterator \
    RecursiveIteratorIterator ReflectionClass ReflectionException ReflectionFunction ReflectionMethod \
    ReflectionNamedType ReflectionObject ReflectionProperty RuntimeException SeekableIterator Serializable \
    SimpleXMLElement SplFileInfo SplObjectStorage SplQueue SplStack Stringable Throwable Traversable \
    TypeError UnderflowException UnexpectedValueException UnitEnum ValueError WeakMap WeakReference \
    ZipArchive abs addslashes array_chunk array_column array_combine array_diff array_diff_key array_fill \
    array_fill_keys array_filter array_flip array_intersect array_intersect_key array_key_exists \
    array_key_first array_key_last array_keys array_map array_merge array_merge_recursive array_pad array_pop \
    array_product array_push array_reduce array_replace array_reverse array_search array_shift array_slice \
    array_splice array_sum array_unique array_unshift array_values array_walk arsort asort assert \
    base64_decode base64_encode basename bin2hex call_user_func call_user_func_array ceil chdir chmod chr \
    class_exists compact constant copy count current date debug_backtrace dechex define defined dirname each \
    end error_get_last error_log error_reporting explode extension_loaded extract fclose feof fgets file \
    file_exists file_get_contents file_put_contents filemtime filesize filter_var floor flush fopen fputs \
    fread fscanf fseek function_exists fwrite get_class get_object_vars get_parent_class getcwd getenv gettype \
    glob hash header hexdec html_entity_decode htmlspecialchars implode in_array ini_get ini_set \
    interface_exists intval is_a is_array is_bool is_callable is_dir is_file is_float is_int is_iterable \
    is_null is_numeric is_object is_readable is_resource is_scalar is_string is_subclass_of is_writable \
    iterator_to_array join json_decode json_encode key krsort ksort lcfirst ltrim max mb_strlen mb_strpos \
    mb_strtolower mb_strtoupper mb_substr md5 method_exists microtime min mkdir mt_rand next nl2br \
    number_format ob_get_clean ob_start ord parse_str parse_url pathinfo php_sapi_name phpversion preg_match \
    preg_match_all preg_quote preg_replace preg_replace_callback preg_split print_r printf property_exists \
    putenv rand random_bytes random_int range rawurldecode rawurlencode realpath register_shutdown_function \
    rename reset restore_error_handler rmdir round rsort rtrim scandir serialize set_error_handler \
    set_exception_handler setlocale sha1 shuffle sizeof sleep sort spl_autoload_register spl_object_hash \
    spl_object_id sprintf sqrt str_contains str_ends_with str_pad str_repeat str_replace str_split \
    str_starts_with strcasecmp strcmp stream_get_contents strip_tags stripos stripslashes strlen strncmp \
    strpos strrev strrpos strstr strtolower strtotime strtoupper strtr strval substr substr_count sys_get_temp_dir \
    tempnam time touch trait_exists trigger_error trim uasort ucfirst ucwords uksort uniqid unlink \
    unserialize urldecode urlencode usleep usort utf8_encode var_dump var_export version_compare vsprintf";

const PHP_MEMBERS: &str = "\
    __construct __get __invoke __set __toString add all append apply call clear close commit connect count create \
    current data date debug delete diff each end error exec execute exists fetch fetchAll fetchColumn filter \
    find first flush format get getCode getFile getIterator getLine getMessage getName getPrevious \
    getTimestamp getTrace getTraceAsString getType getValue has hash id info insert invoke isEmpty item join \
    jsonSerialize key keys last length load log map merge modify name next offsetExists offsetGet offsetSet \
    offsetUnset open parse path prepare push query read remove render replace reset rewind rollBack run save \
    search send serialize set setTimezone size slice sort start stop sub toArray toString type update valid \
    value values warning with write";

const SHARP_GLOBALS: &str = "\
    Action Activator Aggregate AggregateException AppDomain ArgumentException ArgumentNullException \
    ArgumentOutOfRangeException ArithmeticException Array ArrayList Assembly Assert Attribute BindingFlags \
    BitConverter Boolean Buffer Byte CancellationToken CancellationTokenSource Char Console Convert CultureInfo \
    DBNull DateOnly DateTime DateTimeKind DateTimeOffset Debug Decimal Delegate Dictionary Directory Double \
    Encoding Enum Enumerable Environment EqualityComparer EventArgs EventHandler Exception File FileStream Func \
    GC Guid HashSet HttpClient IAsyncDisposable IAsyncEnumerable ICloneable ICollection IComparable IComparer \
    IConvertible IDictionary IDisposable IEnumerable IEnumerator IEqualityComparer IEquatable IFormatProvider \
    IList IOException IQueryable IReadOnlyCollection IReadOnlyDictionary IReadOnlyList IServiceProvider ISet \
    IndexOutOfRangeException Int16 Int32 Int64 Interlocked InvalidCastException InvalidOperationException \
    KeyNotFoundException KeyValuePair Lazy LinkedList List Math Memory MemoryStream MethodInfo Monitor \
    NotImplementedException NotSupportedException NullReferenceException Nullable Object ObjectDisposedException \
    ObsoleteAttribute OperationCanceledException OutOfMemoryException Path Predicate PropertyInfo Queue Random \
    ReadOnlyMemory ReadOnlySpan Regex SerializableAttribute Single Span Stack Stopwatch Stream StreamReader \
    StreamWriter String StringBuilder StringComparer StringComparison StringReader StringWriter System Task \
    TaskCompletionSource TextReader TextWriter Thread TimeSpan TimeoutException Tuple Type TypeCode UInt32 \
    UInt64 Uri ValueTask ValueTuple Version Volatile XmlReader XmlWriter bool byte char decimal double dynamic \
    float int long nint object sbyte short string uint ulong ushort var void";

const SHARP_MEMBERS: &str = "\
    Add AddRange Aggregate All Any Append AppendFormat AppendLine AsEnumerable AsMemory AsQueryable AsSpan \
    AsTask Average Cancel Cast Clear Clone Close Combine Compare CompareTo Concat ConfigureAwait Contains \
    ContainsKey Copy CopyTo Count Create Current Data Delay Dequeue Dispose DisposeAsync Distinct Elapsed Empty \
    EndsWith Enqueue Equals Except Exists Find FindIndex First FirstOrDefault Flush ForEach Format FullName Get \
    GetAsync GetAwaiter GetBytes GetEnumerator GetHashCode GetResult GetString GetType GetValue GroupBy HasValue \
    Id IndexOf InnerException Insert Intersect Invoke IsNullOrEmpty Item Items Join Key Keys Last LastIndexOf \
    LastOrDefault Length Max Message Min MoveNext Name Next Now Open OrderBy OrderByDescending Parameters Parse \
    Path Peek Pop Properties Push Range Read ReadAsync ReadLine Remove RemoveAt Replace Reset Result Reverse Run \
    Seek Select SelectMany Send SequenceEqual Set SetValue Single SingleOrDefault Size Skip Sort Split Start \
    StartsWith State Status Stop Substring Sum Take Test Text ThenBy Throw Title ToArray ToDictionary ToList \
    ToLookup ToLower ToString ToUpper Token Trim TryAdd TryGetValue TryParse Type Union Update Url Value Values \
    Wait Where Write WriteAsync WriteLine Zip";

const KOTLIN_GLOBALS: &str = "\
    Any Array ArrayDeque ArrayList AssertionError Boolean BooleanArray Byte ByteArray Char CharArray \
    CharSequence Class Collection Comparable Comparator Deprecated Double DoubleArray Enum Error Exception Float \
    FloatArray Function HashMap HashSet IllegalArgumentException IllegalStateException IndexOutOfBoundsException \
    Int IntArray IntRange Iterable Iterator JvmField JvmName JvmOverloads JvmStatic KClass KProperty KType Lazy \
    LinkedHashMap LinkedHashSet List Long LongArray Map MutableCollection MutableIterator MutableList MutableMap \
    MutableSet NoSuchElementException Nothing NullPointerException Number NumberFormatException Object OptIn \
    Pair PublishedApi Regex ReplaceWith Result RuntimeException Sequence Set Short ShortArray String \
    StringBuilder Suppress System TODO Thread Throwable Throws Triple UByte UInt ULong UShort Unit \
    UnsupportedOperationException also apply arrayOf arrayOfNulls assert buildList buildMap buildSet buildString \
    byteArrayOf check checkNotNull emptyArray emptyList emptyMap emptySet enumValueOf enumValues error \
    generateSequence hashMapOf hashSetOf intArrayOf lazy lazyOf let linkedMapOf listOf listOfNotNull longArrayOf \
    mapOf maxOf minOf mutableListOf mutableMapOf mutableSetOf print println repeat require requireNotNull run \
    runCatching sequence sequenceOf setOf sortedMapOf synchronized takeIf takeUnless to use with";

const KOTLIN_MEMBERS: &str = "\
    add addAll all also and any append apply associate associateBy average clear close collect compareTo \
    component1 component2 contains containsKey copy copyOf count create data distinct drop dropLast elementAt \
    emit empty endsWith entries equals error execute exists fill filter filterIsInstance filterNot filterNotNull \
    find first firstOrNull flatMap flatten fold forEach forEachIndexed format get getOrDefault getOrElse \
    getOrNull getOrPut getValue groupBy hasNext hashCode id indexOf indices info insert intersect invoke isEmpty \
    isNotEmpty isNullOrEmpty iterator joinToString key keys last lastIndex lastOrNull launch length let lines \
    list lock lowercase map mapIndexed mapNotNull mapOf max maxBy message min minus minusAssign name next none \
    of open or ordinal parse partition path plus plusAssign pop print println push put putAll read reduce remove \
    removeAll repeat replace reset reverse reversed run set setOf setValue shuffle shuffled single size slice \
    sort sortBy sorted sortedBy split start startsWith stop sub subList substring sum sumOf take takeIf test \
    text times to toByteArray toChar toDouble toInt toList toLong toMap toMutableList toSet toString \
    toTypedArray trim trimIndent type unlock until update uppercase use value values wait warn windowed \
    withIndex write zip";

const SCALA_GLOBALS: &str = "\
    Any AnyRef AnyVal App Array ArrayBuffer BigDecimal BigInt Boolean Byte Char CharSequence Class ClassTag \
    Comparable Double Either Enumeration Equals Exception Failure Float Function Function0 Function1 Function2 \
    Future IllegalArgumentException IllegalStateException IndexOutOfBoundsException IndexedSeq Int Integer \
    Iterable Iterator Left List Long Manifest Map Math Nil NoSuchElementException None NotImplementedError \
    Nothing Null NullPointerException NumberFormatException Numeric Object Option Ordered Ordering \
    PartialFunction Predef Product Product2 Range Right Runnable RuntimeException Seq Serializable Set Short \
    Some Stream String StringBuilder StringContext Success Symbol System Thread Throwable Traversable Try Tuple2 \
    Tuple3 TypeTag Unit UnsupportedOperationException Vector assert assertEquals assume augmentString classOf \
    deprecated ensuring identity implicitly inline locally main nowarn print printf println require specialized \
    summon switch tailrec throws transient unchecked uncheckedVariance valueOf volatile";

const SCALA_MEMBERS: &str = "\
    _1 _2 _3 abs add addAll addOne addString andThen append apply asInstanceOf asJava asScala build builder \
    canEqual charAt clear close collect collectFirst combine compare compareTo compose concat contains copy \
    copyToArray count create data diff distinct drop dropRight dropWhile empty endsWith eq equals error exists \
    fail filter filterNot find flatMap flatten fold foldLeft foldRight forall foreach format get getBytes \
    getClass getMessage getName getOrElse groupBy grouped hasNext hash hashCode head headOption id indexOf \
    indexWhere indices init insert intersect isDefined isEmpty isInstanceOf isLeft isRight iterator join key \
    keySet keys last lastIndexOf lastOption length lift lines list load map mapValues max maxBy message min \
    minBy mkString name ne next nextInt nonEmpty of onComplete orElse orNull padTo parse partition path pop \
    print println productArity productElement productIterator push put range read recover reduce reduceLeft \
    remove replace replaceAll result reverse run scanLeft select set show size slice sliding sortBy sortWith \
    sorted span split splitAt start startsWith stop stripMargin stripPrefix stripSuffix substring sum \
    synchronized tail take takeRight takeWhile tap test text to toArray toByte toChar toDouble toFloat toInt \
    toIterator toList toLong toLowerCase toMap toRight toSeq toSet toString toUpperCase toVector trim type \
    unapply union unzip update updated value values view wait withFilter write zip zipWithIndex";

const SWIFT_GLOBALS: &str = "\
    Any AnyClass AnyHashable AnyObject Array ArraySlice AsyncSequence AsyncStream AsyncThrowingStream Bool \
    Character ClosedRange Codable CodingKey CodingKeys Collection Comparable ContiguousArray \
    CustomDebugStringConvertible CustomStringConvertible Decodable Decoder Dictionary Double Encodable \
    Encoder Equatable Error ExpressibleByArrayLiteral ExpressibleByBooleanLiteral \
    ExpressibleByDictionaryLiteral ExpressibleByFloatLiteral ExpressibleByIntegerLiteral \
    ExpressibleByStringLiteral Float Hashable Hasher Identifiable Int Int16 Int32 Int64 Int8 IteratorProtocol \
    KeyPath LazySequence MainActor Mirror Never ObjectIdentifier OpaquePointer OptionSet Optional Range \
    RangeReplaceableCollection RawRepresentable Result Self Sendable Sequence Set SetAlgebra String \
    StringProtocol Substring Task TaskGroup UInt UInt16 UInt32 UInt64 UInt8 UnsafeMutablePointer \
    UnsafePointer UnsafeRawPointer Void WritableKeyPath abs assert assertionFailure debugPrint defer dump \
    fatalError isKnownUniquelyReferenced max min precondition preconditionFailure print repeatElement \
    sequence stride swap type unsafeBitCast withCheckedContinuation withCheckedThrowingContinuation \
    withExtendedLifetime withTaskGroup withThrowingTaskGroup withUnsafePointer zip";

const SWIFT_MEMBERS: &str = "\
    absoluteString add addSubview advanced all allSatisfy append appending async bounds bytes cancel capacity \
    capitalized center characters clear close compactMap components contains contentsOf copy count current \
    data date debugDescription decode decodeIfPresent default deinit delegate description distance drop \
    dropFirst dropLast elementsEqual encode endIndex enumerated error failure filter find finish first \
    firstIndex flatMap flush forEach formIndex formUnion frame get hasPrefix hasSuffix hash height host id \
    identifier index indices info init insert intersection isEmpty isEqual isSubset item items joined key \
    keys kind last lastIndex length load localizedDescription lock log lowercased main makeIterator map \
    mapValues max merge message min move name next none now object offset open origin parent path perform pop \
    popLast prefix print property query randomElement rawValue read reduce release remove removeAll \
    removeFirst removeLast removeValue replace replaceSubrange replacingOccurrences request reserveCapacity \
    reset result resume reversed run save send set setValue shared shuffle shuffled size some sort sorted \
    split standard start startIndex starts state stop store string stringValue subscribe subscript \
    subtracting success suffix sum swapAt sync text title toggle trimmingCharacters type underestimatedCount \
    union unlock update updateValue uppercased url utf8 value values view wait width withLock withUnsafeBytes \
    write zip";

const RUBY_GLOBALS: &str = "\
    ARGF ARGV ArgumentError Array BasicObject Benchmark BigDecimal Binding CGI CSV Class Comparable Complex Data \
    Date DateTime Delegator Digest Dir ENV ERB EncodingError Encoding Enumerable Enumerator Errno Etc EOFError \
    Exception FalseClass Fiber File FileTest FileUtils FloatDomainError Float FrozenError GC Hash IO IOError \
    IndexError Integer Interrupt IPAddr JSON Kernel KeyError LoadError LocalJumpError Logger Marshal MatchData \
    Math Method Module Monitor Mutex NameError Net NilClass NoMethodError NotImplementedError Numeric Object \
    ObjectSpace Observable Open3 OpenSSL OpenStruct OptionParser Pathname Proc Process PStore Psych Queue \
    RUBY_ENGINE RUBY_PLATFORM RUBY_VERSION Ractor Random Range RangeError Rational Readline Regexp RegexpError \
    RubyVM RuntimeError STDERR STDIN STDOUT ScriptError SecureRandom SecurityError Set Shellwords Signal \
    SignalException SimpleDelegator Singleton SizedQueue Socket StandardError StopIteration String StringIO \
    StringScanner Struct Symbol SyntaxError SystemCallError SystemExit SystemStackError TCPServer TCPSocket \
    TSort Tempfile Thread ThreadError Time Timeout TracePoint TrueClass TypeError UDPSocket UnboundMethod \
    UncaughtThrowError URI WeakRef YAML ZeroDivisionError Zlib __FILE__ __LINE__ __dir__ __method__ abort \
    at_exit binding block_given? caller caller_locations catch eval exec exit exit! fail fork format gets \
    global_variables lambda load local_variables loop open p pp print printf proc putc puts raise rand readline \
    readlines require require_relative select sleep spawn sprintf srand syscall system test throw trap warn";

const RUBY_MEMBERS: &str = "\
    != !~ % & * + - / < << <= <=> == === =~ > >= [] []= abort abs absolute_path acquire add after all? allocate \
    any? append apply args arity assert assert_equal assert_nil assert_raises at attributes b backtrace basename \
    before begin between? binding binmode block_given? body build bytes bytesize call caller capitalize ceil \
    center chars chdir children chmod chomp chop chunk_while class class_eval class_exec clear clone close \
    closed? code coerce collect collect_concat column combination compact compact! compare_by_identity concat \
    config const_defined? const_get const_missing const_set constants content context count create cycle data \
    date day debug decode default define_method define_singleton_method delete delete_at delete_if describe \
    detect dig dirname disable display div divmod down downcase drop drop_while dump dup each each_char each_cons \
    each_entry each_key each_line each_pair each_slice each_value each_with_index each_with_object empty? enable \
    encode encoding end end_with? entries enum_for eof? eql? equal? erb error errors escape eval even? except \
    exclude? exec execute exist? exists? exit expand_path expect extend extended extname fail fatal fetch file \
    file? filter filter_map find find_all find_index finish first flat_map flatten flatten! float floor flush \
    foreach format freeze frozen? fsync get getc gets glob grep group_by gsub gsub! handle has_key? has_value? \
    hash header headers host hour id include include? included included_modules index info inherited init \
    initialize inject insert inspect instance instance_eval instance_exec instance_method instance_methods \
    instance_of? instance_variable_defined? instance_variable_get instance_variable_set instance_variables intern \
    invert is_a? it items iterator join keep_if key key? keys kill kind_of? lambda? last length level line lines \
    link list ljust load lock log logger lstrip map map! match match? max max_by member? members merge merge! \
    message method method_defined? method_missing methods min min_by min_max mkdir mode module_eval month move \
    mtime name new next nil? none? now nonzero? object_id odd? on one? open options ord origin parameters params \
    parent parse partition path perform permutation pid pop pos post position prepend prev print printf private \
    process product public_send push put puts raise rand read readline readlines readpartial ready realpath \
    reduce register reject reject! release remove remove_const remove_method rename render replace request \
    require reset resolve respond_to? respond_to_missing? response result retry return reverse reverse_each rewind \
    rindex rjust rotate round rstrip run sample save scan search second seek select select! send set setup shift \
    shuffle sort sort! signal singleton_class singleton_methods size skip sleep slice slice! sort_by source split \
    sprintf squeeze start start_with? stat state status step stop store strftime string strip strip! sub sub! \
    subject succ sum super superclass swapcase symbolize_keys sync take take_while tap tell test text then time to to_not not_to receive \
    times to_a to_ary to_enum to_f to_h to_hash to_i to_int to_io to_json to_proc to_path to_r to_s to_str \
    to_str to_sym to_time total touch tr transform_keys transform_values transpose trigger truncate try type \
    undef_method union uniq uniq! unlink unlock unpack unshift up upcase update url use utc valid? validate value \
    value? values values_at version wait wakeup warn with with_index with_object write year yield zero? zip";

const LUA_GLOBALS: &str = "\
    _ENV _G _VERSION arg assert bit bit32 collectgarbage coroutine debug dofile error getfenv getmetatable io \
    ipairs jit load loadfile loadstring math module ngx newproxy next os package pairs pcall print rawequal \
    rawget rawlen rawset redis require select setfenv setmetatable string table tonumber tostring type unpack \
    utf8 vim xpcall";

const LUA_MEMBERS: &str = "\
    __call __eq __gc __index __len __newindex __tostring abs add byte ceil char clear clock close concat \
    connect copy count create date debug destroy error exit extend filter find first floor flush format gmatch \
    gsub get getenv id index info insert is key keys last len length lines log lower map match max maxn merge \
    min name new next now open pack parse path pop print push rand random read receive remove rename rep replace \
    reset resume reverse run seek select send set setvbuf settimeout size sort split start status stop string sub \
    time tmpname tostring trim type unpack update upper value values wait wrap write yield";

const BASH_GLOBALS: &str = "\
    . : [ [[ adduser alias ansible apk apt apt-cache apt-get arch aria2c as at autoconf automake awk aws az base32 \
    base64 basename bash bc bg bind bison blkid brew break btrfs builtin bunzip2 bzip2 caller cargo cat cc cd \
    chattr checkinstall chgrp chmod chown chpasswd chroot chsh clang clear cmake cmp column comm command compgen \
    complete compopt composer continue convert cp cpio cron crontab cryptsetup csplit curl cut date dbus-send dd \
    deb debootstrap declare depmod df diff dig dir dircolors dirname dirs disable disown dmesg dnf docker \
    docker-compose dos2unix dpkg dpkg-deb dpkg-query dpkg-reconfigure dracut du e2fsck echo ed egrep emacs enable \
    env envsubst eval exec exit expand export expr fakeroot fallocate false fc fdisk fdupes ffmpeg fg fgrep file \
    find findmnt firewall-cmd flock fold free fsck fusermount fuser g++ gawk gcc gcloud gdb gem getconf getent \
    getfacl getopt getopts gh git glibtoolize go gpasswd gpg gpg2 gradle grep groff groupadd groups gsed gsettings \
    gunzip gzip hash head help helm hexdump history host hostname hostnamectl htop iconv id ifconfig ifdown ifup \
    infocmp info initctl insmod install ionice ip iptables iw java javac jobs join journalctl jq kill killall \
    kubectl ld ldconfig ldd less let link ln loadkeys local locale localectl locate logger login logname logout \
    loginctl losetup ls lsb_release lsblk lscpu lsmod lsof lspci lsusb lua lvm lxc lz4 lzma m4 mail make man mapfile \
    mawk md5sum mdadm meson mke2fs mkdir mkfifo mkfs mkinitcpio mknod mkpasswd mksquashfs mkswap mktemp modinfo \
    modprobe more mount mountpoint mv mvn mysql mysqladmin mysqldump nano nc netcat netstat nginx nice ninja nl \
    nmcli node nohup npm nproc npx nsenter ntpdate numfmt nvim objdump od openssl pacman parallel parted partprobe \
    passwd paste patch perl pgrep php pidof ping pip pip3 pkexec pkg pkg-config pkill pnpm podman popd postgres \
    poweroff pr printenv printf ps pstree psql ptx pushd pv pwd pwgen python python2 python3 qemu-img rails rake \
    ranlib read readarray readelf readlink readonly realpath reboot rename reset restorecon return rm rmdir rmmod \
    rpm rsync ruby runuser rustc rustup scp screen script sed select seq service set setfacl setpriv setsid \
    setterm sh sha1sum sha256sum sha512sum shellcheck shift shopt shred shuf shutdown sleep snap sort source split \
    sqlite3 ss ssh ssh-add ssh-agent ssh-keygen ssh-keyscan ssh-copy-id stat stdbuf strace strip stty su sudo sum \
    suspend svn swapoff swapon sync sysctl systemctl systemd-run tac tail tar tasklist tclsh tee terraform test \
    time timedatectl timeout times tmux top touch tput tr trap tree true truncate tsort tty tune2fs type typeset \
    udevadm ulimit umask umount unalias uname uncompress unexpand uniq unlink unset unshare unsquashfs unxz unzip \
    update update-alternatives update-grub update-initramfs update-rc.d updatedb uptime useradd userdel usermod \
    users usleep uuidgen vagrant valgrind vi vim virsh visudo vmstat wait wall watch wc wget whatis whereis which \
    while whiptail who whoami wipefs write xargs xdg-open xmllint xrandr xrdb xset xxd xz yarn yes yum zcat zenity \
    zfs zgrep zip zpool zsh zstd zypper";
