//! How good answers are, as figures that a change must own up to: golden files of ranks over pinned source trees.
//! And two without a figure: what patterns make of those trees is what ast-grep makes of them, and definitions can be taken
//! out of them and put beside themselves.

mod definitions;
mod entity;
mod five;
mod investigate;
mod map;
mod pattern;
mod ranking;
