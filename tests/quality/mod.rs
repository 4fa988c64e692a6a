//! How good answers are, as figures that a change must own up to: golden files of ranks over pinned source trees.

mod map;
mod ranking;
