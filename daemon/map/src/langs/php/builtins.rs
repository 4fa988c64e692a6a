//! Lists the names that belong to PHP unless a file says otherwise.

use crate::langs::semantics::BuiltinWords;

/// PHP's words for the resolution, which pins none of them to a definition by the name alone.
pub(crate) const BUILTINS: BuiltinWords =
    BuiltinWords { globals: GLOBALS, members: MEMBERS, member_prefix: None };

const GLOBALS: &str = "\
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

const MEMBERS: &str = "\
    __construct __get __invoke __set __toString add all append apply call clear close commit connect count create \
    current data date debug delete diff each end error exec execute exists fetch fetchAll fetchColumn filter \
    find first flush format get getCode getFile getIterator getLine getMessage getName getPrevious \
    getTimestamp getTrace getTraceAsString getType getValue has hash id info insert invoke isEmpty item join \
    jsonSerialize key keys last length load log map merge modify name next offsetExists offsetGet offsetSet \
    offsetUnset open parse path prepare push query read remove render replace reset rewind rollBack run save \
    search send serialize set setTimezone size slice sort start stop sub toArray toString type update valid \
    value values warning with write";
