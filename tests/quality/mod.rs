//! How good answers are and what they cost, as figures that a change must own up to: golden files of ranks and characters over pinned
//! source trees.
//! And two without a figure: what patterns make of those trees is what ast-grep makes of them, and definitions can be taken
//! out of them and put beside themselves.

mod definitions;
mod economy;
mod entity;
mod five;
mod investigate;
mod map;
mod pattern;
mod ranking;
