//! Lists the names that belong to Swift unless a file says otherwise.

use crate::langs::semantics::BuiltinWords;

/// Swift's words for the resolution, which pins none of them to a definition by the name alone.
pub(crate) const BUILTINS: BuiltinWords =
    BuiltinWords { globals: GLOBALS, members: MEMBERS, member_prefix: None };

const GLOBALS: &str = "\
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

const MEMBERS: &str = "\
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
