//! Finds variables that outlive a call, and what `@x`, `@@x` and `$x` do at each place; and the classes of values, as
//! in `@x = Foo.new`.
//!
//! One pass reads the file before the walk, because methods read what others assign. A class's variable is defined
//! once, over all its methods and all places of the file that reopen the class: where `initialize` assigns it, else
//! where it is assigned first, else by an `attr_reader` or the like. The variables of a class itself and those of its
//! objects are told apart by the methods that they stand in. A variable that is also assigned any other value has no
//! known class. Not here: variables outside of classes, which scopes know.

use rustc_hash::{FxHashMap, FxHashSet};

use super::grammar::{GRAMMAR, RubyKind};
use super::paths::{constant_path, created_class, made_type, text};
use crate::langs::support::each_child;
use crate::syntax::{Node, NodeCursor, Tree};

/// The variables that Ruby itself sets.
const SPECIAL: &[&str] = &[
    "$stdout",
    "$stderr",
    "$stdin",
    "$PROGRAM_NAME",
    "$LOAD_PATH",
    "$LOADED_FEATURES",
    "$VERBOSE",
    "$DEBUG",
    "$FILENAME",
];

/// The role of a variable at one place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum VariableRole {
    /// The definition of the variable.
    Defines,
    /// A use of a variable of the file, or of an inherited one.
    Uses,
}

/// The variables of a file.
#[derive(Debug, Default)]
pub(super) struct LongLivedVariables {
    /// The class of each variable's values, by the node of the class or module around and the variable's name; `None`
    /// if there are several.
    classes: FxHashMap<(usize, String), Option<String>>,
    /// The role of each variable, and of each symbol of an `attr_reader`, by its node.
    roles: FxHashMap<usize, VariableRole>,
}

impl LongLivedVariables {
    /// Returns the path of the class of a variable's values.
    pub(super) fn class_of(&self, class: usize, variable: &str) -> Option<&str> {
        self.classes.get(&(class, variable.to_owned()))?.as_deref()
    }

    /// Returns the role of a variable at its node; `None` if it has none.
    pub(super) fn role(&self, node: Node<'_>) -> Option<VariableRole> {
        self.roles.get(&node.id()).copied()
    }
}

/// The owner of a variable: an object, its class, or the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum VariableOwner {
    Object,
    Class,
    Program,
}

/// The key of a variable: the path of its class, its owner, and its name.
type VariableKey = (String, VariableOwner, String);

/// The places of one variable.
#[derive(Default)]
struct VariablePlaces {
    all: Vec<usize>,
    /// The symbols of `attr_reader` and the like.
    symbols: Vec<usize>,
    first_assigned: Option<usize>,
    assigned_in_initialize: Option<usize>,
}

impl VariablePlaces {
    fn definition(&self) -> Option<usize> {
        let by_symbol = || self.symbols.first().copied().filter(|_| !self.all.is_empty());
        self.assigned_in_initialize.or(self.first_assigned).or_else(by_symbol)
    }
}

/// A construct around a variable that decides its owner.
struct EnclosingConstruct {
    end: usize,
    kind: EnclosingKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EnclosingKind {
    /// A class or module; the number of its node.
    Class(usize),
    /// A `class << self`, whose code runs on the class.
    Singleton,
    Method {
        is_initialize: bool,
    },
    /// A `def self.run`, which runs on the class.
    OwnMethod,
    /// A block, which a class mostly runs on objects.
    Block,
}

/// Collects the variables of a file.
pub(super) fn scan_ivars(tree: &Tree, source: &[u8]) -> LongLivedVariables {
    let mut scan = Scan::new(source);
    let mut cursor = tree.walk();
    loop {
        scan.enter(&cursor);
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return scan.finish();
            }
        }
    }
}

struct Scan<'s> {
    source: &'s [u8],
    around: Vec<EnclosingConstruct>,
    /// The paths of the enclosing classes, each with those before it; the first is empty.
    paths: Vec<String>,
    assigned: FxHashSet<usize>,
    places: FxHashMap<VariableKey, VariablePlaces>,
    classes: FxHashMap<(usize, String), Option<String>>,
}

impl<'s> Scan<'s> {
    fn new(source: &'s [u8]) -> Self {
        Self {
            source,
            around: Vec::new(),
            paths: vec![String::new()],
            assigned: FxHashSet::default(),
            places: FxHashMap::default(),
            classes: FxHashMap::default(),
        }
    }

    fn enter(&mut self, cursor: &NodeCursor<'_>) {
        let node = cursor.node();
        if !node.is_named() {
            return;
        }
        while let Some(left) = self.around.pop_if(|around| around.end <= node.start_byte()) {
            if matches!(left.kind, EnclosingKind::Class(_)) {
                self.paths.pop();
            }
        }
        match GRAMMAR.kind(node) {
            RubyKind::Class | RubyKind::Module => self.enter_class(node),
            RubyKind::SingletonClass => self.open(node, EnclosingKind::Singleton),
            RubyKind::Method => {
                let name = node.child_by_field_id(GRAMMAR.f.name).map_or("", |name| text(name, self.source));
                self.open(node, EnclosingKind::Method { is_initialize: name == "initialize" });
            }
            RubyKind::SingletonMethod => self.open(node, EnclosingKind::OwnMethod),
            RubyKind::Block if !self.is_body_of_made(node) => self.open(node, EnclosingKind::Block),
            RubyKind::Assign | RubyKind::OpAssign => {
                let left = node.child_by_field_id(GRAMMAR.f.left);
                self.assigned.extend(left.map(|left| left.id()));
                self.note_class(node);
                self.enter_made_class(node);
            }
            RubyKind::LeftList | RubyKind::ExceptionVar => {
                each_child(node, |child, _| _ = self.assigned.insert(child.id()));
            }
            RubyKind::Call => self.note_attributes(node),
            RubyKind::Ivar | RubyKind::ClassVar | RubyKind::Global => self.note_variable(node),
            _ => {}
        }
    }

    /// Enters the type of `Point = Struct.new(:x) do`, whose body is the block.
    fn enter_made_class(&mut self, node: Node<'_>) {
        let (left, right) = (node.child_by_field_id(GRAMMAR.f.left), node.child_by_field_id(GRAMMAR.f.right));
        let path = left.and_then(|left| constant_path(left, self.source));
        if let (Some(path), Some((_, call))) = (path, right.and_then(|right| made_type(right, self.source))) {
            self.enter_type(call, path);
        }
    }

    fn open(&mut self, node: Node<'_>, kind: EnclosingKind) {
        self.around.push(EnclosingConstruct { end: node.end_byte(), kind });
    }

    fn enter_class(&mut self, node: Node<'_>) {
        let name = node.child_by_field_id(GRAMMAR.f.name);
        self.enter_type(node, name.and_then(|name| constant_path(name, self.source)).unwrap_or_default());
    }

    fn enter_type(&mut self, node: Node<'_>, path: String) {
        let whole = match self.paths.last().map_or("", String::as_str) {
            "" => path,
            outer => format!("{outer}.{path}"),
        };
        self.paths.push(whole);
        self.open(node, EnclosingKind::Class(node.id()));
    }

    /// Returns true if a block is the last child of the call that makes the innermost type.
    fn is_body_of_made(&self, block: Node<'_>) -> bool {
        self.around.last().is_some_and(|around| {
            matches!(around.kind, EnclosingKind::Class(_)) && around.end == block.end_byte()
        })
    }

    /// Returns the side of the innermost class that code here runs on, and true if the code is its `initialize`; `None`
    /// outside of classes.
    fn side(&self) -> Option<(VariableOwner, bool)> {
        let class = self.around.iter().rposition(|around| matches!(around.kind, EnclosingKind::Class(_)))?;
        let inside = &self.around[class + 1..];
        let is = |kind| inside.iter().any(|around| around.kind == kind);
        let is_initialize = is(EnclosingKind::Method { is_initialize: true });
        let of_class = is(EnclosingKind::Singleton) || is(EnclosingKind::OwnMethod) || inside.is_empty();
        Some((if of_class { VariableOwner::Class } else { VariableOwner::Object }, is_initialize))
    }

    fn note_variable(&mut self, node: Node<'_>) {
        let name = text(node, self.source).to_owned();
        let (class, side, is_initialize) = match GRAMMAR.kind(node) {
            RubyKind::Global => {
                // `$1`, `$!` and `$-w` belong to Ruby.
                let is_word = name[1..].starts_with(char::is_alphabetic);
                if !is_word || SPECIAL.contains(&&*name) {
                    return;
                }
                (String::new(), VariableOwner::Program, false)
            }
            kind => {
                let Some((side, is_initialize)) = self.side() else { return };
                let side = if kind == RubyKind::ClassVar { VariableOwner::Object } else { side };
                (self.paths.last().cloned().unwrap_or_default(), side, is_initialize)
            }
        };
        let is_assigned = self.assigned.contains(&node.id());
        let places = self.places.entry((class, side, name)).or_default();
        places.all.push(node.id());
        if is_assigned {
            places.first_assigned.get_or_insert(node.id());
            if is_initialize {
                places.assigned_in_initialize.get_or_insert(node.id());
            }
        }
    }

    /// Notes the variables that `attr_reader :size` and the like read and write: `@size`.
    fn note_attributes(&mut self, call: Node<'_>) {
        let method = call.child_by_field_id(GRAMMAR.f.method).map_or("", |name| text(name, self.source));
        let is_plain = call.child_by_field_id(GRAMMAR.f.receiver).is_none();
        let list = call.child_by_field_id(GRAMMAR.f.arguments).filter(|_| is_plain);
        let (Some(list), Some((side, _))) = (list, self.side()) else { return };
        if !matches!(method, "attr_reader" | "attr_writer" | "attr_accessor") {
            return;
        }
        let in_singleton = self.around.last().is_some_and(|around| around.kind == EnclosingKind::Singleton);
        let side = if in_singleton { side } else { VariableOwner::Object };
        let class = self.paths.last().cloned().unwrap_or_default();
        each_child(list, |symbol, _| {
            if GRAMMAR.kind(symbol) == RubyKind::Symbol {
                let name = format!("@{}", text(symbol, self.source).trim_start_matches(':'));
                let places = self.places.entry((class.clone(), side, name)).or_default();
                places.symbols.push(symbol.id());
            }
        });
    }

    fn note_class(&mut self, node: Node<'_>) {
        let left = node.child_by_field_id(GRAMMAR.f.left);
        let left = left.filter(|left| GRAMMAR.kind(*left) == RubyKind::Ivar);
        let (Some(left), Some(right)) = (left, node.child_by_field_id(GRAMMAR.f.right)) else { return };
        if right.kind() == "nil" {
            return;
        }
        let class = self.around.iter().rev().find_map(|around| match around.kind {
            EnclosingKind::Class(node) => Some(node),
            _ => None,
        });
        let class_path = created_class(right, self.source);
        let key = (class.unwrap_or(0), text(left, self.source).to_owned());
        let known = self.classes.entry(key).or_insert_with(|| class_path.clone());
        if *known != class_path {
            *known = None;
        }
    }

    fn finish(self) -> LongLivedVariables {
        let mut roles = FxHashMap::default();
        for ((class, side, name), places) in &self.places {
            let other_side = match side {
                VariableOwner::Object => VariableOwner::Class,
                VariableOwner::Class => VariableOwner::Object,
                VariableOwner::Program => VariableOwner::Program,
            };
            let is_on = |side| {
                let other = self.places.get(&(class.clone(), side, name.clone()));
                other.is_some_and(|other| other.definition().is_some())
            };
            // The map has both sides of a class under one name, and that of the objects goes first. Variables of the
            // class itself are not inherited.
            let is_hidden = *side != VariableOwner::Program && is_on(other_side);
            let definition = places.definition().filter(|_| *side == VariableOwner::Object || !is_hidden);
            if definition.is_some() || (*side != VariableOwner::Class && !is_hidden) {
                roles.extend(places.all.iter().map(|id| (*id, VariableRole::Uses)));
            }
            if let Some(definition) = definition {
                roles.extend(places.symbols.iter().map(|id| (*id, VariableRole::Uses)));
                roles.insert(definition, VariableRole::Defines);
            }
        }
        LongLivedVariables { classes: self.classes, roles }
    }
}
