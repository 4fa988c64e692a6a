//! Lists the names that belong to C# unless a file says otherwise.

use crate::langs::semantics::BuiltinWords;

/// C#'s words for the resolution, which pins none of them to a definition by the name alone.
pub(crate) const BUILTINS: BuiltinWords =
    BuiltinWords { globals: GLOBALS, members: MEMBERS, member_prefix: None };

const GLOBALS: &str = "\
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

const MEMBERS: &str = "\
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
