//! Draws sparklines: the past of a number in one line of a terminal.

/// Bars of rising height.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Returns a bar for each of the last `width` values, scaled so that the largest of them has the whole height.
pub(super) fn sparkline(values: &[f64], width: usize) -> String {
    let shown = &values[values.len().saturating_sub(width)..];
    let most = shown.iter().copied().fold(0.0, f64::max);
    let bar = |value: &f64| {
        let share = if most > 0.0 { value.max(0.0) / most } else { 0.0 };
        BARS[((share * (BARS.len() - 1) as f64).round() as usize).min(BARS.len() - 1)]
    };
    shown.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_high_as_values_are_large() {
        assert_eq!(sparkline(&[9.0, 0.0, 1.0, 7.0], 3), "▁▂█");
        assert_eq!(sparkline(&[0.0, 0.0], 9), "▁▁", "nothing is no peak");
        assert_eq!(sparkline(&[], 9), "");
        assert_eq!(sparkline(&[-1.0, f64::NAN, 2.0], 9).chars().count(), 3);
    }
}
