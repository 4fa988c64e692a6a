//! Draws a frame: a head that flows, three tables that share the rows, and a line of keys.
//!
//! It is pure: from a [`TopView`] and an area to cells. So the same code makes the live view, the one frame of
//! `--once`, and the frames that tests compare.

mod spark;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use super::picture::{Metrics, Picture};
use super::table::{self, Column, CutEnd, Line, Part, TextRole};
use super::view::{Sample, TopView};
use crate::render;

type TopLines = Vec<Line>;

fn one_part(text: impl Into<String>, look: TextRole) -> Line {
    vec![Part::new(text, look)]
}

/// Draws `view` into `area`.
pub(super) fn draw_view(view: &TopView, area: Rect, buffer: &mut Buffer) {
    let height = usize::from(area.height);
    let mut lines = head(view, area);
    let foot = usize::from(view.interactive && height > 2);
    lines.truncate(height - foot.min(height));
    let room = height.saturating_sub(lines.len() + foot);
    lines.extend(body_lines(view, area.width, room));
    lines.resize(height - foot.min(height), Line::new());
    if foot == 1 {
        lines.push(one_part(keys(view), TextRole::Faint));
    }
    for (line, y) in lines.iter().zip(area.y..) {
        draw_line(line, Rect { y, height: 1, ..area }, view.colour, buffer);
    }
}

fn draw_line(line: &Line, row: Rect, colour: bool, buffer: &mut Buffer) {
    let mut left = row.width;
    for part in line {
        let text = table::cut_to_cells(&part.text, left.into(), CutEnd::End);
        let style = look_style(part.look, colour);
        buffer.set_stringn(row.x + (row.width - left), row.y, &text, left.into(), style);
        left -= u16::try_from(table::cell_width(&text)).unwrap_or(left).min(left);
        if left == 0 {
            return;
        }
    }
}

/// Renders everything as plain lines, as high as needed.
pub(super) fn as_text(view: &TopView, width: u16) -> String {
    let area = Rect::new(0, 0, width, HIGHEST);
    let mut buffer = Buffer::empty(area);
    draw_view(view, area, &mut buffer);
    let rows = (0..HIGHEST).map(|y| {
        // An empty cell follows each wide character.
        let mut line = String::new();
        let mut x = 0;
        while x < width {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += u16::try_from(table::cell_width(symbol)).unwrap_or(1).max(1);
        }
        line.trim_end().to_owned()
    });
    let rows: Vec<String> = rows.collect();
    format!("{}\n", rows.join("\n").trim_end())
}

/// Most rows of a frame that is printed.
const HIGHEST: u16 = 200;

fn look_style(look: TextRole, colour: bool) -> Style {
    let style = Style::new();
    match look {
        _ if !colour => style,
        TextRole::Plain => style,
        TextRole::Head => style.add_modifier(Modifier::BOLD),
        TextRole::Faint => style.add_modifier(Modifier::DIM),
        TextRole::Good => style.fg(Color::Green),
        TextRole::Odd => style.fg(Color::Yellow),
        TextRole::Bad => style.fg(Color::Red).add_modifier(Modifier::BOLD),
        TextRole::Spark => style.fg(Color::Cyan),
    }
}

fn keys(view: &TopView) -> String {
    let pause = if view.paused { "p go on (paused)" } else { "p pause" };
    format!("q quit  s sort: {}  {pause}  h help", view.sort.word())
}

/// Returns the lines about the daemon itself; on a low terminal as much as fits into two lines.
fn head(view: &TopView, area: Rect) -> TopLines {
    let Some(picture) = &view.picture else {
        let mut lines = vec![one_part(view.trouble.clone(), TextRole::Head)];
        if view.interactive {
            lines.push(one_part("hob top starts none; it shows one as soon as it runs", TextRole::Faint));
        }
        return lines;
    };
    let width = usize::from(area.width);
    let is_low = area.height < 16;
    let texts: Vec<String> = match is_low {
        true => flow_parts(&brief_head(picture, view.rate), width).into_iter().take(2).collect(),
        false => head_groups(picture, view.rate).iter().flat_map(|group| flow_parts(group, width)).collect(),
    };
    let mut lines: TopLines = texts.into_iter().map(|text| one_part(text, TextRole::Plain)).collect();
    if let Some(first) = lines.first_mut().and_then(|line| line.first_mut()) {
        first.look = TextRole::Head;
    }
    if !is_low {
        lines.extend(past_line(view, width));
    }
    if let Some(silent) = view.silent {
        lines.push(one_part(format!("the daemon has not answered for {silent} s"), TextRole::Bad));
    }
    if picture.retiring {
        lines.push(one_part("the daemon is about to end; the next question starts another", TextRole::Odd));
    }
    let most = if is_low { 0 } else { 3 };
    let notices = picture.notices.iter().take(most);
    lines.extend(notices.map(|notice| one_part(format!("note: {notice}"), TextRole::Odd)));
    lines
}

/// Fewest bars of a useful sparkline.
const LEAST_BARS: usize = 10;

/// Draws the past of calls and memory as sparklines, each with its largest value; `None` before there is a past.
fn past_line(view: &TopView, width: usize) -> Option<Line> {
    let column = |of: fn(&Sample) -> f64| view.history.iter().map(of).collect::<Vec<f64>>();
    let most = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    let bytes = |value: f64| render::bytes_text(value as u64);
    let (calls, memory) = (column(|it| it.rate), column(|it| it.memory as f64));
    let servers = column(|it| it.servers_memory as f64);
    let mut past =
        vec![("calls/s", format!("{:.1}", most(&calls)), calls), ("memory", bytes(most(&memory)), memory)];
    if most(&servers) > 0.0 {
        past.push(("servers", bytes(most(&servers)), servers));
    }
    past.retain(|(_, _, values)| values.len() > 1);
    let room = loop {
        let words: usize = past.iter().map(|(name, most, _)| name.len() + most.len() + 9).sum();
        let room = width.saturating_sub(words) / past.len().max(1);
        if room >= LEAST_BARS || past.pop().is_none() {
            break room;
        }
    };
    if past.is_empty() {
        return None;
    }
    let mut line = Line::new();
    for (name, most, values) in past {
        let lead = if line.is_empty() { "" } else { "   " };
        line.push(Part::new(format!("{lead}{name} "), TextRole::Faint));
        line.push(Part::new(spark::sparkline(&values, room), TextRole::Spark));
        line.push(Part::new(format!(" max {most}"), TextRole::Faint));
    }
    Some(line)
}

/// Puts parts side by side, as many to a line as fit.
fn flow_parts(parts: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if table::cell_width(line) + 3 + table::cell_width(part) <= width => {
                line.push_str("   ");
                line.push_str(part);
            }
            _ => lines.push(part.clone()),
        }
    }
    lines
}

fn head_groups(picture: &Picture, rate: Option<f64>) -> Vec<Vec<String>> {
    let mut itself = vec![format!("hobd {}", picture.version), format!("process {}", picture.pid)];
    itself.push(format!("up {}", render::duration_text(picture.uptime)));
    let mut takes = Vec::new();
    takes.extend(picture.memory.map(|bytes| format!("memory {}", render::bytes_text(bytes))));
    takes.extend(picture.servers_memory.map(|bytes| format!("servers {}", render::bytes_text(bytes))));
    takes.extend(picture.disk.map(|bytes| format!("store {}", render::bytes_text(bytes))));
    takes.extend(picture.watched.map(|dirs| format!("{} watched", render::count(dirs, "folder"))));
    let clients: Vec<String> = picture.clients.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
    takes
        .push(format!("clients {}", if clients.is_empty() { "none".to_owned() } else { clients.join(", ") }));
    let mut calls = vec![pace_text(picture, rate)];
    let mut tokens = Vec::new();
    if let Some(metrics) = &picture.metrics {
        calls.push(format!("{} in all", render::grouped_digits(metrics.calls)));
        calls.push(format!("{} failed", render::grouped_digits(metrics.failed)));
        calls.extend(metrics.p50.map(|ms| format!("p50 {}", millis_text(ms))));
        calls.extend(metrics.p99.map(|ms| format!("p99 {}", millis_text(ms))));
        tokens.extend(saved_text(metrics));
        let hits = metrics.caches.iter().filter(|(_, hits, misses)| hits + misses > 0);
        tokens.extend(
            hits.map(|(name, hits, misses)| format!("{name} cache {}%", hits * 100 / (hits + misses))),
        );
    }
    vec![itself, takes, calls, tokens]
}

/// Returns a short head, the most important parts first.
fn brief_head(picture: &Picture, rate: Option<f64>) -> Vec<String> {
    let mut parts =
        vec![format!("hobd {}", picture.version), format!("up {}", render::duration_text(picture.uptime))];
    parts.extend(picture.memory.map(render::bytes_text));
    parts.extend(
        picture
            .servers_memory
            .filter(|bytes| *bytes > 0)
            .map(|bytes| format!("+ {}", render::bytes_text(bytes))),
    );
    parts.push(pace_text(picture, rate));
    parts.extend(
        picture.metrics.as_ref().and_then(|metrics| metrics.p99).map(|ms| format!("p99 {}", millis_text(ms))),
    );
    parts
}

fn pace_text(picture: &Picture, rate: Option<f64>) -> String {
    match rate {
        Some(rate) => format!("{rate:.1} calls/s, {} running", picture.running),
        None => format!("{} running", render::count(picture.running, "call")),
    }
}

/// Describes the savings. The baseline is the cost of reading whole files: an upper bound.
fn saved_text(metrics: &Metrics) -> Option<String> {
    (metrics.baseline > 0).then(|| {
        let percent = metrics.saved_percent.map(|saved| format!(", {}", render::less_or_more(saved)));
        let percent = percent.unwrap_or_default();
        let (actual, baseline) =
            (render::grouped_digits(metrics.actual), render::grouped_digits(metrics.baseline));
        format!("{actual} tokens instead of at most {baseline}{percent}")
    })
}

fn millis_text(ms: f64) -> String {
    match ms {
        ms if ms < 10.0 => format!("{ms:.1} ms"),
        ms if ms < 10_000.0 => format!("{ms:.0} ms"),
        ms => format!("{:.1} s", ms / 1000.0),
    }
}

fn body_lines(view: &TopView, width: u16, room: usize) -> TopLines {
    if view.help {
        return HELP.iter().map(|line| one_part(*line, TextRole::Plain)).take(room).collect();
    }
    let Some(picture) = &view.picture else { return Vec::new() };
    let mut tools = picture.metrics.as_ref().map(|metrics| metrics.tools.clone()).unwrap_or_default();
    view.sort.sort(&mut tools);
    let sections = [
        table::lines(PROJECTS, &picture.workspaces.iter().map(project).collect::<Vec<_>>(), width),
        table::lines(SERVERS, &picture.servers.iter().map(server_row).collect::<Vec<_>>(), width),
        table::lines(TOOLS, &tools.iter().map(tool_row).collect::<Vec<_>>(), width),
    ];
    share_lines(&sections, room)
}

const HELP: &[&str] = &[
    "",
    "q, Esc, Ctrl-C   quit",
    "s                sort tools by calls, p99, tokens, name",
    "p, Space         pause, and go on",
    "h, ?             this",
    "",
    "memory   of the daemon, without mapped files; servers: of all their processes",
    "changes  batches of changes that the index has taken in",
    "tokens   of answers; the baseline is reading whole files, an upper bound",
];

const fn right_column(title: &'static str, width: u16, from: u16) -> Column {
    Column { title, width, from, right: true, cut: CutEnd::End }
}

const fn left_column(title: &'static str, width: u16, from: u16) -> Column {
    Column { right: false, ..right_column(title, width, from) }
}

const PROJECTS: &[Column] = &[
    Column { cut: CutEnd::Start, ..left_column("PROJECT", 0, 0) },
    right_column("FILES", 7, 40),
    right_column("SYMBOLS", 9, 60),
    right_column("CHANGES", 7, 70),
    left_column("STATE", 20, 50),
];

const SERVERS: &[Column] = &[
    left_column("SERVER", 16, 0),
    left_column("LANGUAGES", 14, 90),
    Column { cut: CutEnd::Start, ..left_column("PROJECT", 0, 0) },
    right_column("PROCESS", 7, 60),
    right_column("MEMORY", 9, 40),
    right_column("CLIENTS", 7, 70),
    left_column("STATE", 10, 50),
    Column { cut: CutEnd::Start, ..left_column("PROGRAM", 28, 130) },
];

const TOOLS: &[Column] = &[
    left_column("TOOL", 0, 0),
    right_column("CALLS", 7, 0),
    right_column("FAILED", 6, 60),
    right_column("P50", 7, 50),
    right_column("P99", 7, 36),
    right_column("MAX", 7, 80),
    right_column("TOKENS", 11, 70),
    right_column("BASELINE", 12, 100),
];

fn project(one: &super::picture::Workspace) -> Line {
    let [files, symbols, changes] = [one.files, one.symbols, one.generation].map(render::grouped_digits);
    let look = if one.well { TextRole::Good } else { TextRole::Odd };
    vec![
        one.root.clone().into(),
        files.into(),
        symbols.into(),
        changes.into(),
        Part::new(one.state.clone(), look),
    ]
}

fn server_row(one: &super::picture::TopServer) -> Line {
    let pid = one.pid.map(|pid| pid.to_string()).unwrap_or_default();
    let memory = if one.pid.is_some() { render::bytes_text(one.memory) } else { String::new() };
    let look = match one.state.as_str() {
        "failed" | "crashed" => TextRole::Bad,
        "ready" => TextRole::Good,
        _ => TextRole::Odd,
    };
    vec![
        Part::new(one.name.clone(), if look == TextRole::Bad { look } else { TextRole::Plain }),
        one.languages.clone().into(),
        one.root.clone().into(),
        pid.into(),
        memory.into(),
        one.clients.to_string().into(),
        Part::new(one.state.clone(), look),
        one.program.clone().into(),
    ]
}

/// Milliseconds from which an answer makes a person wait.
const SLOW: f64 = 1_000.0;

fn tool_row(one: &super::picture::Tool) -> Line {
    let time = |ms: Option<f64>| {
        let look = if ms.is_some_and(|ms| ms >= SLOW) { TextRole::Odd } else { TextRole::Plain };
        Part::new(ms.map(millis_text).unwrap_or_default(), look)
    };
    let failed = if one.failed > 0 { TextRole::Odd } else { TextRole::Faint };
    vec![
        one.name.clone().into(),
        render::grouped_digits(one.calls).into(),
        Part::new(render::grouped_digits(one.failed), failed),
        time(one.p50),
        time(one.p99),
        time(one.max),
        render::grouped_digits(one.actual).into(),
        Part::new(render::grouped_digits(one.baseline), TextRole::Faint),
    ]
}

/// Shares `room` lines among tables, each with its head: all get a row before one gets two. A table without rows is
/// left out, and the last row counts the rows that are cut off.
fn share_lines(tables: &[TopLines; 3], room: usize) -> TopLines {
    let tables: Vec<&TopLines> = tables.iter().filter(|table| table.len() > 1).collect();
    // A blank line goes above each, if there is room for it and two rows each.
    let gap = usize::from(tables.len() * 4 <= room);
    let shown = tables.len().min(room / 2);
    let mut given = vec![1_usize; shown];
    let mut left = room.saturating_sub(shown * (2 + gap));
    while left > 0 {
        let mut any = false;
        for (given, table) in given.iter_mut().zip(&tables) {
            if left > 0 && *given < table.len() - 1 {
                (*given, left, any) = (*given + 1, left - 1, true);
            }
        }
        if !any {
            break;
        }
    }
    let mut lines = Vec::new();
    for (table, given) in tables.iter().zip(given) {
        lines.extend((0..gap).map(|_| Line::new()));
        lines.extend(table_part(table, given));
    }
    lines
}

fn table_part(table: &[Line], given: usize) -> TopLines {
    let rows = &table[1..];
    let mut lines = vec![table[0].clone()];
    match rows.len() > given && given > 1 {
        false => lines.extend(rows.iter().take(given).cloned()),
        true => {
            lines.extend(rows.iter().take(given - 1).cloned());
            lines.push(one_part(format!("and {} more", rows.len() + 1 - given), TextRole::Faint));
        }
    }
    lines
}

#[cfg(test)]
mod tests;
