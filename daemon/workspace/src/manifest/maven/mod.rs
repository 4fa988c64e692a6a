//! Java and its kin: `pom.xml`, and what of Gradle can be read without running it. Names are `group:artifact`.

mod gradle;
mod pom;
pub(crate) mod xml;

pub(super) use gradle::{gradle_lock, read_build_file, read_catalogue};
pub(super) use pom::read_pom;
