//! From a name in words to what it means, without wire or disk: what was said, how well a name fits it, which candidate is the
//! answer and how sure that is.
//!
//! Where candidates come from is not known here (`tools::entity` gathers them), and neither is how they are shown. Everything is
//! a function of the words and the candidates, so that the same question about the same project has the same answer.

pub mod calibrate;
pub mod candidate;
pub mod fit;
pub mod judge;
pub mod kinds;
pub mod subject;
