//! Makes Java programs with overloads, and reads from the class files of `javac` which method each call means.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use super::random::Random;
use super::{Call, CalledLines, Program, run};

/// Types of parameters.
const TYPES: &[&str] = &[
    "int",
    "long",
    "double",
    "float",
    "short",
    "byte",
    "char",
    "boolean",
    "Integer",
    "Long",
    "Double",
    "Character",
    "Boolean",
    "Object",
    "Number",
    "String",
    "CharSequence",
    "Base",
    "Mid",
    "Leaf",
    "Face",
    "Other",
    "int[]",
    "String[]",
    "Runnable",
    "T",
    "Comparable<T>",
    "Iterable<T>",
];

/// Types of a last parameter that takes any number of arguments.
const VARIADIC: &[&str] = &["int...", "String...", "Object...", "Base...", "long..."];

/// Arguments of calls; `Calls.make` declares the locals.
const ARGUMENTS: &[&str] = &[
    "1",
    "-1",
    "1L",
    "1.5",
    "1f",
    "'c'",
    "true",
    "\"s\"",
    "null",
    "(short) 1",
    "(byte) 1",
    "(Object) 1",
    "(long) 1",
    "i",
    "l",
    "d",
    "f",
    "c",
    "b",
    "s",
    "sh",
    "boxed",
    "boxedLong",
    "o",
    "n",
    "base",
    "mid",
    "leaf",
    "face",
    "other",
    "ints",
    "words",
    "text",
    "seq",
    "new Leaf()",
    "new Mid()",
    "new Base()",
    "new Other()",
    "new int[0]",
    "new Object()",
    "i + 1",
    "s + 1",
    "1 + 1L",
    "!b",
    "i > 2",
    "(Base) leaf",
    "(Face) other",
    "boxed.intValue()",
    "o.toString()",
    "b ? 1 : 2",
    "b ? null : s",
    "v",
    "w",
    "(i)",
    "this",
    "() -> {}",
    "c + 1",
    "sh + 1",
    "i * d",
    "\"a\" + c",
    "leaf == null",
    "Integer.valueOf(1)",
    "String.class",
    "i++",
    "generic",
];

const NAMES: &[&str] = &["f", "g", "h"];

const TYPES_OF_PROGRAM: &str = "class Base {}\nclass Mid extends Base {}\nclass Leaf extends Mid implements Face {}\ninterface Face {}\n\
                                class Other implements Face {}\n";

const LOCALS: &str = "int i, long l, double d, float f, char c, boolean b, String s, short sh, Integer boxed, Long boxedLong, Object o, \
                      Number n, Base base, Mid mid, Leaf leaf, Face face, Other other, int[] ints, String[] words, CharSequence seq, \
                      G generic";

pub(crate) fn make_program(number: usize, random: &mut Random) -> Program {
    let mut text = format!("package p{number};\n\n{TYPES_OF_PROGRAM}\n");
    let is_derived = random.once_in(2);
    if is_derived {
        text += "class Parent {\n";
        add_methods(&mut text, random);
        text += "}\n\n";
    }
    text += if is_derived { "class Calls extends Parent {\n" } else { "class Calls {\n" };
    add_methods(&mut text, random);
    let _ = write!(
        text,
        "  <G extends Base> void make({LOCALS}) {{\n    String text = \"t\";\n    var v = new Leaf();\n    var w = 1;\n"
    );
    let mut calls = Vec::new();
    for _ in 0..60 {
        let name = random.one_of(NAMES);
        let count = random.below(4);
        let arguments = random.list_of(count, ARGUMENTS);
        let line = text.lines().count() as u32 + 1;
        let receiver = if random.once_in(3) { "this." } else { "" };
        let _ = writeln!(text, "    {receiver}{name}({arguments});");
        calls.push(Call { line, name });
    }
    text += "  }\n}\n";
    Program { path: format!("p{number}/Calls.java"), text, calls }
}

fn add_methods(text: &mut String, random: &mut Random) {
    for name in NAMES {
        let mut seen = BTreeSet::new();
        for _ in 0..1 + random.below(5) {
            let count = random.below(4);
            let mut types: Vec<&str> = (0..count).map(|_| random.one_of(TYPES)).collect();
            if random.once_in(5) {
                types.push(random.one_of(VARIADIC));
            }
            if !seen.insert(types.iter().map(|ty| erased(ty)).collect::<Vec<_>>()) {
                continue;
            }
            let generic = if types.iter().any(|ty| matches!(*ty, "T" | "Comparable<T>" | "Iterable<T>")) {
                "<T> "
            } else {
                ""
            };
            let parameters = types.iter().enumerate().map(|(at, ty)| format!("{ty} p{at}"));
            let _ =
                writeln!(text, "  {generic}void {name}({}) {{}}", parameters.collect::<Vec<_>>().join(", "));
        }
    }
}

/// Returns the type in the class file, after erasure: two methods cannot have the same ones.
fn erased(ty: &str) -> String {
    let ty = ty.split('<').next().unwrap_or(ty).replace("...", "[]");
    if ty == "T" { "Object".to_owned() } else { ty }
}

/// Compiles the programs without the calls that `javac` does not accept, and reads the class files.
pub(crate) fn called_lines(folder: &Path, programs: &[Program]) -> Option<Vec<CalledLines>> {
    let mut refused: BTreeSet<(String, u32)> = BTreeSet::new();
    // One error may hide others.
    for _ in 0..4 {
        let errors = compile(folder, programs, &refused)?;
        if errors.is_empty() {
            return programs.iter().map(|program| read_classes(folder, program)).collect();
        }
        refused.extend(errors);
    }
    panic!("javac refuses more than calls: {refused:?}");
}

/// Compiles without the refused lines; returns the lines with errors.
fn compile(
    folder: &Path,
    programs: &[Program],
    refused: &BTreeSet<(String, u32)>,
) -> Option<BTreeSet<(String, u32)>> {
    for program in programs {
        let lines =
            program.text.lines().zip(1..).map(|(line, number)| {
                if refused.contains(&(program.path.clone(), number)) { "" } else { line }
            });
        let file = folder.join(&program.path);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, lines.collect::<Vec<_>>().join("\n")).expect("a written file");
    }
    let mut javac = Command::new("javac");
    javac.args(["-g", "-Xlint:none", "-Xmaxerrs", "100000", "-d", "classes"]).current_dir(folder);
    javac.args(programs.iter().map(|program| &program.path));
    let output = run(&mut javac)?;
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    let errors: BTreeSet<(String, u32)> = messages.lines().filter_map(error_place).collect();
    assert!(output.status.success() || !errors.is_empty(), "javac says: {messages}");
    Some(errors)
}

/// Returns the path and line in `p0/Calls.java:20: error: no suitable method`.
fn error_place(message: &str) -> Option<(String, u32)> {
    let (place, _) = message.split_once(": error:")?;
    let (path, line) = place.rsplit_once(':')?;
    Some((path.to_owned(), line.parse().ok()?))
}

/// A method as `javap` prints it.
#[derive(Default)]
struct MethodCode {
    name: String,
    descriptor: String,
    /// The called methods, by the offsets of their instructions: class (empty for the own one), and name with
    /// descriptor.
    calls: Vec<(u32, String, String)>,
    /// The lines of the source, by the offsets of their first instructions.
    lines: BTreeMap<u32, u32>,
}

fn read_classes(folder: &Path, program: &Program) -> Option<CalledLines> {
    let package = program.path.split('/').next().unwrap_or_default();
    let read = |class: &str| {
        let mut javap = Command::new("javap");
        javap
            .args(["-c", "-l", "-s", "-p"])
            .arg(format!("classes/{package}/{class}.class"))
            .current_dir(folder);
        run(&mut javap).map(|output| methods_of(&String::from_utf8_lossy(&output.stdout)))
    };
    let own = read("Calls")?;
    let inherited = if program.text.contains("class Parent") { read("Parent")? } else { Vec::new() };
    let line_of = |called: &str| {
        let is_it = |method: &&MethodCode| format!("{}:{}", method.name, method.descriptor) == called;
        own.iter().find(is_it).or_else(|| inherited.iter().find(is_it))?.lines.values().next().copied()
    };
    let make = own.iter().find(|method| method.name == "make")?;
    let mut called = CalledLines::new();
    for (at, class, name) in &make.calls {
        let is_project = class.is_empty() || class.starts_with(&format!("{package}/"));
        let line = make.lines.range(..=at).next_back().map(|(_, line)| *line);
        if let (true, Some(line), Some(meant)) = (is_project, line, line_of(name)) {
            called.insert(line, meant);
        }
    }
    Some(called)
}

fn methods_of(listing: &str) -> Vec<MethodCode> {
    let mut methods: Vec<MethodCode> = Vec::new();
    for line in listing.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if line.starts_with("  ") && !line.starts_with("   ") && line.ends_with(';') && line.contains('(') {
            let head = line.split('(').next().unwrap_or_default();
            let name = head.rsplit(' ').next().unwrap_or_default().to_owned();
            methods.push(MethodCode { name, ..MethodCode::default() });
        }
        let Some(method) = methods.last_mut() else { continue };
        match words[..] {
            ["descriptor:", descriptor] => method.descriptor = descriptor.to_owned(),
            ["line", number, at] => {
                if let (Ok(number), Ok(at)) = (number.trim_end_matches(':').parse(), at.parse()) {
                    method.lines.insert(at, number);
                }
            }
            [at, instruction, .., "Method", called] if instruction.starts_with("invoke") => {
                let Ok(at) = at.trim_end_matches(':').parse() else { continue };
                let before_type = called.split(':').next().unwrap_or(called).len();
                let (class, name) =
                    called[..before_type].rsplit_once('.').unwrap_or(("", &called[..before_type]));
                method.calls.push((at, class.to_owned(), format!("{name}{}", &called[before_type..])));
            }
            _ => {}
        }
    }
    methods
}
