//! The language model that the user configured: one question to it, and its words.
//!
//! It is asked by the one protocol that every server of models speaks, OpenAI's `chat/completions`, because a user has one of many
//! of them. It is the only place in hob that opens a connection to another machine, and it does so only to the address that stands
//! in the user's own settings: no redirect is followed, and no proxy is taken from an environment that was that of whichever
//! client happened to start the daemon. What came back is a text that somebody made up; what it is worth is for the asker to say.

use std::fmt;
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use hob_base::{CancelToken, Stopped};
use serde_json::{Value, json};
use ureq::http::{HeaderValue, Response, Uri, header};
use ureq::{Agent, Body};

/// An answer is not longer; what is asked for is a few words.
const LARGEST_ANSWER: u64 = 64 * 1024;
/// A key is not longer.
const LARGEST_KEY: u64 = 16 * 1024;
/// Most characters that are shown of an answer that is not a model's.
const SHOWN: usize = 160;
/// Interval at which a waiting call checks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(20);

/// The fault of an `https` address in a build that has no TLS, as the end of a sentence that begins with its key.
const NO_HTTPS: &str = "must begin with http://, because this hob was built without TLS; packages have it, and so has \
    `cargo build --release --features full`";

/// A model behind an address, as the settings name it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelEndpoint {
    /// `http` or `https`, without a slash at its end.
    address: String,
    name: String,
    key: Option<KeySource>,
    time_out: Duration,
}

/// Where the key lies. It is read when it is needed, so that it is kept nowhere and can be changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KeySource {
    /// A variable in the daemon's environment.
    Variable(String),
    /// A file with the key, by its absolute path.
    File(PathBuf),
}

/// Why a model gave no answer. Says of whom what was asked and what came, never the key.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ModelError {
    /// The key is not where the settings say.
    #[error("the key for the model `{name}` cannot be had: {why}")]
    NoKey {
        /// Name of the model in the settings.
        name: String,
        /// The place where the key was looked for, and the reason why it is not there.
        why: String,
    },
    /// No answer of HTTP.
    #[error("the model `{name}` at {address} cannot be reached: {why}")]
    Unreachable {
        /// Name of the model in the settings.
        name: String,
        /// Where it was asked.
        address: String,
        /// The system's or the other side's words.
        why: String,
    },
    /// It took longer than the settings allow.
    #[error("the model `{name}` at {address} has not answered within {ms} ms (`timeout_ms` in [model])")]
    TooSlow {
        /// Name of the model in the settings.
        name: String,
        /// Where it was asked.
        address: String,
        /// The time-out in milliseconds.
        ms: u128,
    },
    /// An answer, but a refusal or a redirect.
    #[error("the model `{name}` at {address} answered {status}: {said}")]
    Refused {
        /// Name of the model in the settings.
        name: String,
        /// Where it was asked.
        address: String,
        /// HTTP's status code of the refusal.
        status: u16,
        /// The first words of the refusal.
        said: String,
    },
    /// A good status, but not a model's answer.
    #[error("the model `{name}` at {address} answered with {what}: {said}")]
    Unusable {
        /// Name of the model in the settings.
        name: String,
        /// Where it was asked.
        address: String,
        /// The fault of the answer, as a phrase.
        what: &'static str,
        /// The first words of the answer.
        said: String,
    },
    /// Nobody waits for the answer any more.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// A request to the model: made in the caller's thread, so that its faults are known at once.
struct Sending {
    agent: Agent,
    uri: String,
    key: Option<String>,
    body: String,
}

/// A response of the model's server: its status, the address to which it redirects, and the text.
struct Came {
    status: u16,
    elsewhere: Option<String>,
    text: Vec<u8>,
}

impl ModelEndpoint {
    /// The model `name` at `address`, the part before `/chat/completions`.
    ///
    /// # Errors
    /// What is wrong with the address, as the end of a sentence that begins with its key.
    pub fn new(address: &str, name: &str) -> Result<Self, &'static str> {
        let uri: Uri =
            address.parse().map_err(|_| "must be an address, such as \"http://127.0.0.1:11434/v1\"")?;
        let has_scheme = matches!(uri.scheme_str(), Some("http" | "https"));
        let authority = uri.authority().filter(|authority| has_scheme && !authority.host().is_empty());
        let authority = authority.ok_or("must begin with http:// or https:// and name a machine")?;
        if uri.scheme_str() == Some("https") && !cfg!(feature = "https") {
            return Err(NO_HTTPS);
        }
        if authority.as_str().contains('@') {
            return Err("must not hold a name or a password; `key_env` or `key_file` says where a key is");
        }
        if uri.query().is_some() || address.contains('#') {
            return Err("must end with its path, such as /v1");
        }
        let address = address.trim_end_matches('/').to_owned();
        Ok(Self { address, name: name.to_owned(), key: None, time_out: Self::TIME_OUT })
    }

    /// Longest time for an answer if the settings do not say another.
    const TIME_OUT: Duration = Duration::from_secs(10);

    /// The same endpoint, asked with `key`, which is read at each question.
    pub fn with_key(self, key: Option<KeySource>) -> Self {
        Self { key, ..self }
    }

    /// The same endpoint, given `time_out` for each answer.
    pub fn with_time_out(self, time_out: Duration) -> Self {
        Self { time_out, ..self }
    }

    /// The model's name, as the settings have it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it is asked, as the settings have it.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Asks the model for its answer to `prompt` when its task is `system`, in at most `max_tokens` of its tokens, as
    /// literally as it can (temperature 0). Blocks until the model has answered, the time is over or `cancel` says
    /// so.
    ///
    /// # Errors
    /// Every way in which there is no text; see [`ModelError`].
    pub fn ask(
        &self,
        system: &str,
        prompt: &str,
        max_tokens: u32,
        cancel: &CancelToken,
    ) -> Result<String, ModelError> {
        cancel.check()?;
        let key = self.key.as_ref().map(KeySource::read).transpose();
        let key = key.map_err(|why| ModelError::NoKey { name: self.name.clone(), why })?;
        let roles = [("system", system), ("user", prompt)];
        let messages: Vec<_> =
            roles.iter().map(|(role, content)| json!({"role": role, "content": content})).collect();
        let body = json!({"model": self.name, "messages": messages, "max_tokens": max_tokens,
            "temperature": 0, "stream": false});
        let uri = format!("{}/chat/completions", self.address);
        let sending =
            Sending { agent: http_agent(self.time_out), uri, key: key.clone(), body: body.to_string() };
        let came = self.wait(sending, cancel)?;
        self.text_of(&came, key.as_deref())
    }

    /// The request runs on a thread of its own, because a read from a socket cannot be woken. A thread that nobody waits for
    /// any more ends with the time-out.
    fn wait(&self, sending: Sending, cancel: &CancelToken) -> Result<Came, ModelError> {
        let (tell, told) = mpsc::sync_channel(1);
        let give_up = Instant::now().checked_add(self.time_out);
        let asking = move || drop(tell.send(send(&sending)));
        let started = std::thread::Builder::new().name("model".to_owned()).spawn(asking);
        started.map_err(|error| self.unreachable_error(&error))?;
        loop {
            match told.recv_timeout(LOOK) {
                Ok(Ok(came)) => return Ok(came),
                Ok(Err(ureq::Error::Timeout(_))) => return Err(self.too_slow()),
                Ok(Err(error)) => return Err(self.unreachable_error(&error)),
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    return Err(self.unreachable_error(&"the request could not be made"));
                }
                Err(mpsc::RecvTimeoutError::Timeout) => cancel.check()?,
            }
            // Not everything that a library waits for is under its own time-out, the system's name service above all.
            if give_up.is_some_and(|at| Instant::now() > at + 10 * LOOK) {
                return Err(self.too_slow());
            }
        }
    }

    fn text_of(&self, came: &Came, key: Option<&str>) -> Result<String, ModelError> {
        let said = shown_beginning(&came.text, key);
        if let Some(elsewhere) = &came.elsewhere {
            let said = format!("it is elsewhere, {}", shown_beginning(elsewhere.as_bytes(), key));
            return Err(self.refused_error(came.status, said));
        }
        if !(200..300).contains(&came.status) {
            return Err(self.refused_error(came.status, said));
        }
        let unusable = |what| self.unusable_error(what, said.clone());
        if came.text.len() as u64 > LARGEST_ANSWER {
            return Err(unusable("more than 64 KiB"));
        }
        let answer: Value =
            serde_json::from_slice(&came.text).map_err(|_| unusable("something that is no JSON"))?;
        let text = answer.pointer("/choices/0/message/content").and_then(Value::as_str);
        let text = text.ok_or_else(|| unusable("JSON that has no message of a model"))?.trim();
        if text.is_empty() { Err(unusable("no words")) } else { Ok(text.to_owned()) }
    }

    fn unreachable_error(&self, why: &dyn fmt::Display) -> ModelError {
        ModelError::Unreachable {
            name: self.name.clone(),
            address: self.address.clone(),
            why: why.to_string(),
        }
    }

    fn too_slow(&self) -> ModelError {
        let ms = self.time_out.as_millis();
        ModelError::TooSlow { name: self.name.clone(), address: self.address.clone(), ms }
    }

    fn refused_error(&self, status: u16, said: String) -> ModelError {
        ModelError::Refused { name: self.name.clone(), address: self.address.clone(), status, said }
    }

    fn unusable_error(&self, what: &'static str, said: String) -> ModelError {
        ModelError::Unusable { name: self.name.clone(), address: self.address.clone(), what, said }
    }
}

impl KeySource {
    fn read(&self) -> Result<String, String> {
        let (key, place) = match self {
            Self::Variable(name) => {
                let key = std::env::var(name)
                    .map_err(|_| format!("the daemon's environment has no variable `{name}` with a text"))?;
                (key, format!("the variable `{name}`"))
            }
            Self::File(path) => {
                let place = format!("`{}`", path.display());
                let failed = |error: std::io::Error| format!("{place} cannot be read: {error}");
                let mut key = String::new();
                // Looked at before it is opened: opening a pipe waits for somebody to write to it.
                if !path.metadata().map_err(failed)?.is_file() {
                    return Err(format!("{place} is no file"));
                }
                let file = std::fs::File::open(path).map_err(failed)?;
                file.take(LARGEST_KEY).read_to_string(&mut key).map_err(failed)?;
                (key, place)
            }
        };
        let key = key.trim();
        let is_plain = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
        if is_plain { Ok(key.to_owned()) } else { Err(format!("{place} holds no key")) }
    }
}

/// Trusts whom the system trusts, so that a company's own server can be asked.
#[cfg(feature = "https")]
fn tls_config() -> ureq::tls::TlsConfig {
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    ureq::tls::TlsConfig::builder()
        .root_certs(ureq::tls::RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(provider)
        .build()
}

/// An agent for one question.
fn http_agent(time_out: Duration) -> Agent {
    let config = Agent::config_builder();
    #[cfg(feature = "https")]
    let config = config.tls_config(tls_config());
    config
        .timeout_global(Some(time_out))
        .proxy(None)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(concat!("hob/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

fn send(sending: &Sending) -> Result<Came, ureq::Error> {
    let mut request = sending.agent.post(&sending.uri).header(header::CONTENT_TYPE, "application/json");
    if let Some(key) = &sending.key {
        let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(ureq::http::Error::from)?;
        value.set_sensitive(true);
        request = request.header(header::AUTHORIZATION, value);
    }
    read_response(request.send(&sending.body)?)
}

fn read_response(response: Response<Body>) -> Result<Came, ureq::Error> {
    let status = response.status();
    let elsewhere = response.headers().get(header::LOCATION).filter(|_| status.is_redirection());
    let elsewhere = elsewhere.map(|to| String::from_utf8_lossy(to.as_bytes()).into_owned());
    let mut text = Vec::new();
    let mut body = response.into_body().into_reader().take(LARGEST_ANSWER + 1);
    match body.read_to_end(&mut text) {
        Ok(_) => Ok(Came { status: status.as_u16(), elsewhere, text }),
        // The library wraps its own errors for the sake of `Read`.
        Err(error) => Err(ureq::Error::from(error)),
    }
}

/// The beginning of what came, on one line, and without the key, should the other side repeat it.
fn shown_beginning(text: &[u8], key: Option<&str>) -> String {
    let text = String::from_utf8_lossy(text);
    let text = key.map_or_else(|| text.clone().into_owned(), |key| text.replace(key, "(the key)"));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let words: String = words.chars().filter(|c| !c.is_control()).collect();
    let plain: String = words.chars().take(SHOWN).collect();
    match plain.len() {
        0 => "(nothing)".to_owned(),
        len if len < words.len() => format!("{plain}..."),
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::thread::JoinHandle;

    use super::*;

    const KEY: &str = "sk-verysecret";
    const LONG: Duration = Duration::from_secs(600);

    /// A server for one request: what it was sent, once it has answered as the test says.
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

    /// A file with the key in it.
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
            // On a machine that is slow enough it was never asked.
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
