//! Tests the calls that the client repeats, watched from a daemon that follows a script.

use hob_client::Client;
use hob_proto::transport::{self, Listener, TransportReader, TransportWriter};
use hob_proto::{ClientMessage, Envelope, Hello, PROTOCOL, ServerMessage, Welcome, frame};

use crate::support::{World, call_of};

struct Script {
    listener: Listener,
    world: World,
}

impl Script {
    fn start() -> (Self, Client) {
        let world = World::new();
        hob_proto::private_dir::ensure(&world.places.runtime).expect("a folder");
        let listener = transport::listen(&world.places.socket).expect("listening");
        let client = world.client();
        (Self { listener, world }, client)
    }

    async fn accept(&self) -> (TransportReader, TransportWriter) {
        let (mut reader, mut writer) = self.listener.accept().await.expect("a client").split();
        let hello: Hello = frame::read(&mut reader).await.expect("a greeting");
        let welcome = Welcome::Accepted {
            protocol: PROTOCOL,
            build: hello.build,
            pid: 1,
            notice: None,
            successor: None,
        };
        frame::write(&mut writer, &welcome).await.expect("written");
        (reader, writer)
    }

    /// Takes a call; its id and tool.
    async fn take(reader: &mut TransportReader) -> (u64, String) {
        match frame::read(reader).await.expect("a message") {
            ClientMessage::Call(call) => (call.id, call.tool),
            other => panic!("{other:?} instead of a call"),
        }
    }

    async fn answer(writer: &mut TransportWriter, id: u64) {
        let answer = ServerMessage::Answer { id, ok: true, envelope: "done".into(), ask: None };
        frame::write(writer, &answer).await.expect("written");
    }
}

#[tokio::test]
async fn a_lost_call_is_made_again() {
    let (script, client) = Script::start();
    let request = call_of("map_search");
    let daemon = async {
        let (mut reader, writer) = script.accept().await;
        Script::take(&mut reader).await;
        drop((reader, writer));
        let (mut reader, mut writer) = script.accept().await;
        let (id, tool) = Script::take(&mut reader).await;
        Script::answer(&mut writer, id).await;
        tool
    };
    let (answer, tool) = tokio::join!(client.call(&request, None), daemon);
    assert_eq!((answer.envelope.as_str(), tool.as_str()), ("done", "map_search"));
}

#[tokio::test]
async fn edits_are_not_applied_twice() {
    let (script, client) = Script::start();
    let request = call_of("resolve_action");
    let daemon = async {
        let (mut reader, writer) = script.accept().await;
        Script::take(&mut reader).await;
        drop((reader, writer));
    };
    let (answer, ()) = tokio::join!(client.call(&request, None), daemon);
    let error = Envelope::parse(&answer.envelope).expect("an envelope").error.expect("an error");
    assert!(error.message.contains("whether it was carried out is not known"), "{error:?}");
}

#[tokio::test]
async fn edits_that_were_never_sent_go_to_the_next_daemon() {
    let (script, client) = Script::start();
    let daemon = async {
        let (_reader, mut writer) = script.accept().await;
        let bye = ServerMessage::Bye { reason: "going".into(), retry: true };
        frame::write(&mut writer, &bye).await.expect("written");
    };
    let (connection, ()) = tokio::join!(client.connection(), daemon);
    connection.expect("a daemon").wait_for_end().await;
    let request = call_of("resolve_action");
    let daemon = async {
        let (mut reader, mut writer) = script.accept().await;
        let (id, _) = Script::take(&mut reader).await;
        Script::answer(&mut writer, id).await;
    };
    let (answer, ()) = tokio::join!(client.call(&request, None), daemon);
    assert_eq!(answer.envelope, "done");
}

#[tokio::test]
async fn a_call_that_ends_every_daemon_is_given_up_with_the_log() {
    let (script, client) = Script::start();
    std::fs::create_dir_all(script.world.places.logs_dir()).expect("a folder");
    std::fs::write(script.world.places.logs_dir().join("hobd.log"), "the last line\n").expect("written");
    let request = call_of("map_search");
    let daemon = async {
        let mut calls = 0;
        loop {
            let (mut reader, _writer) = script.accept().await;
            Script::take(&mut reader).await;
            calls += 1;
            assert!(calls < 10, "it has to end");
        }
    };
    let answer = tokio::select! {
        answer = client.call(&request, None) => answer,
        () = daemon => unreachable!("it has no end"),
    };
    let error = Envelope::parse(&answer.envelope).expect("an envelope").error.expect("an error");
    assert!(error.message.contains("3 times"), "{error:?}");
    assert_eq!(error.more["logTail"][0], "the last line");
}

#[tokio::test]
async fn a_retiring_daemon_answers_what_it_has_and_gets_nothing_new() {
    let (script, client) = Script::start();
    let (first, second) = (call_of("first"), call_of("second"));
    let daemon = async {
        let (mut old_reader, mut old_writer) = script.accept().await;
        let (id, tool) = Script::take(&mut old_reader).await;
        assert_eq!(tool, "first");
        let retiring = ServerMessage::Event(hob_proto::message::Event::Retiring);
        frame::write(&mut old_writer, &retiring).await.expect("written");
        let (mut reader, mut writer) = script.accept().await;
        let (new_id, tool) = Script::take(&mut reader).await;
        assert_eq!(tool, "second");
        Script::answer(&mut writer, new_id).await;
        Script::answer(&mut old_writer, id).await;
    };
    let after_the_event = async {
        let connection = client.connection().await.expect("a daemon");
        while connection.takes_calls() {
            tokio::task::yield_now().await;
        }
        client.call(&second, None).await
    };
    let (old, new, ()) = tokio::join!(client.call(&first, None), after_the_event, daemon);
    assert_eq!((old.envelope.as_str(), new.envelope.as_str()), ("done", "done"));
}
