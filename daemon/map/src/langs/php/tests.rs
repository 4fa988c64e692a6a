//! Tests the facts and imports that hob reads from PHP.

use crate::fixture::{check_edges, check_meanings};
use crate::langs::detect::language_of;
use crate::langs::lang::Lang;
use crate::langs::support::project::fake::Fake;
use crate::langs::support::render::{check, torture};

const SAMPLE: &str = r#"<?php
declare(strict_types=1);
namespace App\Http;

use App\Model\User;
use Psr\Log\{LoggerInterface as Logger, NullLogger};
use function App\helper;

/**
 * Answers requests.
 * On two lines.
 *
 * @mixin User
 */
final class Kernel extends Base implements Handler, \Countable
{
    use Macroable;
    const LIMIT = 3;
    /** @var User|null */
    private $user, $other;
    public static int $made = 0;

    public function __construct(private readonly Logger $log, protected ?User $owner = null) {}

    /**
     * Finds one.
     * @param User $by
     * @return static
     */
    public static function find($by): static
    {
        $by->touch();
        $k = new self();
        $k->run();
        $n = new NullLogger;
        $n->info(self::LIMIT);
        helper();
        strlen('x');
        return parent::find($by);
    }

    abstract protected function run();
}

enum Suit: string { case Hearts = 'H'; public function label(): string { return self::Hearts->value; } }
"#;

#[test]
fn definitions_imports_and_references() {
    check(
        Lang::Php,
        SAMPLE,
        r"package App.Http
         class Kernel 15-43@15:13 E | final class Kernel extends Base implements Handler, \Countable | Answers requests. On two lines.
         constant Kernel.LIMIT 18-18@18:11 E | const LIMIT = 3
         field Kernel.user 20-20@20:14 | private $user
         field Kernel.other 20-20@20:21 | private $user, $other
         field Kernel.made 21-21@21:24 E | public static int $made
         method Kernel.__construct 23-23@23:21 E | public function __construct(private readonly Logger $log, protected ?User $owner = null)
         field Kernel.log 23-23@23:58 | private readonly Logger $log
         field Kernel.owner 23-23@23:80 E | protected ?User $owner
         method Kernel.find 30-40@30:28 E | public static function find($by): static | Finds one.
         method Kernel.run 42-42@42:33 ED | abstract protected function run()
         enum Suit 45-45@45:6 E | enum Suit: string
         constant Suit.Hearts 45-45@45:26 E | case Hearts = 'H'
         method Suit.label 45-45@45:56 E | public function label(): string
         import named App.Model User as User @5
         import named Psr.Log LoggerInterface as Logger @6
         import named Psr.Log NullLogger as NullLogger @6
         import named App helper as helper @7
         13:11 type User in Kernel
         15:28 extends Base in Kernel
         15:44 implements Handler in Kernel
         15:54 implements \/Countable in Kernel
         17:9 implements Macroable in Kernel
         19:14 type User in Kernel.user
         23:50 type Logger in Kernel.__construct
         23:74 type User in Kernel.__construct
         27:15 type User in Kernel.find
         32:14 call <User>.touch in Kernel.find
         34:13 call <Kernel>.run in Kernel.find
         35:18 call NullLogger in Kernel.find
         36:13 call <NullLogger>.info in Kernel.find
         36:24 use self.LIMIT in Kernel.find
         37:9 call helper in Kernel.find
         38:9 call strlen in Kernel.find
         39:24 call super.find in Kernel.find
         45:87 use self.Hearts in Suit.label
         45:95 use <=self.Hearts>.value in Suit.label",
    );
}

#[test]
fn files_are_known_by_endings_and_how_they_begin() {
    for (name, head) in
        [("a.php", ""), ("views.module", "<?php\n"), ("x.inc", "\n<?php"), ("run", "#!/usr/bin/php\n")]
    {
        assert_eq!(language_of(name, head.as_bytes()), Some(Lang::Php), "{name}");
    }
    assert_eq!(language_of("x.inc", b"#define X"), None);
}

#[test]
fn broken_code_gives_facts() {
    torture(Lang::Php, SAMPLE);
}

#[test]
fn functions_constants_and_tests_without_a_class() {
    check(
        Lang::Php,
        r#"<?php
define('VERSION', '1');
const LEVEL = 2;
/** @return Made */
function make() { return new Made(LEVEL); }
make()->go();
$f = function () use ($x) { $x->far(); };
it('adds numbers', function () { expect(1)->toBe(1); });
abstract class ATest extends TestCase {
    function testOne() { $this->helper(); }
    function helper() { new class extends Made { function inner() { $this->x(); } }; }
}
"#,
        r"constant VERSION 2-2@2:9 E | define('VERSION', '1')
          constant LEVEL 3-3@3:7 E | const LEVEL = 2
          function make 5-5@5:10 E | function make()
          function adds numbers 8-8@8:5 T | it('adds numbers'
          class ATest 9-12@9:16 E | abstract class ATest extends TestCase
          method ATest.testOne 10-10@10:14 ET | function testOne()
          method ATest.helper 11-11@11:14 E | function helper()
          4:13 type Made in make
          5:30 call Made in make
          5:35 use LEVEL in make
          6:1 call make
          6:9 call <Made>.go
          7:33 call ?.far
          8:34 call expect in adds numbers
          8:45 call <=expect()>.toBe in adds numbers
          9:30 extends TestCase in ATest
          10:33 call self.helper in ATest.testOne
          11:43 type Made in ATest.helper
          11:76 call ?.x in ATest.helper",
    );
}

#[test]
fn namespaces_and_files_are_found() {
    let fake = Fake::new(&[
        ("composer.json", r#"{"name": "a/b", "autoload": {"psr-4": {"App\\": "src/"}}}"#),
        ("src/Http/Kernel.php", "<?php namespace App\\Http; class Kernel {}"),
        ("src/Model/User.php", "<?php namespace App\\Model; class User {}"),
        ("inc/far/plug.php", "<?php function plug() {}"),
    ]);
    let from = "src/Http/Kernel.php";
    let rules = &super::imports::Namespaces;
    for (module, found) in [
        ("App.Model", "[src/Model/User.php]"),
        ("App", "unknown"),
        ("App.Gone", "unknown"),
        ("Psr.Log.Test", "ext:Psr.Log"),
        ("./../Model/User.php", "src/Model/User.php"),
        ("inc/far/plug.php", "inc/far/plug.php"),
        ("*/far/plug.php", "inc/far/plug.php"),
        ("./gone.php", "unknown"),
    ] {
        assert_eq!(fake.resolve(rules, from, module), found, "{module}");
    }
    assert_eq!(fake.path_of(rules, from, "\\.App.Model.User"), "[src/Model/User.php] 3");
    assert_eq!(fake.path_of(rules, from, "\\.Monolog.Logger"), "ext:Monolog 2");
    assert_eq!(fake.path_of(rules, from, "User"), "in scope");
}

#[test]
fn names_mean_what_namespaces_and_imports_say() {
    check_edges(
        r"
//- /src/Model/User.php
<?php namespace App\Model;
class User extends Base { public function save() { $this->touch(); parent::save(); static::made(); } }
//- /src/Model/Base.php
<?php namespace App\Model;
abstract class Base { public function save() {} public function touch() {} static function made() {} }
//- /src/Other/User.php
<?php namespace App\Other;
class User { public function save() {} }
//- /src/Http/Run.php
<?php namespace App\Http;
use App\Model\User as Person;
use Psr\Log\Logger;
function a(Person $p, Logger $l, $any) { $p->touch(); $p->save(); $l->touch(); $any->save(); }
function b() { $x = new \App\Other\User; $x->save(); Person::made(); new User; helper(); }
//- /helpers.php
<?php
function helper() {}
",
        "src/Http/Run.php#a references src/Model/User.php#User import
         src/Http/Run.php#a references php:ext:Psr.Log import
         src/Http/Run.php#a calls src/Model/Base.php#Base.touch import
         src/Http/Run.php#a calls src/Model/User.php#User.save import
         src/Http/Run.php#a calls php:ext:Psr.Log import
         src/Http/Run.php#a calls [src/Model/Base.php#Base.save src/Model/User.php#User.save src/Other/User.php#User.save] candidate
         src/Http/Run.php#b calls src/Other/User.php#User import
         src/Http/Run.php#b calls src/Other/User.php#User.save import
         src/Http/Run.php#b references src/Model/User.php#User import
         src/Http/Run.php#b calls src/Model/Base.php#Base.made import
         src/Http/Run.php#b calls helpers.php#helper name
         src/Model/User.php#User extends src/Model/Base.php#Base import
         src/Model/User.php#User.save calls src/Model/Base.php#Base.touch import
         src/Model/User.php#User.save calls src/Model/Base.php#Base.save import
         src/Model/User.php#User.save calls src/Model/Base.php#Base.made import",
    );
}

#[test]
fn each_namespace_of_a_file_qualifies_what_is_below_it() {
    for text in [
        "namespace App; class Item {} function make() { new Item; }\nnamespace App\\Deep; use Out\\Tool;\n\
         class Item { function run() {} } class Box extends Item { function go() { new Item; new Tool; $this->run(); helper(); } }\n\
         function helper() {}\n",
        "namespace App { class Item {} function make() { new Item; } }\nnamespace App\\Deep { use Out\\Tool;\n\
         class Item { function run() {} } class Box extends Item { function go() { new Item; new Tool; $this->run(); helper(); } }\n\
         function helper() {} }\n",
    ] {
        check_edges(
            &format!(
                "//- /all.php\n<?php {text}//- /tool.php\n<?php namespace Out; class Tool {{}}\n//- /use.php\n\
                 <?php namespace Main; use App\\Deep\\Box; function f(Box $b) {{ $b->run(); new \\App\\Item; new \\App\\Deep\\Item; }}\n"
            ),
            "all.php#make calls all.php#Item exact
             all.php#App.Deep.Box extends all.php#App.Deep.Item exact
             all.php#App.Deep.Box.go calls all.php#App.Deep.Item exact
             all.php#App.Deep.Box.go calls tool.php#Tool import
             all.php#App.Deep.Box.go calls all.php#App.Deep.Item.run exact
             all.php#App.Deep.Box.go calls all.php#App.Deep.helper exact
             use.php#f references all.php#App.Deep.Box import
             use.php#f calls all.php#App.Deep.Item.run import
             use.php#f calls all.php#Item import
             use.php#f calls all.php#App.Deep.Item import",
        );
    }
}

#[test]
fn names_of_no_namespace_are_found_everywhere_and_builtins_never() {
    check_edges(
        r"
//- /lib/query.php
<?php
class Query { use Helps; public function fetch_all() { return $this->assist(); } }
function strlen($x) {}
function twice() {}
//- /lib/helps.php
<?php
trait Helps { protected function assist() {} }
//- /lib/other.php
<?php
function twice() {}
//- /main.php
<?php
function main() { $q = new Query(); $q->fetch_all(); strlen('a'); twice(); }
//- /ns.php
<?php namespace N;
function main() { $q = new \Query(); $q->fetch_all(); \strlen('a'); new Query; }
",
        "lib/query.php#Query implements lib/helps.php#Helps name
         lib/query.php#Query.fetch_all calls lib/helps.php#Helps.assist import
         main.php#main calls lib/query.php#Query name
         main.php#main calls lib/query.php#Query.fetch_all name
         main.php#main calls [lib/other.php#twice lib/query.php#twice] candidate
         ns.php#main calls lib/query.php#Query name
         ns.php#main calls lib/query.php#Query.fetch_all name",
    );
}

#[test]
fn types_come_from_properties_results_and_comments() {
    check_edges(
        r"
//- /src/a.php
<?php namespace A;
class Repo { public function find(): ?Item { } public function all() {} }
class Item { public function rename(): static { return $this; } public function title() {} }
class Service {
    private Repo $repo;
    /** @var Item */
    private $item;
    public function __construct(private Item $promoted, Repo $other) { $this->other = $other; }
    /** @param Item $thing */
    public function run($thing, $any) {
        $this->repo->find()->title();
        $this->item->rename()->title();
        $this->promoted->title();
        $this->other->all();
        $thing->title();
        $any->title();
        $x = new Repo; $x = new Item; $x->title();
        $fn = fn(Item $i) => $i->rename();
        foreach ($any as $thing) { }
        new class { function title() {} };
    }
}
//- /src/b.php
<?php namespace B;
class Page { public function title() {} }
",
        r"src/a.php#Repo.find references src/a.php#Item exact
         src/a.php#Service references src/a.php#Repo exact
         src/a.php#Service.__construct references src/a.php#Item exact
         src/a.php#Service.__construct references src/a.php#Repo exact
         src/a.php#Service.item references src/a.php#Item exact
         src/a.php#Service.run calls [src/a.php#Item.title src/b.php#Page.title] candidate
         src/a.php#Service.run calls src/a.php#Item exact
         src/a.php#Service.run calls src/a.php#Item.rename import
         src/a.php#Service.run calls src/a.php#Item.title import
         src/a.php#Service.run calls src/a.php#Repo exact
         src/a.php#Service.run calls src/a.php#Repo.all import
         src/a.php#Service.run calls src/a.php#Repo.find import
         src/a.php#Service.run references src/a.php#Item exact
         src/a.php#Service.run references src/a.php#Service.item exact
         src/a.php#Service.run references src/a.php#Service.promoted exact
         src/a.php#Service.run references src/a.php#Service.repo exact",
    );
}

#[test]
fn members_of_classes_are_found() {
    check_meanings(
        r"
//- /a.php
<?php
namespace App;
abstract class ¤1Base {
    const ¤2LIMIT = 1;
    public static int $¤3made = 0;
    protected ?Repo $¤4repo;
    public static function ¤5make(): static { return new static(); }
    public function ¤6run() { }
}
enum ¤7Suit: string {
    case ¤8Hearts = 'H';
    const ¤9WILD = self::§8Hearts;
    public function ¤alabel() { return $this->name; }
}
class ¤bUser extends §1Base {
    public function __construct(private readonly Repo $¤clog, public int $size = 0) { $§clog->§efind(); }
    public function ¤dgo(?User $other) {
        self::$§3made = static::§2LIMIT + parent::§2LIMIT;
        $this->§4repo->§efind()?->§frename();
        $this->§clog?->§efind();
        $other?->§4repo?->§efind()->§frename();
        User::§5make()->§dgo(null);
        parent::§6run();
        $f = $this->§6run(...);
        $g = self::§5make(...);
        $h = §ghelp(...);
        §7Suit::§8Hearts->§alabel();
        echo §7Suit::§9WILD, User::class;
        return function () use ($other) { $other->§6run(); };
    }
}
class Repo { public function ¤efind(): ?Item { } }
class Item { public function ¤frename(): self { return $this; } }
function ¤ghelp() { }
",
    );
}

#[test]
fn types_are_followed_into_other_files() {
    check_meanings(
        r"
//- /src/Repo.php
<?php
namespace App\Store;
use App\Model\Item;
class Repo {
    public ?Item $¤1last;
    public function ¤2find($id): ?Item { }
    /** @return Item */
    public function ¤3first() { }
    public static function ¤4open(): static { return new static; }
    /** @return $this */
    public function ¤5sorted() { return $this; }
}
//- /src/Item.php
<?php
namespace App\Model;
/**
 * @property-read Owner $¤6owner
 * @method static Owner ¤7pick(int $n)
 */
class Item { public function ¤8title() { } }
class Owner { public function ¤9name() { } }
//- /src/Use.php
<?php
namespace App\Http;
use App\Store\Repo;
class Base { protected Repo $¤arepo; }
class Page extends Base {
    public function show(Repo $other) {
        $this->§arepo->§2find(1)->§8title();
        $other->§5sorted()->§3first()->§8title();
        Repo::§4open()->§1last->§8title();
        $item = $this->§arepo->§2find(2);
        $item->§6owner->§9name();
        $item->§7pick(1)->§9name();
        (new Repo)->§2find(3)?->§8title();
        $unknown->§btitle();
    }
}
",
    );
}

#[test]
fn traits_give_their_methods_under_other_names() {
    check_meanings(
        r"
//- /a.php
<?php
trait ¤1A { public function ¤2hi() { } }
trait ¤3B { public function ¤4hi() { } public function ¤5bye() { } }
class C {
    use §1A, §3B {
        §1A::§2hi insteadof §3B;
        §3B::§4hi as protected ¤6hello;
        §5bye as ¤7farewell;
    }
    public function go() { $this->§2hi(); $this->§6hello(); $this->§5bye(); $this->§7farewell(); }
}
",
    );
}

#[test]
fn imported_functions_and_constants_are_found() {
    check_meanings(
        r"
//- /src/lib.php
<?php
namespace App\Lib;
const ¤1LIMIT = 1;
function ¤2help() { }
class ¤3Tool { }
//- /src/use.php
<?php
namespace App;
use function App\Lib\§2help;
use const App\Lib\§1LIMIT;
use App\Lib\{§3Tool, Tool as Other};
use App\Lib as Far;
§2help(§1LIMIT);
new §3Tool;
new §3Other;
\App\Lib\§2help();
Far\§2help();
echo \App\Lib\§1LIMIT;
",
    );
}
