//! A tree of everything that is awkward about text files, and about which of them are searched.

use std::fmt::Write as _;
use std::os::unix::fs::symlink;

use hob_tests::{Rng, Tree};

/// The words that the files are made of.
const WORDS: &[&str] = &[
    "needle",
    "Needle",
    "NEEDLE",
    "import",
    "stop",
    "\u{17f}top",
    "Kelvin",
    "\u{212a}elvin",
    "stra\u{df}e",
    "STRASSE",
    "na\u{ef}ve",
    "日本語",
    "\u{1f600}",
    "\u{3c3}\u{3c2}\u{3a3}",
    "\u{130}i\u{131}",
    "e\u{301}",
    "def",
    "self",
    "x",
    "ab",
    "aab",
    "a.b",
    "foo(bar)",
    "0x1F",
    "2024-05-06",
    "_under",
    "TODO",
    "\u{feff}",
    "\u{a0}",
    "\u{2028}",
    "\u{85}",
    "don't",
    "--",
    "a\tb",
    "$HOME",
    "[[link]]",
    "{}",
    "\\n",
];

/// The texts that separate words and end lines: mostly a line feed.
const GLUE: &[&str] =
    &[" ", " ", " ", "", "_", ".", "\n", "\n", "\r\n", "\r", "\n\n", "\t", " \n", "\u{b}", "\u{c}"];

/// Bytes that are no UTF-8.
const INVALID: &[&[u8]] = &[b"\xff", b"\xe9", b"\xe6\x97", b"\x80", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80"];

/// Text of about `len` bytes.
pub(super) fn text(rng: &mut Rng, len: usize) -> String {
    let mut text = String::new();
    while text.len() < len {
        text.push_str(rng.pick::<&str>(WORDS));
        text.push_str(rng.pick::<&str>(GLUE));
    }
    text
}

/// The same with some bytes that are no UTF-8.
pub(super) fn dirty(rng: &mut Rng, len: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while bytes.len() < len {
        bytes.extend_from_slice(text(rng, 30).as_bytes());
        bytes.extend_from_slice(rng.pick::<&[u8]>(INVALID));
    }
    bytes
}

fn utf16(text: &str, mark: [u8; 2], unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    mark.into_iter().chain(text.encode_utf16().flat_map(unit)).collect()
}

/// `bytes` with a NUL at `at`.
fn with_nul(mut bytes: Vec<u8>, at: usize) -> Vec<u8> {
    let at = at.min(bytes.len().saturating_sub(1));
    bytes[at] = 0;
    bytes
}

/// Fills `tree` with nasty files.
pub(super) fn fill(tree: &Tree, rng: &mut Rng) {
    for n in 0..160 {
        let len = rng.below(3_000);
        match n % 4 {
            0 => tree.write(&format!("d{}/dirty{n}.bin", n % 7), dirty(rng, len)),
            1 => tree.write(&format!("d{}/crlf{n}.txt", n % 7), text(rng, len).replace('\n', "\r\n")),
            _ => tree.write(&format!("d{}/sub/plain{n}.py", n % 7), text(rng, len)),
        }
    }
    encodings(tree, rng);
    sizes(tree, rng);
    nuls(tree, rng);
    names(tree, rng);
    rules(tree, rng);
}

fn encodings(tree: &Tree, rng: &mut Rng) {
    for n in 0..4 {
        let text = text(rng, 400 + n * 23_000);
        tree.write(&format!("enc/le{n}.txt"), utf16(&text, [0xFF, 0xFE], u16::to_le_bytes));
        tree.write(&format!("enc/be{n}.txt"), utf16(&text, [0xFE, 0xFF], u16::to_be_bytes));
        tree.write(&format!("enc/bom{n}.txt"), [b"\xef\xbb\xbf", text.as_bytes()].concat());
        let latin: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect();
        tree.write(
            &format!("enc/latin{n}.txt"),
            latin.iter().map(|b| if *b == 0 { b'?' } else { *b }).collect::<Vec<_>>(),
        );
    }
    tree.write("enc/odd.txt", [&utf16("needle one\n", [0xFF, 0xFE], u16::to_le_bytes)[..], b"x"].concat());
    tree.write("enc/surrogate.txt", b"\xff\xfen\0e\0\x3d\xd8x\0\n\0\x00\xdc");
    tree.write("enc/only_mark.txt", b"\xef\xbb\xbf");
    tree.write("enc/only_mark16.txt", b"\xff\xfe");
    tree.write("enc/two_marks.txt", b"\xef\xbb\xbf\xef\xbb\xbfneedle\n");
    tree.write("enc/late_mark.txt", b"x\n\xef\xbb\xbfneedle\n");
    tree.write("enc/utf32.txt", b"\xff\xfe\0\0n\0\0\0");
}

fn sizes(tree: &Tree, rng: &mut Rng) {
    tree.write("size/empty.txt", "");
    tree.write("size/newline.txt", "\n");
    tree.write("size/newlines.txt", "\n".repeat(500));
    tree.write("size/one.txt", "x");
    tree.write("size/cr.txt", "one needle\rtwo\rthree needle\r");
    tree.write("size/crlf_end.txt", "one needle\r\n\r\n\r");
    for len in [65_535, 65_536, 65_537, 131_071, 131_072, 131_073] {
        let mut text = text(rng, len);
        let end = (0..=len).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        tree.write(&format!("size/len{len}.txt"), text);
    }
    tree.write(
        "size/long_line.txt",
        format!("a needle {} needle z\nshort needle\n", "w\u{e9} ".repeat(30_000)),
    );
    tree.write("size/long_word.txt", "q".repeat(150_000));
    tree.write("size/large.txt", text(rng, 300_077));
}

fn nuls(tree: &Tree, rng: &mut Rng) {
    for at in [4, 4_095, 65_535, 65_536, 65_537, 70_000, 99_990] {
        let len = at + 5_000;
        tree.write(&format!("nul/at{at}.txt"), with_nul(dirty(rng, len), at));
        tree.write(&format!("nul/text{at}.txt"), with_nul(text(rng, len).into_bytes(), at));
    }
    let marked = [b"\xef\xbb\xbf", text(rng, 90_000).as_bytes()].concat();
    tree.write("nul/marked.txt", with_nul(marked, 65_538));
    tree.write("nul/early_line.txt", b"x\nneedle\0needle\n");
    tree.write("nul/last.txt", "needle\nx\0");
    tree.write("nul/utf16.txt", utf16("needle\na\u{0}b\nneedle\n", [0xFF, 0xFE], u16::to_le_bytes));
}

fn names(tree: &Tree, rng: &mut Rng) {
    for name in [
        "ünï/ködé.txt",
        "日本/語.txt",
        "with space/a b.txt",
        "quote's/\"q\".txt",
        "semi;colon:1:x.txt",
        "-dash.txt",
        "new\nline/fi\nle.txt",
        "tab\there.txt",
        "ctrl\u{1}.txt",
        "back\\slash.txt",
        "star*.txt",
        "brack[et].txt",
        "e\u{301}.txt",
        "\u{e9}.txt",
        "UPPER.TXT",
        "upper.txt",
        "no_ending",
        "many.dots.in.it.txt",
        "trailing .txt",
    ] {
        tree.write(&format!("names/{name}"), text(rng, 200) + "needle\n");
    }
    let deep = "deep/".repeat(40);
    tree.write(&format!("names/{deep}down.txt"), "needle deep down\n");
}

fn rules(tree: &Tree, rng: &mut Rng) {
    tree.write(".gitignore", "*.log\n/out/\n!keep.log\n*.tmp\nnames2/*\n!names2/b*\n");
    tree.write(".ignore", "secret*\n!d1/keep.tmp\n");
    tree.write(".hobignore", "private/\n*.hidden_by_hob\n");
    tree.write("d1/.gitignore", "local_*\n!*.log\n/anchored.txt\n**/inner/*.x\n");
    tree.write("d1/.ignore", "!local_but_kept.txt\n");
    for name in [
        "a.log",
        "keep.log",
        "out/a.txt",
        "sub/out/a.txt",
        "a.tmp",
        "d1/keep.tmp",
        "secret.txt",
        "d2/secret_file.txt",
        "private/a.txt",
        "d1/private/b.txt",
        "x.hidden_by_hob",
        ".hidden/a.txt",
        ".hidden.txt",
        "d2/.dot",
        "d1/local_a.txt",
        "d1/local_but_kept.txt",
        "d1/deep/local_b.txt",
        "d1/b.log",
        "d1/anchored.txt",
        "d1/deep/anchored.txt",
        "d1/inner/a.x",
        "d1/p/inner/b.x",
        "names2/a.txt",
        "names2/b.txt",
        "node_modules/m/index.js",
        "target/debug/x.txt",
        "vendor/v.c",
    ] {
        tree.write(name, text(rng, 150) + "needle\n");
    }
    let link = |to: &str, at: &str| symlink(to, tree.at(at)).expect("links can be made");
    link("d1", "link_to_folder");
    link("d1/deep/anchored.txt", "link_to_file.txt");
    link("nowhere", "dangling.txt");
    link(".", "d2/loop");
    let mut long = String::new();
    (0..2_000)
        .for_each(|n| writeln!(long, "line {n} of a longer file, with needle {}", n % 13).expect("a string"));
    tree.write("d3/longer.txt", long);
}
