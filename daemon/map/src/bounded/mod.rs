//! Limits the memory of parsers.
//!
//! `a<` 32,000 times in a row makes Java's parser take gigabytes between two of its progress reports, so neither a
//! count of steps nor a clock can help. tree-sitter allocates memory by functions of hob (`bounded.c`), which count the
//! memory of a thread's [`BoundedSession`] and abandon a parser that would exceed the limit. Whatever it left half-made
//! is freed with the session. So nothing that was made in a session with an abandoned parser may be used after it,
//! except trees that were complete before, and those only while the session lasts. The same holds for everything that
//! was made in a session with an arena, which is faster: reading a file's facts does not need its trees afterwards. The
//! memory of an arena may become that of the thread's next one.
//!
//! This module is the only user of that file. It does not decide how much memory a text may take.

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

// SAFETY: these are the declarations of `bounded.c`; those that are `safe` take numbers and access this thread's own
// record.
unsafe extern "C" {
    fn hob_bounded_install();
    fn hob_bounded_begin(session: u64, limit: usize, has_arena: bool);
    fn hob_bounded_end();
    safe fn hob_bounded_was_left() -> bool;
    safe fn hob_bounded_has_arena() -> bool;
    safe fn hob_bounded_session() -> u64;
    safe fn hob_bounded_most() -> usize;
    safe fn hob_bounded_keep(most: usize);
    #[cfg(test)]
    safe fn hob_bounded_kept() -> usize;
    fn hob_bounded_parse(
        parser: *mut TSParser,
        old: *const TSTree,
        text: *mut BoundedText,
        options: TSParseOptions,
        tree: *mut *mut TSTree,
    ) -> bool;
}

/// Makes tree-sitter allocate its memory here. Every function that returns a grammar, or makes a parser, calls this
/// before.
pub(crate) fn install_allocator() {
    static INSTALLED: Once = Once::new();
    // SAFETY: no parser, tree or cursor exists before the first call, because there is no grammar to make one with.
    INSTALLED.call_once(|| unsafe { hob_bounded_install() });
}

/// Returns a parser of a language; `None` if the grammar is for another version of tree-sitter.
pub(crate) fn parser_for(grammar: &Language) -> Option<Parser> {
    install_allocator();
    let mut parser = Parser::new();
    parser.set_language(grammar).ok()?;
    Some(parser)
}

/// The span of time in which hob counts the memory of this thread's parsers, up to a limit. A session begun within
/// another is part of it.
#[derive(Debug)]
pub(crate) struct BoundedSession {
    is_own: bool,
    /// Makes the type neither `Send` nor `Sync`: a session belongs to its thread.
    on_thread: PhantomData<*const ()>,
}

impl BoundedSession {
    /// Begins a session whose trees and parsers may outlive it, if no parser is abandoned. `limit` is in bytes.
    pub(crate) fn begin(limit: usize) -> Self {
        Self::begin_with(limit, false)
    }

    /// Begins a session with an arena: the caller must drop all its trees and parsers before it ends. `limit` is in
    /// bytes.
    pub(crate) fn begin_arena(limit: usize) -> Self {
        Self::begin_with(limit, true)
    }

    fn begin_with(limit: usize, has_arena: bool) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        install_allocator();
        let is_own = hob_bounded_session() == 0;
        // Memory in an arena ends with it, so nothing that outlives it may be made there.
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

    /// Returns true if a parser was abandoned at the session's limit. The caller must then forget the parsers that this
    /// session used, and must not drop them.
    pub(crate) fn was_left() -> bool {
        hob_bounded_was_left()
    }

    /// Returns the most bytes that parsers and trees of this thread's session have held at once so far.
    pub(crate) fn held_so_far() -> usize {
        hob_bounded_most()
    }

    /// Returns the number of this thread's session; 0 outside of a session.
    pub(crate) fn current_number() -> u64 {
        hob_bounded_session()
    }
}

impl Drop for BoundedSession {
    fn drop(&mut self) {
        if self.is_own {
            MOST.set(hob_bounded_most());
            // SAFETY: the thread's session is this one. If it had an arena or a parser was abandoned, the owner of the
            // session has by now dropped its trees and dropped or forgotten the parsers that it used, so that nothing
            // uses the freed memory.
            unsafe { hob_bounded_end() };
        }
    }
}

/// Makes this thread keep chunks of its arenas for later ones, up to `most` bytes; frees those that it has if they are more.
pub(crate) fn keep_chunks(most: usize) {
    hob_bounded_keep(most);
}

/// Returns the number of bytes of the chunks that this thread keeps at the moment.
#[cfg(test)]
pub(crate) fn kept_bytes() -> usize {
    hob_bounded_kept()
}

/// A tree that a session's arena frees, so that dropping it costs nothing. Outside of such a session it is dropped like
/// any tree.
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

/// Returns the most bytes that parsers and trees held at once in this thread's last extraction.
#[must_use]
pub fn held_at_most() -> usize {
    MOST.get()
}

/// The result of parsing one text.
pub(crate) enum Parsed {
    /// The parser reached the end of the text, and can be used again.
    Tree(Parser, Tree),
    /// `report` stopped the parser, which is reset.
    Stopped(Parser),
    /// The parser was abandoned at the session's limit, and is lost.
    Left,
}

/// Parses `source` in this thread's session. `report` is called after every hundred of the parser's steps.
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
    // SAFETY: parser and old tree are whole; text, `report` and the place for the tree outlive the call. If the parser
    // is abandoned, the jump stays within frames of C, and neither the parser nor the copy of the old tree is touched
    // again.
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
    // SAFETY: this function owns the parser, and it is whole; so is the copy of the old tree.
    let mut parser = unsafe {
        drop(old.map(|old| Tree::from_raw(old)));
        Parser::from_raw(raw)
    };
    if tree.is_null() {
        // Without a reset it would continue where it stopped.
        parser.reset();
        return Parsed::Stopped(parser);
    }
    // SAFETY: tree-sitter has just made it, and nothing else refers to it.
    Parsed::Tree(parser, unsafe { Tree::from_raw(tree) })
}

/// Calls `report` for tree-sitter; `true` stops the parser.
unsafe extern "C" fn progress(state: *mut TSParseState) -> bool {
    // SAFETY: tree-sitter passes the payload of `parse`, which points to its `report`.
    let report = unsafe { &mut *(*state).payload.cast::<&mut dyn FnMut() -> ControlFlow<()>>() };
    report().is_break()
}
