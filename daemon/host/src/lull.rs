//! Does something once nobody has used the daemon for a while.
//!
//! No timer runs in an idle daemon: a use starts a thread, unless one waits already, and the thread ends with its work.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hob_base::lock;

/// Waits for a time without uses.
#[derive(Debug)]
pub(crate) struct Lull {
    /// The time without uses after which the work is done.
    rest: Duration,
    state: Mutex<LullState>,
}

#[derive(Debug, Default)]
struct LullState {
    last_use: Option<Instant>,
    /// True while a thread waits.
    is_waited_for: bool,
}

impl Lull {
    pub(crate) fn new(rest: Duration) -> Arc<Self> {
        Arc::new(Self { rest, state: Mutex::default() })
    }

    /// Notes a use, and has `work` done after the next lull unless another use has asked for that already.
    pub(crate) fn note_use(self: &Arc<Self>, work: impl FnOnce() + Send + 'static) {
        let mut state = lock(&self.state);
        state.last_use = Some(Instant::now());
        if state.is_waited_for {
            return;
        }
        let lull = Arc::clone(self);
        let body = move || {
            lull.wait_for_rest();
            work();
        };
        // If no thread can be started, a later use tries again.
        state.is_waited_for = std::thread::Builder::new().name("hob-lull".to_owned()).spawn(body).is_ok();
    }

    /// Returns once nobody has used the daemon for the rest.
    fn wait_for_rest(&self) {
        loop {
            let mut state = lock(&self.state);
            let used = state.last_use.map_or(Duration::MAX, |at| at.elapsed());
            let left = self.rest.saturating_sub(used);
            if left.is_zero() {
                state.is_waited_for = false;
                return;
            }
            drop(state);
            std::thread::sleep(left);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn uses_one_after_the_other_have_the_work_done_once_and_later_ones_again() {
        let rest = Duration::from_millis(200);
        let lull = Lull::new(rest);
        let (done, works) = mpsc::channel();
        for _ in 0..2 {
            let mut last = Instant::now();
            for _ in 0..5 {
                let done = done.clone();
                last = Instant::now();
                lull.note_use(move || done.send(1).expect("the test waits"));
            }
            works.recv().expect("the work is done");
            assert!(last.elapsed() >= rest, "it waits for the lull");
            assert!(works.try_recv().is_err(), "once");
        }
    }
}
