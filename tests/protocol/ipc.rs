//! The daemon's own socket: what does not speak its protocol is turned away, and harms nobody.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use hob_proto::frame;
use hob_proto::message::Call;
use hob_proto::{Build, ClientKind, ClientMessage, Hello, PROTOCOL};
use hob_tests::{Rng, World};
use serde_json::{Map, json};

const FIXTURE: &str = "//- /a.py\ndef found(): pass\n";

/// Returns true if the daemon ended the connection after these bytes.
fn turned_away(world: &World, bytes: &[u8]) -> bool {
    let mut stream = UnixStream::connect(world.dir().join("run/hobd.sock")).expect("the daemon listens");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
    // It may be turned away before it has said everything.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut rest = Vec::new();
    match stream.read_to_end(&mut rest) {
        Ok(_) => true,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

fn hello(protocol: u32) -> Hello {
    let build = Build { version: "0.0.1".into(), stamp: 1 };
    Hello {
        protocol,
        build,
        kind: ClientKind::Cli,
        pid: 1,
        cwd: "/".into(),
        identity: String::new(),
        edits: false,
    }
}

#[test]
fn strangers_are_turned_away_and_others_served_on() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    let mut mcp = world.mcp(&tree);
    let _ = mcp.call("map_search", json!({"query": "found"})).ok();
    let pid = world.daemon_pid().expect("it runs");
    let good = frame::encode(&hello(PROTOCOL)).expect("it fits");
    let mut rng = Rng::new(9);
    let noise: Vec<u8> = (0..4_096).map(|_| rng.bits() as u8).collect();
    let strangers: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec(),
        vec![0; 64],
        vec![0xff; 64],
        u32::MAX.to_le_bytes().to_vec(),
        [&100_000_u32.to_le_bytes()[..], b"short"].concat(),
        noise.clone(),
        good[..good.len() / 2].to_vec(),
        [good.clone(), noise].concat(),
        [good.clone(), frame::encode(&"no such message").expect("it fits")].concat(),
        frame::encode(&hello(0)).expect("it fits"),
        frame::encode(&hello(u32::MAX)).expect("it fits"),
    ];
    for stranger in &strangers {
        assert!(turned_away(&world, stranger), "{:?}", &stranger[..stranger.len().min(40)]);
        let answer = mcp.call("map_search", json!({"query": "found"}));
        assert_eq!(answer.texts("/results", "id"), ["py:a.py#found"], "{answer}");
    }
    assert_eq!(world.daemon_pid(), Some(pid), "the daemon survived");
}

/// Someone who asks and does not read cannot make the daemon grow or keep others waiting.
#[test]
fn who_does_not_read_harms_nobody() {
    let world = World::new();
    let tree = world.tree(FIXTURE);
    tree.write("big.txt", "needle in a long line of hay\n".repeat(20_000));
    let mut mcp = world.mcp(&tree);
    let _ = mcp.call("map_search", json!({"query": "found"})).ok();
    let pid = world.daemon_pid().expect("it runs");
    let mut deaf = UnixStream::connect(world.dir().join("run/hobd.sock")).expect("the daemon listens");
    deaf.set_write_timeout(Some(Duration::from_secs(5))).expect("a timeout");
    deaf.write_all(&frame::encode(&hello(PROTOCOL)).expect("it fits")).expect("greeted");
    let args: Map<_, _> =
        [("pattern".to_owned(), json!("needle")), ("tokenBudget".to_owned(), json!(10_000))]
            .into_iter()
            .collect();
    let root = tree.root().to_str().map(str::to_owned);
    for id in 0..3_000 {
        let call = Call {
            id,
            tool: "regex_search".into(),
            args: args.clone(),
            root: root.clone(),
            progress: false,
            deadline_ms: None,
            form: hob_proto::Form::Json,
            offers: Vec::new(),
            replies: serde_json::Map::new(),
            followed: false,
        };
        // It is dropped, or no longer read from, once its queue is full.
        if deaf.write_all(&frame::encode(&ClientMessage::Call(call)).expect("it fits")).is_err() {
            break;
        }
    }
    let answer = mcp.call("map_search", json!({"query": "found"}));
    assert_eq!(answer.texts("/results", "id"), ["py:a.py#found"], "{answer}");
    assert_eq!(world.daemon_pid(), Some(pid), "the daemon survived");
}
