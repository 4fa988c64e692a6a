//! Tracks local variables: a bare word that is one is no call.
//!
//! Blocks see the variables around them; methods, classes and modules do not. So these scopes are separate from those
//! of the walk, in which an inner scope sees everything outside.

use rustc_hash::FxHashMap;

use crate::facts::StrId;
use crate::syntax::Node;

/// Most nested scopes that are opened; no source written by people comes near it.
const MAX_FRAMES: usize = 256;

/// The scopes around the walk.
#[derive(Debug, Default)]
pub(super) struct Locals {
    frames: Vec<Frame>,
}

#[derive(Debug)]
struct Frame {
    end: usize,
    /// True if code in it sees no variable of the scopes around it.
    closed: bool,
    /// Each variable with the path of its class, if that is known.
    names: FxHashMap<StrId, Option<StrId>>,
}

impl Locals {
    /// Enters a scope, to the end of `node`.
    pub(super) fn open(&mut self, node: Node<'_>, closed: bool) {
        self.leave_frames(node.start_byte());
        if self.frames.len() < MAX_FRAMES {
            self.frames.push(Frame { end: node.end_byte(), closed, names: FxHashMap::default() });
        }
    }

    fn leave_frames(&mut self, at: usize) {
        while self.frames.len() > 1 && self.frames.last().is_some_and(|frame| frame.end <= at) {
            self.frames.pop();
        }
    }

    /// Returns the class of the variable that a word means at byte `at`: `None` if it is no variable, `Some(None)` if
    /// its class is unknown.
    pub(super) fn get(&mut self, name: StrId, at: usize) -> Option<Option<StrId>> {
        self.leave_frames(at);
        for frame in self.frames.iter().rev() {
            if let Some(ty) = frame.names.get(&name) {
                return Some(*ty);
            }
            if frame.closed {
                return None;
            }
        }
        None
    }

    /// Binds a parameter, which is new in the innermost scope.
    pub(super) fn bind(&mut self, name: StrId, at: usize) {
        self.leave_frames(at);
        if let Some(frame) = self.frames.last_mut() {
            frame.names.insert(name, None);
        }
    }

    /// Notes the class that a variable is assigned. Two different classes leave it unknown, because no branches are
    /// known here.
    pub(super) fn assign_class(&mut self, name: StrId, ty: Option<StrId>, at: usize) {
        self.leave_frames(at);
        for frame in self.frames.iter_mut().rev() {
            if let Some(known) = frame.names.get_mut(&name) {
                *known = known.filter(|known| Some(*known) == ty);
                return;
            }
            if frame.closed {
                break;
            }
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.names.insert(name, ty);
        }
    }
}
