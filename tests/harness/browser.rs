//! A real browser without a window, for pages that people open.
//!
//! The machine's own Chromium if it has one, else Debian's, unpacked into a folder of the tests; where neither can be had,
//! the tests that need it fail and say so. It is spoken to by its own protocol over two pipes, which needs no driver, no
//! port and no package: a message is a line of JSON that ends in a NUL.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::outside::prepared;
use crate::{FOREVER, debian};

/// Programs that will do, the ones without a window first.
const OWN: [&str; 5] =
    ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The package that is unpacked if no browser is installed.
const PACKAGE: &str = "chromium-headless-shell";
const PACKAGES: debian::Packages = &[(PACKAGE, debian::LIBRARIES)];

/// A page in a browser of its own.
#[derive(Debug)]
pub struct Browser {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    session: Option<String>,
    next: u64,
    /// Every address that the page asked for, and everything that went wrong in it.
    pub events: Vec<Value>,
    log: PathBuf,
    _home: tempfile::TempDir,
}

impl Browser {
    /// Opens a file, as by a double click.
    ///
    /// # Panics
    /// When no browser can be had, or it does not play along.
    #[must_use]
    pub fn open(file: &Path) -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let log = home.path().join("log");
        let (program, libraries) = program();
        let mut command = Command::new("sh");
        // The protocol is spoken on descriptors 3 and 4.
        command.args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 1>&2"]).arg(program);
        command.args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
        ]);
        command.args(["--remote-debugging-pipe", "--window-size=1200,800"]);
        command.arg(format!("--user-data-dir={}", home.path().join("profile").display()));
        command.env("HOME", home.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(File::create(&log).expect("a log can be written"));
        if let Some(libraries) = libraries {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        let mut child = command.spawn().expect("a shell starts");
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("it is piped"));
        let messages = reading(output);
        let mut browser =
            Self { child, input, messages, session: None, next: 0, events: Vec::new(), log, _home: home };
        browser.attach();
        let address = format!("file://{}", file.display());
        let _ = browser.ask("Page.navigate", json!({"url": address}));
        browser
    }

    fn attach(&mut self) {
        let target = self.ask("Target.createTarget", json!({"url": "about:blank"}));
        let session =
            self.ask("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        self.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Runtime", "Log", "Page", "Network"] {
            let _ = self.ask(&format!("{domain}.enable"), json!({}));
        }
    }

    /// One command of the protocol.
    #[track_caller]
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let mut message = json!({"id": self.next, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        let input = self.input.as_mut().expect("open until it is dropped");
        let sent = input.write_all(format!("{message}\0").as_bytes()).and_then(|()| input.flush());
        assert!(sent.is_ok(), "the browser does not listen: {}", self.said());
        loop {
            let got = self.messages.recv_timeout(FOREVER);
            let got = got.unwrap_or_else(|error| panic!("{method}: no answer ({error}): {}", self.said()));
            if got["id"] != self.next {
                self.events.push(got);
                continue;
            }
            assert!(got.get("error").is_none(), "{method}: {got}");
            return got["result"].clone();
        }
    }

    fn said(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// The value of an expression in the page.
    ///
    /// # Panics
    /// When it throws.
    #[track_caller]
    pub fn value(&mut self, expression: &str) -> Value {
        let result = self.ask("Runtime.evaluate", json!({"expression": expression, "returnByValue": true}));
        assert!(result.get("exceptionDetails").is_none(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true, whatever that takes.
    ///
    /// # Panics
    /// When it never is.
    #[track_caller]
    pub fn wait_for(&mut self, expression: &str) {
        let begun = Instant::now();
        // While a page is being loaded there may be no document to ask.
        let tried =
            format!("(() => {{ try {{ return Boolean({expression}) }} catch {{ return false }} }})()");
        while self.value(&tried) != true {
            assert!(
                begun.elapsed() < FOREVER,
                "never true: {expression}\n{:?}\n{}",
                self.events,
                self.said()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Presses a key, as a person would; `text` is what it types, if anything.
    #[track_caller]
    pub fn press(&mut self, key: &str, text: &str) {
        let code = match key {
            "Enter" => 13,
            "Escape" => 27,
            "ArrowDown" => 40,
            _ => 0,
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({"type": kind, "key": key, "windowsVirtualKeyCode": code});
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = text.into();
            }
            let _ = self.ask("Input.dispatchKeyEvent", event);
        }
    }

    /// Clicks into the middle of the first element that a selector finds.
    ///
    /// # Panics
    /// When there is none to be seen.
    #[track_caller]
    pub fn click(&mut self, selector: &str) {
        let place = self.value(&format!(
            "(() => {{ const e = document.querySelector({}); if (!e) return null; e.scrollIntoView({{block: 'center'}}); \
             const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }})()",
            json!(selector)
        ));
        let (x, y) = (&place[0], &place[1]);
        assert!(x.is_number() && y.is_number(), "nothing to click: {selector}");
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            let _ = self.ask("Input.dispatchMouseEvent", event);
        }
    }

    /// Sets whether the system prefers `dark` or `light`.
    #[track_caller]
    pub fn prefers(&mut self, scheme: &str) {
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        let _ = self.ask("Emulation.setEmulatedMedia", features);
    }

    /// Addresses that the page had fetched, itself left out.
    #[must_use]
    pub fn fetched(&self) -> Vec<String> {
        let sent = self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        let urls = sent.filter_map(|event| event["params"]["request"]["url"].as_str());
        urls.filter(|url| !url.starts_with("file://") && *url != "about:blank").map(str::to_owned).collect()
    }

    /// Returns the errors in the page: exceptions, and what its policy forbade.
    #[must_use]
    pub fn complaints(&self) -> Vec<&Value> {
        let bad = |event: &&Value| {
            let level = &event["params"]["entry"]["level"];
            event["method"] == "Runtime.exceptionThrown"
                || (event["method"] == "Log.entryAdded" && level == "error")
        };
        self.events.iter().filter(bad).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The end of its input ends it; the rest is for one that hangs.
        drop(self.input.take());
        for _ in 0..100 {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn reading(mut output: impl std::io::Read + Send + 'static) -> Receiver<Value> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let (mut pending, mut chunk) = (Vec::new(), vec![0; 1 << 16]);
        while let Ok(count) = output.read(&mut chunk) {
            if count == 0 {
                return;
            }
            pending.extend_from_slice(&chunk[..count]);
            while let Some(end) = pending.iter().position(|byte| *byte == 0) {
                let message: Vec<u8> = pending.drain(..=end).collect();
                let Ok(value) = serde_json::from_slice(&message[..end]) else { return };
                if sender.send(value).is_err() {
                    return;
                }
            }
        }
    });
    receiver
}

/// The browser, and where its libraries are if it is not the machine's.
fn program() -> (PathBuf, Option<String>) {
    static FOUND: OnceLock<(PathBuf, Option<String>)> = OnceLock::new();
    FOUND.get_or_init(|| own().map_or_else(fetched, |own| (own, None))).clone()
}

fn own() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    OWN.iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|file| file.is_file())
}

fn fetched() -> (PathBuf, Option<String>) {
    let root = prepared("browser", PACKAGE, |folder| debian::fetch(folder, PACKAGES)).join("root");
    let below = |folder: &str| {
        let found =
            fs::read_dir(root.join("usr/lib")).expect("it was unpacked").flatten().map(|entry| entry.path());
        let named = found.filter(|path| path.to_string_lossy().contains("-linux-gnu"));
        named.map(|path| path.join(folder).display().to_string()).collect::<Vec<_>>()
    };
    let libraries = [below(""), below("pulseaudio")].concat().join(":");
    (root.join("usr/lib/chromium").join(PACKAGE), Some(libraries))
}
