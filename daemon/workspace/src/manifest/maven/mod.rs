//! Java and its kin: `pom.xml`, and what of Gradle can be read without running it. Names are `group:artifact`.

mod gradle;
mod pom;
mod xml;

pub(super) use gradle::{catalogue, gradle, gradle_lock};
pub(super) use pom::pom;
