//! The patterns and rewrites that are tried, and the trees in which they are tried.

use std::path::PathBuf;

use hob_tests::{outside, projects, projects_native, projects_small};

/// A language, a pattern and a rewrite.
pub(super) type Pair = (&'static str, &'static str, &'static str);

/// Returns real trees, each with the pairs that are tried in it.
pub(super) fn projects() -> Vec<(PathBuf, &'static [Pair])> {
    let package = |name: &str| outside::clients().join("node_modules").join(name);
    vec![
        (projects::click().to_path_buf(), CLICK),
        (projects::flask().to_path_buf(), FLASK),
        (projects::rxjs().join("src"), RXJS),
        (projects::zod().join("src"), ZOD),
        (package("express"), EXPRESS),
        (package("yaml"), YAML),
        (projects_native::ignore().to_path_buf(), IGNORE),
        (projects_small::aho_corasick().to_path_buf(), AHO_CORASICK),
        (projects_native::pflag().to_path_buf(), PFLAG),
        (projects_small::go_cmp().to_path_buf(), GO_CMP),
        (projects_small::zlib().to_path_buf(), ZLIB),
        (projects_native::zstd().to_path_buf(), ZSTD),
    ]
}

const CLICK: &[Pair] = &[
    ("py", "isinstance($X, $T)", "is_a($T, $X)"),
    ("py", "$X.get($KEY)", "lookup(\n    $X,\n    $KEY,\n)"),
    ("py", "return $X", "result = $X\nreturn result"),
    ("py", "def $F($$$ARGS): $$$BODY", "def $F($$$ARGS):\n    trace('$F')\n    $$$BODY"),
    ("py", "if $A is None: $$$BODY", "if not $A:\n    $$$BODY"),
    ("py", "raise $E($$$)", "raise $E"),
    ("py", "assert $A == $B", "assert_equal($A, $B)"),
    ("py", "$A = $A.$F($$$X)", "$A = $F($A, $$$X)"),
    ("py", "\"\"", "EMPTY"),
];

const FLASK: &[Pair] = &[
    ("py", "class $C($$$BASES): $$$BODY", "class $C($$$BASES, Mixin):\n    $$$BODY"),
    ("py", "@$D\ndef $F($$$A): $$$B", "@$D\n@also\ndef $F($$$A): $$$B"),
    ("py", "$A if $C else $B", "choose($C, $A, $B)"),
    ("py", "for $X in $Y: $$$B", "while True:\n    $X = next($Y)\n    $$$B"),
    ("py", "app.$F($$$A)", "application().$F($$$A)"),
    ("py", "$F($$$FIRST, $LAST)", "$F($LAST, $$$FIRST)"),
    ("py", "import $M", "import $M as $M"),
    ("py", "with $X as $Y: $$$B", "$Y = $X\nwith $Y:\n    $$$B"),
];

const RXJS: &[Pair] = &[
    ("ts", "if ($C) { $$$B }", "if (!($C)) {} else {\n  $$$B\n}"),
    ("ts", "($$$A) => $B", "function ($$$A) { return $B; }"),
    (
        "ts",
        "export function $F<$$$T>($$$A): $R { $$$B }",
        "export const $F = <$$$T>($$$A): $R => {\n  $$$B\n};",
    ),
    ("ts", "import { $$$N } from $M", "import type { $$$N } from $M"),
    ("ts", "const $A = $B", "let $A = $B"),
    ("ts", "$O.subscribe($A)", "listen(\n  $O,\n  $A\n)"),
    ("ts", "new $C($$$A)", "make($C, [$$$A])"),
];

const ZOD: &[Pair] = &[
    ("ts", "expect($A).toEqual($B)", "assertEqual($A, $B)"),
    ("ts", "$A === $B", "Object.is($A, $B)"),
    ("ts", "z.object($A)", "z.strictObject($A)"),
    ("ts", "$A === $B || $A === $C", "[$B, $C].includes($A)"),
    ("ts", "test($NAME, () => { $$$BODY })", "it($NAME, function () {\n  $$$BODY\n})"),
    ("ts", "let $X: $T", "var $X: $T"),
];

const EXPRESS: &[Pair] = &[
    ("js", "var $A = require($B)", "import $A from $B"),
    ("js", "var $A = $B;", "const $A = $B;"),
    ("js", "function $F($$$A) { $$$B }", "async function $F($$$A) {\n  await 0;\n  $$$B\n}"),
    ("js", "if ($A) $B", "$A && $B"),
];

const YAML: &[Pair] = &[
    ("js", "switch ($X) { $$$C }", "choose($X, { $$$C })"),
    ("js", "throw new Error($A)", "throw fail($A)"),
    ("js", "class $C extends $D { $$$B }", "class $C extends wrap($D) {\n    $$$B\n}"),
];

const IGNORE: &[Pair] = &[
    ("rs", "$X.unwrap()", "$X.expect(\"it is\")"),
    (
        "rs",
        "if let Some($A) = $B { $$$C }",
        "match $B {\n    Some($A) => {\n        $$$C\n    }\n    None => {}\n}",
    ),
    ("rs", "assert_eq!($$$A)", "same!($$$A)"),
    (
        "rs",
        "pub fn $F(&self) -> $R { $$$B }",
        "pub fn $F(&self) -> $R {\n    let _guard = enter();\n    $$$B\n}",
    ),
    ("rs", "Some($A)", "Option::Some($A)"),
];

const AHO_CORASICK: &[Pair] = &[
    ("rs", "impl $T for $S { $$$B }", "impl $T for $S {\n    // Ours.\n    $$$B\n}"),
    ("rs", "let mut $A = $B;", "let $A = &mut $B;"),
    ("rs", "$A as $T", "<$T>::from($A)"),
    ("rs", "for $A in $B { $$$C }", "$B.for_each(|$A| { $$$C });"),
    ("rs", "#[inline]", "#[inline(always)]"),
];

const PFLAG: &[Pair] = &[
    ("go", "if err != nil { $$$B }", "if failed(err) {\n\t$$$B\n}"),
    ("go", "$X := fmt.Sprintf($$$A)", "$X := format($$$A)"),
    ("go", "func ($R $T) $F($$$A) $O { $$$B }", "func ($R $T) $F($$$A) $O {\n\tdefer leave()\n\t$$$B\n}"),
    ("go", "$A = $B", "set(&$A, $B)"),
];

const GO_CMP: &[Pair] = &[
    ("go", "return $A, $B", "return ($A), ($B)"),
    ("go", "$A := $B", "var $A = $B"),
    ("go", "for $I := range $X { $$$B }", "each($X, func($I int) { $$$B })"),
    ("go", "switch $X { $$$C }", "switch ($X) { $$$C }"),
];

const ZLIB: &[Pair] = &[
    ("c", "if ($A == NULL) $B", "if (!$A) $B"),
    ("c", "$A->$B = $C;", "set_$B($A, $C);"),
    ("c", "while ($C) { $$$B }", "for (; $C;) {\n    $$$B\n}"),
    ("c", "return $X;", "{\n    leave();\n    return $X;\n}"),
];

const ZSTD: &[Pair] = &[
    ("c", "assert($X)", "check($X)"),
    ("c", "$T const $A = $B;", "const $T $A = $B;"),
    ("c", "memset($A, 0, $N)", "clear($A, $N)"),
    ("c", "$C ? $A : $B", "choose($C, $A, $B)"),
];
