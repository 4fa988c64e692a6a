//! Describes the properties of a language's names that the resolution and the graph ask for.
//!
//! Each field is one thing that languages do differently, so that shared code tests the property and not the language.
//! A language's folder states its own [`NameSemantics`], beginning with [`NameSemantics::PLAIN`], which claims nothing.
//! Two languages share a field only if it means the same for both. The code that acts on a property is not here.

/// The meaning of names in one language.
#[derive(Clone, Copy, Debug)]
pub struct NameSemantics {
    /// The words that the language itself binds.
    pub builtins: BuiltinWords,
    /// The places from which a definition can be named.
    pub reach: Reach,

    /// True if a name with a capital is a constant, which any file may name by its qualified name without importing it
    /// (`Billing::Invoice`).
    pub constants_by_capital: bool,
    /// The name in paths of the namespace around all others, whose functions and classes every file sees (`\` in
    /// `\strlen`).
    pub root_namespace: Option<&'static str>,
    /// True if `self`, `Self`, `super` and `crate` begin paths to types and modules (`super::net::open`).
    pub path_keywords: bool,
    /// True if a path begins with a variable more often than with a type (`conn.open()`, where types have no members
    /// that are named by paths).
    pub variable_paths: bool,
    /// True if a module does not see the names around it (`mod inner { }` sees nothing of its file).
    pub closed_modules: bool,
    /// True if any file may add names to a namespace (`namespace net { }` in two headers).
    pub open_namespaces: bool,
    /// True if the members of an enumeration are free names (`RED` of `enum Color { RED }`).
    pub open_enums: bool,
    /// True if the members of an object or class are no bare names inside it (`load` in `{ load: load() }` means
    /// another).
    pub objects_hide_members: bool,
    /// True if a variable or module may be a table, whose fields no bare name means, not even in its own functions.
    pub tables_hide_fields: bool,
    /// True if a type and a value of one place may share a name (`interface Config` beside `const Config`).
    pub types_beside_values: bool,
    /// True if the package that a file declares begins the full names of its definitions (`com.acme.Invoice`).
    pub named_packages: bool,

    /// True if files declare definitions of other files, and headers do so for all (`int open(void);`).
    pub declares_in_headers: bool,
    /// True if an import stands for the text of another file (`#include`), so that names pass through any number of them.
    pub textual_imports: bool,
    /// True if nothing is used under another name than its own: there are no aliases in imports.
    pub never_renames: bool,
    /// The imports that a file passes on to those that import it.
    pub passed_imports: PassedImports,
    /// True if a star import passes on no modules within the module of the star: a module of the importing package goes
    /// before one that a star brings.
    pub modules_before_stars: bool,
    /// True if a star import brings only names of the importing file's package and of those around it: others are named with
    /// their package (`import "a.proto"`).
    pub stars_keep_packages: bool,
    /// True if a member behind a path is the one that the path leads to, and no other of the project (`orders.id`).
    pub exact_paths: bool,
    /// True if a folder is a package by its `__init__` file, and a stub (`.pyi`) may lie beside a module.
    pub init_files: bool,
    /// True if a file's imports, with its package, name everything that the file can see. Claim it only if you are
    /// sure.
    pub imports_tell_all: bool,
    /// True if a file's value is the table that the file returns (`return M`), which is what its importers get.
    pub returned_tables: bool,

    /// True if a field and a method of one type may share a name, and a call means the method (`len` and `len()`).
    pub methods_apart: bool,
    /// True if the bases of a type are tried in one order in which each comes after all that are derived from it.
    pub linear_bases: bool,
    /// True if a base that a type extends hides the members of those written before it (`extends A with B`,
    /// `Object.assign(A.prototype, B)`).
    pub later_bases_hide: bool,
    /// True if a type may be written in several places, of which each adds members and bases (`class Order` twice).
    pub reopens_types: bool,
    /// True if a module has members and bases as a class does (`include Comparable`).
    pub modules_are_types: bool,
    /// True if a base that is one of the language's own types hides no members that could be meant.
    pub plain_builtin_bases: bool,
    /// True if a function of no type is a method of every object.
    pub functions_are_methods: bool,
    /// True if an object of a class's name in the class's file belongs to the class (`object Order` beside `class Order`).
    pub companions: bool,
    /// The extensions that a file sees: members that a definition adds to a type without being written in it.
    pub extensions: ExtensionScope,
    /// The way in which a project adds members to types from outside the project.
    pub outside_members: OutsideMembers,
    /// True if a trait may be implemented for all types of some kind at once (`impl<T: Read> ReadExt for T`).
    pub blanket_impls: bool,
    /// True if functions of one name and place may differ by their parameters (`f(int)` beside `f(String)`).
    pub overloads: bool,
    /// True if functions of one name and place differ by the number of their parameters alone (`get/1` beside `get/2`).
    pub arities: bool,
    /// True if arguments are converted by fixed rules alone: no type has another name, and no program adds conversions.
    pub strict_arguments: bool,
    /// The way in which a member shows whether it belongs to the type itself or to its objects.
    pub static_members: StaticMembers,
    /// True if a name may be a macro with several definitions, of which the last before a use counts.
    pub redefined_macros: bool,
    /// True if only names that a file exports can be imported from it, once it exports anything (`export function`).
    pub exports_by_word: bool,
    /// True if of two star imports with one name the later one binds it.
    pub last_star_binds: bool,
    /// True if a type implements an interface by having its methods, without saying so.
    pub structural_interfaces: bool,
    /// True if a value has the members of the value that it derefs to (`impl Deref for Guard`).
    pub derefs: bool,
    /// True if a variant of an enumeration is a value or constructor of it (`Shape::Circle(1.0)`).
    pub variant_values: bool,
    /// True if the standard library's types are followed as they are written (`Option<Conn>` gives a `Conn` to `map`).
    pub library_types: bool,
    /// Reads the type of a parameter from its text in a signature; `None` in languages in which the keys of an argument
    /// are no uses of that type's members.
    pub parameter_type: Option<fn(&str) -> Option<String>>,
    /// True if the facts write types with their arguments (`Box<Foo>`), and a type's parameters by number (`%0`).
    pub type_arguments: bool,
    /// True if the facts write a value that may come from several paths with `|` between these paths.
    pub joined_values: bool,
    /// The bodies that a name may have side by side, one for each configuration.
    pub twins: ParallelBodies,

    /// True if the extractor marks tests by the language's conventions, so that a file's name says nothing about them.
    pub marks_tests: bool,
    /// True if tests are calls with a description, which the extractor records as functions (`it "opens" do`).
    pub test_blocks: bool,
    /// True if a method that is compiled for tests alone takes the place of a method as any other does.
    pub test_methods: bool,
    /// The names of members that run when an object is made, whatever the class is called (`__init__`, `constructor`).
    pub constructors: &'static [&'static str],
    /// The name of the member that a creation by the class's name calls, if the class has one (`constructor`).
    pub named_constructor: Option<&'static str>,
    /// Beginnings of signatures by which a module exports its members without exporting a default: the module is then
    /// its own default (`exports.run = ...`).
    pub module_is_default: &'static [&'static str],
    /// True if the lexical scopes of a file bind every name that the file defines.
    pub scopes_tell_all: bool,
    /// True if a file may declare a module by the name that imports have for it (`declare module "x"`).
    pub ambient_modules: bool,
    /// The uses whose name alone proves little, even if a project has only one definition of the name.
    pub vague_names: VagueNames,

    /// The beginning of names that mean members of the current object, or nothing of the project (`@` of `@size`).
    pub own_prefix: Option<&'static str>,

    /// Files whose definitions the test runner passes, by name, to code in their folder and the folders below
    /// (`conftest.py`).
    pub fixture_files: &'static [&'static str],
    /// True if a method's first parameter is the current object (`def run(self)`), where values are followed.
    pub receiver_parameter: bool,
    /// True if a method may get its class instead of an object (`@classmethod`).
    pub class_methods: bool,
    /// True if the keys of a container are not members of it (`d["a"]` is not `d.a`).
    pub keys_apart: bool,
    /// True if spreading a container into another loses the keys of the parts (`[*items]`).
    pub keyless_spreads: bool,

    /// The names that compilers derive from the definitions of a file, by which code of other languages means these.
    pub generated: GeneratedNames,
}

impl NameSemantics {
    /// The properties of a language that does nothing of its own with names.
    pub const PLAIN: Self = Self {
        builtins: BuiltinWords::NONE,
        reach: Reach::Anywhere,
        constants_by_capital: false,
        root_namespace: None,
        path_keywords: false,
        variable_paths: false,
        closed_modules: false,
        open_namespaces: false,
        open_enums: false,
        objects_hide_members: false,
        tables_hide_fields: false,
        types_beside_values: false,
        named_packages: false,
        declares_in_headers: false,
        textual_imports: false,
        never_renames: false,
        passed_imports: PassedImports::Marked,
        modules_before_stars: false,
        stars_keep_packages: false,
        exact_paths: false,
        init_files: false,
        imports_tell_all: false,
        returned_tables: false,
        methods_apart: false,
        linear_bases: false,
        later_bases_hide: false,
        reopens_types: false,
        modules_are_types: false,
        plain_builtin_bases: false,
        functions_are_methods: false,
        companions: false,
        extensions: ExtensionScope::None,
        outside_members: OutsideMembers::None,
        blanket_impls: false,
        overloads: false,
        arities: false,
        strict_arguments: false,
        static_members: StaticMembers::Unmarked,
        redefined_macros: false,
        exports_by_word: false,
        last_star_binds: false,
        structural_interfaces: false,
        derefs: false,
        variant_values: false,
        library_types: false,
        parameter_type: None,
        type_arguments: false,
        joined_values: false,
        twins: ParallelBodies::None,
        marks_tests: false,
        test_blocks: false,
        test_methods: false,
        constructors: &[],
        named_constructor: None,
        module_is_default: &[],
        scopes_tell_all: false,
        ambient_modules: false,
        vague_names: VagueNames::None,
        own_prefix: None,
        fixture_files: &[],
        receiver_parameter: false,
        class_methods: false,
        keys_apart: false,
        keyless_spreads: false,
        generated: GeneratedNames::NONE,
    };
}

/// The words that belong to the language itself unless a file binds them, separated by white space.
///
/// No list is complete: it has the words that are common enough to be pinned wrongly to a definition of the project.
#[derive(Clone, Copy, Debug)]
pub struct BuiltinWords {
    /// Bare names that are bound everywhere (`print`).
    pub globals: &'static str,
    /// Members so common that their name alone proves nothing (`append`).
    pub members: &'static str,
    /// The beginning of all names of members that the language itself calls (`__` of `__len__`).
    pub member_prefix: Option<&'static str>,
}

impl BuiltinWords {
    /// The words of a language that binds none.
    pub const NONE: Self = Self { globals: "", members: "", member_prefix: None };
}

/// The names of what compilers generate from the files of a schema language.
#[derive(Clone, Copy, Debug)]
pub struct GeneratedNames {
    /// Endings of the modules made from a file (`_pb2` of `user_pb2`, made from `user.proto`).
    pub module_endings: &'static [&'static str],
    /// Endings of the types made from a definition beside the one of its own name (`Stub` of `GreeterStub`).
    pub type_endings: &'static [&'static str],
}

impl GeneratedNames {
    /// The names of a language from which nothing is generated.
    pub const NONE: Self = Self { module_endings: &[], type_endings: &[] };

    /// Returns true if code of other languages is generated from the language.
    #[must_use]
    pub fn is_schema(self) -> bool {
        !self.module_endings.is_empty()
    }
}

/// The places outside its file from which a definition can be named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Every file of the project, exported or not.
    Anywhere,
    /// No other file, unless the definition is exported (`private`).
    File,
    /// Files of the same folder, unless the definition is exported (`func open` of a package).
    Folder,
    /// Every file, but an unexported definition only as a member of a value (`class A` without `export`).
    Member,
    /// Every file that knows the definition through a header or the linker; a member is reached through its type.
    Linkage,
    /// Files of the same namespace, and every file if it is a function of no namespace; a member is reached through its
    /// type.
    Namespace,
}

/// The imports of a file that are meant for the files that import it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PassedImports {
    /// The imports that the file marks as passed on (`pub use`, `export from`).
    Marked,
    /// The imports of a package's `__init__` file alone, although every import can be imported again.
    InitFile,
    /// No imports, although the text of an import is passed on (`#include`, `source`).
    None,
}

/// The extensions that a file sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExtensionScope {
    /// No extensions: the language has none that are found by name.
    None,
    /// The extensions of the namespaces around the file, and of those that it opens (`using Acme.Text;`).
    Namespace,
    /// The extensions that the file imports by name (`import acme.text.titled`), and top-level ones of its package.
    Imported,
    /// The imported and top-level extensions, and those of top-level classes of the file's package (`implicit class`).
    PackageClass,
    /// The extensions whose holder the file can name (`extension TextX on String`). A holder has the members of the
    /// type that it extends as its own, and states that type as its value's.
    ByHolder,
}

/// The way in which a project adds members to types from outside the project.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutsideMembers {
    /// Not at all, or in no way that the facts record.
    None,
    /// By implementing the project's traits for them (`impl Titled for str`).
    Traits,
    /// By extending them (`extension String { }`).
    Extensions,
}

/// The bodies that one name may have side by side, of which a build takes one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParallelBodies {
    /// One name has one body.
    None,
    /// Functions of one place in a file, for different configurations (`#[cfg(unix)]`).
    InFile,
    /// Definitions in files of one folder, for different platforms (`open_linux.go`).
    InFolder,
}

/// The uses whose name alone proves little, because so much outside the project has that name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VagueNames {
    /// No uses: the types of values decide what a member belongs to.
    None,
    /// Members of one word on values of unknown type (`item.title`).
    Members,
    /// Commands of one word, and variables, which may come from the environment.
    Commands,
}

/// The way in which a member shows whether it belongs to the type itself or to its objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StaticMembers {
    /// No mark: nothing in the source shows it.
    Unmarked,
    /// The word `static` stands before its name, or it was put on the type by name (`Shop.open = function () {}`).
    ByWord,
    /// It stands in the companion of the type (`companion object { fun of() }`).
    InCompanion,
}
