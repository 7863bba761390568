//! Plots of measurements as SVG: lines over two logarithmic axes.
//!
//! On such axes growth shows as a slope: linear growth rises as much as it goes right. Every line
//! is named at its end, so there is no legend. The same numbers give the same bytes.

use std::fmt::Write;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 170.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 56.0;
/// The least distance between the names of two lines.
const NAME_HEIGHT: f64 = 16.0;
const COLOURS: [&str; 5] = ["#0b62a4", "#c2410c", "#15803d", "#7c3aed", "#a16207"];

/// A line.
pub struct Series {
    /// The name of the line.
    pub name: String,
    /// The points, from left to right. All numbers are positive.
    pub points: Vec<(f64, f64)>,
    /// Whether the line is a reference for comparison, which is dashed and grey.
    pub reference: bool,
}

/// A plot.
pub struct Plot {
    /// The title of the plot.
    pub title: String,
    /// The quantity on the horizontal axis.
    pub x: String,
    /// The quantity on the vertical axis.
    pub y: String,
    /// The lines.
    pub series: Vec<Series>,
}

/// A logarithmic axis between two numbers.
struct Axis {
    low: f64,
    high: f64,
    /// The places of `low` and `high`.
    from: f64,
    to: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (low, high) = values.fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), value| {
            assert!(value > 0.0, "a logarithmic axis has no place for {value}");
            (low.min(value), high.max(value))
        });
        let low = ticks_below(low);
        Self { low, high: if high > low { high } else { low * 10.0 }, from, to }
    }

    fn place(&self, value: f64) -> f64 {
        let share = (value / self.low).ln() / (self.high / self.low).ln();
        self.from + share * (self.to - self.from)
    }

    /// 1, 2 and 5 times the powers of ten on the axis.
    fn ticks(&self) -> Vec<f64> {
        let mut ticks = Vec::new();
        let mut power = 10_f64.powf(self.low.log10().floor());
        while power <= self.high {
            let steps = [1.0, 2.0, 5.0].map(|step| step * power);
            let inside = |tick: &f64| *tick >= self.low * 0.999 && *tick <= self.high * 1.001;
            ticks.extend(steps.into_iter().filter(inside));
            power *= 10.0;
        }
        ticks
    }
}

/// The greatest tick that is not above `value`.
fn ticks_below(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    [5.0, 2.0].map(|step| step * power).into_iter().find(|tick| *tick <= value).unwrap_or(power)
}

impl Plot {
    /// The plot as an SVG file.
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Axis::new(points().map(|p| p.0), LEFT, WIDTH - RIGHT);
        let y = Axis::new(points().map(|p| p.1), HEIGHT - BOTTOM, TOP);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n"
        );
        let title = (LEFT, 24.0);
        text(&mut out, title, "font-size=\"15\" font-weight=\"bold\"", &self.title);
        self.axes(&mut out, &x, &y);
        let mut names = Vec::new();
        let mut colours = COLOURS.iter().cycle();
        for series in &self.series {
            let colour = if series.reference { "#888" } else { colours.next().expect("a cycle") };
            line(&mut out, series, colour, &x, &y);
            if let Some(&(_, end)) = series.points.last() {
                names.push((y.place(end), colour, &series.name));
            }
        }
        names.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut free = f64::MIN;
        for (height, colour, name) in names {
            let height = height.max(free);
            free = height + NAME_HEIGHT;
            let place = (WIDTH - RIGHT + 8.0, height + 4.0);
            text(&mut out, place, &format!("fill=\"{colour}\""), name);
        }
        out.push_str("</svg>\n");
        out
    }

    fn axes(&self, out: &mut String, x: &Axis, y: &Axis) {
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        for tick in x.ticks() {
            let at = x.place(tick);
            rule(out, (at, TOP), (at, bottom));
            text(out, (at, bottom + 18.0), "text-anchor=\"middle\"", &number(tick));
        }
        for tick in y.ticks() {
            let at = y.place(tick);
            rule(out, (LEFT, at), (right, at));
            text(out, (LEFT - 8.0, at + 4.0), "text-anchor=\"end\"", &number(tick));
        }
        let middle = f64::midpoint(LEFT, right);
        text(out, (middle, HEIGHT - 14.0), "text-anchor=\"middle\"", &self.x);
        let middle = f64::midpoint(TOP, bottom);
        let turned = format!("text-anchor=\"middle\" transform=\"rotate(-90 18 {middle:.1})\"");
        text(out, (18.0, middle), &turned, &self.y);
    }
}

fn rule(out: &mut String, from: (f64, f64), to: (f64, f64)) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = writeln!(
        out,
        "<path d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\" stroke=\"#ddd\" fill=\"none\"/>"
    );
}

fn line(out: &mut String, series: &Series, colour: &str, x: &Axis, y: &Axis) {
    let places: Vec<(f64, f64)> =
        series.points.iter().map(|&(a, b)| (x.place(a), y.place(b))).collect();
    let path: Vec<String> = places.iter().map(|(a, b)| format!("{a:.1} {b:.1}")).collect();
    let style = if series.reference { "stroke-dasharray=\"5 4\"" } else { "stroke-width=\"2\"" };
    let path = path.join("L");
    let _ = writeln!(out, "<path d=\"M{path}\" stroke=\"{colour}\" fill=\"none\" {style}/>");
    for (a, b) in places.iter().filter(|_| !series.reference) {
        let _ = writeln!(out, "<circle cx=\"{a:.1}\" cy=\"{b:.1}\" r=\"3.5\" fill=\"{colour}\"/>");
    }
}

fn text(out: &mut String, (x, y): (f64, f64), style: &str, shown: &str) {
    let shown = shown.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" {style}>{shown}</text>");
}

/// A number as people write it on an axis.
fn number(value: f64) -> String {
    match value {
        v if v >= 1e9 => format!("{}G", v / 1e9),
        v if v >= 1e6 => format!("{}M", v / 1e6),
        v if v >= 1e3 => format!("{}k", v / 1e3),
        v => format!("{}", (v * 1e6).round() / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_growth_is_a_straight_line_of_slope_one() {
        let x = Axis::new([1.0, 100.0].into_iter(), 0.0, 200.0);
        let y = Axis::new([0.5, 50.0].into_iter(), 200.0, 0.0);
        for n in [1.0, 3.0, 10.0, 60.0, 100.0] {
            assert!((x.place(n) - (200.0 - y.place(n / 2.0))).abs() < 1e-9);
        }
        assert_eq!(x.ticks(), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
    }

    #[test]
    fn every_series_is_drawn_and_named() {
        let series = |name: &str, factor: f64, reference| Series {
            name: name.to_owned(),
            points: (1..5).map(|n| (f64::from(n), f64::from(n) * factor)).collect(),
            reference,
        };
        let plot = Plot {
            title: "a < b & c".to_owned(),
            x: "n".to_owned(),
            y: "ms".to_owned(),
            series: vec![series("one", 1.0, false), series("two", 1.01, true)],
        };
        let svg = plot.svg();
        assert!(
            svg.contains(">a &lt; b &amp; c<") && svg.contains(">one<") && svg.contains(">two<")
        );
        assert_eq!((svg.matches("<circle").count(), svg.matches("dasharray").count()), (4, 1));
        // The names of lines that end at one place do not overlap.
        let height = |name: &str| -> f64 {
            let line = svg.lines().find(|line| line.contains(name)).expect("there");
            line.split("y=\"").nth(1).and_then(|y| y.split('"').next()).expect("y").parse().unwrap()
        };
        assert!((height(">one<") - height(">two<")).abs() >= NAME_HEIGHT - 0.1);
    }
}
