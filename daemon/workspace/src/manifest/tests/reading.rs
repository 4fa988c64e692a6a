//! Tests the reader of each kind of file by itself.

use super::fixtures::{self, ALL};
use super::{described_dependencies, one, ws};
use crate::manifest::{Ecosystem, is_manifest, read};

#[test]
fn npm_manifests_and_lock_files() {
    let expected = [
        "5 react ^18.2.0",
        "6 @babel/core ~7.24.0",
        "6 lodash ^4.17.0 as lodash4",
        "7 shared workspace:* ~local",
        "9 vitest latest !dev",
        "11 react-dom >=17",
    ];
    assert_eq!(described_dependencies("package.json", fixtures::PACKAGE_JSON), expected);
    let expected = [
        "9 @babel/core =7.24.1 !dev",
        "13 lodash =4.17.21 as lodash4",
        "14 react =18.3.1",
        "18 shared ~local",
        "6 react =17.0.2",
    ];
    assert_eq!(described_dependencies("package-lock.json", fixtures::PACKAGE_LOCK), expected);
    let expected = ["4 a =1.0.0", "10 react =18.3.1 !dev", "7 react =17.0.2"];
    assert_eq!(described_dependencies("package-lock.json", fixtures::PACKAGE_LOCK_1), expected);
}

#[test]
fn yarn_lock_files() {
    let expected = [
        "4 @babel/core ^7.1.0 =7.24.1",
        "4 @babel/core ~7.24.0 =7.24.1",
        "10 react ^18.2.0 =18.3.1",
        "13 react ^17.0.0 =17.0.2",
    ];
    assert_eq!(described_dependencies("yarn.lock", fixtures::YARN_1), expected);
    let expected = [
        "5 @babel/core ^7.1.0 =7.24.1",
        "5 @babel/core ~7.24.0 =7.24.1",
        "9 lodash ^4.17.0 =4.17.21 as lodash4",
        "12 shared workspace:* =0.0.0-use.local ~local",
        "12 shared workspace:packages/shared =0.0.0-use.local ~local",
    ];
    assert_eq!(described_dependencies("yarn.lock", fixtures::YARN_4), expected);
}

#[test]
fn pnpm_lock_files() {
    let expected = [
        "23 @babel/core =7.24.1",
        "27 react-dom =18.3.1",
        "30 react =18.3.1",
        "10 @babel/core ~7.24.0 =7.24.1",
        "13 react-dom >=17 =18.3.1",
        "17 shared workspace:* !dev ~local",
    ];
    assert_eq!(described_dependencies("pnpm-lock.yaml", fixtures::PNPM_9), expected);
    let expected = ["10 @babel/core =7.24.1 !dev", "14 react =18.3.1", "4 react ^18.2.0 =18.3.1"];
    assert_eq!(described_dependencies("pnpm-lock.yaml", fixtures::PNPM_6), expected);
    let expected = ["15 @babel/core =7.24.1 !dev", "8 react ^18.2.0 =18.3.1", "11 vitest latest =1.6.0 !dev"];
    assert_eq!(described_dependencies("pnpm-lock.yaml", fixtures::PNPM_5), expected);
}

#[test]
fn python_manifests() {
    let expected = [
        "7 django >=4.2,<5",
        "8 zope-interface == 6.1 =6.1",
        "9 tool git+https://example.invalid/tool.git@v1",
        "13 psycopg >=3",
        "14 pytest !dev",
        "17 ruff ==0.4.4 =0.4.4 !dev",
        "2 hatchling >=1.21 !dev",
        "20 mypy !dev",
    ];
    assert_eq!(described_dependencies("pyproject.toml", fixtures::PYPROJECT), expected);
    let expected =
        ["3 flask-login ^0.6", "4 celery 5.3.6", "5 local-lib ../lib ~local", "8 black 24.1.0 !dev"];
    assert_eq!(described_dependencies("pyproject.toml", fixtures::POETRY), expected);
    let expected = [
        "3 django ==4.2.11 =4.2.11",
        "5 requests >= 2.31",
        "6 some-thing git+https://example.invalid/x.git",
        "9 urllib3 <2",
    ];
    assert_eq!(described_dependencies("requirements.txt", fixtures::REQUIREMENTS), expected);
    let expected = ["7 attrs >=21", "8 importlib-metadata", "11 pytest >=7 !dev", "12 orjson"];
    assert_eq!(described_dependencies("setup.cfg", fixtures::SETUP_CFG), expected);
    assert_eq!(described_dependencies("requirements-dev.txt", "pytest\n"), ["1 pytest !dev"]);
    assert_eq!(described_dependencies("requirements/test.txt", "\u{feff}# x\npytest\n"), ["2 pytest !dev"]);
    assert_eq!(described_dependencies("docs/requirements.txt", "sphinx\n"), ["1 sphinx !dev"]);
    assert_eq!(
        described_dependencies("Pipfile", "[packages]\nflask = \"*\"\n[dev-packages]\nx = \"==1\"\n").len(),
        2
    );
}

#[test]
fn python_lock_files() {
    assert_eq!(
        described_dependencies("Pipfile.lock", fixtures::PIPFILE_LOCK),
        ["4 django =4.2.11", "6 pytest =8.0.0 !dev"]
    );
    assert_eq!(
        described_dependencies("poetry.lock", fixtures::POETRY_LOCK),
        ["3 django =4.2.11", "11 pytest =8.0.0 !dev"]
    );
    let expected = ["4 asgiref =3.8.1", "9 django =4.2.11", "14 shop =0.1.0 ~local"];
    assert_eq!(described_dependencies("uv.lock", fixtures::UV_LOCK), expected);
}

#[test]
fn cargo_files() {
    let expected = [
        "5 serde 1",
        "6 serde_json 1.0 as json",
        "8 base ~local",
        "9 hashbrown 0.15",
        "11 tokio 1.38",
        "18 tempfile 3 !dev",
        "15 rustix",
        "21 rustix 1.1 ^indirect",
    ];
    assert_eq!(described_dependencies("Cargo.toml", fixtures::CARGO_TOML), expected);
    let expected = [
        "4 base =0.1.0 ~local",
        "8 hashbrown =0.15.5",
        "13 hashbrown =0.17.1",
        "18 itoa =1.0.11",
        "26 shop =0.1.0 ~local",
    ];
    assert_eq!(described_dependencies("Cargo.lock", fixtures::CARGO_LOCK), expected);
}

#[test]
fn go_modules() {
    let expected = [
        "5 github.com/spf13/cobra v1.8.0 =v1.8.0",
        "7 github.com/BurntSushi/toml v1.3.2 =v1.3.2",
        "8 golang.org/x/sys v0.20.0 =v0.20.0 ^indirect",
        "9 example.invalid/inner v0.0.0 ~local",
        "10 example.invalid/fork v1.0.0 =v1.0.1 as example.invalid/forked",
    ];
    assert_eq!(described_dependencies("go.mod", fixtures::GO_MOD), expected);
}

#[test]
fn maven_and_gradle() {
    let expected = [
        "29 com.fasterxml.jackson.core:jackson-databind 2.17.0 =2.17.0",
        "34 org.slf4j:slf4j-api 2.0.9 =2.0.9",
        "37 junit:junit [4.12,5) !dev",
        "45 example:odd ${circle}",
        "20 org.slf4j:slf4j-api 2.0.9 =2.0.9 ^indirect",
        "52 org.apache.maven.plugins:maven-jar-plugin 3.3.0 =3.3.0 !dev",
        "5 org.springframework.boot:spring-boot-starter-parent 3.2.0 =3.2.0",
    ];
    assert_eq!(described_dependencies("pom.xml", fixtures::POM), expected);
    let expected = [
        "3 com.google.guava:guava 33.1.0-jre =33.1.0-jre",
        "4 org.junit.jupiter:junit-jupiter 5.10.2 =5.10.2 !dev",
        "5 io.netty:netty-bom $nettyVersion",
        "6 org.postgresql:postgresql 42.7.3 =42.7.3",
    ];
    assert_eq!(described_dependencies("app/build.gradle", fixtures::GRADLE), expected);
    let expected = ["2 com.google.guava:guava =33.1.0-jre", "3 org.junit.jupiter:junit-jupiter =5.10.2 !dev"];
    assert_eq!(described_dependencies("gradle.lockfile", fixtures::GRADLE_LOCK), expected);
    let expected = [
        "5 com.squareup.okhttp3:okhttp 4.12.0 =4.12.0 as okhttp",
        "6 com.squareup.moshi:moshi 1.15.1 =1.15.1 as moshi",
        "7 com.jakewharton.timber:timber 5.0.1 =5.0.1 as timber",
    ];
    assert_eq!(described_dependencies("gradle/libs.versions.toml", fixtures::CATALOGUE), expected);
}

#[test]
fn files_are_known_by_their_names() {
    for (path, _) in ALL {
        assert!(is_manifest(&ws(path)), "{path}");
    }
    for path in
        ["node_modules/a/package.json", "package.jsonc", "src/go.mod.rs", "notes.txt", "Cargo.toml.orig"]
    {
        assert!(!is_manifest(&ws(path)) && read(&ws(path), "").is_none(), "{path}");
    }
    assert_eq!(Ecosystem::PyPi.normalise_name("Zope_.Interface"), "zope-interface");
}

/// Returns the line on which `text` ends.
fn last_line(text: &str) -> usize {
    text.lines().count()
}

#[test]
fn a_file_that_breaks_off_keeps_what_came_before() {
    for (path, text) in ALL {
        let whole: Vec<_> = read(&ws(path), text).expect("known");
        for cut in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            let part = read(&ws(path), &text[..cut]).expect("known");
            // Statements are five lines long at most.
            let safe = last_line(&text[..cut]).saturating_sub(6);
            for dependency in whole.iter().filter(|one| (one.line as usize) < safe) {
                let kept = part.iter().any(|one| one.line == dependency.line);
                assert!(kept, "{path} cut at {cut} loses {}", one(dependency));
            }
        }
    }
}

#[test]
fn nonsense_is_no_dependency_and_no_panic() {
    let texts =
        ["", "{", "[[[[", "\"", "<a", "}\\\"'", "\u{0}\u{1}", "=\n:\n@\n", "ünï: \"ço\\u00\"", "require ("];
    for (path, fixture) in ALL {
        for text in texts {
            let _ = read(&ws(path), text);
            let _ = read(&ws(path), &format!("{fixture}{text}{fixture}"));
            let _ = read(&ws(path), &fixture.replace(':', text).replace('=', "\\"));
        }
        // Reads every file's text under every other file's name.
        for (_, other) in ALL {
            let _ = read(&ws(path), other);
        }
        let deep = "{\"dependencies\":[".repeat(50_000);
        let _ = read(&ws(path), &deep);
        let _ = read(&ws(path), &"<a>".repeat(50_000));
    }
}
