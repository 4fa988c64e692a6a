//! Shows a progress bar on standard error, only when a person watches both streams, and only once there are steps to
//! show.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The format of a bar with a known total. The daemon counts several steps for each file, so a share says more than a
/// number.
const WITH_TOTAL: &str = "{msg} {bar:40} {percent}%";
const WITHOUT_TOTAL: &str = "{spinner} {msg}";

/// A bar that is invisible until its first step, and always where no terminal is.
#[derive(Debug)]
pub(crate) struct Bar {
    bar: ProgressBar,
    shown: bool,
}

impl Bar {
    pub(crate) fn new() -> Self {
        let watched = io::stderr().is_terminal() && io::stdout().is_terminal();
        let target = if watched { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self { bar: ProgressBar::with_draw_target(None, target), shown: false }
    }

    /// Shows a step.
    pub(crate) fn set(&mut self, done: u64, total: Option<u64>, message: &str) {
        if !self.shown {
            self.shown = true;
            self.bar.enable_steady_tick(Duration::from_millis(100));
        }
        self.bar.set_style(bar_style(total.is_some()));
        if let Some(total) = total {
            self.bar.set_length(total);
        }
        self.bar.set_message(message.to_owned());
        self.bar.set_position(done);
    }

    /// Removes it from the screen.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}

fn bar_style(has_total: bool) -> ProgressStyle {
    let template = if has_total { WITH_TOTAL } else { WITHOUT_TOTAL };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_templates_are_read() {
        for template in [WITH_TOTAL, WITHOUT_TOTAL] {
            assert!(ProgressStyle::with_template(template).is_ok());
        }
    }
}
