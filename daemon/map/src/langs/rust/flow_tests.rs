//! Tests which type's member is called, by what the file and the other files tell about a value's type. Each case is a
//! body in which `run` is called; the project has two of them.

const PROJECT: &str = "\
//- /Cargo.toml
[package]
name = \"a\"
//- /src/lib.rs
pub mod kinds;
//- /src/kinds.rs
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
pub struct Walk { pub run: bool, pub next: Option<Box<Walk>>, pub all: Vec<Walk>, pub by: HashMap<String, Walk> }
impl Walk {
    pub fn run(&self) -> bool { self.run }
    pub fn make() -> (Walk, Option<Other>) { loop {} }
    pub fn each<F>(&self, f: F) where F: FnMut(&Walk, usize) -> bool { loop {} }
    pub fn tried() -> Result<Vec<Walk>, Other> { loop {} }
    pub fn steps(&self) -> Steps { Steps(Walk::make().0, self.shared()) }
    pub fn shared(&self) -> Arc<Mutex<Walk>> { loop {} }
    pub fn iter(&self) -> impl Iterator<Item = &Walk> + '_ { self.all.iter() }
}
pub struct Other;
impl Other { pub fn run(&self) {} }
pub struct Steps(Walk, Arc<Mutex<Walk>>);
impl Iterator for Steps { type Item = Walk; fn next(&mut self) -> Option<Self::Item> { None } }
impl Steps { pub fn first(&self) { self.0.run(); } }
pub struct Guard { other: Other }
impl std::ops::Deref for Guard { type Target = Walk; fn deref(&self) -> &Self::Target { loop {} } }
pub enum Kind { One(Walk), Two { walk: Walk, n: u8 }, None }
impl Kind { pub fn run(&self) { match *self { Kind::One(ref one) => one.run(), Self::Two { ref walk, .. } => walk.run(), _ => {} }; } }
pub trait Runs { fn run(&self); fn rest(&self) {} }
impl<'a, R: Runs + ?Sized> Runs for &'a R { fn run(&self) { (**self).run() } }
impl Runs for u64 { fn run(&self) {} }
mod tests { use super::Walk; fn inside() { let (w, _) = Walk::make(); w.shared().lock().unwrap().run(); } }
pub static ONLY: Walk = Walk { run: true };
pub type Walks = Vec<Walk>;
";

/// Returns the methods `run` that a body calls, each with the confidence of the edge.
#[track_caller]
fn runs(signature: &str, body: &str) -> Vec<String> {
    let uses = format!("//- /src/uses.rs\nuse crate::kinds::*;\nfn go{signature} {{ {body} }}\n");
    let fixture = PROJECT.replace("pub mod kinds;", "pub mod kinds; pub mod uses;") + &uses;
    let edges = crate::fixture::shown_uses(&crate::fixture::map(&fixture));
    let calls = edges.iter().filter_map(|edge| edge.strip_prefix("src/uses.rs#go calls src/kinds.rs#"));
    calls.filter(|edge| edge.contains("run")).map(str::to_owned).collect()
}

#[track_caller]
fn is_walk(signature: &str, body: &str) {
    assert_eq!(runs(signature, body), ["Walk.run~2 import"], "{body}");
}

#[test]
fn a_method_is_told_from_a_field_of_its_name() {
    is_walk("(w: &Walk)", "w.run();");
    assert_eq!(runs("(w: &Walk)", "w.run;"), [""; 0]);
    is_walk("(w: &Walk)", "assert!(w.run());");
}

#[test]
fn patterns_take_values_apart() {
    is_walk("()", "let (w, o) = Walk::make(); w.run();");
    assert_eq!(runs("()", "let (_, o) = Walk::make(); o.unwrap().run();"), ["Other.run import"]);
    is_walk("()", "let (mut a, b) = (Walk::make().0, 1); a.run();");
    is_walk("(w: Option<&Walk>)", "if let Some(w) = w { w.run(); }");
    is_walk("(w: Option<Walk>)", "let Some(ref w) = w else { return }; w.run();");
    is_walk("(w: Walk)", "while let Some(w) = w.next.as_ref() { w.run(); }");
    is_walk("()", "match Walk::tried() { Ok(all) => all[0].run(), Err(o) => {} }");
    assert_eq!(runs("()", "match Walk::tried() { Ok(_) => {} Err(o) => o.run() }"), ["Other.run import"]);
    is_walk("(k: Kind)", "match k { Kind::One(ref w) => w.run(), _ => {} }");
    is_walk("(k: Kind)", "if let Kind::Two { walk, .. } = k { walk.run(); }");
    is_walk("(k: Kind)", "if let Kind::Two { walk: w @ _, n: 1 } = k { w.run(); }");
}

#[test]
fn what_the_library_holds_is_followed() {
    is_walk("() -> Result<(), Other>", "let all = Walk::tried()?; all.first().unwrap().run();");
    is_walk("(w: &Walk)", "for (n, w) in w.all.iter().enumerate().skip(1) { w.run(); }");
    is_walk("(w: &Walk)", "for w in &w.all { w.run(); }");
    is_walk("(w: &Walk)", "w.by.get(\"x\").expect(\"one\").run();");
    is_walk("(w: &Walk)", "for (_, w) in &w.by { w.run(); }");
    is_walk("(w: &Walk)", "w.shared().lock().unwrap().run();");
    is_walk("(all: Walks)", "all[0].run();");
    is_walk("(all: &[(u8, Walk)])", "all[0].1.run();");
    is_walk("(w: &Walk)", "for w in w.iter() { w.run(); }");
    is_walk("(w: &Walk)", "for w in w.steps().skip(1) { w.run(); }");
    // `all` has the library's own type.
    assert_eq!(runs("(all: Vec<Walk>)", "all.run();"), [""; 0]);
}

#[test]
fn closures_are_given_what_they_are_passed_to() {
    is_walk("(all: Vec<Walk>)", "all.iter().filter(|w| w.run());");
    is_walk("(all: Vec<Walk>)", "all.iter().enumerate().any(|(_, w)| w.run());");
    is_walk("(w: Option<Walk>)", "w.map_or(false, |w| w.run());");
    is_walk("(w: &Walk)", "w.each(|w, _| w.run());");
    is_walk("(all: Vec<Walk>)", "all.iter().fold(false, |is, w| is || w.run());");
}

#[test]
fn values_are_seen_through_what_is_around_them() {
    is_walk("(w: &Walk, b: bool)", "let x = if b { (*w).clone() } else { return }; x.run();");
    is_walk("()", "let x = match Walk::tried() { Ok(all) => all, Err(_) => return }; x[0].run();");
    is_walk("(n: u8)", "let x = match n { 0 => return, _ => Walk::make() }; x.0.run();");
    is_walk("()", "ONLY.run();");
    is_walk("(g: Guard)", "g.run();");
    is_walk("(x: *const u8)", "unsafe { (*(x as *const Walk)).run() };");
    assert_eq!(runs("()", "Kind::None.run();"), ["Kind.run import"]);
    assert_eq!(runs("(w: Walk)", "let k = Kind::One(w); k.run();"), ["Kind.run import"]);
    is_walk("()", "assert_eq!(crate::kinds::Walk::make().0, 1); crate::kinds::Walk::make().0.run();");
    is_walk("(all: &[Walk])", "assert!(all[0].run());");
    is_walk("()", "assert!(Walk::tried().unwrap()[0].run());");
}

#[test]
fn bounds_say_what_a_parameter_can_do() {
    assert_eq!(runs("<R: Runs>(r: &R)", "r.run();"), ["Runs.run import"]);
    assert_eq!(runs("<R>(r: Vec<R>) where R: Send + Runs", "r[0].run();"), ["Runs.run import"]);
    assert_eq!(runs("(r: impl Runs + Send)", "r.run();"), ["Runs.run import"]);
    assert_eq!(runs("(r: Box<dyn Runs>)", "r.run();"), ["Runs.run import"]);
    // The project's own trait gives members to a type from outside.
    assert_eq!(runs("(n: u64)", "n.run();"), ["u64.run import"]);
    assert_eq!(runs("(n: u64)", "u64::run(&n);"), ["u64.run import"]);
}

#[test]
fn the_projects_own_files_are_followed_within() {
    let edges = crate::fixture::shown_uses(&crate::fixture::map(PROJECT));
    let from = |owner: &str| {
        let start = format!("src/kinds.rs#{owner} calls src/kinds.rs#");
        let ends = edges.iter().filter_map(|edge| edge.strip_prefix(&start)).filter(|e| e.contains("run"));
        ends.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(from("Steps.first"), ["Walk.run~2 import"]);
    assert_eq!(from("Kind.run"), ["Walk.run~2 import"]);
    // The name at the start of the path need not be in scope.
    assert_eq!(from("tests.inside"), ["Walk.run~2 import"]);
    // The trait has `(**self).run()` for all references.
    assert_eq!(from("Runs.R.run"), ["Runs.run import"]);
}
