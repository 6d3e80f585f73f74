//! Charts as SVG files. They have a background of their own, so that they are readable on light and dark pages.

use std::ops::Range;
use std::path::Path;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;

use crate::Failure;
use crate::number_text::count;
use crate::statistics::Summary;

const WIDTH: u32 = 760;
const TITLE_HEIGHT: u32 = 44;
const PANEL_HEIGHT: u32 = 320;
/// The height of a line of the caption.
const LINE_HEIGHT: u32 = 16;
const MARGIN: u32 = 12;
/// The most characters in a line of the caption.
const LINE_CHARS: usize = 110;
const FONT: &str = "sans-serif";
const TEXT: RGBColor = RGBColor(32, 32, 32);
const GRID: RGBColor = RGBColor(224, 224, 224);
const SERIES: RGBColor = RGBColor(0, 92, 175);
/// The width of an error bar, which is also the diameter of its point.
const BAR_WIDTH: u32 = 8;
/// The space above the largest value, as a part of it.
const HEADROOM: f64 = 0.15;
/// The space beside the outer points, as a part of the distance between them.
const SIDE: f64 = 0.03;

/// A chart: panels with the same horizontal axis, one below the other.
#[derive(Debug)]
pub(crate) struct Chart {
    pub(crate) title: String,
    /// The label of the horizontal axis.
    pub(crate) x_label: String,
    /// Whether the horizontal axis is logarithmic. Then all points are positive.
    pub(crate) is_logarithmic: bool,
    pub(crate) panels: Vec<Panel>,
    /// The paragraphs below the panels.
    pub(crate) caption: Vec<String>,
}

/// A part of a chart with a vertical axis of its own, which begins at zero.
#[derive(Debug)]
pub(crate) struct Panel {
    /// The label of the vertical axis.
    pub(crate) y_label: String,
    /// The points from left to right: each has the median with the minimum and the maximum.
    pub(crate) points: Vec<(u64, Summary)>,
}

type DrawError = DrawingAreaErrorKind<std::io::Error>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Creates a folder for charts.
///
/// # Errors
/// [`Failure::Aborted`] if this is not possible.
pub(crate) fn create_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| {
        let folder = folder.display();
        Failure::Aborted(format!("{folder} cannot be created: {error}."))
    })
}

impl Chart {
    /// Writes the chart to a file.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if it cannot be drawn or written.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Failure> {
        let svg = self.svg().map_err(|error| error.to_string());
        let written = svg.and_then(|svg| {
            let written = std::fs::write(path, svg);
            written.map_err(|error| error.to_string())
        });
        written.map_err(|error| {
            let path = path.display();
            Failure::Aborted(format!("{path} cannot be written: {error}."))
        })
    }

    /// The chart as text of an SVG file.
    fn svg(&self) -> Result<String, DrawError> {
        let caption: Vec<_> = self.caption.iter().flat_map(|text| wrap(text)).collect();
        let panels_height = PANEL_HEIGHT * self.panels.len() as u32;
        let caption_height = LINE_HEIGHT * caption.len() as u32 + MARGIN;
        let height = TITLE_HEIGHT + panels_height + caption_height;
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
            root.fill(&WHITE)?;
            let (head, body) = root.split_vertically(TITLE_HEIGHT);
            draw_line(&head, &self.title, 18, MARGIN)?;
            let (panels, foot) = body.split_vertically(panels_height);
            let areas = panels.split_evenly((self.panels.len(), 1));
            for (panel, area) in self.panels.iter().zip(&areas) {
                self.draw_panel(panel, area)?;
            }
            for (line, y) in caption.iter().zip((0..).step_by(LINE_HEIGHT as usize)) {
                draw_line(&foot, line, 12, y)?;
            }
            root.present()?;
        }
        Ok(svg)
    }

    fn draw_panel(&self, panel: &Panel, area: &Area<'_>) -> Result<(), DrawError> {
        let points = &panel.points;
        let largest = points.iter().map(|(_, y)| y.maximum).fold(0.0, f64::max);
        let top = match largest > 0.0 {
            true => largest * (1.0 + HEADROOM),
            false => 1.0,
        };
        let values = points.iter().map(|(x, _)| *x).collect();
        let x_axis = HorizontalAxis::new(values, self.is_logarithmic);
        let mut chart = ChartBuilder::on(area)
            .margin(MARGIN)
            .x_label_area_size(40)
            .y_label_area_size(60)
            .build_cartesian_2d(x_axis, 0.0..top)?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(GRID)
            .axis_style(TEXT)
            .label_style((FONT, 13, &TEXT))
            .axis_desc_style((FONT, 14, &TEXT))
            .x_label_formatter(&|value| count(*value))
            .y_label_formatter(&|value| ((value * 100.0).round() / 100.0).to_string())
            .y_labels(8)
            .x_desc(&self.x_label)
            .y_desc(&panel.y_label)
            .draw()?;
        let medians = points.iter().map(|(x, y)| (*x, y.median));
        chart.draw_series(LineSeries::new(medians, SERIES.stroke_width(2)))?;
        chart.draw_series(points.iter().map(|(x, y)| {
            let style = SERIES.filled();
            ErrorBar::new_vertical(*x, y.minimum, y.median, y.maximum, style, BAR_WIDTH)
        }))?;
        Ok(())
    }
}

/// A horizontal axis with a label at each point.
struct HorizontalAxis {
    /// The values from left to right.
    values: Vec<u64>,
    is_logarithmic: bool,
    /// The positions at the ends of the axis.
    ends: Range<f64>,
}

impl HorizontalAxis {
    /// The axis for these values.
    fn new(values: Vec<u64>, is_logarithmic: bool) -> Self {
        let positions = values.iter().map(|x| position(*x, is_logarithmic));
        let left = positions.clone().fold(f64::INFINITY, f64::min);
        let right = positions.fold(f64::NEG_INFINITY, f64::max);
        let side = ((right - left) * SIDE).max(0.1);
        Self {
            values,
            is_logarithmic,
            ends: left - side..right + side,
        }
    }
}

/// The place of a value on an axis, in the unit of the axis.
fn position(value: u64, is_logarithmic: bool) -> f64 {
    match is_logarithmic {
        true => (value.max(1) as f64).log10(),
        false => value as f64,
    }
}

impl Ranged for HorizontalAxis {
    type FormatOption = DefaultFormatting;
    type ValueType = u64;

    fn map(&self, value: &u64, (left, right): (i32, i32)) -> i32 {
        let position = position(*value, self.is_logarithmic);
        let share = (position - self.ends.start) / (self.ends.end - self.ends.start);
        left + (share * f64::from(right - left)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<u64> {
        match hint.weight().allow_light_points() {
            true => Vec::new(),
            false => self.values.clone(),
        }
    }

    fn range(&self) -> Range<u64> {
        let (first, last) = (self.values.first(), self.values.last());
        first.copied().unwrap_or_default()..last.copied().unwrap_or_default()
    }
}

/// Draws a line of text at this height of an area.
fn draw_line(area: &Area<'_>, text: &str, size: u32, y: u32) -> Result<(), DrawError> {
    let style = (FONT, size, &TEXT).into_text_style(area);
    let place = (MARGIN.cast_signed(), y.cast_signed());
    area.draw_text(text, &style, place)
}

/// Breaks a text into lines between words.
fn wrap(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= LINE_CHARS => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use roxmltree::Document;

    use super::*;

    fn summary(median: f64) -> Summary {
        Summary {
            minimum: median - 1.0,
            median,
            maximum: median + 2.0,
        }
    }

    fn chart(points: &[u64], is_logarithmic: bool) -> Chart {
        let points: Vec<_> = points.iter().map(|x| (*x, summary(50.0))).collect();
        Chart {
            title: "CPU & <time>".into(),
            x_label: "rooms".into(),
            is_logarithmic,
            panels: vec![
                Panel {
                    y_label: "CPU time for a move, µs".into(),
                    points: points.clone(),
                },
                Panel {
                    y_label: "CPU time for a message, µs".into(),
                    points,
                },
            ],
            caption: vec!["load growth --folder \"a & b\" ".repeat(6)],
        }
    }

    fn numbers(document: &Document<'_>, tag: &str, attribute: &str) -> Vec<f64> {
        let nodes = document.descendants().filter(|node| node.has_tag_name(tag));
        let values = nodes.map(|node| node.attribute(attribute).expect("it has the attribute"));
        let numbers = values.map(|value| value.parse().expect("it is a number"));
        numbers.collect()
    }

    #[test]
    fn a_chart_is_well_formed_and_has_every_point_and_text() {
        for is_logarithmic in [true, false] {
            let chart = chart(&[10, 50, 2500], is_logarithmic);
            let svg = chart.svg().expect("the chart can be drawn");
            let document = Document::parse(&svg).expect("the SVG is well-formed");
            let texts = document.descendants().filter(|node| node.is_text());
            let texts: Vec<_> = texts.filter_map(|node| Some(node.text()?.trim())).collect();
            for expected in [
                "CPU & <time>",
                "rooms",
                "CPU time for a move, µs",
                "CPU time for a message, µs",
                "10",
                "50",
                "2,500",
            ] {
                assert!(texts.contains(&expected), "{expected}: {texts:?}");
            }
            assert!(texts.iter().any(|text| text.contains("\"a & b\"")));

            let circles = numbers(&document, "circle", "cx");
            assert_eq!(circles.len(), 6);
            assert_eq!(circles[..3], circles[3..]);
            assert!(circles[..3].is_sorted());
            let middle = (circles[1] - circles[0]) / (circles[2] - circles[0]);
            let expected = match is_logarithmic {
                true => 5_f64.log10() / 250_f64.log10(),
                false => 40.0 / 2490.0,
            };
            assert!((middle - expected).abs() < 0.01, "{middle}");
        }
    }

    #[test]
    fn a_larger_value_is_higher_and_error_bars_enclose_it() {
        let mut chart = chart(&[1, 2], false);
        chart.panels.truncate(1);
        chart.panels[0].points[1].1 = summary(80.0);
        let svg = chart.svg().expect("the chart can be drawn");
        let document = Document::parse(&svg).expect("the SVG is well-formed");
        let heights = numbers(&document, "circle", "cy");
        assert_eq!(heights.len(), 2);
        assert!(heights[1] < heights[0]);
        let xs = numbers(&document, "circle", "cx");
        let lines = document
            .descendants()
            .filter(|node| node.has_tag_name("line"));
        let of = |node: &roxmltree::Node<'_, '_>, name| -> Option<f64> {
            node.attribute(name)?.parse().ok()
        };
        let bars = lines.filter(|line| {
            let (x1, x2) = (of(line, "x1"), of(line, "x2"));
            let (y1, y2) = (of(line, "y1"), of(line, "y2"));
            x1 == x2 && x1 == Some(xs[0]) && y1 > Some(heights[0]) && y2 < Some(heights[0])
        });
        // The others are lines of the grid.
        assert!(bars.count() >= 1);
    }

    #[test]
    fn a_chart_of_one_point_without_time_can_be_drawn() {
        let mut chart = chart(&[10], true);
        let zero = Summary {
            minimum: 0.0,
            median: 0.0,
            maximum: 0.0,
        };
        chart.panels[0].points[0].1 = zero;
        let svg = chart.svg().expect("the chart can be drawn");
        assert!(Document::parse(&svg).is_ok());
    }

    #[test]
    fn lines_break_between_words() {
        let text = "seven words ".repeat(20);
        let lines = wrap(&text);
        assert!(lines.len() > 1);
        assert!(lines.iter().all(|line| line.len() <= LINE_CHARS));
        assert_eq!(lines.join(" "), text.trim_end());
    }
}
