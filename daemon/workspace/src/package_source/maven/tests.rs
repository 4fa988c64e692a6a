//! Tests the resolver on small copies of the repositories that Maven and Gradle make.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use hob_base::{AbsPath, WsPath};

use super::*;
use crate::manifest::{merge, read};

fn pom(own: &str, rest: &str) -> String {
    let mut parts = own.split(':');
    let mut part = |key: &str| parts.next().map_or(String::new(), |text| format!("<{key}>{text}</{key}>"));
    let own = [part("groupId"), part("artifactId"), part("version")].concat();
    format!("<project>{own}{rest}</project>")
}

fn dependency(address: &str, rest: &str) -> String {
    pom(address, rest).replace("project>", "dependency>")
}

/// Makes a machine with a project and the files of artifacts, by path below its folder.
fn machine_with(files: &[(&str, String)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("inside")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

fn found(machine: &Path, manifests: &[&str]) -> Vec<MavenArtifact> {
    let project = AbsPath::new(machine.join("app")).expect("absolute");
    let read_manifest = |path: &&str| {
        let path = WsPath::new(path).expect("relative");
        let text = fs::read_to_string(project.join_ws(&path).as_path()).expect("it was written");
        (path.clone(), read(&path, &text).expect("a manifest"))
    };
    let packages = merge(manifests.iter().map(read_manifest));
    maven_artifacts(&project, &packages, &PackageCaches::in_home(&machine.join("home")))
}

fn names(artifacts: &[MavenArtifact]) -> Vec<String> {
    artifacts.iter().map(|one| format!("{} {}", one.coordinates(), one.distance)).collect()
}

#[test]
fn versions_come_from_parents_lists_and_the_nearest_statement() {
    let list = |inside: &str| {
        format!("<dependencyManagement><dependencies>{inside}</dependencies></dependencyManagement>")
    };
    let of = |inside: &str| format!("<dependencies>{inside}</dependencies>");
    let properties = "<properties><gson.version>2.10.1</gson.version></properties>";
    let parent = list(
        &[
            dependency("com.google.code.gson:gson:${gson.version}", ""),
            dependency("org.acme:bom:1", "<type>pom</type><scope>import</scope>"),
        ]
        .concat(),
    );
    let own = of(&[
        dependency("com.google.code.gson:gson", ""),
        dependency("org.acme:web", ""),
        dependency("junit:junit:4.13", "<scope>test</scope>"),
    ]
    .concat());
    let parent_of =
        "<parent><groupId>app</groupId><artifactId>parent</artifactId><version>1</version></parent>";
    let web = of(&[
        dependency("org.acme:core:${core}", ""),
        dependency("org.acme:gone:1", "<scope>provided</scope>"),
        dependency("com.google.code.gson:gson:1.0", ""),
    ]
    .concat());
    let machine = machine_with(&[
        ("app/pom.xml", pom("app:parent:1", &format!("{properties}{parent}"))),
        ("app/web/pom.xml", pom(":app", &format!("{parent_of}{own}"))),
        (
            "home/.m2/repository/org/acme/bom/1/bom-1.pom",
            pom("org.acme:bom:1", &list(&dependency("org.acme:web:3", ""))),
        ),
        (
            "home/.m2/repository/org/acme/web/3/web-3.pom",
            pom("org.acme:web:3", &format!("<properties><core>5</core></properties>{web}")),
        ),
        ("home/.m2/repository/org/acme/core/5/core-5-sources.jar", String::new()),
        ("home/.m2/repository/com/google/code/gson/gson/2.10.1/gson-2.10.1-sources.jar", String::new()),
        ("home/.m2/repository/com/google/code/gson/gson/2.10.1/gson-2.10.1.jar", String::new()),
    ]);
    let artifacts = found(machine.path(), &["pom.xml", "web/pom.xml"]);
    let all = names(&artifacts);
    for expected in
        ["com.google.code.gson:gson:2.10.1 0", "org.acme:web:3 0", "junit:junit:4.13 0", "org.acme:core:5 1"]
    {
        assert!(all.iter().any(|one| one == expected), "{expected} in {all:?}");
    }
    assert!(!all.iter().any(|one| one.contains("gone") || one.contains(":1.0")), "{all:?}");
    let with_sources: Vec<&str> =
        artifacts.iter().filter(|one| one.sources.is_some()).map(MavenArtifact::short_name).collect();
    assert_eq!(with_sources, ["gson", "core"]);
}

#[test]
fn gradle_keeps_files_in_folders_of_hashes() {
    let files = "home/.gradle/caches/modules-2/files-2.1";
    let machine = machine_with(&[
        (
            "app/build.gradle",
            "dependencies {\n  implementation 'org.acme:web:3'\n  implementation 'org.acme:free'\n}\n"
                .to_owned(),
        ),
        (
            &format!("{files}/org.acme/web/3/aaaa/web-3.pom"),
            pom(
                "org.acme:web:3",
                &format!(
                    "<dependencies>{}</dependencies>",
                    dependency("org.acme:core:5", "<scope>runtime</scope>")
                ),
            ),
        ),
        (&format!("{files}/org.acme/web/3/bbbb/web-3-sources.jar"), String::new()),
        (&format!("{files}/org.acme/core/5/cccc/core-5-sources.jar"), String::new()),
        (&format!("{files}/org.acme/free/1.9/dddd/free-1.9.jar"), String::new()),
        (&format!("{files}/org.acme/free/1.10/dddd/free-1.10.jar"), String::new()),
    ]);
    let artifacts = found(machine.path(), &["build.gradle"]);
    assert_eq!(names(&artifacts), ["org.acme:free:1.10 0", "org.acme:web:3 0", "org.acme:core:5 1"]);
    assert_eq!(artifacts.iter().map(|one| one.sources.is_some()).collect::<Vec<_>>(), [false, true, true]);
}

#[test]
fn what_leads_out_of_a_repository_is_no_artifact() {
    let machine = machine_with(&[
        (
            "app/build.gradle",
            "dependencies {\n  implementation '..:secret:1'\n  api 'a:b:../../../../secret'\n}\n".to_owned(),
        ),
        ("home/.m2/repository/a/b/1/b-1.jar", String::new()),
        ("home/.m2/secret/1/secret-1-sources.jar", String::new()),
        ("home/.m2/repository/secret/b-secret-sources.jar", String::new()),
    ]);
    let artifacts = found(machine.path(), &["build.gradle"]);
    assert!(artifacts.iter().all(|one| one.sources.is_none()), "{artifacts:?}");
}

#[test]
fn the_repository_is_where_options_or_settings_say() {
    let machine = machine_with(&[(
        "home/.m2/settings.xml",
        "<settings><localRepository>${user.home}/elsewhere</localRepository></settings>".to_owned(),
    )]);
    let home = machine.path().join("home");
    assert_eq!(maven_repository(&home, None), home.join("elsewhere"));
    assert_eq!(
        maven_repository(&home, Some(OsStr::new("-Xmx1g -Dmaven.repo.local=/repo"))),
        Path::new("/repo")
    );
    assert_eq!(maven_repository(machine.path(), None), machine.path().join(".m2/repository"));
}
