//! Tests the facts that hob reads from Elixir, and the edges that they give.

use hob_base::CancelToken;

use crate::fixture::{check_edges, show_edge};
use crate::graph::{EdgeKind, EdgeKinds};
use crate::langs::lang::Lang;
use crate::langs::support::render::{check, torture};

const SAMPLE: &str = r##"defmodule MyApp.Accounts do
  @moduledoc """
  Accounts.

  More.
  """
  use GenServer
  alias MyApp.{User, Mail.Sender}
  alias MyApp.Very.Long, as: L
  import Ecto.Query, only: [from: 2]
  import MyApp.Tools
  require Logger
  @behaviour MyApp.Store
  @timeout 5_000
  @type t :: %User{name: String.t(), id: id}
  @typep id :: integer
  @callback open(id, opts :: L.t()) :: {:ok, t} | :error
  defstruct [:name, age: 0]
  @doc "Gets one."
  @spec get(id) :: t | nil
  def get(id) when is_integer(id), do: L.get(User, id)
  def get(_), do: nil
  def get(id, opts \\ []), do: opts[:x] || id
  defp helper(x, y \\ 1) do
    x |> L.run(y) |> Enum.map(&other/1) |> local()
    fun = fn a -> a.name end
    fun.(1)
    &Sender.send(&1, @timeout)
    __MODULE__.get(x)
    :ets.new(x)
  end
  defmacro check(expr) do
    quote do
      run(unquote(expr))
      L.go()
    end
  end
  defguard is_ok(x) when x > 0
  defdelegate size(x), to: MyApp.Store, as: :len
  defmodule Inner do
    def call, do: MyApp.Accounts.get(1)
    def a + b, do: a
  end
end
defprotocol Size do
  @doc "Counts."
  def size(x)
end
defimpl Size, for: MyApp.User do
  def size(u), do: Inner.call()
end
defmodule MyAppTest do
  describe "get/1" do
    test "works well", %{user: user} do
      assert MyApp.Accounts.get(user.id) == 1
    end
  end
end
"##;

#[test]
fn definitions_imports_and_references() {
    check(
        Lang::Elixir,
        SAMPLE,
        r#"package MyApp
         module MyApp.Accounts 1-44@1:17 E | defmodule MyApp.Accounts | Accounts.
         constant MyApp.Accounts.@timeout 14-14@14:3 | @timeout 5_000
         type_alias MyApp.Accounts.t 15-15@15:9 E | type t :: %User{name: String.t(), id: id}
         type_alias MyApp.Accounts.id 16-16@16:10 | typep id :: integer
         function MyApp.Accounts.open 17-17@17:13 ED | @callback open(id, opts :: L.t()) :: {:ok, t} | :error
         field MyApp.Accounts.name 18-18@18:15 E | :name
         field MyApp.Accounts.age 18-18@18:21 E | age:
         function MyApp.Accounts.get 21-22@21:7 E | def get(id) when is_integer(id) | Gets one.
         function MyApp.Accounts.get~2 23-23@23:7 E | def get(id, opts \\ [])
         function MyApp.Accounts.helper 24-31@24:8 | defp helper(x, y \\ 1)
         macro MyApp.Accounts.check 32-37@32:12 E | defmacro check(expr)
         macro MyApp.Accounts.is_ok 38-38@38:12 E | defguard is_ok(x) when x > 0
         function MyApp.Accounts.size 39-39@39:15 E | defdelegate size(x)
         module MyApp.Accounts.Inner 40-43@40:13 E | defmodule Inner
         function MyApp.Accounts.Inner.call 41-41@41:9 E | def call
         function MyApp.Accounts.Inner.+ 42-42@42:11 E | def a + b
         interface Size 45-48@45:13 E | defprotocol Size
         method Size.size 47-47@47:7 ED | def size(x) | Counts.
         module Size.MyApp.User 49-51@49:26 E | defimpl Size, for: MyApp.User
         function Size.MyApp.User.size 50-50@50:7 E | def size(u)
         module MyAppTest 52-58@52:11 E | defmodule MyAppTest
         module MyAppTest.describe get/1 53-57@53:12 T | describe "get/1"
         function MyAppTest.describe get/1.works well 54-56@54:10 T | test "works well", %{user: user}
         import effect GenServer @7
         import star GenServer.__using__ @7
         import named MyApp User as User @8
         import named MyApp.Mail Sender as Sender @8
         import named MyApp.Very Long as L @9
         import named Ecto.Query from as from @10
         import star MyApp.Tools @11
         import effect Logger @12
         13:14 implements MyApp/Store in MyApp.Accounts
         15:15 type User in MyApp.Accounts.t
         15:33 type String/t in MyApp.Accounts.t
         15:42 type id in MyApp.Accounts.t
         16:16 type integer in MyApp.Accounts.id
         17:18 type id in MyApp.Accounts.open
         17:32 type L/t in MyApp.Accounts.open
         17:46 type t in MyApp.Accounts.open
         20:13 type id in MyApp.Accounts
         20:20 type t in MyApp.Accounts
         21:20 call is_integer in MyApp.Accounts.get
         21:42 call L/get in MyApp.Accounts.get
         21:46 type User in MyApp.Accounts.get
         25:12 call L/run in MyApp.Accounts.helper
         25:27 call Enum/map in MyApp.Accounts.helper
         25:32 use other in MyApp.Accounts.helper
         25:44 call local in MyApp.Accounts.helper
         28:13 call Sender/send in MyApp.Accounts.helper
         28:22 use @timeout in MyApp.Accounts.helper
         29:16 call self.get in MyApp.Accounts.helper
         35:9 call L/go in MyApp.Accounts.check
         39:28 call MyApp.Store/len in MyApp.Accounts.size
         41:34 call MyApp.Accounts/get in MyApp.Accounts.Inner.call
         49:9 implements Size in Size.MyApp.User
         49:20 type MyApp/User in Size.MyApp.User
         50:26 call Inner/call in Size.MyApp.User.size
         55:7 call assert in MyAppTest.describe get/1.works well
         55:29 call MyApp.Accounts/get in MyAppTest.describe get/1.works well"#,
    );
}

#[test]
fn broken_code_gives_facts() {
    torture(Lang::Elixir, SAMPLE);
}

#[test]
fn modules_are_found_by_their_names() {
    check_edges(
        r#"
//- /lib/my_app/accounts.ex
defmodule MyApp.Accounts do
  alias MyApp.Repo
  alias MyApp.Accounts.User
  import MyApp.Tools
  def get(id), do: Repo.get(User, id)
  def get(id, opts), do: get(id) |> trim(opts)
  def all, do: Enum.map([], &get/1)
  def list(), do: MyApp.Accounts.User.new() |> User.name()
  def lost(), do: unknown() + Other.get(1) + MyApp.Gone.get(1)
end
//- /lib/my_app/accounts/user.ex
defmodule MyApp.Accounts.User do
  @behaviour MyApp.Shape
  @default "x"
  defstruct [:name]
  def new(name \\ @default), do: %__MODULE__{name: name}
  def name(%__MODULE__{name: n}), do: n
  def area(_), do: MyApp.Accounts.list()
end
//- /lib/my_app/shape.ex
defmodule MyApp.Shape do
  @callback area(term) :: integer
end
//- /lib/my_app/repo.ex
defmodule MyApp.Repo do
  use Ecto.Repo, otp_app: :my_app
  def get(q, id), do: all(q) ++ trim(id, 1)
end
//- /lib/my_app/tools.ex
defmodule MyApp.Tools do
  def trim(a, b), do: unknown_too(a, b)
  def all(q), do: q
  def unknown, do: 1
end
//- /test/accounts_test.exs
defmodule MyApp.AccountsTest do
  use ExUnit.Case
  alias MyApp.Accounts
  test "gets one", do: nil
  test "gets two" do
    assert Accounts.get(1, 2) == Accounts.User.new("a") |> helper()
  end
  defp helper(x), do: x
end
"#,
        "lib/my_app/accounts.ex#MyApp.Accounts.all references lib/my_app/accounts.ex#MyApp.Accounts.get exact
         lib/my_app/accounts.ex#MyApp.Accounts.get calls lib/my_app/repo.ex#MyApp.Repo.get import
         lib/my_app/accounts.ex#MyApp.Accounts.get references lib/my_app/accounts/user.ex#MyApp.Accounts.User import
         lib/my_app/accounts.ex#MyApp.Accounts.get~2 calls lib/my_app/accounts.ex#MyApp.Accounts.get exact
         lib/my_app/accounts.ex#MyApp.Accounts.get~2 calls lib/my_app/tools.ex#MyApp.Tools.trim import
         lib/my_app/accounts.ex#MyApp.Accounts.list calls lib/my_app/accounts/user.ex#MyApp.Accounts.User.name import
         lib/my_app/accounts.ex#MyApp.Accounts.list calls lib/my_app/accounts/user.ex#MyApp.Accounts.User.new import
         lib/my_app/accounts.ex#MyApp.Accounts.lost calls ex:ext:other import
         lib/my_app/accounts.ex#MyApp.Accounts.lost calls lib/my_app/tools.ex#MyApp.Tools.unknown import
         lib/my_app/accounts/user.ex#MyApp.Accounts.User implements lib/my_app/shape.ex#MyApp.Shape import
         lib/my_app/accounts/user.ex#MyApp.Accounts.User.area calls lib/my_app/accounts.ex#MyApp.Accounts.list import
         lib/my_app/accounts/user.ex#MyApp.Accounts.User.new references lib/my_app/accounts/user.ex#MyApp.Accounts.User.@default exact
         lib/my_app/repo.ex#MyApp.Repo.get calls [lib/my_app/accounts.ex#MyApp.Accounts.all lib/my_app/tools.ex#MyApp.Tools.all] candidate
         lib/my_app/repo.ex#MyApp.Repo.get calls [lib/my_app/tools.ex#MyApp.Tools.trim] candidate
         test/accounts_test.exs#MyApp.AccountsTest.gets two calls lib/my_app/accounts.ex#MyApp.Accounts.get~2 import
         test/accounts_test.exs#MyApp.AccountsTest.gets two calls lib/my_app/accounts/user.ex#MyApp.Accounts.User.new import
         test/accounts_test.exs#MyApp.AccountsTest.gets two calls test/accounts_test.exs#MyApp.AccountsTest.helper exact",
    );
}

#[test]
fn protocols_and_their_implementations() {
    check_edges(
        r#"
//- /a.ex
defprotocol Size do
  def size(x)
end
defmodule Box do
  defstruct [:w]
  def run(b), do: Size.size(b)
  defimpl Size do
    def size(b), do: count(b)
    defp count(b), do: b.w
  end
end
"#,
        "a.ex#Box.run calls a.ex#Size.size exact
         a.ex#Size.Box implements a.ex#Size exact
         a.ex#Size.Box.size calls a.ex#Size.Box.count exact",
    );
}

#[test]
fn uses_of_a_module_are_seen_from_it_too() {
    let map = crate::fixture::map(
        "//- /lib/a.ex\ndefmodule App.A do\n  def run(x), do: x\nend\n\
         //- /lib/b.ex\ndefmodule App.B do\n  alias App.A, as: Other\n  def go(x), do: %Other{x: Other.run(x)}\nend\n\
         //- /lib/c.ex\ndefmodule App.C do\n  def go(x), do: {App.A, App.A.run(x)}\nend\n",
    );
    let seen = |name: &str| {
        let node = crate::fixture::lookup_node(&map, name);
        let kinds = EdgeKinds::ALL.without(EdgeKind::Contains).without(EdgeKind::Imports);
        let edges = map.edges_in(node, kinds, &CancelToken::default()).expect("nobody cancels");
        let mut shown: Vec<String> = edges.iter().map(|edge| show_edge(&map, edge)).collect();
        shown.sort();
        shown
    };
    assert_eq!(
        seen("App.A"),
        [
            "lib/b.ex#App.B.go references lib/a.ex#App.A import",
            "lib/c.ex#App.C.go references lib/a.ex#App.A import"
        ]
    );
    assert_eq!(
        seen("App.A.run"),
        [
            "lib/b.ex#App.B.go calls lib/a.ex#App.A.run import",
            "lib/c.ex#App.C.go calls lib/a.ex#App.A.run import"
        ]
    );
}
