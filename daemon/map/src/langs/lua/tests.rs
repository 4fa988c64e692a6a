//! Tests the facts and imports that hob reads from Lua.

use crate::fixture::check_edges;
use crate::langs::lang::Lang;
use crate::langs::support::project::fake::Fake;
use crate::langs::support::render::{check, torture};

const SAMPLE: &str = r#"local utils = require "pl.utils"
local M = {}
--- Adds numbers.
-- @param a x
function M.add(a, b) return utils.sum(a, b) end
local function helper(x) return M.add(x, 1) end
local Account = {}
Account.__index = Account
--- Makes one.
---@param owner Person
function Account.new(owner)
  local self = setmetatable({}, Account)
  self.balance = 0
  owner:greet()
  return self
end
function Account:deposit(v)
  self.balance = self.balance + v
  self:check(helper(v))
end
Account.check = function(self) return self end
local Saver = setmetatable({}, { __index = Account })
function Saver:deposit(v) Account.deposit(self, v) end
function global_fn() local a = Account.new(); a:deposit(1); string.format("x") end
local opts = { a = 1, run = function() helper() end }
describe("thing", function() it("works", function() global_fn() end) end)
return M
"#;

#[test]
fn definitions_imports_and_references() {
    check(
        Lang::Lua,
        SAMPLE,
        r#"module M 2-2@2:7 EX | local M
         function M.add 5-5@5:12 E | function M.add(a, b) | Adds numbers.
         function helper 6-6@6:16 | local function helper(x)
         class Account 7-7@7:7 | local Account
         method Account.new 11-16@11:18 E | function Account.new(owner) | Makes one.
         field Account.balance 13-13@13:8 E | self.balance = 0
         method Account.deposit 17-20@17:18 E | function Account:deposit(v)
         method Account.check 21-21@21:9 E | Account.check = function(self)
         class Saver 22-22@22:7 | local Saver = setmetatable({}, { __index = Account })
         method Saver.deposit 23-23@23:16 E | function Saver:deposit(v)
         function global_fn 24-24@24:10 E | function global_fn()
         variable opts 25-25@25:7 | local opts
         field opts.a 25-25@25:16 E | a = 1
         function opts.run 25-25@25:23 E | run = function()
         module describe thing 26-26@26:11 T | describe("thing"
         function describe thing.it works 26-26@26:34 T | it("works"
         import named pl.utils default as utils @1
         export M as default
         5:29 use utils in M.add
         5:35 call utils/sum in M.add
         6:33 use M in helper
         6:35 call M/add in helper
         8:1 use Account
         8:9 use Account/__index
         8:19 use Account
         12:16 call setmetatable in Account.new
         12:33 use Account in Account.new
         14:9 call <Person>.greet in Account.new
         18:8 use self.balance in Account.deposit
         18:23 use self.balance in Account.deposit
         19:8 call self.check in Account.deposit
         19:14 call helper in Account.deposit
         22:7 extends Account in Saver
         22:15 call setmetatable
         22:44 use Account
         23:27 use Account in Saver.deposit
         23:35 call Account/deposit in Saver.deposit
         24:32 use Account in global_fn
         24:40 call Account/new in global_fn
         24:49 call <Account>.deposit in global_fn
         24:61 use string in global_fn
         24:68 call string/format in global_fn
         25:40 call helper in opts.run
         26:53 call global_fn in describe thing.it works
         27:8 use M"#,
    );
}

#[test]
fn broken_code_gives_facts() {
    torture(Lang::Lua, SAMPLE);
}

#[test]
fn modules_are_found() {
    let fake = Fake::new(&[
        ("lua/pl/utils.lua", ""),
        ("lua/pl/List.lua", ""),
        ("src/app/init.lua", ""),
        ("spec/a_spec.lua", ""),
        ("deep/tool/main.lua", ""),
        ("deep/tool/part.lua", ""),
    ]);
    let rules = &super::imports::Roots;
    for (from, module, found) in [
        ("spec/a_spec.lua", "pl.utils", "lua/pl/utils.lua"),
        ("spec/a_spec.lua", "app", "src/app/init.lua"),
        ("deep/tool/main.lua", "part", "deep/tool/part.lua"),
        ("spec/a_spec.lua", "part", "ext:part"),
        ("spec/a_spec.lua", "pl.gone", "unknown"),
        ("spec/a_spec.lua", "socket.http", "ext:socket"),
    ] {
        assert_eq!(fake.resolve(rules, from, module), found, "{module}");
    }
}

#[test]
fn calls_go_through_modules_and_classes() {
    check_edges(
        r#"
//- /lua/shapes.lua
local Shape = {}
Shape.__index = Shape
function Shape.new() return setmetatable({}, Shape) end
function Shape:area() return self:scale() end
function Shape:scale() end
return Shape
//- /lua/tools.lua
local function twice() end
return { twice = twice, thrice = function() end }
//- /lua/other.lua
local Other = {}
function Other:area() end
return Other
//- /main.lua
local Shape = require("shapes")
local tools = require "tools"
local http = require "socket.http"
local Round = setmetatable({}, { __index = Shape })
function Round:area() self:scale(); Shape.area(self) end
local function main(x)
  local s = Shape.new()
  s:area()
  x:area()
  tools.twice()
  tools.thrice()
  http.area()
  print(x)
end
"#,
        r"lua/other.lua exports lua/other.lua#Other exact
         lua/other.lua references lua/other.lua#Other exact
         lua/shapes.lua exports lua/shapes.lua#Shape exact
         lua/shapes.lua references lua/shapes.lua#Shape exact
         lua/shapes.lua#Shape.area calls lua/shapes.lua#Shape.scale exact
         lua/shapes.lua#Shape.new references lua/shapes.lua#Shape exact
         lua/tools.lua references lua/tools.lua#twice exact
         main.lua references lua/shapes.lua#Shape import
         main.lua#Round extends lua/shapes.lua#Shape import
         main.lua#Round.area calls lua/shapes.lua#Shape.area import
         main.lua#Round.area calls lua/shapes.lua#Shape.scale import
         main.lua#Round.area references lua/shapes.lua#Shape import
         main.lua#main calls [main.lua#Round.area lua/other.lua#Other.area lua/shapes.lua#Shape.area] candidate
         main.lua#main calls lua/shapes.lua#Shape.area import
         main.lua#main calls lua/shapes.lua#Shape.new import
         main.lua#main calls lua/tools.lua#thrice import
         main.lua#main calls lua/tools.lua#twice import
         main.lua#main calls lua:ext:socket import
         main.lua#main references lua/shapes.lua#Shape import
         main.lua#main references lua:ext:socket import",
    );
}

#[test]
fn a_bare_name_is_no_field_of_the_table_around() {
    check_edges(
        r#"
//- /a.lua
local M = {}
local function inner() end
M.describe = function(s) describe(s); inner() end
function M.other() describe(1); M.describe(2) end
return M
"#,
        "a.lua exports a.lua#M exact
         a.lua references a.lua#M exact
         a.lua#M.describe calls a.lua#inner exact
         a.lua#M.other calls a.lua#M.describe import
         a.lua#M.other references a.lua#M exact",
    );
}
