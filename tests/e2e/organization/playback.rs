//! Simulates a Zoekt server that answers a few questions as a real one did.
//!
//! A question is identified by its exact address and query. An unknown one gives an error that names it, so that a
//! changed query is noticed and recorded again.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

/// The recording: each line has an address, a query and the answer.
const RECORDED: &str = include_str!("recorded.jsonl");

/// A server that runs until the end of the test.
pub(super) struct Playback {
    pub(super) address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Playback {
    /// Starts a server that plays back the recording.
    pub(super) fn start() -> Self {
        let mut answers = HashMap::new();
        for line in RECORDED.lines().filter(|line| !line.is_empty()) {
            let one: Value = serde_json::from_str(line).expect("a line of the recording");
            let text = |field: &str| one[field].as_str().expect("a field of the recording").to_owned();
            answers.insert((text("path"), text("q")), text("answer"));
        }
        Self::serve(move |path, body| {
            let body: Value = serde_json::from_str(body).unwrap_or_default();
            let query = body["Q"].as_str().unwrap_or_default().to_owned();
            match answers.get(&(path.to_owned(), query.clone())) {
                Some(answer) => ("200 OK", answer.clone()),
                None => (
                    "400 Bad Request",
                    serde_json::json!({"Error": format!("not recorded: {path} {query}")}).to_string(),
                ),
            }
        })
    }

    /// Starts a server that rejects everybody, and repeats the token.
    pub(super) fn refusing() -> Self {
        Self::serve(|_, _| ("401 Unauthorized", format!("{} is wrong", super::TOKEN)))
    }

    fn serve(answer: impl Fn(&str, &str) -> (&'static str, String) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("it has one"));
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let noted = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let Some((head, body)) = read_request(&stream) else { continue };
                let path = head.split(' ').nth(1).unwrap_or_default();
                let (status, text) = answer(path, &body);
                noted.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{head}{body}"));
                let length = text.len();
                let _ = write!(
                    stream,
                    "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}"
                );
            }
        });
        Self { address, asked }
    }

    /// Returns the requests so far.
    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Reads the head and the body of a request.
fn read_request(stream: &TcpStream) -> Option<(String, String)> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let lower = head.to_ascii_lowercase();
    let length = lower.split("content-length: ").nth(1)?.lines().next()?.trim().parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, String::from_utf8_lossy(&body).into_owned()))
}
