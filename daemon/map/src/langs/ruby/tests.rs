//! Ruby extraction and imports, on small sources.

use crate::fixture::check_edges;
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
         lib/shop/cart.rb#Shop.Cart extends lib/shop/base.rb#Shop.Base name
         lib/shop/cart.rb#Shop.Cart implements lib/shop/helps.rb#Shop.Helps name
         lib/shop/cart.rb#Shop.Cart.add calls lib/shop/cart.rb#Shop.Cart.check exact
         lib/shop/cart.rb#Shop.Cart.add calls lib/shop/helps.rb#Shop.Helps.assist import
         lib/shop/cart.rb#Shop.Cart.add calls lib/shop/item.rb#Shop.Item name
         lib/shop/cart.rb#Shop.Cart.add calls lib/shop/item.rb#Shop.Item.touch name
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
         lib/use.rb#go calls lib/page.rb#Page name
         lib/use.rb#go calls lib/page.rb#Page.build name
         lib/use.rb#go calls lib/page.rb#Page.render_page name
         lib/use.rb#go references lib/page.rb#Page name
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
