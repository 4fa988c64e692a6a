//! How good answers are, as figures that a change must own up to: golden files of ranks over pinned source trees.
//! And one that has no figure: what patterns make of those trees is what ast-grep's command line makes of them.

mod map;
mod pattern;
mod ranking;
