//! Tests the facts and imports that hob reads from shell scripts.

use crate::fixture::check_edges;
use crate::langs::detect::language_of;
use crate::langs::lang::Lang;
use crate::langs::support::project::fake::Fake;
use crate::langs::support::render::{check, torture};

const SAMPLE: &str = r#"#!/bin/bash
source "$(dirname "$0")/lib.sh"

# Says hello.
# Loudly.
function hello() {
  local name=$1; export GREETING="hi"
  log_info "$name"
}
bye () (
  hello "$@" && ls | sort
)
readonly VERSION=1.0
declare -r X=2
COUNT=0
alias ll='ls -l'
trap cleanup EXIT
cleanup() { COUNT=1; echo "$(hello x) $VERSION"; }
LANG=C bye
export -f hello
"#;

#[test]
fn definitions_imports_and_references() {
    check(
        Lang::Bash,
        SAMPLE,
        r#"function hello 6-9@6:10 E | function hello() | Says hello. Loudly.
           variable GREETING 7-7@7:25 E | export GREETING="hi"
           function bye 10-12@10:1 E | bye ()
           constant VERSION 13-13@13:10 E | readonly VERSION=1.0
           constant X 14-14@14:12 E | declare -r X=2
           variable COUNT 15-15@15:1 E | COUNT=0
           macro ll 16-16@16:7 E | ll='ls -l'
           function cleanup 18-18@18:1 E | cleanup()
           import star ./lib.sh reexported @2
           2:11 call dirname
           8:3 call log_info in hello
           11:3 call hello in bye
           11:17 call ls in bye
           11:22 call sort in bye
           17:6 call cleanup
           18:22 call echo in cleanup
           18:30 call hello in cleanup
           18:40 use VERSION in cleanup
           19:8 call bye
           20:11 use hello"#,
    );
}

#[test]
fn tests_of_bats_hold_what_follows_them() {
    check(
        Lang::Bash,
        "load test_helper\n\n@test \"adds one\" {\n  local x=1\n  y=2\n  run build_thing $x $y\n}\nafter\n",
        "function adds one 3-7@3:8 T | @test \"adds one\"
         import star test_helper.bash reexported @1
         6:3 call run in adds one
         6:7 call build_thing in adds one
         8:1 call after",
    );
}

#[test]
fn broken_code_gives_facts() {
    torture(Lang::Bash, SAMPLE);
}

#[test]
fn scripts_are_known_by_endings_names_and_first_lines() {
    for (name, head) in [
        ("a.sh", ""),
        ("b.bats", ""),
        (".bashrc", ""),
        ("PKGBUILD", ""),
        ("configure", "#! /bin/sh\n"),
        ("run", "#!/usr/bin/env bash\n"),
    ] {
        assert_eq!(language_of(name, head.as_bytes()), Some(Lang::Bash), "{name}");
    }
    assert_eq!(language_of("run", b"plain text"), None);
}

#[test]
fn sourced_files_are_found() {
    let fake =
        Fake::new(&[("bin/run.sh", ""), ("bin/lib.sh", ""), ("lib/x/deep.sh", ""), ("other/lib.sh", "")]);
    for (module, found) in [
        ("./lib.sh", "bin/lib.sh"),
        ("lib/x/deep.sh", "lib/x/deep.sh"),
        ("*/x/deep.sh", "lib/x/deep.sh"),
        ("*/gone.sh", "unknown"),
        ("/etc/profile", "ext:/etc/profile"),
    ] {
        assert_eq!(fake.resolve(&super::imports::Sources, "bin/run.sh", module), found, "{module}");
    }
}

#[test]
fn only_functions_of_the_project_are_called() {
    check_edges(
        r#"
//- /bin/run.sh
#!/bin/bash
. "$(dirname "$0")/../lib/log.sh"
install() { log_info "x"; cp a b; grep y; }
install; build; log_file_of
//- /lib/log.sh
log_info() { echo "$1"; grep z; }
//- /tools/grep.sh
grep() { :; }
build() { :; }
log_file_of() { :; }
"#,
        "bin/run.sh#install calls lib/log.sh#log_info import
         bin/run.sh calls bin/run.sh#install exact
         bin/run.sh calls [tools/grep.sh#build] candidate
         bin/run.sh calls tools/grep.sh#log_file_of name",
    );
}
