//! Chooses the colours of clusters: clusters of similar size get hues that are easy to tell apart.

/// Hues of the largest clusters, in degrees.
const HUES: [u16; 12] = [212, 28, 150, 338, 268, 186, 50, 4, 96, 304, 232, 168];

/// Returns the hue of a cluster, in degrees.
pub(super) fn cluster_hue(number: usize) -> u16 {
    // Beyond the chosen ones, the golden angle keeps hues apart.
    let later = number.saturating_sub(HUES.len());
    HUES.get(number).copied().unwrap_or_else(|| ((later * 137 + 17) % 360) as u16)
}
