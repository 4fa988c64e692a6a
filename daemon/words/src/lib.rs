//! Judges which code words mean: which definition a phrase means (`entity`), and which places a topic is
//! about (`investigate`).
//!
//! The tools gather candidates and ask somebody where scores do not decide; this crate only computes the
//! scores.

pub mod entity;
pub mod investigate;
