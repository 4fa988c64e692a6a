//! Reads the dependencies of Java and other languages of the JVM: `pom.xml`, and Gradle's files without running them.
//! Names are `group:artifact`.

mod gradle;
mod pom;
pub(crate) mod xml;

pub(super) use gradle::{gradle_lock, read_build_file, read_catalogue};
pub(super) use pom::read_pom;
