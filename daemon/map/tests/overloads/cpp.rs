//! Makes C++ programs with overloads, and reads from the errors of `g++` which function each call means.
//!
//! Each function returns a type of its own, and each call is compiled as a variable of a type without a definition: the
//! error about it names the type that the call returns. So one run without any output tells all, including which calls
//! are errors themselves.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use super::random::Random;
use super::{Call, CalledLines, Program, run};

const TYPES: &[&str] = &[
    "int",
    "long",
    "double",
    "float",
    "char",
    "bool",
    "short",
    "unsigned",
    "size_t",
    "const char *",
    "char *",
    "std::string",
    "const std::string &",
    "std::string &&",
    "std::string_view",
    "Base",
    "const Base &",
    "Base &",
    "Base *",
    "const Leaf &",
    "Leaf *",
    "void *",
    "int *",
    "const int &",
    "Color",
    "Index",
    "const Shape &",
    "T",
    "const T &",
    "std::nullptr_t",
    "int64_t",
];

const ARGUMENTS: &[&str] = &[
    "1",
    "0",
    "-1",
    "1L",
    "1.5",
    "1.5f",
    "'c'",
    "true",
    "\"s\"",
    "nullptr",
    "1u",
    "i",
    "l",
    "d",
    "f",
    "c",
    "b",
    "p",
    "s",
    "base",
    "leaf",
    "q",
    "&base",
    "&leaf",
    "Leaf{}",
    "Base{}",
    "Leaf()",
    "std::string(\"x\")",
    "i + 1",
    "s + \"x\"",
    "!b",
    "i > 2",
    "color",
    "Color::Red",
    "index",
    "shape",
    "n",
    "(i)",
    "(long) i",
    "(double) 1",
    "b ? 1 : 2",
    "static_cast<long>(i)",
    "view",
    "*q",
    "w",
    "v",
    "short(1)",
    "sizeof(i)",
    "i * d",
    "c + 1",
    "new Leaf",
    "{1}",
    "{}",
    "at",
];

const NAMES: &[&str] = &["f", "g", "h"];

const HEAD: &str = "#include <cstddef>\n#include <cstdint>\n#include <string>\n#include <string_view>\ntemplate <int N> struct R {};\n\
                    template <class T> struct Probe;\nstruct Base {};\nstruct Leaf : Base {};\nenum class Color { Red };\n\
                    typedef int Index;\nstruct Shape { Shape(double) {} Shape(int, int) {} };\n";

const LOCALS: &str = "int i, long l, double d, float f, char c, bool b, const char *p, std::string s, Base base, Leaf leaf, Leaf *q, \
                      Color color, Index index, Shape shape, size_t n, std::string_view view, int *at";

pub(crate) fn make_program(number: usize, random: &mut Random) -> Program {
    let mut text = HEAD.to_owned();
    let (is_member, is_derived) = (random.once_in(2), random.once_in(2));
    if is_member && is_derived {
        text += "struct Parent {\n";
        add_functions(&mut text, random);
        text += "};\n";
    }
    if is_member {
        text += if is_derived { "struct Calls : Parent {\n" } else { "struct Calls {\n" };
    }
    add_functions(&mut text, random);
    let _ = write!(text, "void make({LOCALS}) {{\nauto w = 1;\nauto v = Leaf{{}};\n");
    let mut calls = Vec::new();
    for _ in 0..60 {
        let name = random.one_of(NAMES);
        let count = random.below(4);
        let arguments = random.list_of(count, ARGUMENTS);
        let line = text.lines().count() as u32 + 1;
        let _ = writeln!(text, "{}{name}({arguments});", if is_member { "this->" } else { "" });
        calls.push(Call { line, name });
    }
    text += if is_member { "}\n};\n" } else { "}\n" };
    Program { path: format!("calls{number}.cpp"), text, calls }
}

fn add_functions(text: &mut String, random: &mut Random) {
    for name in NAMES {
        let mut seen = BTreeSet::new();
        for _ in 0..1 + random.below(5) {
            let count = random.below(4);
            let types: Vec<&str> = (0..count).map(|_| random.one_of(TYPES)).collect();
            let has_default = random.once_in(4);
            if !seen.insert(types.clone()) {
                continue;
            }
            let generic = if types.iter().any(|ty| ty.contains('T')) { "template <class T> " } else { "" };
            let mut parameters: Vec<String> =
                types.iter().enumerate().map(|(at, ty)| format!("{ty} p{at}")).collect();
            if has_default && generic.is_empty() {
                parameters.push("int last = 3".to_owned());
            } else if random.once_in(8) {
                parameters.push("...".to_owned());
            }
            let line = text.lines().count() + 1;
            let _ = writeln!(text, "{generic}R<{line}> {name}({}) {{ return {{}}; }}", parameters.join(", "));
        }
    }
}

pub(crate) fn called_lines(folder: &Path, programs: &[Program]) -> Option<Vec<CalledLines>> {
    programs.iter().map(|program| compile(folder, program)).collect()
}

fn compile(folder: &Path, program: &Program) -> Option<CalledLines> {
    let mut lines: Vec<String> = program.text.lines().map(str::to_owned).collect();
    for call in &program.calls {
        let line = &mut lines[call.line as usize - 1];
        *line = format!("Probe<decltype({})> v{};", line.trim_end_matches(';'), call.line);
    }
    std::fs::write(folder.join(&program.path), lines.join("\n")).expect("a written file");
    let mut gcc = Command::new("g++");
    gcc.args(["-std=c++17", "-fsyntax-only", "-fmax-errors=0", "-w"]).arg(&program.path).current_dir(folder);
    let messages = String::from_utf8_lossy(&run(&mut gcc)?.stderr).into_owned();
    let refused: BTreeSet<u32> = messages.lines().filter_map(refused_line).collect();
    Some(messages.lines().filter_map(told_type).filter(|(line, _)| !refused.contains(line)).collect())
}

/// Returns the line of an error in a call itself.
fn refused_line(message: &str) -> Option<u32> {
    let (place, error) = message.split_once(" error: ")?;
    if error.contains("Probe<R<") { None } else { place.split(':').nth(1)?.parse().ok() }
}

/// Returns the lines of the call and of the function in `calls0.cpp:30:20: error: aggregate 'Probe<R<12> > v30' has
/// incomplete type`.
fn told_type(message: &str) -> Option<(u32, u32)> {
    let (_, function) = message.split_once(" error: ")?.1.split_once("Probe<R<")?;
    let line = message.split(':').nth(1)?.parse().ok()?;
    Some((line, function.split('>').next()?.parse().ok()?))
}
