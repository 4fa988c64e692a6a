//! Converts a score to a confidence: the share of answers with such a score that are right.
//!
//! The steps are an isotonic regression (pool adjacent violators; Ayer et al. 1955) over one half of the
//! labelled set, linear between its points; the golden file reports on the other half. Compute the steps
//! again whenever scores change: `tests/quality/entity` prints them.

/// Standings, and the share of right answers at each; both rise.
const STEPS: &[(f64, f64)] = &[
    (0.0, 0.0),
    (0.2, 0.05),
    (0.3, 0.2),
    (0.4, 0.42),
    (0.5, 0.6),
    (0.56, 0.8),
    (0.62, 0.93),
    (0.83, 0.97),
    (0.95, 0.99),
];

/// Returns the confidence of an answer of this standing, from 0 to 1, in hundredths.
pub fn confidence_of(standing: f64) -> f64 {
    let after = STEPS.iter().position(|(at, _)| *at >= standing).unwrap_or(STEPS.len() - 1);
    let (to, high) = STEPS[after];
    let (from, low) = STEPS[after.saturating_sub(1)];
    let share = if to > from { ((standing - from) / (to - from)).clamp(0.0, 1.0) } else { 1.0 };
    ((low + (high - low) * share) * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rises_and_stays_within_bounds() {
        let all: Vec<f64> =
            (-10..=1200).map(|thousandth| confidence_of(f64::from(thousandth) / 1e3)).collect();
        assert!(all.is_sorted());
        assert!(all.iter().all(|one| (0.0..=1.0).contains(one)));
        assert!(STEPS.is_sorted());
    }
}
