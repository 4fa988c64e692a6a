//! Asks the server that the user's own settings name one question, and returns its answer.

use std::time::{Duration, Instant};

use hob_base::{CancelToken, Stopped};
use hob_model::KeySource;
use hob_model::http::{HttpAnswer, HttpError, JsonRequest, checked_address, post_json, shown_beginning};
use serde_json::{Value, json};

use crate::wire::{self, RepositoryList, SearchAnswer};

/// Size of the largest answer that hob reads, in bytes.
const LARGEST_ANSWER: usize = 32 << 20;
/// Most matching lines that the server looks for in each of its shards, and in all of them.
const MOST_MATCHES: (u64, u64) = (100_000, 1_000_000);
/// The share of the time-out that the server may use: within it, the server can still report partial results.
const SHARE_OF_SERVER: (u32, u32) = (3, 4);

/// A Zoekt web server behind an address, as the settings name it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OrgEndpoint {
    /// `http` or `https`, without a slash at its end.
    address: String,
    token: Option<KeySource>,
    time_out: Duration,
}

/// A search, in the server's own notation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchRequest {
    /// The question in Zoekt's query language.
    pub query: String,
    /// Most files that are sent.
    pub most_files: usize,
    /// Most lines that are sent, of all files together.
    pub most_lines: usize,
    /// Lines of context around each matching line.
    pub context_lines: usize,
    /// Longest time for the server's search, if that is less than the settings allow.
    pub patience: Option<Duration>,
    /// True if the server ranks files by how rare their words are.
    pub by_words: bool,
}

/// The reason why the server gave no answer. The message names the server and its response, never the token.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OrgError {
    /// The token is not where the settings say.
    #[error("the token for the code search at {address} cannot be read: {why}")]
    NoToken {
        /// The server.
        address: String,
        /// The configured place of the token, and the reason why it is not there.
        why: String,
    },
    /// The server gave no HTTP response.
    #[error("the code search at {address} cannot be reached: {why}")]
    Unreachable {
        /// The server.
        address: String,
        /// The error message of the system or of the server.
        why: String,
    },
    /// The answer took longer than the settings allow.
    #[error("the code search at {address} has not answered within {ms} ms")]
    TooSlow {
        /// The server.
        address: String,
        /// The time-out in milliseconds.
        ms: u128,
    },
    /// The server denies this user access.
    #[error("the code search at {address} refuses: it answered {status}: {said}")]
    Refused {
        /// The server.
        address: String,
        /// HTTP's status code, 401 or 403.
        status: u16,
        /// The first words of the refusal.
        said: String,
    },
    /// A server responds at the address, but not with Zoekt's JSON interface.
    #[error("{address} has no JSON interface of Zoekt: it answered {status} with {said}")]
    NoInterface {
        /// The server.
        address: String,
        /// HTTP's status code.
        status: u16,
        /// The first words of the answer.
        said: String,
    },
    /// The server redirects the question to another address.
    #[error("the code search at {address} is elsewhere: it answered {status}, to {to}")]
    Elsewhere {
        /// The server.
        address: String,
        /// HTTP's status code of the redirect.
        status: u16,
        /// The address of the redirect.
        to: String,
    },
    /// The server rejects the question, or failed to answer it.
    #[error("the code search at {address} answered {status}: {said}")]
    Failed {
        /// The server.
        address: String,
        /// HTTP's status code.
        status: u16,
        /// Zoekt's own message, or the first words of the response.
        said: String,
    },
    /// The answer is larger than hob reads.
    #[error("the answer of the code search at {address} is larger than {} MiB", LARGEST_ANSWER >> 20)]
    TooLarge {
        /// The server.
        address: String,
    },
    /// The list of all repositories is larger than hob reads, however short the question.
    #[error("the list of repositories of the code search at {address} is larger than {} MiB", LARGEST_ANSWER >> 20)]
    LongList {
        /// The server.
        address: String,
    },
    /// The caller no longer waits for the answer.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl OrgEndpoint {
    /// Longest time for an answer, if the settings have no `timeout_ms`.
    const TIME_OUT: Duration = Duration::from_secs(10);

    /// Creates an endpoint for the server at `address`, the part before `/api/search`.
    ///
    /// # Errors
    /// The fault of the address, as the end of a sentence that begins with its key.
    pub fn new(address: &str) -> Result<Self, &'static str> {
        Ok(Self { address: checked_address(address)?, token: None, time_out: Self::TIME_OUT })
    }

    /// Returns the endpoint with `token`, which it reads at each question.
    #[must_use]
    pub fn with_token(self, token: Option<KeySource>) -> Self {
        Self { token, ..self }
    }

    /// Returns the longest time for the whole of a question.
    #[must_use]
    pub fn time_out(&self) -> Duration {
        self.time_out
    }

    /// Returns the endpoint with `time_out` for each question.
    #[must_use]
    pub fn with_time_out(self, time_out: Duration) -> Self {
        Self { time_out, ..self }
    }

    /// Returns the server's address, as the settings have it.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Searches. If the answer is too large, asks again for a part of it.
    ///
    /// # Errors
    /// [`OrgError`].
    pub fn search(&self, request: &SearchRequest, cancel: &CancelToken) -> Result<SearchAnswer, OrgError> {
        let begun = Instant::now();
        let answer = match self.ask("search", &self.search_body(request), cancel) {
            Err(OrgError::TooLarge { .. }) => {
                let less = SearchRequest {
                    most_files: request.most_files.div_ceil(20),
                    most_lines: request.most_lines.div_ceil(50),
                    ..request.clone()
                };
                let rest = self.clone().with_time_out(self.time_out.saturating_sub(begun.elapsed()));
                rest.ask("search", &rest.search_body(&less), cancel)?
            }
            other => other?,
        };
        wire::read_search(&answer.body).ok_or_else(|| self.no_interface(&answer))
    }

    /// Lists all repositories that the server has indexed.
    ///
    /// # Errors
    /// [`OrgError`].
    pub fn list_repositories(&self, cancel: &CancelToken) -> Result<RepositoryList, OrgError> {
        let answer = self.ask("list", &json!({"Q": ""}), cancel).map_err(|error| match error {
            OrgError::TooLarge { address } => OrgError::LongList { address },
            other => other,
        })?;
        wire::read_list(&answer.body).ok_or_else(|| self.no_interface(&answer))
    }

    fn search_body(&self, request: &SearchRequest) -> Value {
        let (share, of) = SHARE_OF_SERVER;
        let most = self.time_out * share / of;
        let wall = request.patience.map_or(most, |patience| patience.min(most));
        let (in_shard, in_all) = MOST_MATCHES;
        json!({"Q": request.query, "Opts": {
            "ShardMaxMatchCount": in_shard,
            "TotalMaxMatchCount": in_all,
            "MaxWallTime": u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX),
            "MaxDocDisplayCount": request.most_files,
            "MaxMatchDisplayCount": request.most_lines,
            "NumContextLines": request.context_lines,
            "UseBM25Scoring": request.by_words,
        }})
    }

    /// Asks one question, and returns a response with a successful status.
    fn ask(&self, what: &str, body: &Value, cancel: &CancelToken) -> Result<HttpAnswer, OrgError> {
        let token = self.token.as_ref().map(KeySource::read_key).transpose();
        let token = token.map_err(|why| OrgError::NoToken { address: self.address.clone(), why })?;
        let request = JsonRequest {
            uri: format!("{}/api/{what}", self.address),
            body: body.to_string(),
            key: token.clone(),
            time_out: self.time_out,
            largest: LARGEST_ANSWER,
        };
        let answer = post_json(request, cancel).map_err(|error| self.http_error(error))?;
        match self.fault_of(&answer, token.as_deref()) {
            Some(fault) => Err(fault),
            None => Ok(answer),
        }
    }

    /// Returns the error of a response, by its status.
    fn fault_of(&self, answer: &HttpAnswer, token: Option<&str>) -> Option<OrgError> {
        let (address, status) = (self.address.clone(), answer.status);
        if let Some(to) = &answer.elsewhere {
            return Some(OrgError::Elsewhere { address, status, to: shown_beginning(to.as_bytes(), token) });
        }
        let own_words = wire::read_error(&answer.body);
        let said = || {
            let words = own_words.as_ref().map_or(answer.body.as_slice(), |words| words.as_bytes());
            shown_beginning(words, token)
        };
        match status {
            200..300 if answer.is_cut => Some(OrgError::TooLarge { address }),
            200..300 => None,
            401 | 403 => Some(OrgError::Refused { address, status, said: said() }),
            404 | 405 => Some(OrgError::NoInterface { address, status, said: said() }),
            _ => Some(OrgError::Failed { address, status, said: said() }),
        }
    }

    /// Returns the error for a successful response that is not Zoekt's. Its words are those of a web page, so
    /// they are not searched for the token.
    fn no_interface(&self, answer: &HttpAnswer) -> OrgError {
        let token = self.token.as_ref().and_then(|token| token.read_key().ok());
        let said = shown_beginning(&answer.body, token.as_deref());
        OrgError::NoInterface { address: self.address.clone(), status: answer.status, said }
    }

    fn http_error(&self, error: HttpError) -> OrgError {
        let address = self.address.clone();
        match error {
            HttpError::Unreachable(why) => OrgError::Unreachable { address, why },
            HttpError::TooSlow => OrgError::TooSlow { address, ms: self.time_out.as_millis() },
            HttpError::Stopped(stopped) => OrgError::Stopped(stopped),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::thread::JoinHandle;

    use super::*;

    const TOKEN: &str = "zt-verysecret";

    /// Starts a server for one request, which answers `status`, `headers` and `body`, and returns the
    /// request.
    fn serve_once(status: &str, headers: &str, body: &str) -> (OrgEndpoint, JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}/zoekt/", listener.local_addr().expect("bound"));
        let length = body.len();
        let text = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{headers}\r\n{body}");
        let serving = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a connection");
            let request = read_request(&stream);
            stream.write_all(text.as_bytes()).expect("it reads");
            request
        });
        let endpoint = OrgEndpoint::new(&address).expect("an address");
        (endpoint.with_time_out(Duration::from_secs(600)), serving)
    }

    fn read_request(stream: &TcpStream) -> String {
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(reader.read_line(&mut head).expect("a line"), 0, "{head}");
        }
        let lower = head.to_ascii_lowercase();
        let length = lower.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
        let mut body = vec![0; length.expect("a length").trim().parse().expect("a number")];
        reader.read_exact(&mut body).expect("the body");
        lower + &String::from_utf8(body).expect("UTF-8")
    }

    fn search_for(query: &str) -> SearchRequest {
        SearchRequest {
            query: query.to_owned(),
            most_files: 5,
            most_lines: 50,
            context_lines: 1,
            patience: Some(Duration::from_secs(2)),
            by_words: false,
        }
    }

    fn error_of(status: &str, headers: &str, body: &str) -> String {
        let (endpoint, serving) = serve_once(status, headers, body);
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("token");
        std::fs::write(&file, TOKEN).expect("it can be written");
        let endpoint = endpoint.with_token(Some(KeySource::File(file)));
        let error = endpoint.search(&search_for("x"), &CancelToken::default()).expect_err("no answer");
        let sent = serving.join().expect("it served");
        assert!(sent.contains(&format!("authorization: bearer {TOKEN}\r\n")), "{sent}");
        let said = format!("{error} {error:?} {endpoint:?}");
        assert!(!said.contains(TOKEN), "{said}");
        error.to_string()
    }

    #[test]
    fn a_question_has_bounds_and_its_answer_is_read() {
        let body = r#"{"Result":{"FileCount":0,"MatchCount":0,"Files":null}}"#;
        let (endpoint, serving) = serve_once("200 OK", "", body);
        let answer = endpoint.search(&search_for("content:\"x\""), &CancelToken::default());
        assert_eq!(answer, Ok(SearchAnswer { looked_at_all: true, ..SearchAnswer::default() }));
        let sent = serving.join().expect("it served");
        assert!(sent.starts_with("post /zoekt/api/search http/1.1\r\n"), "{sent}");
        let (_, body) = sent.split_once("\r\n\r\n").expect("a body");
        let body: Value = serde_json::from_str(body).expect("JSON");
        assert_eq!(body["Q"], "content:\"x\"");
        assert_eq!(body["Opts"]["MaxWallTime"], 2_000_000_000_u64);
        assert_eq!(body["Opts"]["MaxDocDisplayCount"], 5);
    }

    #[test]
    fn every_way_to_get_no_answer_has_its_words() {
        for (status, headers, body, part) in [
            ("401 Unauthorized", "", TOKEN, "refuses: it answered 401: (the key)"),
            ("403 Forbidden", "", "no", "refuses: it answered 403: no"),
            ("404 Not Found", "", "404 page not found", "has no JSON interface of Zoekt: it answered 404"),
            ("200 OK", "", "<html>zoekt", "no JSON interface of Zoekt: it answered 200 with <html>zoekt"),
            ("200 OK", "", "{\"Result\":{}}", "no JSON interface of Zoekt"),
            ("400 Bad Request", "", "{\"Error\":\"missing )\"}", "answered 400: missing )"),
            ("502 Bad Gateway", "", "", "answered 502: (nothing)"),
            (
                "302 Found",
                "Location: https://login.example/\r\n",
                "",
                "is elsewhere: it answered 302, to https://login.example/",
            ),
        ] {
            let said = error_of(status, headers, body);
            assert!(said.contains(part), "{status}: {said}");
        }
    }

    #[test]
    fn nobody_there_and_nobody_waiting() {
        let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("bound");
        let nobody = OrgEndpoint::new(&format!("http://{free}")).expect("an address");
        let error = nobody.list_repositories(&CancelToken::default()).expect_err("nobody");
        assert!(matches!(error, OrgError::Unreachable { .. }), "{error}");
        let cancel = CancelToken::default();
        cancel.cancel();
        assert_eq!(nobody.list_repositories(&cancel), Err(OrgError::Stopped(Stopped::Cancelled)));
    }

    #[test]
    fn a_server_that_says_nothing_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("bound"));
        let silent = OrgEndpoint::new(&address).expect("an address").with_time_out(Duration::from_millis(50));
        let error = silent.list_repositories(&CancelToken::default());
        assert_eq!(error, Err(OrgError::TooSlow { address, ms: 50 }));
    }
}
