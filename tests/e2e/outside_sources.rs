//! Tests that names from jars with sources, and from headers of this machine, lead to their definition without a
//! language server.

use std::path::Path;
use std::process::Command;

use hob_tests::{Answer, Mcp, Tree, World};
use serde_json::json;

use super::many::git;

const JAVA: &str = r#"
//- /app/pom.xml
<project>
  <groupId>shop</groupId><artifactId>app</artifactId><version>1</version>
  <properties><gson.version>2.10.1</gson.version></properties>
  <dependencyManagement><dependencies>
    <dependency><groupId>com.google.code.gson</groupId><artifactId>gson</artifactId><version>${gson.version}</version></dependency>
  </dependencies></dependencyManagement>
  <dependencies>
    <dependency><groupId>com.google.code.gson</groupId><artifactId>gson</artifactId></dependency>
    <dependency><groupId>org.acme</groupId><artifactId>web</artifactId><version>3</version></dependency>
    <dependency><groupId>org.bare</groupId><artifactId>bare</artifactId><version>1</version></dependency>
  </dependencies>
</project>
//- /app/src/main/java/shop/App.java
package shop;

import com.google.gson.Gson;
import org.acme.core.Store;
import org.acme.web.Client;
import org.bare.Bare;

class App {
    String run(Order order) {
        Gson gson = new Gson();
        Client client = new Client();
        client.open(3);
        Store store = client.store();
        store.save();
        new Bare().run();
        return gson.toJson(order);
    }
}

class Order {
}
//- /repo/org/acme/web/3/web-3.pom
<project><groupId>org.acme</groupId><artifactId>web</artifactId><version>3</version>
  <dependencies><dependency><groupId>org.acme</groupId><artifactId>core</artifactId><version>5</version></dependency></dependencies>
</project>
//- /gson/com/google/gson/Gson.java
package com.google.gson;

public final class Gson {
    /** Writes an object as JSON. */
    public String toJson(Object src) {
        return "";
    }

    public String toJson(Object src, Class<?> type) {
        return "";
    }
}
//- /web/org/acme/web/Client.kt
package org.acme.web

import org.acme.core.Store

open class Base {
    fun open(count: Int) {}
}

class Client : Base() {
    fun store(): Store = Store()
}
//- /core/org/acme/core/Store.java
package org.acme.core;

public class Store {
    public void save() {}
}
//- /bare/org/bare/Bare.class
compiled
"#;

/// Packs a folder of the tree as a jar of the repository.
fn pack_jar(tree: &Tree, folder: &str, jar: &str) {
    let jar = tree.root().join("repo").join(jar);
    std::fs::create_dir_all(jar.parent().expect("inside")).expect("a folder");
    let parts = std::fs::read_dir(tree.root().join(folder)).expect("a folder");
    let parts = parts.map(|part| part.expect("an entry").path());
    let packed = Command::new("python3").args(["-m", "zipfile", "-c"]).arg(&jar).args(parts).status();
    assert!(packed.expect("Python").success(), "{}", jar.display());
}

/// Returns a world in which no language server is found.
fn quiet_world() -> World {
    World::new().env("PATH", "/nowhere")
}

fn define(mcp: &mut Mcp, root: &Path, file: &str, place: (u32, u32)) -> Answer {
    mcp.call("nav_definition", json!({"file": file, "line": place.0, "col": place.1, "root": root}))
}

fn ends_with(answer: &Answer, expected: &str) {
    let found = answer.list("/locations");
    assert_eq!(found.len(), 1, "{answer}");
    let place = format!("{}:{}", found[0]["file"].as_str().unwrap_or_default(), found[0]["line"]);
    assert!(place.ends_with(expected), "{place} is not {expected}: {answer}");
}

#[test]
fn java_names_lead_into_jars() {
    let world = quiet_world();
    let tree = world.tree(JAVA);
    pack_jar(&tree, "gson", "com/google/code/gson/gson/2.10.1/gson-2.10.1-sources.jar");
    pack_jar(&tree, "web", "org/acme/web/3/web-3-sources.jar");
    pack_jar(&tree, "core", "org/acme/core/5/core-5-sources.jar");
    pack_jar(&tree, "bare", "org/bare/bare/1/bare-1.jar");
    let options = format!("-Xmx64m -Dmaven.repo.local={}", tree.root().join("repo").display());
    let world = world.env("MAVEN_OPTS", options);
    let app = tree.root().join("app");
    git(&World::new(), &app, "init -q");
    let mut mcp = world.mcp(&tree);
    let file = "src/main/java/shop/App.java";
    for (place, expected) in [
        ((3, 25), "com/google/gson/Gson.java:3"),
        ((10, 9), "com/google/gson/Gson.java:3"),
        ((16, 21), "com/google/gson/Gson.java:5"),
        ((11, 10), "org/acme/web/Client.kt:9"),
        ((12, 16), "org/acme/web/Client.kt:6"),
        ((14, 15), "org/acme/core/Store.java:4"),
    ] {
        ends_with(&define(&mut mcp, &app, file, place), expected);
    }
    define(&mut mcp, &app, file, (16, 21))
        .says("com.google.code.gson:gson 2.10.1")
        .says("dep:com.google.code.gson:gson");
    define(&mut mcp, &app, file, (15, 13)).says("mvn dependency:get -Dartifact=org.bare:bare:1:jar:sources");

    let out = mcp.call(
        "map_neighbors",
        json!({"nodeId": "App.run", "direction": "out", "edgeKinds": ["calls"], "root": app}),
    );
    assert!(out.to_string().contains("public String toJson(Object src)"), "{out}");
    for name in ["dep:gson", "dep:com.google.code.gson:gson"] {
        let found = mcp.call("map_search", json!({"query": ["toJson"], "in": name, "root": app}));
        assert!(found.texts("/results", "file").contains(&"com/google/gson/Gson.java"), "{found}");
    }
    // An artifact that another one depends on has sources as well.
    let core = mcp.call("read_symbols", json!({"targets": ["Store.save"], "in": "dep:core", "root": app}));
    assert!(core.to_string().contains("public void save()"), "{core}");
    let bare = mcp.call("map_search", json!({"query": ["Bare"], "in": "dep:bare", "root": app}));
    assert!(bare.to_string().contains("mvn dependency:sources"), "{bare}");
}

const C: &str = r#"
//- /app/main.c
#include <stdio.h>
#include <pack.h>
#include "own.h"

int run(struct pack_stream *stream)
{
    printf("%d", PACK_OK);
    stream->level = 3;
    return pack_deflate(stream, own_level());
}
//- /app/own.h
int own_level(void);
//- /app/box.cpp
#include <vector>
#include <kit/box.hpp>

int fill(kit::Box &box)
{
    return box.open(1) + kit::made();
}
//- /headers/pack.h
#include "packconf.h"

#define PACK_OK 0

struct pack_stream {
    pack_level level;
};

int pack_deflate(struct pack_stream *stream, int level);
//- /headers/packconf.h
typedef int pack_level;
//- /headers/kit/box.hpp
#include "base.hpp"

namespace kit {
class Box : public Base {
public:
    int close();
};

int made();
}
//- /headers/kit/base.hpp
namespace kit {
class Base {
public:
    int open(int count);
};
}
"#;

#[test]
fn includes_lead_to_headers_of_this_machine() {
    let world = quiet_world();
    let tree = world.tree(C);
    let world = world.env("CPATH", tree.root().join("headers").display().to_string());
    let app = tree.root().join("app");
    git(&World::new(), &app, "init -q");
    let mut mcp = world.mcp(&tree);
    for (file, place, expected) in [
        ("main.c", (2, 11), "headers/pack.h:1"),
        ("main.c", (7, 19), "headers/pack.h:3"),
        ("main.c", (9, 13), "headers/pack.h:9"),
        ("main.c", (5, 16), "headers/pack.h:5"),
        ("box.cpp", (4, 16), "headers/kit/box.hpp:4"),
        ("box.cpp", (6, 17), "headers/kit/base.hpp:4"),
        ("box.cpp", (6, 32), "headers/kit/box.hpp:9"),
    ] {
        ends_with(&define(&mut mcp, &app, file, place), expected);
    }
    let printf = define(&mut mcp, &app, "main.c", (7, 6));
    assert!(
        printf.list("/locations")[0]["file"].as_str().is_some_and(|file| file.ends_with("stdio.h")),
        "{printf}"
    );
    let vector = define(&mut mcp, &app, "box.cpp", (1, 12));
    assert!(
        vector.list("/locations")[0]["file"].as_str().is_some_and(|file| file.ends_with("/vector")),
        "{vector}"
    );
    let out = mcp.call("map_neighbors", json!({"nodeId": "run", "direction": "out", "root": app}));
    assert!(out.texts("/neighbors", "id").contains(&"c:ext:pack.h"), "{out}");
    assert!(out.to_string().contains("int pack_deflate(struct pack_stream *stream, int level)"), "{out}");
    // The project's own header is still part of it, and the map of the project contains none of the other headers.
    let own = define(&mut mcp, &app, "main.c", (9, 33));
    assert_eq!(own.list("/locations")[0]["external"], serde_json::Value::Null, "{own}");
    let found = mcp.call("map_search", json!({"query": ["pack_deflate"], "root": app}));
    assert!(found.list("/results").is_empty(), "{found}");
}
