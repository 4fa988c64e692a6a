//! From words to code, by pure judgement: which definition a phrase means (`entity`), and which places a topic touches
//! (`investigate`).
//!
//! The tools gather candidates and have somebody decide where scores do not; here is what the scores are made of.

pub mod entity;
pub mod investigate;
