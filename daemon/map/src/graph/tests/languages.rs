//! Tests the peculiarities of languages in resolving names.

use crate::fixture::check_edges;

#[test]
fn typescript_barrels_defaults_and_renames() {
    check_edges(
        "
//- /src/index.ts
export * from './shapes';
export { area as surface } from './maths';
export { default as Store } from './store';
//- /src/shapes.ts
export class Shape { draw() {} }
export interface Sized { size(): number }
//- /src/maths.ts
export function area() {}
function hidden() {}
//- /src/store.ts
export default class Memory { put() {} }
//- /src/use.ts
import { Shape, surface, Store, Sized } from './index';
import Whatever from './store';
import * as maths from './maths';
export class Box extends Shape implements Sized {
  size() { return 1 }
  render() { this.draw(); this.size(); }
}
export function go(s: Store) {
  surface();
  maths.area();
  s.put();
  new Whatever();
}
",
        "
src/index.ts exports src/maths.ts#area import
src/index.ts exports src/shapes.ts import
src/index.ts exports src/store.ts#Memory import
src/use.ts#Box extends src/shapes.ts#Shape import
src/use.ts#Box implements src/shapes.ts#Sized import
src/use.ts#Box.render calls src/shapes.ts#Shape.draw import
src/use.ts#Box.render calls src/use.ts#Box.size exact
src/use.ts#go calls src/maths.ts#area import
src/use.ts#go calls src/store.ts#Memory import
src/use.ts#go calls src/store.ts#Memory.put import
src/use.ts#go references src/store.ts#Memory import
",
    );
}

#[test]
fn typescript_packages_are_not_the_project() {
    check_edges(
        "
//- /src/a.ts
export function map() {}
export class Client { send() {} }
//- /src/b.ts
import { map } from 'lodash/fp';
import Client from 'http-client';
map();
const c = new Client();
c.send();
console.map();
",
        "
src/b.ts calls ts:ext:http-client import
src/b.ts calls ts:ext:lodash import
src/b.ts references src/b.ts#c exact
",
    );
}

#[test]
fn rust_paths_modules_and_traits() {
    check_edges(
        "
//- /Cargo.toml
[package]
name = \"demo\"
//- /src/lib.rs
pub mod net;
mod util;
pub use net::Conn;
pub fn run() {
    let c = Conn::open();
    c.transmit();
    util::help();
    crate::util::help();
    String::from(\"x\");
}
//- /src/net.rs
use crate::util::help;
pub struct Conn;
impl Conn {
    pub fn open() -> Self { help(); Self::check(); Conn }
    fn check() {}
    pub fn transmit(&self) { self.flush() }
}
pub trait Flush { fn flush(&self) {} }
impl Flush for Conn {}
//- /src/util.rs
pub fn help() {}
#[cfg(test)]
mod tests {
    use super::*;
    fn t() { help() }
}
",
        "
src/lib.rs exports src/net.rs import
src/lib.rs exports src/net.rs#Conn import
src/lib.rs#run calls src/net.rs#Conn.open import
src/lib.rs#run calls src/net.rs#Conn.transmit import
src/lib.rs#run references src/net.rs#Conn import
src/lib.rs#run calls src/util.rs#help import
src/net.rs#Conn implements src/net.rs#Flush exact
src/net.rs#Conn.open calls src/net.rs#Conn.check exact
src/net.rs#Conn.open calls src/util.rs#help import
src/net.rs#Conn.open references src/net.rs#Conn exact
src/net.rs#Conn.transmit calls src/net.rs#Flush.flush exact
src/net.rs#Conn references src/net.rs#Conn exact
src/util.rs#tests.t calls src/util.rs#help import
",
    );
}

#[test]
fn go_packages_and_methods_across_files() {
    check_edges(
        "
//- /go.mod
module example.com/app
//- /store/store.go
package store
type Store struct{}
func Open() *Store { return load() }
//- /store/load.go
package store
func load() *Store { return &Store{} }
func (s *Store) Put() { s.check() }
func (s *Store) check() {}
//- /main.go
package main
import (
	\"fmt\"
	\"example.com/app/store\"
)
func main() {
	s := store.Open()
	s.Put()
	fmt.Println()
}
func load() {}
",
        "
main.go#main calls go:ext:fmt import
main.go#main calls store/store.go#Open import
main.go#main calls store/load.go#Store.Put import
store/load.go#Store.Put calls store/load.go#Store.check import
store/load.go#Store.Put references store/store.go#Store import
store/load.go#Store.check references store/store.go#Store import
store/load.go#load references store/store.go#Store import
store/store.go#Open calls store/load.go#load import
store/store.go#Open references store/store.go#Store exact
",
    );
}

#[test]
fn c_headers_lead_to_the_body() {
    check_edges(
        "
//- /include/api.h
int api_open(int x);
#define API_MAX 3
struct ctx { int n; };
//- /src/api.c
#include \"api.h\"
static int helper(void) { return 1; }
int api_open(int x) { return helper() + API_MAX; }
//- /src/other.c
static int helper(void) { return 2; }
int other(void) { return helper(); }
//- /src/use.c
#include <stdio.h>
#include \"../include/api.h\"
int main(void) { struct ctx c; printf(\"x\"); return api_open(1); }
",
        "
src/api.c#api_open calls src/api.c#helper exact
src/api.c#api_open references include/api.h#API_MAX import
src/other.c#other calls src/other.c#helper exact
src/use.c#main calls src/api.c#api_open import
src/use.c#main references include/api.h#ctx import
",
    );
}

#[test]
fn c_headers_tell_same_names_apart() {
    check_edges(
        "
//- /arch/a/flush.h
static inline void flush(void) {}
//- /arch/b/flush.h
static inline void flush(void) {}
//- /arch/a/use.c
#include \"flush.h\"
void a(void) { flush(); }
//- /other/use.c
void b(void) { flush(); }
",
        "
arch/a/use.c#a calls arch/a/flush.h#flush import
other/use.c#b calls [arch/a/flush.h#flush arch/b/flush.h#flush] candidate
",
    );
}

#[test]
fn cpp_members_outside_their_class() {
    check_edges(
        "
//- /shape.h
namespace geo {
class Base { public: void log(); };
class Shape : public Base {
public:
  void draw();
  int size() const;
};
void paint(Shape& s);
}
//- /shape.cpp
#include \"shape.h\"
namespace geo {
void Base::log() {}
int Shape::size() const { return 1; }
void Shape::draw() { log(); size(); paint(*this); }
void paint(Shape& s) { s.draw(); }
}
",
        "
shape.cpp#geo references shape.h#geo.Base import
shape.cpp#geo references shape.h#geo.Shape import
shape.cpp#geo.Shape.draw calls shape.cpp#geo.Base.log import
shape.cpp#geo.Shape.draw calls shape.cpp#geo.Shape.size import
shape.cpp#geo.Shape.draw calls shape.cpp#geo.paint exact
shape.cpp#geo.paint calls shape.cpp#geo.Shape.draw import
shape.cpp#geo.paint references shape.h#geo.Shape import
shape.h#geo.Shape extends shape.h#geo.Base exact
shape.h#geo references shape.h#geo.Shape exact
",
    );
}

#[test]
fn java_calls_of_super_mean_methods() {
    check_edges(
        "
//- /p/A.java
package p;
class A {
    int mark;
    void mark(int x) {}
}
//- /p/B.java
package p;
class B extends A {
    void mark(int x) { super.mark(x); }
}
",
        "
p/B.java#B extends p/A.java#A import
p/B.java#B.mark calls p/A.java#A.mark~2 import
",
    );
}

#[test]
fn a_field_is_no_body_of_a_function_that_a_header_declares() {
    check_edges(
        "
//- /a.c
#include \"lib/mem.h\"
int run(void) { release(0); return 1; }
//- /lib/mem.h
void release(void *p);
//- /ops.h
struct ops { int release; };
",
        "
a.c#run calls lib/mem.h#release import
",
    );
}
