//! Tests the facts, imports and scopes that hob reads from Protocol Buffers.

use crate::fixture::check_edges;
use crate::langs::lang::Lang;
use crate::langs::support::project::fake::Fake;
use crate::langs::support::render::{check, torture};

const SAMPLE: &str = r#"// A licence.

syntax = "proto3";
package acme.shop;

import "acme/common.proto";
import public 'google/protobuf/any.proto';
option go_package = "x/y";
option (acme.level) = HIGH;

// An order.
// Of a shop.
message Order {
  option deprecated = true;
  /* Its number. */
  string id = 1 [json_name = "ID", (acme.secret).deep = true]; // trailing
  repeated Line lines = 2;
  map<string, acme.common.Money> totals = 3;
  .acme.Status status = 4;
  oneof payment {
    Card card = 5;
    int64 cash = 6;
  }
  reserved 7, 9 to 11;
  message Line { optional Kind kind = 1 [default = SMALL]; }
  enum Kind { SMALL = 0; LARGE = 1 [deprecated = true]; }
}
message Card {}
extend google.protobuf.FieldOptions { optional bool hidden = 50001; }
// Sells.
service Shop {
  // Places one.
  rpc Place (Order) returns (stream .acme.shop.Order.Line) {
    option (google.api.http) = { post: "/v1" body: "*" };
  }
  rpc Get(.Top) returns (Order);
}
"#;

#[test]
fn definitions_imports_and_references() {
    check(
        Lang::Proto,
        SAMPLE,
        r#"package acme.shop
         struct Order 13-27@13:9 E | message Order | An order. Of a shop.
         field Order.id 16-16@16:10 E | string id = 1 [json_name = "ID", (acme.secret).deep = true] | Its number.
         field Order.lines 17-17@17:17 E | repeated Line lines = 2
         field Order.totals 18-18@18:34 E | map<string, acme.common.Money> totals = 3
         field Order.status 19-19@19:16 E | .acme.Status status = 4
         field Order.payment 20-23@20:9 E | oneof payment
         field Order.card 21-21@21:10 E | Card card = 5
         field Order.cash 22-22@22:11 E | int64 cash = 6
         struct Order.Line 25-25@25:11 E | message Line
         field Order.Line.kind 25-25@25:32 E | optional Kind kind = 1 [default = SMALL]
         enum Order.Kind 26-26@26:8 E | enum Kind
         constant Order.Kind.SMALL 26-26@26:15 E | SMALL = 0
         constant Order.Kind.LARGE 26-26@26:26 E | LARGE = 1 [deprecated = true]
         struct Card 28-28@28:9 E | message Card
         field hidden 29-29@29:53 E | optional bool hidden = 50001
         interface Shop 31-37@31:9 E | service Shop | Sells.
         method Shop.Place 33-35@33:7 E | rpc Place (Order) returns (stream .acme.shop.Order.Line) | Places one.
         method Shop.Get 36-36@36:7 E | rpc Get(.Top) returns (Order)
         import star acme/common.proto @6
         import star google/protobuf/any.proto reexported @7
         9:14 use acme/level
         16:42 use acme/secret in Order
         17:12 type Line in Order
         18:27 type acme.common/Money in Order
         19:9 type .acme/Status in Order
         21:5 type Card in Order
         25:27 type Kind in Order.Line
         25:52 use <Kind>.SMALL in Order.Line
         29:24 type google.protobuf/FieldOptions
         33:14 type Order in Shop.Place
         33:54 type .acme.shop.Order/Line in Shop.Place
         34:24 use google.api/http in Shop.Place
         36:12 type ./Top in Shop.Get
         36:26 type Order in Shop.Get"#,
    );
}

#[test]
fn broken_code_gives_facts() {
    torture(Lang::Proto, SAMPLE);
}

#[test]
fn groups_and_extensions_of_older_files() {
    check(
        Lang::Proto,
        "syntax = \"proto2\";\nmessage Found {\n  repeated group Result = 1 {\n    required string url = 2;\n  }\n  \
         extensions 100 to 199;\n  extend Found { optional Kind kind = 126 [default = OLD]; }\n}\n\
         enum Kind { OLD = 1; }\nmessage Half { string na",
        "struct Found 2-8@2:9 E | message Found
         struct Found.Result 3-5@3:18 E | repeated group Result = 1
         field Found.Result.url 4-4@4:21 E | required string url = 2
         field Found.kind 7-7@7:32 E | optional Kind kind = 126 [default = OLD]
         enum Kind 9-9@9:6 E | enum Kind
         constant Kind.OLD 9-9@9:13 E | OLD = 1
         7:10 type Found in Found
         7:27 type Kind in Found
         7:54 use <Kind>.OLD in Found",
    );
}

#[test]
fn imported_files_are_found() {
    let fake = Fake::new(&[
        ("api/proto/a/one.proto", ""),
        ("api/proto/a/two.proto", ""),
        ("api/proto/b/three.proto", ""),
        ("vendor/b/three.proto", ""),
        ("vendor/c/four.proto", ""),
        ("x/d/five.proto", ""),
        ("y/d/five.proto", ""),
        ("root.proto", ""),
    ]);
    let rules = &super::imports::ProtoImports;
    for (module, found) in [
        ("two.proto", "api/proto/a/two.proto"),
        ("a/two.proto", "api/proto/a/two.proto"),
        ("b/three.proto", "api/proto/b/three.proto"),
        ("c/four.proto", "vendor/c/four.proto"),
        ("root.proto", "root.proto"),
        ("d/five.proto", "ext:d"),
        ("acme/api/proto/b/three.proto", "api/proto/b/three.proto"),
        ("github.com/acme/x/d/five.proto", "x/d/five.proto"),
        ("acme/root.proto", "ext:acme"),
        ("b/gone.proto", "unknown"),
        ("gone.proto", "unknown"),
        ("google/protobuf/any.proto", "ext:google.protobuf"),
    ] {
        assert_eq!(fake.resolve(rules, "api/proto/a/one.proto", module), found, "{module}");
    }
}

#[test]
fn names_are_found_by_scope_and_package() {
    check_edges(
        r#"
//- /acme/shop/order.proto
package acme.shop;
import "acme/common/money.proto";
import "acme/base.proto";
import "other/status.proto";
import "google/protobuf/timestamp.proto";
message Order {
  message Line { Kind kind = 1 [default = SMALL]; Order order = 2; Card card = 3; }
  enum Kind { SMALL = 0; }
  Line line = 1;
  common.Money common = 2;
  common.Money.Unit unit = 3;
  Status status = 4;
  other.Status other = 5;
  .acme.Status again = 6;
  google.protobuf.Timestamp at = 7;
  Missing missing = 8;
  string name = 9 [(acme.secret) = true, (hidden) = 1];
}
message Card { enum Kind { RED = 0; } Kind kind = 1; Order.Kind other = 2; shop.Order.Line line = 3; }
//- /acme/common/money.proto
package acme.common;
message Money { enum Unit { CENT = 0; } }
message Status {}
//- /acme/base.proto
package acme;
import public "acme/options.proto";
message Status {}
//- /acme/options.proto
package acme;
import "google/protobuf/descriptor.proto";
extend google.protobuf.FieldOptions { bool secret = 1; int32 hidden = 2; }
//- /other/status.proto
package other;
message Status {}
//- /vendored/money.proto
package acme.common;
message Money {}
message Missing {}
//- /acme/shop/service.proto
package acme.shop;
import "acme/shop/order.proto";
service Shop { rpc Card(Order) returns (stream Card); rpc Status(acme.common.Money) returns (.acme.shop.Order.Line); }
extend Order { Card extra = 100; }
"#,
        "acme/base.proto exports acme/options.proto import
         acme/options.proto references proto:ext:google.protobuf import
         acme/shop/order.proto#Card references acme/shop/order.proto#Card.Kind exact
         acme/shop/order.proto#Card references acme/shop/order.proto#Order.Kind exact
         acme/shop/order.proto#Card references acme/shop/order.proto#Order.Line import
         acme/shop/order.proto#Order references [vendored/money.proto#Missing] candidate
         acme/shop/order.proto#Order references acme/base.proto#Status import
         acme/shop/order.proto#Order references acme/common/money.proto#Money import
         acme/shop/order.proto#Order references acme/common/money.proto#Money.Unit import
         acme/shop/order.proto#Order references acme/options.proto#hidden import
         acme/shop/order.proto#Order references acme/options.proto#secret import
         acme/shop/order.proto#Order references acme/shop/order.proto#Order.Line exact
         acme/shop/order.proto#Order references other/status.proto#Status import
         acme/shop/order.proto#Order references proto:ext:google.protobuf import
         acme/shop/order.proto#Order.Line references acme/shop/order.proto#Card exact
         acme/shop/order.proto#Order.Line references acme/shop/order.proto#Order exact
         acme/shop/order.proto#Order.Line references acme/shop/order.proto#Order.Kind exact
         acme/shop/order.proto#Order.Line references acme/shop/order.proto#Order.Kind.SMALL import
         acme/shop/service.proto references acme/shop/order.proto#Card import
         acme/shop/service.proto references acme/shop/order.proto#Order import
         acme/shop/service.proto#Shop.Card references acme/shop/order.proto#Card import
         acme/shop/service.proto#Shop.Card references acme/shop/order.proto#Order import
         acme/shop/service.proto#Shop.Status references acme/shop/order.proto#Order.Line import",
    );
}

#[test]
fn files_without_a_package_see_each_other_by_import_alone() {
    check_edges(
        r#"
//- /a.proto
import "b.proto";
message A { B b = 1; .B again = 2; Far far = 3; .Far gone = 4; }
//- /b.proto
import "far.proto";
message B {}
//- /far.proto
message Far {}
//- /sub/far.proto
message Far {}
"#,
        "a.proto#A references [far.proto#Far sub/far.proto#Far] candidate
         a.proto#A references b.proto#B import",
    );
}

const SHOP_SCHEMA: &str = r#"
//- /protos/acme/shop.proto
package acme.shop;
message Order { string id = 1; Card card = 2; }
message Card { string number = 1; }
enum Kind { SMALL = 0; }
service Shop { rpc Place (Order) returns (Card); }
"#;

#[test]
fn python_means_the_schema_of_generated_modules() {
    let python = r#"
//- /app/client.py
from app.gen.acme import shop_pb2
from app.gen.acme.shop_pb2 import Card, SMALL
from app.gen.acme.shop_pb2_grpc import ShopStub
def run(channel):
    order = shop_pb2.Order(id="1")
    print(order.card.number, shop_pb2.SMALL, SMALL)
    stub = ShopStub(channel)
    reply = stub.Place(order)
    print(reply.number)
    Card()
//- /app/server.py
from app.gen.acme import shop_pb2_grpc
class Service(shop_pb2_grpc.ShopServicer):
    def Place(self, request, context):
        pass
"#;
    check_edges(
        &format!("{SHOP_SCHEMA}{python}"),
        "
        app/client.py#run calls protos/acme/shop.proto#Card import
        app/client.py#run calls protos/acme/shop.proto#Order import
        app/client.py#run calls protos/acme/shop.proto#Shop import
        app/client.py#run calls protos/acme/shop.proto#Shop.Place import
        app/client.py#run references protos/acme/shop.proto#Card.number import
        app/client.py#run references protos/acme/shop.proto#Kind.SMALL import
        app/client.py#run references protos/acme/shop.proto#Order.card import
        app/server.py#Service extends protos/acme/shop.proto#Shop import
        protos/acme/shop.proto#Order references protos/acme/shop.proto#Card exact
        protos/acme/shop.proto#Shop.Place references protos/acme/shop.proto#Card exact
        protos/acme/shop.proto#Shop.Place references protos/acme/shop.proto#Order exact
        ",
    );
}

#[test]
fn ecmascript_means_the_schema_of_generated_modules() {
    let script = r#"
//- /web/client.ts
import { Order, Kind } from "../gen/acme/shop_pb";
import { ShopClient } from "../gen/acme/shop_grpc_pb.js";
export function run(client: ShopClient) {
    const order = new Order();
    client.Place(order);
    return Kind.SMALL;
}
"#;
    check_edges(
        &format!("{SHOP_SCHEMA}{script}"),
        "
        protos/acme/shop.proto#Order references protos/acme/shop.proto#Card exact
        protos/acme/shop.proto#Shop.Place references protos/acme/shop.proto#Card exact
        protos/acme/shop.proto#Shop.Place references protos/acme/shop.proto#Order exact
        web/client.ts#run calls protos/acme/shop.proto#Order import
        web/client.ts#run calls protos/acme/shop.proto#Shop.Place import
        web/client.ts#run references protos/acme/shop.proto#Kind import
        web/client.ts#run references protos/acme/shop.proto#Kind.SMALL import
        web/client.ts#run references protos/acme/shop.proto#Shop import
        ",
    );
}

#[test]
fn implementations_of_a_call_are_found_from_the_schema() {
    let map = crate::fixture::map(&format!(
        "{SHOP_SCHEMA}{}",
        r#"
//- /app/server.py
from gen.acme import shop_pb2_grpc
class Service(shop_pb2_grpc.ShopServicer):
    def Place(self, request, context):
        pass
class Other:
    def Place(self): ...
"#
    ));
    let place = crate::fixture::lookup_node(&map, "proto:protos/acme/shop.proto#Shop.Place");
    let kin: Vec<String> =
        map.family(place).iter().map(|kin| map.id(kin.method.into()).to_string()).collect();
    assert_eq!(kin, ["py:app/server.py#Service.Place"]);
}
