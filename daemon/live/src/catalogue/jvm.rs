//! Describes the servers for Java, Kotlin and Scala.
//!
//! hob's developers have measured none of them, so they have the cautious values.

use crate::spec::ServerSpec;

pub(super) fn servers() -> Vec<ServerSpec> {
    vec![
        ServerSpec {
            name: "jdtls",
            files: &[("java", "java")],
            markers: &["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle"],
            commands: &[&["jdtls"]],
            install_hint: "brew install jdtls, or unpack Eclipse JDT LS and put its bin folder on the PATH (needs Java 21)",
            needs_trust: Some("it runs the project's Gradle build to learn of its parts"),
            ..ServerSpec::cautious_defaults()
        },
        ServerSpec {
            name: "kotlin-language-server",
            files: &[("kt", "kotlin"), ("kts", "kotlin")],
            markers: &[
                "settings.gradle.kts",
                "build.gradle.kts",
                "settings.gradle",
                "build.gradle",
                "pom.xml",
            ],
            commands: &[&["kotlin-language-server"]],
            install_hint: "brew install kotlin-language-server, or unpack its release and put its bin folder on the PATH",
            needs_trust: Some("it runs the project's build to learn of its dependencies"),
            ..ServerSpec::cautious_defaults()
        },
        ServerSpec {
            name: "metals",
            files: &[("scala", "scala"), ("sbt", "scala"), ("sc", "scala")],
            markers: &["build.sbt", "build.sc", "build.mill"],
            commands: &[&["metals"]],
            install_hint: "cs install metals",
            needs_trust: Some("it runs the project's build to learn of its parts"),
            ..ServerSpec::cautious_defaults()
        },
    ]
}
