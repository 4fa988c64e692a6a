//! Tests Python on flask: pyright and ty.

use hob_tests::lsp::{Ready, Speaks};
use hob_tests::{outside, projects};
use serde_json::Value;

use super::edits::{self, Edits};
use super::renames::{self, checkers};
use super::{Mark, Subject, at_once, no_env, questions, verdicts};
use crate::e2e::nav::ty_alone;

const LANGUAGES: &[(&str, &str)] = &[("py", "python"), ("pyi", "python")];

fn pyright() -> Subject {
    Subject {
        server: "pyright",
        folders: || outside::servers().to_vec(),
        command: &["pyright-langserver", "--stdio"],
        env: no_env,
        speaks: Speaks {
            ready: Ready::Logs("source file"),
            options: Value::Null,
            settings: Value::Null,
            languages: LANGUAGES,
        },
        trusted: false,
        project: projects::flask,
        endings: &["py"],
    }
}

fn ty() -> Subject {
    let pyright = pyright();
    Subject {
        server: "ty",
        folders: ty_alone,
        command: &["ty", "server"],
        speaks: Speaks { ready: Ready::Held, ..pyright.speaks.clone() },
        ..pyright
    }
}

/// A definition that is used in many files.
const BUSY: Mark = Mark { file: "src/flask/app.py", line: "class Flask(App)", name: "Flask" };

const EDITS: Edits = Edits {
    called: Mark { file: "src/flask/helpers.py", line: "def get_debug_flag(", name: "get_debug_flag" },
    path: |number| format!("src/users/use_{number}.py"),
    start: "import flask.helpers\n",
    call: "flask.helpers.get_debug_flag()",
    uses: 1,
    superfluous: "src/flask/typing.py",
};

/// An error after non-ASCII text, to be appended to a file.
const BROKEN: &str = "_s = '\u{fc}\u{1f4a5}'; _n: int = 'text'";

#[test]
fn pyright_verdicts() {
    verdicts::are_the_servers(&pyright(), BROKEN, 8);
}

#[test]
fn ty_verdicts() {
    verdicts::are_the_servers(&ty(), BROKEN, 8);
}

#[test]
fn pyright_questions() {
    questions::same_as_the_server(&pyright(), 1);
}

#[test]
fn pyright_at_once() {
    at_once::right_while_loading(&pyright(), BUSY);
}

#[test]
fn pyright_edits() {
    edits::callers_are_found(&pyright(), &EDITS);
}

#[test]
fn pyright_branches() {
    edits::branches_are_told_apart(&pyright(), &EDITS);
}

#[test]
fn ty_questions() {
    questions::same_as_the_server(&ty(), 2);
}

#[test]
fn ty_at_once() {
    at_once::right_while_loading(&ty(), BUSY);
}

#[test]
fn ty_edits() {
    edits::callers_are_found(&ty(), &EDITS);
}

#[test]
fn ty_branches() {
    edits::branches_are_told_apart(&ty(), &EDITS);
}

#[test]
fn pyright_renames() {
    renames::are_the_servers(&pyright(), 21, renames::FEW, checkers::pyright);
}

#[test]
fn ty_renames() {
    renames::are_the_servers(&ty(), 22, renames::ACROSS_FILES, checkers::ty);
}
