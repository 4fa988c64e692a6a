//! Decides what a name in a user's words means: how the words can be read, how well a candidate's name
//! matches, which candidate is the answer and how sure that is. It uses neither wire nor disk.
//!
//! This module neither gathers candidates (`tools::entity` does) nor shows them. Everything is a function of
//! the words and the candidates, so that the same question about the same project has the same answer.

pub mod calibrate;
pub mod candidate;
pub mod fit;
pub mod judge;
pub mod kinds;
pub mod subject;
