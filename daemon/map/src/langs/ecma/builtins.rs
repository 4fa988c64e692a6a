//! Lists the names that belong to ECMAScript and TypeScript unless a file says otherwise.

use crate::langs::semantics::BuiltinWords;

/// ECMAScript's words for the resolution, which pins none of them to a definition by the name alone.
pub(crate) const BUILTINS: BuiltinWords =
    BuiltinWords { globals: GLOBALS, members: MEMBERS, member_prefix: None };

const GLOBALS: &str = "\
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

const MEMBERS: &str = "\
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
