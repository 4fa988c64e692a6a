//! Sends one request over HTTP to an address in the user's own settings, and reads its answer within bounds.
//!
//! This is the only file in hob that opens a connection to another machine. It follows no redirect, so that a
//! key goes only to the machine that the user named, and takes no proxy from the environment, which is that
//! of whichever client happened to start the daemon. The file does not know the questions:
//! [`crate::ModelEndpoint`] asks a language model, and the crate `hob-org` asks a code search.
//! A request runs on a thread of its own, because a read from a socket cannot be woken. An abandoned thread
//! ends with the time-out.

use std::fmt;
use std::io::Read as _;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use hob_base::{CancelToken, Stopped};
use ureq::http::{HeaderValue, Response, Uri, header};
use ureq::{Agent, Body};

/// Most characters of an unexpected answer that an error shows.
const SHOWN: usize = 160;
/// Interval at which a waiting call checks whether it was cancelled.
const CANCEL_CHECK: Duration = Duration::from_millis(20);

/// The fault of an `https` address in a build that has no TLS, as the end of a sentence that begins with its key.
const NO_HTTPS: &str = "must begin with http://, because this hob was built without TLS; packages have it, and so has \
    `cargo build --release --features full`";

/// A request with a body of JSON.
pub struct JsonRequest {
    /// The address, as [`checked_address`] returned it, with the path of the question.
    pub uri: String,
    /// The body.
    pub body: String,
    /// The key to send as a bearer token; `None` for none.
    pub key: Option<String>,
    /// Longest time for the whole of the question.
    pub time_out: Duration,
    /// Most bytes of the answer to read.
    pub largest: usize,
}

/// An HTTP response, whatever its status.
pub struct HttpAnswer {
    /// The status code.
    pub status: u16,
    /// The address of a redirect, which was not followed.
    pub elsewhere: Option<String>,
    /// The body.
    pub body: Vec<u8>,
    /// True if the answer was longer than `largest`.
    pub is_cut: bool,
}

/// The reason why there is no HTTP response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HttpError {
    /// No connection, or no HTTP server at the other end; in the system's or the library's words, which never
    /// hold the key.
    Unreachable(String),
    /// The time-out has passed.
    TooSlow,
    /// The caller no longer waits for the answer.
    Stopped(Stopped),
}

impl fmt::Debug for JsonRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonRequest").field("uri", &self.uri).finish_non_exhaustive()
    }
}

/// Checks an address of the settings, and returns it without the slashes at its end.
///
/// # Errors
/// The fault of the address, as the end of a sentence that begins with its key.
pub fn checked_address(address: &str) -> Result<String, &'static str> {
    let uri: Uri = address.parse().map_err(|_| "must be an address that begins with http:// or https://")?;
    let has_scheme = matches!(uri.scheme_str(), Some("http" | "https"));
    let authority = uri.authority().filter(|authority| has_scheme && !authority.host().is_empty());
    let authority = authority.ok_or("must begin with http:// or https:// and name a machine")?;
    if uri.scheme_str() == Some("https") && !cfg!(feature = "https") {
        return Err(NO_HTTPS);
    }
    if authority.as_str().contains('@') {
        return Err("must not hold a name or a password; other keys of the section say where a secret is");
    }
    if uri.query().is_some() || address.contains('#') {
        return Err("must end with its path, without `?` and `#`");
    }
    Ok(address.trim_end_matches('/').to_owned())
}

/// Sends a request by POST and waits for its answer.
///
/// # Errors
/// [`HttpError`], if there is no HTTP response; a refusal is a response.
pub fn post_json(request: JsonRequest, cancel: &CancelToken) -> Result<HttpAnswer, HttpError> {
    cancel.check().map_err(HttpError::Stopped)?;
    let (tell, told) = mpsc::sync_channel(1);
    let give_up = Instant::now().checked_add(request.time_out);
    let asking = move || drop(tell.send(send_request(&request)));
    let started = std::thread::Builder::new().name("http".to_owned()).spawn(asking);
    started.map_err(|error| HttpError::Unreachable(error.to_string()))?;
    loop {
        match told.recv_timeout(CANCEL_CHECK) {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(ureq::Error::Timeout(_))) => return Err(HttpError::TooSlow),
            Ok(Err(error)) => return Err(HttpError::Unreachable(error.to_string())),
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                return Err(HttpError::Unreachable("the request could not be made".to_owned()));
            }
            Err(mpsc::RecvTimeoutError::Timeout) => cancel.check().map_err(HttpError::Stopped)?,
        }
        // Some waits of the library are outside its own time-out, the system's name service above all.
        if give_up.is_some_and(|at| Instant::now() > at + 10 * CANCEL_CHECK) {
            return Err(HttpError::TooSlow);
        }
    }
}

/// Returns the beginning of an answer on one line, and without the key, in case the server repeats it.
#[must_use]
pub fn shown_beginning(text: &[u8], key: Option<&str>) -> String {
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

/// Uses the certificates that the system trusts, so that hob can ask a company's own server.
#[cfg(feature = "https")]
fn tls_config() -> ureq::tls::TlsConfig {
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    ureq::tls::TlsConfig::builder()
        .root_certs(ureq::tls::RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(provider)
        .build()
}

/// Creates an HTTP agent for one question.
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

fn send_request(sending: &JsonRequest) -> Result<HttpAnswer, ureq::Error> {
    let agent = http_agent(sending.time_out);
    let mut request = agent.post(&sending.uri).header(header::CONTENT_TYPE, "application/json");
    if let Some(key) = &sending.key {
        let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(ureq::http::Error::from)?;
        value.set_sensitive(true);
        request = request.header(header::AUTHORIZATION, value);
    }
    read_response(request.send(&sending.body)?, sending.largest)
}

fn read_response(response: Response<Body>, largest: usize) -> Result<HttpAnswer, ureq::Error> {
    let status = response.status();
    let elsewhere = response.headers().get(header::LOCATION).filter(|_| status.is_redirection());
    let elsewhere = elsewhere.map(|to| String::from_utf8_lossy(to.as_bytes()).into_owned());
    let mut body = Vec::new();
    let mut reader = response.into_body().into_reader().take(largest as u64 + 1);
    match reader.read_to_end(&mut body) {
        Ok(_) => {
            let is_cut = body.len() > largest;
            body.truncate(largest);
            Ok(HttpAnswer { status: status.as_u16(), elsewhere, body, is_cut })
        }
        // The library wraps its own errors for the sake of `Read`.
        Err(error) => Err(ureq::Error::from(error)),
    }
}
