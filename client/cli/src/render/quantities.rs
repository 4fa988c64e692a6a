//! Writes numbers, sizes, durations and shares for people.

/// Writes `1 file`, `2 files`.
pub(crate) fn count(n: u64, one: &str) -> String {
    match (n, one.strip_suffix('y')) {
        (1, _) => format!("1 {one}"),
        (_, Some(stem)) => format!("{} {stem}ies", grouped_digits(n)),
        (_, None) if one.ends_with("ch") => format!("{} {one}es", grouped_digits(n)),
        (_, None) => format!("{} {one}s", grouped_digits(n)),
    }
}

/// Renders the share of the baseline that answers saved, `95% less`; a loss is named as one.
pub(crate) fn less_or_more(saved_percent: f64) -> String {
    match saved_percent.round() {
        percent if percent < 0.0 => format!("{}% more, a loss", -percent),
        percent => format!("{percent}% less"),
    }
}

/// Writes digits in groups of three.
pub(crate) fn grouped_digits(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Writes `42 s`, `3 min`, `5 h 7 min`, `2 d 4 h`.
pub(crate) fn duration_text(seconds: u64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min"),
        (0, _, _) => format!("{hours} h {} min", minutes % 60),
        _ => format!("{} d {} h", grouped_digits(days), hours % 24),
    }
}

/// Writes bytes in binary units with one decimal.
pub(crate) fn bytes_text(n: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if n < 1024 {
        return format!("{n} B");
    }
    let unit = (n.ilog2() / 10).clamp(1, 4);
    #[allow(clippy::cast_precision_loss, reason = "for people, with one decimal")]
    let value = n as f64 / 1024_f64.powf(f64::from(unit));
    format!("{value:.1} {}", UNITS[unit as usize - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(count(1, "file"), "1 file");
        assert_eq!(count(1_234_567, "match"), "1,234,567 matches");
        assert_eq!(count(0, "entry"), "0 entries");
    }

    #[test]
    fn quantities_read_well() {
        assert_eq!(
            [0, 59, 60, 3599, 90_000].map(duration_text),
            ["0 s", "59 s", "1 min", "59 min", "1 d 1 h"]
        );
        assert_eq!([0, 1023, 1024, 1 << 40].map(bytes_text), ["0 B", "1023 B", "1.0 KiB", "1.0 TiB"]);
        assert_eq!(bytes_text(u64::MAX), "16777216.0 TiB");
    }
}
