//! Asks the language model that the user configured one question, and returns its answer.
//!
//! It uses the one protocol that every model server supports, OpenAI's `chat/completions`, because users have
//! different ones. [`http`] makes the connection, only to the address in the user's own settings. The answer
//! is a text that a model made up; the caller decides what it is worth.

pub mod http;
mod key;

use std::time::Duration;

use hob_base::{CancelToken, Stopped};
use serde_json::{Value, json};

use http::{HttpAnswer, HttpError, JsonRequest, checked_address, post_json, shown_beginning};
pub use key::KeySource;

/// Size of the largest answer in bytes; hob asks for a few words.
const LARGEST_ANSWER: usize = 64 * 1024;

/// A model behind an address, as the settings name it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelEndpoint {
    /// The address: `http` or `https`, without a slash at its end.
    address: String,
    name: String,
    key: Option<KeySource>,
    time_out: Duration,
}

/// The reason why a model gave no answer. The message names the model, the question and the response, never
/// the key.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ModelError {
    /// The key is not where the settings say.
    #[error("the key for the model `{name}` cannot be read: {why}")]
    NoKey {
        /// Name of the model in the settings.
        name: String,
        /// The configured place of the key, and the reason why it is not there.
        why: String,
    },
    /// The server gave no HTTP response.
    #[error("the model `{name}` at {address} cannot be reached: {why}")]
    Unreachable {
        /// Name of the model in the settings.
        name: String,
        /// The address of the model.
        address: String,
        /// The error message of the system or of the server.
        why: String,
    },
    /// The answer took longer than the settings allow.
    #[error("the model `{name}` at {address} has not answered within {ms} ms (`timeout_ms` in [model])")]
    TooSlow {
        /// Name of the model in the settings.
        name: String,
        /// The address of the model.
        address: String,
        /// The time-out in milliseconds.
        ms: u128,
    },
    /// The server refused or redirected the question.
    #[error("the model `{name}` at {address} answered {status}: {said}")]
    Refused {
        /// Name of the model in the settings.
        name: String,
        /// The address of the model.
        address: String,
        /// HTTP's status code of the refusal.
        status: u16,
        /// The first words of the refusal.
        said: String,
    },
    /// A successful response that is no model's answer.
    #[error("the model `{name}` at {address} answered with {what}: {said}")]
    Unusable {
        /// Name of the model in the settings.
        name: String,
        /// The address of the model.
        address: String,
        /// The fault of the answer, as a phrase.
        what: &'static str,
        /// The first words of the answer.
        said: String,
    },
    /// The caller no longer waits for the answer.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl ModelEndpoint {
    /// Creates an endpoint for the model `name` at `address`, the part before `/chat/completions`.
    ///
    /// # Errors
    /// The fault of the address, as the end of a sentence that begins with its key.
    pub fn new(address: &str, name: &str) -> Result<Self, &'static str> {
        let address = checked_address(address)?;
        Ok(Self { address, name: name.to_owned(), key: None, time_out: Self::TIME_OUT })
    }

    /// Longest time for an answer, if the settings have no `timeout_ms`.
    const TIME_OUT: Duration = Duration::from_secs(10);

    /// Returns the endpoint with `key`, which it reads at each question.
    pub fn with_key(self, key: Option<KeySource>) -> Self {
        Self { key, ..self }
    }

    /// Returns the endpoint with `time_out` for each answer.
    pub fn with_time_out(self, time_out: Duration) -> Self {
        Self { time_out, ..self }
    }

    /// Returns the model's name, as the settings have it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the model's address, as the settings have it.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Asks the model for its answer to `prompt`, with the system prompt `system`, in at most `max_tokens` of
    /// its tokens, at temperature 0. Blocks until the model has answered, the time-out has passed or `cancel`
    /// is cancelled.
    ///
    /// # Errors
    /// A [`ModelError`] in every case without a text.
    pub fn ask(
        &self,
        system: &str,
        prompt: &str,
        max_tokens: u32,
        cancel: &CancelToken,
    ) -> Result<String, ModelError> {
        cancel.check()?;
        let key = self.key.as_ref().map(KeySource::read_key).transpose();
        let key = key.map_err(|why| ModelError::NoKey { name: self.name.clone(), why })?;
        let roles = [("system", system), ("user", prompt)];
        let messages: Vec<_> =
            roles.iter().map(|(role, content)| json!({"role": role, "content": content})).collect();
        let body = json!({"model": self.name, "messages": messages, "max_tokens": max_tokens,
            "temperature": 0, "stream": false});
        let request = JsonRequest {
            uri: format!("{}/chat/completions", self.address),
            body: body.to_string(),
            key: key.clone(),
            time_out: self.time_out,
            largest: LARGEST_ANSWER,
        };
        let answer = post_json(request, cancel).map_err(|error| self.http_error(error))?;
        self.text_of(&answer, key.as_deref())
    }

    fn text_of(&self, came: &HttpAnswer, key: Option<&str>) -> Result<String, ModelError> {
        let said = shown_beginning(&came.body, key);
        if let Some(elsewhere) = &came.elsewhere {
            let said = format!("it is elsewhere, {}", shown_beginning(elsewhere.as_bytes(), key));
            return Err(self.refused_error(came.status, said));
        }
        if !(200..300).contains(&came.status) {
            return Err(self.refused_error(came.status, said));
        }
        let unusable = |what| self.unusable_error(what, said.clone());
        if came.is_cut {
            return Err(unusable("more than 64 KiB"));
        }
        let answer: Value =
            serde_json::from_slice(&came.body).map_err(|_| unusable("something that is no JSON"))?;
        let text = answer.pointer("/choices/0/message/content").and_then(Value::as_str);
        let text = text.ok_or_else(|| unusable("JSON that has no message of a model"))?.trim();
        if text.is_empty() { Err(unusable("no words")) } else { Ok(text.to_owned()) }
    }

    fn http_error(&self, error: HttpError) -> ModelError {
        let (name, address) = (self.name.clone(), self.address.clone());
        match error {
            HttpError::Unreachable(why) => ModelError::Unreachable { name, address, why },
            HttpError::TooSlow => ModelError::TooSlow { name, address, ms: self.time_out.as_millis() },
            HttpError::Stopped(stopped) => ModelError::Stopped(stopped),
        }
    }

    fn refused_error(&self, status: u16, said: String) -> ModelError {
        ModelError::Refused { name: self.name.clone(), address: self.address.clone(), status, said }
    }

    fn unusable_error(&self, what: &'static str, said: String) -> ModelError {
        ModelError::Unusable { name: self.name.clone(), address: self.address.clone(), what, said }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::sync::mpsc;
    use std::thread::JoinHandle;

    use super::*;

    const KEY: &str = "sk-verysecret";
    const LONG: Duration = Duration::from_secs(600);

    /// Starts a server for one request; returns the request, once the server has answered as the test says.
    fn serve_one_request(
        answer: impl FnOnce(TcpStream) + Send + 'static,
    ) -> (ModelEndpoint, JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}/v1/", listener.local_addr().expect("bound"));
        let serving = std::thread::spawn(move || {
            let (stream, _) = listener.accept().expect("a connection");
            let request = request(&stream);
            answer(stream);
            request
        });
        (ModelEndpoint::new(&address, "tiny").expect("an address").with_time_out(LONG), serving)
    }

    /// Reads a request's head and body.
    fn request(stream: &TcpStream) -> String {
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(reader.read_line(&mut head).expect("a line"), 0, "{head}");
        }
        let head = head.to_ascii_lowercase();
        let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
        let mut body = vec![0; length.expect("a length").trim().parse().expect("a number")];
        reader.read_exact(&mut body).expect("the body");
        head + &String::from_utf8(body).expect("UTF-8")
    }

    fn http_response(status: &str, headers: &str, body: &str) -> impl FnOnce(TcpStream) + Send + use<> {
        let length = body.len();
        let text = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{headers}\r\n{body}");
        move |mut stream| stream.write_all(text.as_bytes()).expect("it reads")
    }

    fn ask_number(model: &ModelEndpoint) -> Result<String, ModelError> {
        model.ask("A number.", "1 or 2?", 16, &CancelToken::default())
    }

    /// Returns the outcome for a client to whom the server answers with this status and body.
    fn answer_to(status: &str, body: &str) -> Result<String, ModelError> {
        let (model, serving) = serve_one_request(http_response(status, "", body));
        let answer = ask_number(&model);
        serving.join().expect("it served");
        answer
    }

    fn error_text(answer: Result<String, ModelError>) -> String {
        answer.expect_err("no answer").to_string()
    }

    /// Creates a file with the key in it.
    fn key_file() -> (tempfile::TempDir, Option<KeySource>) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        std::fs::write(&path, format!("{KEY}\n")).expect("it can be written");
        (folder, Some(KeySource::File(path)))
    }

    #[test]
    fn one_question_by_the_usual_protocol_and_the_words_of_the_answer() {
        let body = r#"{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":" 2\n"}}]}"#;
        let (model, serving) = serve_one_request(http_response("200 OK", "", body));
        assert_eq!(ask_number(&model), Ok("2".to_owned()));
        let sent = serving.join().expect("it served");
        let (head, body) = sent.split_once("\r\n\r\n").expect("both");
        assert!(head.starts_with("post /v1/chat/completions http/1.1\r\n"), "{head}");
        assert!(!head.contains("authorization"), "{head}");
        assert!(head.contains("content-type: application/json"), "{head}");
        let body: Value = serde_json::from_str(body).expect("JSON");
        let messages =
            json!([{"role": "system", "content": "A number."}, {"role": "user", "content": "1 or 2?"}]);
        assert_eq!(
            body,
            json!({"model": "tiny", "messages": messages, "max_tokens": 16, "temperature": 0, "stream": false})
        );
    }

    #[test]
    fn the_key_goes_to_the_model_and_into_no_error() {
        let (_folder, key) = key_file();
        let refusal = format!("{{\"error\": \"wrong key\n {KEY}\"}}");
        let (model, serving) = serve_one_request(http_response("401 Unauthorized", "", &refusal));
        let model = model.with_key(key);
        let why = error_text(ask_number(&model));
        let sent = serving.join().expect("it served");
        assert!(sent.contains(&format!("authorization: bearer {KEY}\r\n")), "{sent}");
        assert!(why.contains("`tiny` at http://127.0.0.1") && why.contains("answered 401"), "{why}");
        assert!(why.contains("wrong key (the key)") && !why.contains(KEY), "{why}");
        assert!(!format!("{model:?}").contains(KEY));
    }

    #[test]
    fn a_key_that_is_not_there_is_told_and_nobody_is_asked() {
        let (folder, _) = key_file();
        let empty = folder.path().join("empty");
        std::fs::write(&empty, " \n").expect("it can be written");
        let model = ModelEndpoint::new("http://127.0.0.1:1", "tiny").expect("an address");
        for (key, part) in [
            (KeySource::Variable("HOB_NO_SUCH_VARIABLE".to_owned()), "no variable `HOB_NO_SUCH_VARIABLE`"),
            (KeySource::File(folder.path().join("none")), "cannot be read"),
            (KeySource::File(folder.path().to_path_buf()), "is no file"),
            (KeySource::File(empty), "holds no key"),
        ] {
            let answer = ask_number(&model.clone().with_key(Some(key)));
            assert!(matches!(answer, Err(ModelError::NoKey { .. })), "{answer:?}");
            assert!(error_text(answer.clone()).contains(part), "{answer:?}");
        }
    }

    #[test]
    fn what_is_no_answer_says_what_came() {
        for (status, body, part) in [
            ("404 Not Found", "model 'tiny' not found", "answered 404: model 'tiny' not found"),
            ("500 Oh", "", "answered 500: (nothing)"),
            ("200 OK", "<html> <p>\n Hello", "something that is no JSON: <html> <p> Hello"),
            ("200 OK", "[]", "no message of a model: []"),
            ("200 OK", r#"{"choices":[]}"#, "no message of a model"),
            ("200 OK", r#"{"choices":[{"message":{"content":null}}]}"#, "no message of a model"),
            ("200 OK", r#"{"choices":[{"message":{"content":" "}}]}"#, "no words"),
            ("200 OK", "\u{0}\u{7}\u{1b}[31mred", "no JSON: [31mred"),
        ] {
            let why = error_text(answer_to(status, body));
            assert!(why.contains(part), "{why}");
        }
        assert!(error_text(answer_to("400 Bad", &"long ".repeat(1000))).len() < 400);
        let (model, serving) =
            serve_one_request(|mut stream| stream.write_all(b"hello\r\n\r\n").expect("it reads"));
        let answer = ask_number(&model);
        assert!(matches!(answer, Err(ModelError::Unreachable { .. })), "{answer:?}");
        serving.join().expect("it served");
    }

    #[test]
    fn an_answer_without_end_is_cut_off() {
        let (model, serving) = serve_one_request(|mut stream| {
            let start = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"choices\": \"";
            stream.write_all(start.as_bytes()).expect("it reads");
            while stream.write_all(&[b'x'; 4096]).is_ok() {}
        });
        assert!(error_text(ask_number(&model)).contains("more than 64 KiB"));
        serving.join().expect("the connection was ended");
    }

    #[test]
    fn a_model_that_does_not_answer_is_given_up() {
        for start in ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"] {
            let (done, wait) = mpsc::channel::<()>();
            let (model, serving) = serve_one_request(move |mut stream| {
                stream.write_all(start.as_bytes()).expect("it reads");
                let _ = wait.recv();
            });
            let answer = ask_number(&model.with_time_out(Duration::from_secs(1)));
            assert!(matches!(answer, Err(ModelError::TooSlow { ms: 1000, .. })), "{answer:?}");
            // On a slow machine the server may never have been asked.
            drop((done, serving));
        }
    }

    #[test]
    fn a_call_that_nobody_wants_any_more_does_not_wait() {
        let cancel = CancelToken::default();
        let (done, wait) = mpsc::channel::<()>();
        let (model, serving) = serve_one_request({
            let cancel = cancel.clone();
            move |stream| {
                cancel.cancel();
                let _ = wait.recv();
                drop(stream);
            }
        });
        let answer = model.ask("", "", 1, &cancel);
        assert_eq!(answer, Err(ModelError::Stopped(Stopped::Cancelled)));
        drop(done);
        serving.join().expect("it was asked");
        let nobody = ModelEndpoint::new("http://127.0.0.1:1", "tiny").expect("an address");
        assert_eq!(nobody.ask("", "", 1, &cancel), Err(ModelError::Stopped(Stopped::Cancelled)));
    }

    #[test]
    fn nothing_goes_where_the_user_did_not_say() {
        let elsewhere = TcpListener::bind("127.0.0.1:0").expect("a port");
        elsewhere.set_nonblocking(true).expect("it can");
        let to = format!("http://{}/v1/chat/completions", elsewhere.local_addr().expect("bound"));
        for status in ["302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
            let (model, serving) =
                serve_one_request(http_response(status, &format!("Location: {to}\r\n"), ""));
            let why = error_text(ask_number(&model));
            assert!(why.contains(&format!("answered {}: it is elsewhere, {to}", &status[..3])), "{why}");
            serving.join().expect("it served");
            assert!(elsewhere.accept().is_err(), "{status} was followed");
        }
    }

    #[test]
    fn nobody_there_and_no_tls_are_errors() {
        let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("bound");
        let nobody = ModelEndpoint::new(&format!("http://{free}"), "tiny").expect("an address");
        let why = error_text(ask_number(&nobody.with_time_out(LONG)));
        assert!(why.contains(&format!("`tiny` at http://{free} cannot be reached")), "{why}");

        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("https://{}/v1", listener.local_addr().expect("bound"));
        let serving = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a connection");
            let _ = stream.write_all(b"HTTP/1.1 400 This is no TLS\r\n\r\n");
        });
        let model = ModelEndpoint::new(&address, "tiny").expect("an address").with_time_out(LONG);
        let answer = ask_number(&model);
        assert!(matches!(answer, Err(ModelError::Unreachable { .. })), "{answer:?}");
        serving.join().expect("it was asked");
    }

    #[test]
    fn an_address_is_a_machine_and_a_path() {
        for good in ["http://127.0.0.1:11434/v1", "https://models.example/v1/", "http://[::1]:80"] {
            assert!(ModelEndpoint::new(good, "m").is_ok(), "{good}");
        }
        let bad = [
            "",
            "/v1",
            "127.0.0.1:80",
            "ftp://x/v1",
            "http://",
            "http:///v1",
            "http://me:pw@x/v1",
            "https://x/v1?key=1",
            "https://x/v1#a",
            "http://a b",
        ];
        for bad in bad {
            assert!(ModelEndpoint::new(bad, "m").is_err(), "{bad}");
        }
    }
}
