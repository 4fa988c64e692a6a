//! Provides short sample files of each format.

/// Every fixture by path, for rules that hold for all of them.
pub(super) const ALL: &[(&str, &str)] = &[
    ("package.json", PACKAGE_JSON),
    ("package-lock.json", PACKAGE_LOCK),
    ("old/package-lock.json", PACKAGE_LOCK_1),
    ("yarn.lock", YARN_1),
    ("berry/yarn.lock", YARN_4),
    ("pnpm-lock.yaml", PNPM_9),
    ("six/pnpm-lock.yaml", PNPM_6),
    ("five/pnpm-lock.yaml", PNPM_5),
    ("pyproject.toml", PYPROJECT),
    ("poetry/pyproject.toml", POETRY),
    ("requirements.txt", REQUIREMENTS),
    ("setup.cfg", SETUP_CFG),
    ("Pipfile.lock", PIPFILE_LOCK),
    ("poetry.lock", POETRY_LOCK),
    ("uv.lock", UV_LOCK),
    ("Cargo.toml", CARGO_TOML),
    ("Cargo.lock", CARGO_LOCK),
    ("go.mod", GO_MOD),
    ("pom.xml", POM),
    ("build.gradle", GRADLE),
    ("gradle.lockfile", GRADLE_LOCK),
    ("gradle/libs.versions.toml", CATALOGUE),
];

pub(super) const PACKAGE_JSON: &str = r#"{
  "name": "shop",
  "description": "uses \"react\": yes",
  "dependencies": {
    "react": "^18.2.0",
    "@babel/core": "~7.24.0", "lodash4": "npm:lodash@^4.17.0",
    "shared": "workspace:*"
  },
  "devDependencies": { "vitest": "latest" },
  "peerDependencies": {
    "react-dom": ">=17"
  },
  "scripts": { "left-pad": "1.0.0" }
}
"#;

pub(super) const PACKAGE_LOCK: &str = r#"{
  "name": "shop",
  "lockfileVersion": 3,
  "packages": {
    "": { "name": "shop", "dependencies": { "react": "^18.2.0" } },
    "node_modules/a/node_modules/react": {
      "version": "17.0.2"
    },
    "node_modules/@babel/core": {
      "version": "7.24.1",
      "dev": true
    },
    "node_modules/lodash4": { "name": "lodash", "version": "4.17.21" },
    "node_modules/react": {
      "version": "18.3.1",
      "dependencies": { "loose-envify": "^1.1.0" }
    },
    "node_modules/shared": { "resolved": "packages/shared", "link": true },
    "packages/shared": { "version": "0.0.0" }
  }
}
"#;

pub(super) const PACKAGE_LOCK_1: &str = r#"{
  "lockfileVersion": 1,
  "dependencies": {
    "a": {
      "version": "1.0.0",
      "dependencies": {
        "react": { "version": "17.0.2" }
      }
    },
    "react": { "version": "18.3.1", "dev": true }
  }
}
"#;

pub(super) const YARN_1: &str = r#"# yarn lockfile v1


"@babel/core@^7.1.0", "@babel/core@~7.24.0":
  version "7.24.1"
  resolved "https://registry.yarnpkg.com/@babel/core/-/core-7.24.1.tgz#802"
  dependencies:
    version "^9.9.9"

react@^18.2.0:
  version "18.3.1"

react@^17.0.0:
  version "17.0.2"
"#;

pub(super) const YARN_4: &str = r#"__metadata:
  version: 8
  cacheKey: 10

"@babel/core@npm:^7.1.0, @babel/core@npm:~7.24.0":
  version: 7.24.1
  resolution: "@babel/core@npm:7.24.1"

"lodash4@npm:lodash@^4.17.0":
  version: 4.17.21

"shared@workspace:*, shared@workspace:packages/shared":
  version: 0.0.0-use.local
"#;

pub(super) const PNPM_9: &str = r#"lockfileVersion: '9.0'

settings:
  autoInstallPeers: true

importers:

  .:
    dependencies:
      '@babel/core':
        specifier: ~7.24.0
        version: 7.24.1
      react-dom:
        specifier: '>=17'
        version: 18.3.1(react@18.3.1)
    devDependencies:
      shared:
        specifier: workspace:*
        version: link:packages/shared

packages:

  '@babel/core@7.24.1':
    resolution: {integrity: sha512-x}
    engines: {node: '>=6.9.0'}

  react-dom@18.3.1:
    resolution: {integrity: sha512-y}

  react@18.3.1:
    resolution: {integrity: sha512-z}

snapshots:

  react-dom@18.3.1(react@18.3.1):
    dependencies:
      react: 18.3.1
"#;

pub(super) const PNPM_6: &str = "lockfileVersion: '6.0'

dependencies:
  react:
    specifier: ^18.2.0
    version: 18.3.1

packages:

  /@babel/core@7.24.1(supports-color@5.5.0):
    resolution: {integrity: sha512-x}
    dev: true

  /react@18.3.1:
    resolution: {integrity: sha512-z}
    dev: false
";

pub(super) const PNPM_5: &str = "lockfileVersion: 5.4

specifiers:
  react: ^18.2.0
  vitest: latest

dependencies:
  react: 18.3.1

devDependencies:
  vitest: 1.6.0_react@18.3.1

packages:

  /@babel/core/7.24.1_supports-color@5.5.0:
    resolution: {integrity: sha512-x}
    dev: true
";

pub(super) const PYPROJECT: &str = r#"[build-system]
requires = ["hatchling>=1.21"]

[project]
name = "shop"
dependencies = [
    "Django>=4.2,<5",
    "zope.interface[test] == 6.1 ; python_version > '3.8'",
    "tool @ git+https://example.invalid/tool.git@v1",
]

[project.optional-dependencies]
postgres = ["psycopg[binary]>=3"]
tests = ["pytest"]

[dependency-groups]
lint = [{ include-group = "x" }, "ruff==0.4.4"]

[tool.uv]
dev-dependencies = ["mypy"]
"#;

pub(super) const POETRY: &str = r#"[tool.poetry.dependencies]
python = "^3.11"
Flask_Login = "^0.6"
celery = { version = "5.3.6", extras = ["redis"] }
local-lib = { path = "../lib" }

[tool.poetry.group.dev.dependencies]
black = [{ version = "24.1.0", python = ">=3.8" }]
"#;

pub(super) const REQUIREMENTS: &str = "# what runs
-r base.txt
Django==4.2.11 \\
    --hash=sha256:aaaa
requests[socks] >= 2.31  # http
-e git+https://example.invalid/x.git#egg=Some_Thing
./local/folder
https://example.invalid/wheel.whl
urllib3<2;python_version<'3.10'
";

pub(super) const SETUP_CFG: &str = "[metadata]
name = shop
[options]
packages = find:
install_requires =
    # a remark
    attrs>=21
    importlib-metadata; python_version < '3.8'
[options.extras_require]
tests =
    pytest>=7
fast = orjson
";

pub(super) const PIPFILE_LOCK: &str = r#"{
    "_meta": { "sources": [ { "name": "pypi" } ] },
    "default": {
        "django": { "hashes": ["sha256:a"], "version": "==4.2.11" }
    },
    "develop": { "pytest": { "version": "==8.0.0" } }
}
"#;

pub(super) const POETRY_LOCK: &str = r#"# generated
[[package]]
name = "django"
version = "4.2.11"
optional = false

[package.dependencies]
asgiref = ">=3.6"

[[package]]
name = "pytest"
version = "8.0.0"
category = "dev"

[metadata]
lock-version = "2.0"
"#;

pub(super) const UV_LOCK: &str = r#"version = 1

[[package]]
name = "asgiref"
version = "3.8.1"
source = { registry = "https://pypi.org/simple" }

[[package]]
name = "django"
version = "4.2.11"
source = { registry = "https://pypi.org/simple" }

[[package]]
name = "shop"
version = "0.1.0"
source = { virtual = "." }
"#;

pub(super) const CARGO_TOML: &str = r#"[package]
name = "shop"

[dependencies]
serde = { version = "1", features = ["derive"] }
json.package = "serde_json"
json.version = "1.0"
base = { path = "base" }
hashbrown = "0.15"

[dependencies.tokio]
version = "1.38"

[target.'cfg(unix)'.dependencies]
rustix.workspace = true

[dev-dependencies]
tempfile = "3"

[workspace.dependencies]
rustix = "1.1"
"#;

pub(super) const CARGO_LOCK: &str = r#"version = 4

[[package]]
name = "base"
version = "0.1.0"

[[package]]
name = "hashbrown"
version = "0.15.5"
source = "registry+https://github.com/rust-lang/crates.io-index"

[[package]]
name = "hashbrown"
version = "0.17.1"
source = "registry+https://github.com/rust-lang/crates.io-index"

[[package]]
name = "itoa"
version = "1.0.11"
source = "registry+https://github.com/rust-lang/crates.io-index"
dependencies = [
 "serde",
]

[[package]]
name = "shop"
version = "0.1.0"
"#;

pub(super) const GO_MOD: &str = r#"module example.invalid/shop

go 1.22

require github.com/spf13/cobra v1.8.0
require (
	github.com/BurntSushi/toml v1.3.2
	"golang.org/x/sys" v0.20.0 // indirect
	example.invalid/inner v0.0.0
	example.invalid/forked v1.0.0
)

exclude golang.org/x/net v1.2.3

replace example.invalid/inner => ./inner
replace (
	example.invalid/forked v1.0.0 => example.invalid/fork v1.0.1
)
"#;

pub(super) const POM: &str = r#"<?xml version="1.0"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent>
    <groupId>org.springframework.boot</groupId>
    <artifactId>spring-boot-starter-parent</artifactId>
    <version>3.2.0</version>
  </parent>
  <groupId>example</groupId>
  <artifactId>shop</artifactId>
  <version>1.0</version>
  <properties>
    <jackson.version>2.${minor}</jackson.version>
    <minor>17.0</minor>
    <circle>${circle}</circle>
  </properties>
  <dependencyManagement>
    <dependencies>
      <dependency>
        <groupId>org.slf4j</groupId>
        <artifactId>slf4j-api</artifactId>
        <version>2.0.9</version>
      </dependency>
    </dependencies>
  </dependencyManagement>
  <dependencies>
    <!-- <dependency><groupId>no</groupId><artifactId>no</artifactId></dependency> -->
    <dependency>
      <groupId>com.fasterxml.jackson.core</groupId>
      <artifactId>jackson-databind</artifactId>
      <version>${jackson.version}</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-api</artifactId>
    </dependency>
    <dependency>
      <artifactId>junit</artifactId>
      <groupId>junit</groupId>
      <version>[4.12,5)</version>
      <scope>test</scope>
      <exclusions><exclusion><groupId>x</groupId><artifactId>y</artifactId></exclusion></exclusions>
    </dependency>
    <dependency>
      <groupId>${project.groupId}</groupId>
      <artifactId>odd</artifactId>
      <version>${circle}</version>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin>
        <artifactId>maven-jar-plugin</artifactId>
        <version>3.3.0</version>
      </plugin>
    </plugins>
  </build>
</project>
"#;

pub(super) const GRADLE: &str = r#"plugins { id 'java' }
dependencies {
    implementation 'com.google.guava:guava:33.1.0-jre'
    testImplementation("org.junit.jupiter:junit-jupiter:5.10.2") // junit
    api platform("io.netty:netty-bom:$nettyVersion")
    runtimeOnly group: 'org.postgresql', name: 'postgresql', version: '42.7.3'
    implementation project(':core')
    implementation libs.okhttp
}
"#;

pub(super) const GRADLE_LOCK: &str = "# This is a Gradle generated file
com.google.guava:guava:33.1.0-jre=compileClasspath,runtimeClasspath
org.junit.jupiter:junit-jupiter:5.10.2=testCompileClasspath
empty=annotationProcessor
";

pub(super) const CATALOGUE: &str = r#"[versions]
okhttp = "4.12.0"

[libraries]
okhttp = { module = "com.squareup.okhttp3:okhttp", version.ref = "okhttp" }
moshi = { group = "com.squareup.moshi", name = "moshi", version = "1.15.1" }
timber = "com.jakewharton.timber:timber:5.0.1"
"#;
