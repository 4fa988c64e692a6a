//! What is read from Swift.

use crate::langs::Lang;
use crate::langs::support::render;

#[track_caller]
fn check(source: &str, expected: &str) {
    render::check(Lang::Swift, source, expected);
}

#[test]
fn types_and_members_with_their_docs() {
    check(&std::fs::read_to_string("/tmp/a1.swift").expect("x"), "");
}
#[test]
fn locals() {
    check(&std::fs::read_to_string("/tmp/a2.swift").expect("x"), "");
}
