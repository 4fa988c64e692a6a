//! Tests families of methods, and their users.

use hob_base::CancelToken;

use crate::fixture::{derived_map, lookup_node, map};
use crate::graph::{Direction, EdgeKind, Kinship, Map, Neighbor, NeighborsAnswer, NeighborsQuery, PathQuery};

const DIALECTS: &str = "
//- /interfaces.py
class Dialect:
    def do_rollback(self):
        raise NotImplementedError()
//- /default.py
from interfaces import Dialect
class Default(Dialect):
    def do_rollback(self):
        pass
//- /mssql.py
from default import Default
class MSDialect(Default):
    def do_rollback(self):
        super().do_rollback()
//- /oracle.py
from interfaces import Dialect
class Oracle(Dialect):
    def do_rollback(self):
        pass
//- /base.py
from interfaces import Dialect
class Connection:
    dialect: Dialect
    def _rollback_impl(self):
        self.dialect.do_rollback()
def create(thing):
    thing.do_rollback()
";

const TYPESCRIPT: &str = "
//- /store.ts
export interface Store { save(): void; }
export class Disk implements Store { save() {} }
export class Cached extends Disk { save() { super.save(); } }
export function close(store: Store) { store.save(); }
export function flush(disk: Cached) { disk.save(); }
";

const RUST: &str = "
//- /src/lib.rs
pub trait Store { fn save(&self); }
pub struct Disk;
impl Store for Disk { fn save(&self) {} }
impl Disk { pub fn open() -> Self { Disk } }
pub fn close(store: &dyn Store) { store.save(); }
pub fn flush(disk: &Disk) { disk.save(); }
";

fn callers(map: &Map, target: &str, family: bool) -> NeighborsAnswer {
    let query = NeighborsQuery {
        node: lookup_node(map, target),
        direction: Direction::In,
        kinds: [EdgeKind::Calls].into_iter().collect(),
        depth: 1,
        max_nodes: 50,
        family,
        cancel: CancelToken::default(),
    };
    map.neighbors(&query).expect("it is there")
}

/// Returns neighbours as `caller line confidence`, with the named method if it is another one.
fn lines(map: &Map, answer: &NeighborsAnswer) -> Vec<String> {
    let line = |found: &Neighbor| {
        let named = found.names.and_then(|node| map.info(node)).map(|info| format!(" {}", info.qualified));
        let (who, sure) = (&found.info.qualified, found.confidence.as_str());
        format!("{who} {:?} {sure}{}", found.sites, named.unwrap_or_default())
    };
    let mut lines: Vec<String> = answer.neighbors.iter().map(line).collect();
    lines.sort();
    lines
}

fn both(fixture: &str) -> [Map; 2] {
    [map(fixture), derived_map(fixture)]
}

#[test]
fn callers_of_a_method_are_those_of_its_family_and_say_which_they_name() {
    for map in both(DIALECTS) {
        let answer = callers(&map, "Default.do_rollback", true);
        let kin: Vec<(String, Kinship)> = answer
            .family
            .iter()
            .map(|kin| (map.info(kin.method.into()).expect("it is there").qualified, kin.kinship))
            .collect();
        let expected = [
            ("Dialect.do_rollback".to_owned(), Kinship::Overridden),
            ("MSDialect.do_rollback".to_owned(), Kinship::Overriding),
        ];
        assert_eq!(kin, expected, "no sibling is of the family");
        let expected = [
            "Connection._rollback_impl [5] import Dialect.do_rollback",
            "MSDialect.do_rollback [4] import",
            "create [7] candidate",
        ];
        let found = lines(&map, &answer);
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            let without = |line: &str| line.replace(" exact", "").replace(" import", "");
            assert_eq!(without(found), without(expected));
        }
        let unsure = answer.neighbors.iter().find(|found| !found.candidates.is_empty()).expect("one");
        let others: Vec<String> = unsure.candidates[1..]
            .iter()
            .map(|node| map.info(*node).expect("it is there").qualified)
            .collect();
        assert_eq!(others, ["Oracle.do_rollback"], "what else it may mean, the family told once");
    }
}

#[test]
fn a_family_can_be_left_out() {
    for map in both(DIALECTS) {
        let answer = callers(&map, "Default.do_rollback", false);
        assert!(answer.family.is_empty());
        let found = lines(&map, &answer);
        assert!(found.iter().all(|line| !line.starts_with("Connection.")), "{found:?}");
        assert!(found.iter().any(|line| line.starts_with("MSDialect.do_rollback")), "{found:?}");
    }
}

#[test]
fn a_use_that_can_mean_nothing_but_the_family_is_sure_by_name() {
    let alone = DIALECTS.replace("class Oracle(Dialect):\n    def do_rollback", "class Oracle:\n    def go");
    for map in both(&alone) {
        let answer = callers(&map, "Default.do_rollback", true);
        let create = answer.neighbors.iter().find(|found| found.info.name == "create").expect("a caller");
        assert_eq!((create.confidence.as_str(), &create.sites[..]), ("name", &[7][..]));
    }
}

#[test]
fn interfaces_and_traits_stand_with_their_implementors() {
    for map in both(TYPESCRIPT) {
        for method in ["Store.save", "Disk.save", "Cached.save"] {
            let found = lines(&map, &callers(&map, method, true));
            let who: Vec<&str> = found.iter().filter_map(|line| line.split(' ').next()).collect();
            // A call of the overridden method is no call of itself.
            let expected = ["Cached.save", "close", "flush"].into_iter().filter(|who| *who != method);
            assert_eq!(who, expected.collect::<Vec<_>>(), "{method}: {found:?}");
        }
    }
    for map in both(RUST) {
        for method in ["Store.save", "Disk.save"] {
            let found = lines(&map, &callers(&map, method, true));
            let who: Vec<&str> = found.iter().filter_map(|line| line.split(' ').next()).collect();
            assert_eq!(who, ["close", "flush"], "{method}: {found:?}");
        }
    }
}

#[test]
fn all_subclasses_come_in_one_answer() {
    let deep: String = (1..12).map(|n| format!("class C{n}(C{}): pass\n", n - 1)).collect();
    let fixture = format!("//- /a.py\nclass C0: pass\n{deep}class Side(C3): pass\n");
    for map in both(&fixture) {
        let query = NeighborsQuery {
            node: lookup_node(&map, "C0"),
            direction: Direction::In,
            kinds: [EdgeKind::Extends, EdgeKind::Implements].into_iter().collect(),
            depth: 64,
            max_nodes: 200,
            family: true,
            cancel: CancelToken::default(),
        };
        let answer = map.neighbors(&query).expect("it is there");
        assert_eq!(answer.neighbors.len(), 12, "{:?}", lines(&map, &answer));
        let side = answer.neighbors.iter().find(|found| found.info.name == "Side").expect("it is derived");
        assert_eq!((side.depth, map.info(side.via).expect("a base").name.as_str()), (4, "C3"));
    }
}

const OUTSIDE: &str = "
//- /Cargo.toml
[package]
name = \"web\"
//- /src/lib.rs
pub mod ext;
pub mod extract;
pub mod json;
pub mod other;
//- /src/extract.rs
use bytes::Bytes;
use crate::ext::RequestExt;
pub type Request<T = u8> = http::Request<T>;
pub trait FromRequest { fn from_request(req: Request) -> Self; }
impl FromRequest for Bytes {
    fn from_request(req: Request) -> Self { req.into_limited() }
}
//- /src/ext.rs
use crate::extract::Request;
pub trait RequestExt { fn with_limit(self); fn into_limited(self); }
impl RequestExt for Request {
    fn with_limit(self) {}
    fn into_limited(self) { self.with_limit() }
}
//- /src/json.rs
use bytes::Bytes;
use crate::extract::{FromRequest, Request};
pub fn read(req: Request) { Bytes::from_request(req); }
pub fn generic<T: RequestExt>(it: T) {}
//- /src/other.rs
use elsewhere::Bytes;
pub fn read(it: u8) { Bytes::from_request(it); }
";

#[test]
fn an_implementation_for_a_type_from_outside_takes_the_place_of_its_traits_methods() {
    let map = derived_map(OUTSIDE);
    let family = |target: &str| {
        let kin = map.family(lookup_node(&map, target));
        kin.iter().map(|kin| (map.id(kin.method.into()).to_string(), kin.kinship)).collect::<Vec<_>>()
    };
    let overriding = Kinship::Overriding;
    assert_eq!(
        family("RequestExt.with_limit"),
        [("rs:src/ext.rs#Request.with_limit".to_owned(), overriding)]
    );
    let overridden = Kinship::Overridden;
    assert_eq!(
        family("Request.with_limit"),
        [("rs:src/ext.rs#RequestExt.with_limit".to_owned(), overridden)]
    );
    assert_eq!(family("Bytes.from_request").len(), 1);
    let called_by = |target: &str| {
        let answer = callers(&map, target, false);
        answer.neighbors.iter().map(|found| found.info.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(called_by("Bytes.from_request"), ["rs:src/json.rs#read"], "the other is of another package");
    assert_eq!(called_by("Request.into_limited"), ["rs:src/extract.rs#Bytes.from_request"]);
    assert_eq!(called_by("Request.with_limit"), ["rs:src/ext.rs#Request.into_limited"]);
    let query = PathQuery {
        from: lookup_node(&map, "rs:src/json.rs#read"),
        to: lookup_node(&map, "RequestExt.with_limit"),
        max_len: 12,
        kinds: [EdgeKind::Calls].into_iter().collect(),
        direction: Direction::Out,
        cancel: CancelToken::default(),
    };
    let chains = map.path(&query).chains;
    let names = chains[0].nodes.iter().map(|node| node.qualified.as_str()).collect::<Vec<_>>();
    assert_eq!(names, ["read", "Bytes.from_request", "Request.into_limited", "Request.with_limit"]);
}

/// Types that implement interfaces without naming them.
pub(super) const GO: &str = "
//- /go.mod
module shop
//- /store/store.go
package store
type Store interface {
	Save(key string) error
	Close()
}
type Closer interface {
	Close()
}
func Flush(s Store) { s.Save(\"a\") }
//- /disk/disk.go
package disk
type Disk struct{}
func (d *Disk) Save(key string) error { return nil }
func (d *Disk) Close() {}
type Half struct{}
func (h Half) Save(key string) error { return nil }
type Other struct{}
func (o Other) Save(key string, force bool) error { return nil }
func (o Other) Close() {}
func use(d *Disk) { d.Save(\"b\") }
";

#[test]
fn in_go_a_type_with_all_methods_of_an_interface_is_of_its_family() {
    for map in both(GO) {
        let family = |target: &str| {
            let kin = map.family(lookup_node(&map, target));
            let name = |kin: &crate::graph::Relative| map.info(kin.method.into()).expect("a node").qualified;
            kin.iter().map(|kin| (name(kin), kin.kinship)).collect::<Vec<_>>()
        };
        assert_eq!(family("Store.Save"), [("Disk.Save".to_owned(), Kinship::Overriding)]);
        assert_eq!(family("Disk.Save"), [("Store.Save".to_owned(), Kinship::Overridden)]);
        assert!(
            family("Half.Save").is_empty() && family("Other.Save").is_empty(),
            "a method is missing, or takes more"
        );
        assert_eq!(family("Closer.Close").len(), 2, "Disk and Other");
        let callers = callers(&map, "Disk.Save", true);
        assert!(
            lines(&map, &callers).iter().any(|line| line.contains("Flush")),
            "{:?}",
            lines(&map, &callers)
        );
    }
}
