//! The official conformance suite, through a bridge: it speaks only HTTP, `hob-mcp` only stdio.
//!
//! The other scenarios are about things that hob does not have (prompts, resources) or want a server with fixtures of the
//! suite's own.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use hob_tests::{World, outside, run};

const SCENARIOS: &[&str] = &["server-initialize", "ping", "tools-list"];

#[test]
fn the_official_suite_passes() {
    let world = World::new();
    let tree = world.tree("//- /a.py\ndef found(): pass\n");
    let shim = world.command("hob-mcp");
    let mut bridge = Command::new(outside::node());
    world.clean(&mut bridge);
    bridge.arg(outside::clients().join("bridge.mjs")).arg(shim.get_program()).current_dir(tree.root());
    let mut bridge = bridge.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the bridge starts");
    let mut port = String::new();
    BufReader::new(bridge.stdout.take().expect("it is piped")).read_line(&mut port).expect("a port");
    for scenario in SCENARIOS {
        let mut suite = Command::new(outside::node());
        suite.arg(outside::clients().join("node_modules/@modelcontextprotocol/conformance/dist/index.js"));
        suite.args([
            "server",
            "--scenario",
            scenario,
            "--url",
            &format!("http://127.0.0.1:{}/mcp", port.trim()),
        ]);
        let said = run(suite.arg("-o").arg(world.path("tmp")).current_dir(world.path("tmp")), b"").code(0);
        assert!(said.stdout.contains("SUCCESS") && said.stdout.contains("0 failed"), "{said}");
    }
    drop(bridge.stdin.take());
    let _ = bridge.wait();
}
