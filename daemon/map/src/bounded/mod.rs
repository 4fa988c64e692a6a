//! Parsers whose memory has an end.
//!
//! `a<` 32,000 times over has Java's parser take gigabytes between two of its reports, so that no count of steps and no clock
//! can help. tree-sitter takes its memory by functions of hob's (`bounded.c`), which count what a thread's [`BoundedSession`] holds
//! and leave a parser that would go beyond. What was left half-made is freed with the session; so nothing that was made in one
//! that was left may be used after it, trees that were whole before excepted, and those no longer than it lasts. The same holds for
//! everything that was made in a session with an arena, which is faster: reading a file's facts needs its trees no longer.
//!
//! This module is all that knows of that file. Not here: how much a text may take.

#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::{c_char, c_void};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::{ControlFlow, Deref};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

use tree_sitter::ffi::{TSParseOptions, TSParseState, TSParser, TSTree};
use tree_sitter::{Language, Parser, Tree};

#[repr(C)]
struct BoundedText {
    bytes: *const c_char,
    length: u32,
}

// SAFETY: these are the declarations of `bounded.c`; those that are `safe` take numbers and look at this thread's own record.
unsafe extern "C" {
    fn hob_bounded_install();
    fn hob_bounded_begin(session: u64, limit: usize, has_arena: bool);
    fn hob_bounded_end();
    safe fn hob_bounded_was_left() -> bool;
    safe fn hob_bounded_has_arena() -> bool;
    safe fn hob_bounded_session() -> u64;
    safe fn hob_bounded_most() -> usize;
    fn hob_bounded_parse(
        parser: *mut TSParser,
        old: *const TSTree,
        text: *mut BoundedText,
        options: TSParseOptions,
        tree: *mut *mut TSTree,
    ) -> bool;
}

/// Has tree-sitter take its memory here. Everything that hands a grammar out, or makes a parser, calls this before.
pub(crate) fn install_allocator() {
    static INSTALLED: Once = Once::new();
    // SAFETY: no parser, tree or cursor was made before the first call, because there is no grammar to make one with.
    INSTALLED.call_once(|| unsafe { hob_bounded_install() });
}

/// A parser of a language; `None` for a grammar of another version of tree-sitter.
pub(crate) fn parser_for(grammar: &Language) -> Option<Parser> {
    install_allocator();
    let mut parser = Parser::new();
    parser.set_language(grammar).ok()?;
    Some(parser)
}

/// The span of time in which hob counts the memory of this thread's parsers, up to a limit. A session begun within another is
/// part of it.
#[derive(Debug)]
pub(crate) struct BoundedSession {
    is_own: bool,
    /// It is this thread's.
    on_thread: PhantomData<*const ()>,
}

impl BoundedSession {
    /// Begins a session whose trees and parsers may outlive it, if no parser is left. `limit` is in bytes.
    pub(crate) fn begin(limit: usize) -> Self {
        Self::begin_with(limit, false)
    }

    /// Begins a session with an arena: whoever begins it gives up all its trees and parsers before it ends. `limit` is in bytes.
    pub(crate) fn begin_arena(limit: usize) -> Self {
        Self::begin_with(limit, true)
    }

    fn begin_with(limit: usize, has_arena: bool) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        install_allocator();
        let is_own = hob_bounded_session() == 0;
        // What is made in an arena ends with it: nothing that is to last may be made there.
        assert!(
            is_own || has_arena || !hob_bounded_has_arena(),
            "a session that outlives the arena around it"
        );
        if is_own {
            // SAFETY: the thread has no session, and no other will have this number.
            unsafe { hob_bounded_begin(NEXT.fetch_add(1, Ordering::Relaxed), limit, has_arena) };
        }
        Self { is_own, on_thread: PhantomData }
    }

    /// Returns true if a parser was left at the session's limit. The caller must then forget the parsers that this
    /// session used, and must not drop them.
    pub(crate) fn was_left() -> bool {
        hob_bounded_was_left()
    }

    /// The most bytes that parsers and trees of this thread's session held at once so far.
    pub(crate) fn held_so_far() -> usize {
        hob_bounded_most()
    }

    /// The number of this thread's session.
    pub(crate) fn current_number() -> u64 {
        hob_bounded_session()
    }
}

impl Drop for BoundedSession {
    fn drop(&mut self) {
        if self.is_own {
            MOST.set(hob_bounded_most());
            // SAFETY: the thread's session is this one. If it had an arena or a parser was left, whoever began the session has by now
            // dropped its trees and dropped or forgotten the parsers that it used, so that nobody has what is freed.
            unsafe { hob_bounded_end() };
        }
    }
}

/// A tree that a session's arena frees: taking it apart costs nothing. Outside of such a session it is dropped as any tree.
pub(crate) struct ArenaTree(ManuallyDrop<Tree>);

impl ArenaTree {
    pub(crate) fn new(tree: Tree) -> Self {
        Self(ManuallyDrop::new(tree))
    }
}

impl Deref for ArenaTree {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        &self.0
    }
}

impl Drop for ArenaTree {
    fn drop(&mut self) {
        if !hob_bounded_has_arena() {
            // SAFETY: nothing uses the tree after this.
            unsafe { ManuallyDrop::drop(&mut self.0) };
        }
    }
}

thread_local! {
    static MOST: Cell<usize> = const { Cell::new(0) };
}

/// The most bytes that parsers and trees held at any moment of what this thread extracted last.
#[must_use]
pub fn held_at_most() -> usize {
    MOST.get()
}

/// The outcome of parsing one text.
pub(crate) enum Parsed {
    /// Parsing reached the end of the text; the parser can be used again.
    Tree(Parser, Tree),
    /// `report` ended it; the parser is as new.
    Stopped(Parser),
    /// The session's limit did, and took the parser.
    Left,
}

/// Parses `source` in this thread's session. `report` is asked after every hundred of the parser's steps.
pub(crate) fn parse(
    parser: Parser,
    source: &[u8],
    old: Option<&Tree>,
    report: &mut dyn FnMut() -> ControlFlow<()>,
) -> Parsed {
    if BoundedSession::was_left() {
        std::mem::forget(parser);
        return Parsed::Left;
    }
    let Ok(length) = u32::try_from(source.len()) else { return Parsed::Stopped(parser) };
    let mut text = BoundedText { bytes: source.as_ptr().cast(), length };
    let mut report = report;
    let options =
        TSParseOptions { payload: (&raw mut report).cast::<c_void>(), progress_callback: Some(progress) };
    let raw = parser.into_raw();
    let old = old.map(|tree| tree.clone().into_raw());
    let mut tree: *mut TSTree = std::ptr::null_mut();
    // SAFETY: parser and old tree are whole; text, `report` and the place for the tree outlive the call. If the parser is left, the
    // jump stays within frames of C, and neither the parser nor the copy of the old tree is touched again.
    let is_whole = unsafe {
        hob_bounded_parse(
            raw,
            old.map_or(std::ptr::null(), <*mut TSTree>::cast_const),
            &raw mut text,
            options,
            &raw mut tree,
        )
    };
    if !is_whole {
        return Parsed::Left;
    }
    // SAFETY: the parser was given away by value above, and is whole; so is the copy of the old tree.
    let mut parser = unsafe {
        drop(old.map(|old| Tree::from_raw(old)));
        Parser::from_raw(raw)
    };
    if tree.is_null() {
        // It would go on where it stopped.
        parser.reset();
        return Parsed::Stopped(parser);
    }
    // SAFETY: tree-sitter made it just now, and nobody else has it.
    Parsed::Tree(parser, unsafe { Tree::from_raw(tree) })
}

/// Passes tree-sitter's question on; `true` ends the parsing.
unsafe extern "C" fn progress(state: *mut TSParseState) -> bool {
    // SAFETY: tree-sitter passes the payload that `parse` gave, which points to its `report`.
    let report = unsafe { &mut *(*state).payload.cast::<&mut dyn FnMut() -> ControlFlow<()>>() };
    report().is_break()
}
