//! Tests TypeScript on rxjs: TypeScript 7's own server, and typescript-language-server with TypeScript 5.

use hob_tests::lsp::{Ready, Speaks};
use hob_tests::{outside, projects};
use serde_json::{Value, json};

use super::edits::{self, Edits};
use super::renames::{self, checkers};
use super::said::{Kind, Question};
use super::{Mark, Subject, ask_until_whole, at_once, no_env, questions, verdicts};

fn typescript() -> Subject {
    Subject {
        server: "typescript",
        folders: || outside::servers().to_vec(),
        command: &["tsc", "--lsp", "--stdio"],
        env: no_env,
        speaks: Speaks {
            ready: Ready::Held,
            options: Value::Null,
            settings: Value::Null,
            languages: &[("ts", "typescript")],
        },
        trusted: false,
        project: projects::rxjs,
        endings: &["ts"],
    }
}

fn older() -> Subject {
    let typescript = typescript();
    Subject {
        server: "typescript-language-server",
        folders: || outside::older_typescript().to_vec(),
        command: &["typescript-language-server", "--stdio"],
        speaks: Speaks {
            ready: Ready::ProgressEnds("Initializing JS/TS language features"),
            options: json!({"disableAutomaticTypingAcquisition": true}),
            ..typescript.speaks.clone()
        },
        trusted: true,
        ..typescript
    }
}

/// A definition that is used in many files.
const BUSY: Mark =
    Mark { file: "src/internal/Observable.ts", line: "export class Observable<T>", name: "Observable" };

const EDITS: Edits = Edits {
    called: Mark { file: "src/internal/util/isDate.ts", line: "function isValidDate(", name: "isValidDate" },
    path: |number| format!("src/users/use_{number}.ts"),
    start: "import * as dates from '../internal/util/isDate';\n",
    call: "dates.isValidDate(1);",
    uses: 1,
    superfluous: "src/internal/util/noop.ts",
};

/// An error after non-ASCII text, to be appended to a file.
const BROKEN: &str = "const _s = '\u{fc}\u{1f4a5}', _n: number = 'text';";

#[test]
fn typescript_verdicts() {
    verdicts::are_the_servers(&typescript(), BROKEN, 8);
}

#[test]
fn older_verdicts() {
    verdicts::are_the_servers(&older(), BROKEN, 8);
}

/// The server does not report by itself that an open file without errors still has none.
#[test]
fn older_is_asked_what_it_does_not_say() {
    const FILE: &str = "src/internal/util/isDate.ts";
    let world = older().world();
    let tree = older().tree(&world);
    let mut mcp = world.mcp(&tree);
    let symbols = Question { kind: Kind::Symbols, file: FILE.to_owned(), line: 1, col: 1 };
    let _ = ask_until_whole(&mut mcp, &symbols);
    let text = tree.read(FILE);
    for (end, wrong) in [("", 0), ("// nothing\n", 0), (BROKEN, 1), ("// nothing\n", 0)] {
        tree.write(FILE, format!("{text}{end}"));
        let answer = mcp.call("nav_diagnostics", json!({"file": FILE, "severity": "error"}));
        assert_eq!(answer.ok()["complete"], true, "{answer}");
        assert_eq!(answer.list("/diagnostics").len(), wrong, "{answer}");
    }
}

#[test]
fn typescript_questions() {
    questions::same_as_the_server(&typescript(), 3);
}

#[test]
fn typescript_at_once() {
    at_once::right_while_loading(&typescript(), BUSY);
}

#[test]
fn typescript_edits() {
    edits::callers_are_found(&typescript(), &EDITS);
}

#[test]
fn typescript_branches() {
    edits::branches_are_told_apart(&typescript(), &EDITS);
}

#[test]
fn typescript_renames() {
    renames::are_the_servers(&typescript(), 23, renames::ACROSS_FILES, checkers::tsc);
}

#[test]
fn older_questions() {
    questions::same_as_the_server(&older(), 4);
}

#[test]
fn older_at_once() {
    at_once::right_while_loading(&older(), BUSY);
}

#[test]
fn older_edits() {
    edits::callers_are_found(&older(), &EDITS);
}

#[test]
fn older_branches() {
    edits::branches_are_told_apart(&older(), &EDITS);
}

#[test]
fn older_renames() {
    renames::are_the_servers(&older(), 24, renames::FEW, checkers::tsc);
}
