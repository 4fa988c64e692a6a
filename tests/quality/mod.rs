//! Measures the quality and the cost of answers, in figures that a change must justify: golden files of ranks and
//! characters for pinned source trees. Two tests have no figures: patterns must change those trees as ast-grep does,
//! and definitions can be removed and duplicated in them.

mod definitions;
mod economy;
mod entity;
mod five;
mod investigate;
mod map;
mod pattern;
mod ranking;
