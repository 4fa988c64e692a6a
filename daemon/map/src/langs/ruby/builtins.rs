//! Lists the names that belong to Ruby unless a file says otherwise.

use crate::langs::semantics::BuiltinWords;

/// Ruby's words for the resolution, which pins none of them to a definition by the name alone.
pub(crate) const BUILTINS: BuiltinWords =
    BuiltinWords { globals: GLOBALS, members: MEMBERS, member_prefix: None };

const GLOBALS: &str = "\
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

const MEMBERS: &str = "\
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
