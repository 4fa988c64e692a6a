//! Computes medians and prints them.

use std::time::Duration;

/// The times of one program's runs.
#[derive(Debug, Default)]
pub(crate) struct Times(Vec<f64>);

impl Times {
    pub(crate) fn push(&mut self, time: Duration) {
        self.push_millis(millis(time));
    }

    /// Adds a difference of times, which may be negative.
    pub(crate) fn push_millis(&mut self, millis: f64) {
        self.0.push(millis);
    }

    /// Returns the value below which `share` of the times lie, in milliseconds.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        let at = (last as f64 * share).round() as usize;
        sorted.get(at).copied().unwrap_or(f64::NAN)
    }

    /// Returns the median, in milliseconds.
    pub(crate) fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// Returns the times in milliseconds, in the order of measurement.
    pub(crate) fn values(&self) -> &[f64] {
        &self.0
    }

    /// Returns the number of times.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn show(&self) -> String {
        let (p50, p99) = (self.median(), self.quantile(0.99));
        format!(
            "p50 {p50:>9.3} ms  p99 {p99:>9.3} ms  min {:>9.3} ms  n={}",
            self.quantile(0.0),
            self.0.len()
        )
    }
}

/// Returns a time in milliseconds.
pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Prints the figures of one program.
pub(crate) fn show(what: &str, times: &Times) {
    println!("  {what:<44} {}", times.show());
}

/// Prints the figures of two programs and the ratio of their medians.
pub(crate) fn compare(hob: (&str, &Times), other: (&str, &Times)) {
    show(hob.0, hob.1);
    show(other.0, other.1);
    ratio(hob, other);
}

/// Prints the ratio of the medians of two programs.
pub(crate) fn ratio(one: (&str, &Times), other: (&str, &Times)) {
    let ratio = one.1.median() / other.1.median();
    // At least three significant digits, even for a small ratio.
    let digits = if ratio < 0.1 { 5 } else { 3 };
    println!("  => {} / {} = {ratio:.digits$} (median)", one.0, other.0);
}

/// Prints the difference of the medians of two programs.
pub(crate) fn difference(one: (&str, &Times), other: (&str, &Times)) {
    let difference = one.1.median() - other.1.median();
    println!("  => {} - {} = {difference:.3} ms (median)", one.0, other.0);
}
