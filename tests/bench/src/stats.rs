//! Medians and how they are printed.

use std::time::Duration;

/// Times of one program's runs.
#[derive(Debug, Default)]
pub(crate) struct Times(Vec<f64>);

impl Times {
    pub(crate) fn push(&mut self, time: Duration) {
        self.0.push(time.as_secs_f64() * 1e3);
    }

    /// The value below which `share` of the times lie, in milliseconds.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        let at = (last as f64 * share).round() as usize;
        sorted.get(at).copied().unwrap_or(f64::NAN)
    }

    fn show(&self) -> String {
        let (p50, p99) = (self.quantile(0.5), self.quantile(0.99));
        format!(
            "p50 {p50:>9.3} ms  p99 {p99:>9.3} ms  min {:>9.3} ms  n={}",
            self.quantile(0.0),
            self.0.len()
        )
    }
}

/// Prints one program's figures.
pub(crate) fn show(what: &str, times: &Times) {
    println!("  {what:<44} {}", times.show());
}

/// Prints two programs' figures and the ratio of their medians.
pub(crate) fn compare(hob: (&str, &Times), other: (&str, &Times)) {
    show(hob.0, hob.1);
    show(other.0, other.1);
    let ratio = hob.1.quantile(0.5) / other.1.quantile(0.5);
    println!("  => {} / {} = {ratio:.3} (median)", hob.0, other.0);
}
