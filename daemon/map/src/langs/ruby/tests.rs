//! Tests the facts and imports that hob reads from Ruby.

use crate::fixture::{check_edges, check_meanings};
use crate::langs::detect::language_of;
use crate::langs::lang::Lang;
use crate::langs::support::project::fake::Fake;
use crate::langs::support::render::{check, torture};

const SAMPLE: &str = r#"# frozen_string_literal: true

require 'json'
require_relative "base"
module Shop
  LIMIT = 3
  # A cart.
  # Holds items.
  class Cart < Base
    include Enumerable
    include Shop::Helper
    attr_accessor :items, :owner
    Point = Struct.new(:x, :y) do
      def dist; x + y; end
    end
    class << self
      def build(n) = new(n)
    end
    def self.load(path)
      cart = Cart.new
      cart.add(1)
      parse(path)
    end
    # Adds.
    def add(item, *rest, key: nil, &block)
      super
      @log ||= Logger.new
      @log.info(item)
      items.each { |i| i.touch(LIMIT) }
      total = compute(item)
      total += 1
      self.owner = Shop::Person.new(total)
      helper
    end
    alias_method :push, :add
    alias << add
    define_method(:gone) { |x| helper(x) }
    private
    def helper; end
    public
    def seen; end
    private def hidden; end
    private_class_method :load
  end
end
def top(a) puts a end
top 1
"#;

#[test]
fn definitions_imports_and_references() {
    check(
        Lang::Ruby,
        SAMPLE,
        r"module Shop 5-45@5:8 E | module Shop
         constant Shop.LIMIT 6-6@6:3 E | LIMIT = 3
         class Shop.Cart 9-44@9:9 E | class Cart < Base | A cart. Holds items.
         method Shop.Cart.items 12-12@12:20 E | attr_accessor :items, :owner
         method Shop.Cart.items= 12-12@12:20 E | attr_accessor :items, :owner
         method Shop.Cart.owner 12-12@12:28 E | attr_accessor :items, :owner
         method Shop.Cart.owner= 12-12@12:28 E | attr_accessor :items, :owner
         struct Shop.Cart.Point 13-15@13:5 E | Point = Struct.new(:x, :y)
         method Shop.Cart.Point.x 13-13@13:25 E | :x
         method Shop.Cart.Point.x= 13-13@13:25 E | :x
         method Shop.Cart.Point.y 13-13@13:29 E | :y
         method Shop.Cart.Point.y= 13-13@13:29 E | :y
         method Shop.Cart.Point.dist 14-14@14:11 E | def dist
         method Shop.Cart.build 17-17@17:11 E | def build(n)
         method Shop.Cart.load 19-23@19:14 | def self.load(path)
         method Shop.Cart.add 25-34@25:9 E | def add(item, *rest, key: nil, &block) | Adds.
         field Shop.Cart.@log 27-27@27:7 | @log ||= Logger.new
         method Shop.Cart.push 35-35@35:19 E | alias_method :push, :add
         method Shop.Cart.<< 36-36@36:11 E | alias << add
         method Shop.Cart.gone 37-37@37:20 E | define_method(:gone)
         method Shop.Cart.helper 39-39@39:9 | def helper
         method Shop.Cart.seen 41-41@41:9 E | def seen
         method Shop.Cart.hidden 42-42@42:17 | def hidden
         function top 46-46@46:5 E | def top(a)
         import effect json @3
         import effect ./base @4
         3:1 call require
         4:1 call require_relative
         9:16 extends Base in Shop.Cart
         10:13 implements Enumerable in Shop.Cart
         11:13 use Shop in Shop.Cart
         11:19 implements Shop/Helper in Shop.Cart
         13:13 use Struct in Shop.Cart.Point
         14:17 call self.x in Shop.Cart.Point.dist
         14:21 call self.y in Shop.Cart.Point.dist
         20:14 call Cart in Shop.Cart.load
         21:12 call <Cart>.add in Shop.Cart.load
         22:7 call self.parse in Shop.Cart.load
         26:7 call super.add in Shop.Cart.add
         27:16 call Logger in Shop.Cart.add
         28:7 use self.@log in Shop.Cart.add
         28:12 call <Logger>.info in Shop.Cart.add
         29:7 call self.items in Shop.Cart.add
         29:13 call ?.each in Shop.Cart.add
         29:26 call ?.touch in Shop.Cart.add
         29:32 use LIMIT in Shop.Cart.add
         30:15 call self.compute in Shop.Cart.add
         32:12 call self.owner= in Shop.Cart.add
         32:20 use Shop in Shop.Cart.add
         32:26 call Shop/Person in Shop.Cart.add
         33:7 call self.helper in Shop.Cart.add
         35:25 use self.add in Shop.Cart
         36:14 use self.add in Shop.Cart
         37:32 call self.helper in Shop.Cart.gone
         46:12 call puts in top
         47:1 call top",
    );
}

#[test]
fn tests_are_named_by_their_descriptions() {
    check(
        Lang::Ruby,
        r#"RSpec.describe Shop::Cart do
  let(:cart) { described_class.new }
  context "when empty" do
    it "adds" do
      cart.add(1)
    end
    it "does #{x}" do end
  end
end
class CartTest < Minitest::Test
  def test_adds; build; end
  test "saves" do save end
end
"#,
        r#"module describe Shop::Cart 1-9@1:16 T | RSpec.describe Shop::Cart
         method describe Shop::Cart.cart 2-2@2:8 | let(:cart)
         module describe Shop::Cart.when empty 3-8@3:12 T | context "when empty"
         function describe Shop::Cart.when empty.it adds 4-6@4:9 T | it "adds"
         class CartTest 10-13@10:7 E | class CartTest < Minitest::Test
         method CartTest.test_adds 11-11@11:7 ET | def test_adds
         function CartTest.test saves 12-12@12:9 T | test "saves"
         1:1 use RSpec in describe Shop::Cart
         1:16 use Shop in describe Shop::Cart
         1:22 use Shop/Cart in describe Shop::Cart
         2:16 call Shop/Cart in describe Shop::Cart.cart
         5:7 call self.cart in describe Shop::Cart.when empty.it adds
         5:12 call ?.add in describe Shop::Cart.when empty.it adds
         7:5 call self.it in describe Shop::Cart.when empty
         7:16 call self.x in describe Shop::Cart.when empty
         10:18 use Minitest in CartTest
         10:28 extends Minitest/Test in CartTest
         11:18 call self.build in CartTest.test_adds
         12:19 call self.save in CartTest.test saves"#,
    );
}

#[test]
fn broken_code_gives_facts() {
    torture(Lang::Ruby, SAMPLE);
}

#[test]
fn files_are_known_by_endings_names_and_first_lines() {
    for (name, head) in [("a.rb", ""), ("Rakefile", ""), ("x.gemspec", ""), ("run", "#!/usr/bin/env ruby\n")]
    {
        assert_eq!(language_of(name, head.as_bytes()), Some(Lang::Ruby), "{name}");
    }
}

#[test]
fn required_files_are_found() {
    let fake = Fake::new(&[
        ("lib/shop.rb", ""),
        ("lib/shop/cart.rb", ""),
        ("other/lib/shop/cart.rb", ""),
        ("other/test/helper.rb", ""),
        ("test/helper.rb", ""),
        ("app/models/user.rb", ""),
    ]);
    for (from, module, found) in [
        ("lib/shop.rb", "shop/cart", "lib/shop/cart.rb"),
        ("lib/shop.rb", "./shop/cart", "lib/shop/cart.rb"),
        ("other/test/helper.rb", "shop/cart", "other/lib/shop/cart.rb"),
        ("lib/shop/cart.rb", "helper", "test/helper.rb"),
        ("lib/shop.rb", "user", "app/models/user.rb"),
        ("lib/shop.rb", "shop/gone", "unknown"),
        ("lib/shop.rb", "active_support/core_ext", "ext:active_support"),
    ] {
        assert_eq!(fake.resolve(&super::imports::LoadPath, from, module), found, "{module}");
    }
}

#[test]
fn constants_are_found_by_their_qualified_names() {
    check_edges(
        r#"
//- /lib/shop/cart.rb
module Shop
  class Cart < Base
    include Helps
    def add; check; assist; Error; Item.new.touch; end
    def check; end
  end
end
//- /lib/shop/base.rb
module Shop
  class Base
    def check; end
    def save; end
  end
  class Error < StandardError; end
end
//- /lib/shop/helps.rb
module Shop
  module Helps
    def assist; save; end
  end
end
//- /lib/shop/item.rb
class Shop::Item
  def touch; end
end
//- /lib/other.rb
module Other
  class Base; def save; end; end
  class Error; end
  def self.run
    cart = Shop::Cart.new
    cart.save
    cart.touch
    unknown.save
    Nokogiri::HTML.parse
    String.new
  end
end
//- /lib/more.rb
module Shop
  class Cart
    def extra; add; end
  end
end
//- /lib/user.rb
Shop::Cart.new.extra
"#,
        r"lib/more.rb#Shop.Cart.extra calls lib/shop/cart.rb#Shop.Cart.add import
         lib/other.rb#Other.run calls [lib/other.rb#Other.Base.save lib/shop/base.rb#Shop.Base.save] candidate
         lib/other.rb#Other.run calls [lib/shop/item.rb#Shop.Item.touch] candidate
         lib/other.rb#Other.run calls lib/shop/base.rb#Shop.Base.save name
         lib/other.rb#Other.run calls lib/shop/cart.rb#Shop.Cart name
         lib/other.rb#Other.run references lib/more.rb#Shop name
         lib/shop/cart.rb#Shop.Cart extends lib/shop/base.rb#Shop.Base import
         lib/shop/cart.rb#Shop.Cart implements lib/shop/helps.rb#Shop.Helps import
         lib/shop/cart.rb#Shop.Cart.add calls lib/shop/cart.rb#Shop.Cart.check exact
         lib/shop/cart.rb#Shop.Cart.add calls lib/shop/helps.rb#Shop.Helps.assist import
         lib/shop/cart.rb#Shop.Cart.add calls lib/shop/item.rb#Shop.Item import
         lib/shop/cart.rb#Shop.Cart.add calls lib/shop/item.rb#Shop.Item.touch import
         lib/shop/cart.rb#Shop.Cart.add references lib/shop/base.rb#Shop.Error name
         lib/shop/helps.rb#Shop.Helps.assist calls [lib/shop/base.rb#Shop.Base.save lib/other.rb#Other.Base.save] candidate
         lib/shop/item.rb#Shop.Item references lib/more.rb#Shop name
         lib/user.rb calls lib/more.rb#Shop.Cart.extra name
         lib/user.rb calls lib/shop/cart.rb#Shop.Cart name
         lib/user.rb references lib/more.rb#Shop name",
    );
}

#[test]
fn a_method_of_one_word_on_anything_is_no_more_than_a_candidate() {
    check_edges(
        r#"
//- /lib/page.rb
class Page
  def title; end
  def render_page; end
  def self.build; end
  def draw; end
end
class Other
  def draw; end
end
//- /lib/use.rb
def go(page)
  page.title
  page.render_page
  page.draw
  page.each
  Page.build
  page = Page.new
end
//- /spec/page_spec.rb
describe "draw" do
  def help_me; end
  it("works") { help_me; go(1); unknown_word }
end
"#,
        r"lib/use.rb#go calls [lib/page.rb#Page.draw lib/page.rb#Other.draw] candidate
         lib/use.rb#go calls [lib/page.rb#Page.title] candidate
         lib/use.rb#go calls lib/page.rb#Page import
         lib/use.rb#go calls lib/page.rb#Page.build import
         lib/use.rb#go calls lib/page.rb#Page.render_page name
         lib/use.rb#go references lib/page.rb#Page import
         spec/page_spec.rb#describe draw.it works calls [lib/use.rb#go] candidate
         spec/page_spec.rb#describe draw.it works calls spec/page_spec.rb#describe draw.help_me exact",
    );
}

#[test]
fn an_assignment_to_a_member_runs_its_setter() {
    check_edges(
        r"
//- /lib/box.rb
class Box
  attr_reader :size
  attr_writer :color
  attr_accessor :name
  def width; end
  def width=(value); end
  def plain; self.width = 1; end
  def both; self.width += 1; end
  def many; self.color, rest = 1, 2; end
  def made; self.name = name; end
  def none; self.size = 1; end
end
",
        r"lib/box.rb#Box.both calls lib/box.rb#Box.width exact
         lib/box.rb#Box.both calls lib/box.rb#Box.width= exact
         lib/box.rb#Box.made calls lib/box.rb#Box.name exact
         lib/box.rb#Box.made calls lib/box.rb#Box.name= exact
         lib/box.rb#Box.many calls lib/box.rb#Box.color= exact
         lib/box.rb#Box.plain calls lib/box.rb#Box.width= exact",
    );
}

#[test]
fn a_variable_of_a_class_is_one_field_over_all_its_methods() {
    check(
        Lang::Ruby,
        r"class A
  @@all = []
  attr_reader :size, :color
  def grow; @size += 1; end
  def initialize(size)
    @size = size
    @@all << self
  end
  def paint; @color; end
  def self.reset; @count = 0; end
  def self.count; @count; end
end
class A
  def shrink; @size -= 1; end
end
$log = 1
def log; $log; $stdout; end
",
        r"class A 1-12@1:7 E | class A
          field A.@@all 2-2@2:3 | @@all = []
          method A.size 3-3@3:16 E | attr_reader :size, :color
          method A.color 3-3@3:23 E | attr_reader :size, :color
          field A.@color 3-3@3:23 | :color
          method A.grow 4-4@4:7 E | def grow
          method A.initialize 5-8@5:7 E | def initialize(size)
          field A.@size 6-6@6:5 | @size = size
          method A.paint 9-9@9:7 E | def paint
          method A.reset 10-10@10:12 E | def self.reset
          field A.@count 10-10@10:19 | @count = 0
          method A.count 11-11@11:12 E | def self.count
          class A~2 13-15@13:7 E | class A
          method A.shrink 14-14@14:7 E | def shrink
          variable $log 16-16@16:1 E | $log = 1
          function log 17-17@17:5 E | def log
          3:16 use self.@size in A
          4:13 use self.@size in A.grow
          7:5 use self.@@all in A.initialize
          9:14 use self.@color in A.paint
          11:19 use self.@count in A.count
          14:15 use self.@size in A.shrink
          17:10 use $log in log",
    );
}

#[test]
fn a_variable_is_found_in_the_class_that_assigns_it() {
    check_edges(
        r"
//- /lib/base.rb
class Base
  def initialize; @size = 1; end
end
//- /lib/box.rb
require_relative 'base'
class Box < Base
  def area; @size * @depth; end
  def self.name_all; @size; end
end
//- /lib/other.rb
class Other
  def initialize; @depth = 1; end
end
",
        r"lib/box.rb#Box extends lib/base.rb#Base import
         lib/box.rb#Box.area references lib/base.rb#Base.@size import",
    );
}

#[test]
fn methods_that_calls_make_are_defined() {
    check(
        Lang::Ruby,
        r#"class A < Struct.new(:width)
  delegate :name, :mail, to: :owner
  delegate :street, to: :owner, prefix: true
  delegate :zip, to: :@place, prefix: "home"
  def_delegator :@list, :size, :count
  def_delegators :@list, :first, :last
  prop :title, String
  const :kind, T.nilable(String), default: nil
end
"#,
        r#"class A 1-9@1:7 E | class A < Struct.new(:width)
          method A.width 1-1@1:23 E | :width
          method A.width= 1-1@1:23 E | :width
          method A.name 2-2@2:13 E | delegate :name, :mail, to: :owner
          method A.mail 2-2@2:20 E | delegate :name, :mail, to: :owner
          method A.owner_street 3-3@3:13 E | delegate :street, to: :owner, prefix: true
          method A.home_zip 4-4@4:13 E | delegate :zip, to: :@place, prefix: "home"
          method A.count 5-5@5:33 E | def_delegator :@list, :size, :count
          method A.first 6-6@6:27 E | def_delegators :@list, :first, :last
          method A.last 6-6@6:35 E | def_delegators :@list, :first, :last
          method A.title 7-7@7:9 E | prop :title, String
          method A.title= 7-7@7:9 E | prop :title, String
          method A.kind 8-8@8:10 E | const :kind, T.nilable(String), default: nil
          1:11 call Struct in A
          2:3 call self.delegate in A
          2:31 call self.owner in A
          3:3 call self.delegate in A
          3:26 call self.owner in A
          4:3 call self.delegate in A
          4:23 use self.@place in A
          5:3 call self.def_delegator in A
          5:18 use self.@list in A
          6:3 call self.def_delegators in A
          6:19 use self.@list in A
          7:3 call self.prop in A
          7:16 use String in A
          8:3 call self.const in A
          8:16 use T in A
          8:18 call T/nilable in A
          8:26 use String in A"#,
    );
}

#[test]
fn what_a_file_requires_or_the_convention_loads_is_sure() {
    check_edges(
        r"
//- /tools/helper.rb
class Helper; end
def help; end
//- /tools/run.rb
require 'helper'
def run; help; Helper; Plain; end
//- /tools/more.rb
class Plain; end
//- /app/models/line_item.rb
class LineItem; end
//- /app/models/order.rb
class Order
  def add; LineItem.new; end
end
",
        r"app/models/order.rb#Order.add calls app/models/line_item.rb#LineItem import
         tools/run.rb#run calls tools/helper.rb#help import
         tools/run.rb#run references tools/helper.rb#Helper import
         tools/run.rb#run references tools/more.rb#Plain name",
    );
}

#[test]
fn names_mean_locals_fields_and_setters() {
    check_meanings(
        r"
//- /lib/box.rb
class ¤1Box
  attr_reader :¤2size
  attr_accessor :¤3color
  def initialize(¤4size) = ¤5@size = §4size
  def ¤6width=(value); §5@size = value; end
  def ¤7empty?; §2size == 0; end
  def use(¤8other)
    self.§3color = §8other
    self.§6width = 3
    §8other.nothing
    §7empty?
    ¤9box = §1Box.new(1)
    §9box.§6width = §9box.§2size
    $¤alog = 1
    [1].each { |¤bi| §9box.§3color = §bi }
  end
end
"
        .replace("$¤alog", "¤a$log")
        .as_str(),
    );
}
