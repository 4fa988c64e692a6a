//! Tests files that a grammar does not understand completely: what it skipped is found by other means, and the rest is
//! reported.

use hob_tests::World;
use serde_json::json;

/// A small version of hono's `src/types.ts`: call signatures that end at the end of their line.
const HANDLERS: &str = r#"
//- /src/types.ts
export type H = (c: string) => string

export interface HandlerInterface {
  // app.get(handler)
  <
    P extends string = string,
  >(
    handler: H
  ): Base<
    P
  >

  // app.get(path, handler)
  <P extends string>(path: P, handler: H): Base<P>
  <P extends string>(path: P, ...handlers: H[]): Base<P>
}

export interface MiddlewareInterface {
  (...handlers: H[]): Base<string>
  <P extends string>(path: P): Base<P>
}

export class Base<P> {
  get!: HandlerInterface
}

export type AfterAll = Base<string>
//- /src/app.ts
import { AfterAll, MiddlewareInterface } from './types'
export function use(a: AfterAll, b: MiddlewareInterface) {}
"#;

const FLOW: &str = "\
//- /flow.js
function before() {}

declare class Strange mixins Thing {
  @@iterator(): Iterator<T>;
  [[call]](a: ?T): +T;
}

declare class Stranger mixins Thing {
  @@iterator(): Iterator<T>;
  [[call]](a: ?T): +T;
}
//- /well.js
export function well() {}
";

#[test]
fn definitions_behind_call_signatures_without_semicolons_are_mapped() {
    let world = World::new();
    let tree = world.tree(HANDLERS);
    for name in ["HandlerInterface", "MiddlewareInterface", "Base", "AfterAll"] {
        let found = world.call(&tree, "map_search", &json!({"query": name}));
        let id = format!("ts:src/types.ts#{name}");
        assert_eq!(found.texts("/results", "id").first(), Some(&id.as_str()), "{found}");
    }
    let users =
        world.call(&tree, "map_neighbors", &json!({"nodeId": "ts:src/types.ts#AfterAll", "direction": "in"}));
    assert!(users.texts("/neighbors", "id").contains(&"ts:src/app.ts#use"), "{users}");
    let status = world.call(&tree, "map_status", &json!({}));
    assert!(status.ok().get("unmapped").is_none(), "{status}");
}

#[test]
fn lines_that_nobody_understands_are_told_where_it_matters() {
    let world = World::new();
    let tree = world.tree(FLOW);
    let mut mcp = world.mcp(&tree);
    let search = mcp.call("map_search", json!({"query": "before", "pathPrefix": "flow.js"}));
    search.says("`flow.js`: its parser did not understand lines");
    let status = mcp.call("map_status", json!({}));
    assert_eq!(status.ok()["unmapped"]["files"], 1, "{status}");
    assert_eq!(status.ok()["unmapped"]["worst"][0]["file"], "flow.js", "{status}");
    let lines = status.ok()["unmapped"]["worst"][0]["lines"][0].as_str().expect("a stretch").to_owned();
    assert!(lines.starts_with("3-") || lines.starts_with("4-"), "{status}");
    for (tool, args) in [
        ("read_symbols", json!({"targets": ["js:flow.js#before"]})),
        ("map_neighbors", json!({"nodeId": "js:flow.js"})),
        ("map_overview", json!({"focus": "flow.js"})),
        ("flow_trace", json!({"symbol": "js:flow.js#before"})),
    ] {
        mcp.call(tool, args).says("`flow.js`: its parser did not understand lines");
    }
    mcp.call("map_search", json!({"query": "Strangest"})).says("Lines of `flow.js` are not mapped");
    // A question about something else does not mention it.
    mcp.call("read_symbols", json!({"targets": ["js:well.js#well"]})).without_warnings();
    tree.write("flow.js", "function before() {}\nclass Strange {}\n");
    mcp.call("read_symbols", json!({"targets": ["js:flow.js#before"]})).without_warnings();
    let status = mcp.call("map_status", json!({}));
    assert!(status.ok().get("unmapped").is_none(), "{status}");
}
