//! Draws the ratios of one section as bars around 1, with whiskers from the smallest to the largest. No other file uses
//! the plotting library.
//!
//! The scale is logarithmic, so that one half and two are equally far from 1. The background is white and the text
//! dark, so that the plot can also be read on a page with a dark theme.

use plotters::coord::types::RangedCoordf64;
use plotters::coord::{Shift, combinators::LogCoord};
use plotters::prelude::*;

use super::figure::Spread;
use super::summary::Outcome;

/// The width of a plot, in pixels.
const WIDTH: u32 = 860;

/// The height of a bar with the space around it, in pixels.
const STEP: u32 = 24;

/// The height of the title and the axis, in pixels.
const REST: u32 = 84;

/// The width of the labels, in pixels.
const LABELS: u32 = 330;

/// A bar of a plot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) ratio: Spread,
    pub(crate) outcome: Outcome,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<LogCoord<f64>, RangedCoordf64>>;

/// Returns the plot as SVG.
///
/// # Errors
///
/// Returns the message of the library if it cannot draw.
pub(crate) fn draw_bars(title: &str, bars: &[Bar]) -> Result<String, String> {
    let mut text = String::new();
    {
        let height = REST + STEP * u32::try_from(bars.len()).unwrap_or(1);
        let area = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
        draw(&area, title, bars).map_err(|error| error.to_string())?;
        area.present().map_err(|error| error.to_string())?;
    }
    Ok(text)
}

fn draw(area: &Area<'_>, title: &str, bars: &[Bar]) -> Result<(), Box<dyn std::error::Error>> {
    area.fill(&WHITE).map_err(|error| error.to_string())?;
    let mut builder = ChartBuilder::on(area);
    builder
        .caption(title, ("sans-serif", 17))
        .margin(12)
        .margin_right(40)
        .set_left_and_bottom_label_area_size(28);
    builder.set_label_area_size(LabelAreaPosition::Left, LABELS);
    let mut chart = builder
        .build_cartesian_2d(range(bars).log_scale(), 0.0..bars.len() as f64)
        .map_err(|error| error.to_string())?;
    let mut mesh = chart.configure_mesh();
    mesh.disable_y_mesh().disable_y_axis().x_label_formatter(&|value| show_ratio(*value));
    mesh.x_labels(7).light_line_style(TRANSPARENT).draw().map_err(|error| error.to_string())?;
    for (at, bar) in bars.iter().enumerate() {
        draw_bar(area, &mut chart, bar, (bars.len() - 1 - at) as f64)?;
    }
    let middle = PathElement::new([(1.0, 0.0), (1.0, bars.len() as f64)], BLACK.stroke_width(1));
    chart.draw_series([middle]).map_err(|error| error.to_string())?;
    Ok(())
}

fn draw_bar(
    area: &Area<'_>,
    chart: &mut Chart<'_, '_>,
    bar: &Bar,
    y: f64,
) -> Result<(), Box<dyn std::error::Error>> {
    let colour = colour_of(bar.outcome);
    let Spread { min, median, max, .. } = bar.ratio;
    let body = Rectangle::new([(1.0, y + 0.2), (median, y + 0.8)], colour.filled());
    chart.draw_series([body]).map_err(|error| error.to_string())?;
    let whisker = [(min, y + 0.5), (max, y + 0.5)];
    chart
        .draw_series([PathElement::new(whisker, BLACK.stroke_width(1))])
        .map_err(|error| error.to_string())?;
    let (_, pixel) = chart.backend_coord(&(1.0, y + 0.5));
    let label =
        Text::new(format!("{} = {}", bar.label, show_ratio(median)), (12, pixel - 6), ("sans-serif", 12));
    area.draw(&label).map_err(|error| error.to_string())?;
    Ok(())
}

/// Returns the range that contains all bars and 1, with some space around them.
fn range(bars: &[Bar]) -> std::ops::Range<f64> {
    let low = bars.iter().map(|bar| bar.ratio.min).fold(0.8, f64::min);
    let high = bars.iter().map(|bar| bar.ratio.max).fold(1.25, f64::max);
    (low / 1.3).max(1e-6)..high * 1.3
}

fn colour_of(outcome: Outcome) -> RGBColor {
    match outcome {
        Outcome::Ahead => RGBColor(58, 125, 92),
        Outcome::Behind => RGBColor(190, 85, 60),
        Outcome::Even => RGBColor(140, 140, 140),
        Outcome::None => RGBColor(80, 110, 160),
    }
}

/// Formats a ratio with two significant digits.
pub(crate) fn show_ratio(ratio: f64) -> String {
    match ratio {
        ratio if ratio >= 100.0 => format!("{ratio:.0}"),
        ratio if ratio >= 10.0 => format!("{ratio:.1}"),
        ratio if ratio >= 0.1 => format!("{ratio:.2}"),
        ratio if ratio >= 0.01 => format!("{ratio:.3}"),
        ratio => format!("{ratio:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::figure::Spread;
    use super::super::summary::Outcome;
    use super::{Bar, draw_bars, show_ratio};

    #[test]
    fn a_plot_has_a_bar_and_a_label_for_each_ratio() {
        let bar = |label: &str, ratio: f64| Bar {
            label: label.to_owned(),
            ratio: Spread { min: ratio * 0.9, median: ratio, max: ratio * 1.1, count: 3 },
            outcome: Outcome::Ahead,
        };
        let drawn = draw_bars("Search", &[bar("rare", 0.02), bar("a < b", 7.0)]).expect("drawn");
        assert!(drawn.starts_with("<svg") && drawn.trim_end().ends_with("</svg>"), "{drawn}");
        assert!(drawn.contains("rare = 0.020") && drawn.contains("a &lt; b = 7.00"), "{drawn}");
    }

    #[test]
    fn ratios_are_shown_with_digits_that_mean_something() {
        let shown: Vec<String> =
            [0.00123, 0.0471, 0.514, 3.0, 12.34, 512.4].into_iter().map(show_ratio).collect();
        assert_eq!(shown, ["0.0012", "0.047", "0.51", "3.00", "12.3", "512"]);
    }
}
