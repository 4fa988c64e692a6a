//! Measures the quality and the cost of answers, as figures that a change must own up to: golden files of ranks and
//! characters over pinned source trees. Two tests have no figure: patterns must change those trees as ast-grep does,
//! and definitions can be taken out of them and put beside themselves.

mod definitions;
mod economy;
mod entity;
mod five;
mod investigate;
mod map;
mod pattern;
mod ranking;
