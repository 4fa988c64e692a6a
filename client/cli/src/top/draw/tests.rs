//! Tests how frames look, at the sizes that matter.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::{Value, json};

use super::*;
use crate::top::view::{Sample, Sort, TopEvent};

fn status() -> Value {
    let tool = |name: &str, calls: u64, p99: f64, tokens: u64| {
        json!({"tool": name, "calls": calls, "failed": calls / 100, "p50Ms": p99 / 8.0, "p99Ms": p99, "maxMs": p99 * 2.0,
               "actualTokens": tokens, "baselineTokens": tokens * 20})
    };
    json!({
        "version": "0.1.0", "pid": 4711, "uptimeS": 3700, "residentBytes": 50_000_000, "serversBytes": 700_000_000,
        "storeBytesOnDisk": 123_456_789, "watchedDirs": 1234, "calls": 0,
        "clients": [{"kind": "mcp"}, {"kind": "mcp"}, {"kind": "cli"}],
        "workspaces": [
            {"root": "/home/me/work/a-rather-long-name-for-a-project/with/depth", "built": true, "files": 12_345,
             "symbols": 234_567, "generation": 17, "state": "indexed", "watcher": "live"},
            {"root": "/home/me/日本語", "built": false, "files": 3, "symbols": 9, "generation": 0,
             "state": "mapping symbols 40%", "watcher": "degraded"},
        ],
        "servers": [
            {"name": "gopls", "languages": ["go", "go.mod"], "root": "/home/me/日本語", "state": "crashed", "pid": null,
             "rssBytes": 0, "clients": 0, "program": null},
            {"name": "rust-analyzer", "languages": ["rust"], "root": "/home/me/work/a-rather-long-name-for-a-project/with/depth",
             "state": "ready", "pid": 4712, "rssBytes": 700_000_000, "clients": 2, "program": "/usr/bin/rust-analyzer"},
        ],
        "metrics": {
            "calls": 1234, "failed": 3, "running": 2, "actualTokens": 45_678, "baselineTokens": 1_234_567, "savedPct": 96.3,
            "latencyMs": {"p50": 1.24, "p90": 20.0, "p99": 118.6, "max": 12_500.0},
            "perTool": [tool("map_search", 1000, 4.2, 30_000), tool("nav_references", 34, 12_500.0, 5_000),
                        tool("regex_search", 200, 90.0, 10_678)],
            "caches": [{"name": "facts", "hits": 90, "misses": 10}, {"name": "unused", "hits": 0, "misses": 0}],
        },
    })
}

fn view() -> TopView {
    let mut view = TopView::new(false);
    view.apply_news(TopEvent::Status(status()));
    view.rate = Some(12.34);
    let sample = |n: u64| Sample {
        rate: (n * n % 17) as f64,
        memory: 40_000_000 + n * 200_000,
        servers_memory: if n < 20 { 0 } else { 700_000_000 },
    };
    view.history = (0..50).map(sample).collect();
    view
}

fn frame(view: &TopView, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal in memory");
    terminal.draw(|frame| draw_view(view, frame.area(), frame.buffer_mut())).expect("drawn");
    terminal.backend().to_string()
}

/// Compares with a file; `HOB_UPDATE_FRAMES=1` writes it anew, to show what changed.
#[track_caller]
fn is_golden(name: &str, got: &str) {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/top/draw/frames").join(name);
    if std::env::var_os("HOB_UPDATE_FRAMES").is_some() {
        std::fs::write(&file, got).expect("written");
    }
    let golden = std::fs::read_to_string(&file).expect("a golden frame");
    assert!(golden == got, "{name} is another now:\n{got}\nit was\n{golden}");
}

#[test]
fn frames_look_as_they_did() {
    is_golden("80x24.txt", &frame(&view(), 80, 24));
    is_golden("40x10.txt", &frame(&view(), 40, 10));
    is_golden("140x40.txt", &frame(&view(), 140, 40));
    is_golden("none-80x24.txt", &{
        let mut view = view();
        view.apply_news(TopEvent::NotRunning);
        frame(&view, 80, 24)
    });
    is_golden("help-80x24.txt", &{
        let mut view = view();
        (view.help, view.paused, view.sort) = (true, true, Sort::Slow);
        frame(&view, 80, 24)
    });
}

#[test]
fn any_size_can_be_drawn() {
    let mut views = vec![view(), TopView::new(true)];
    let mut help = view();
    help.help = true;
    views.push(help);
    let mut bare = TopView::new(true);
    bare.apply_news(TopEvent::Status(json!({"pid": 1})));
    views.push(bare);
    for view in &views {
        for width in [1, 2, 5, 17, 36, 41, 59, 79, 200] {
            for height in [1, 2, 3, 4, 5, 9, 15, 16, 17, 60] {
                let _ = frame(view, width, height);
            }
        }
    }
}

#[test]
fn colours_are_drawn_only_when_wanted() {
    let area = Rect::new(0, 0, 80, 24);
    let styled = |colour: bool| {
        let mut view = view();
        view.colour = colour;
        let mut buffer = Buffer::empty(area);
        draw_view(&view, area, &mut buffer);
        buffer.content().iter().filter(|cell| cell.fg != Color::Reset || !cell.modifier.is_empty()).count()
    };
    assert_eq!(styled(false), 0);
    assert!(styled(true) > 0);
}

#[test]
fn colours_say_what_is_well_and_what_is_not() {
    let area = Rect::new(0, 0, 140, 40);
    let mut view = view();
    view.colour = true;
    let mut buffer = Buffer::empty(area);
    draw_view(&view, area, &mut buffer);
    let text_in = |colour: Color| -> String {
        buffer.content().iter().filter(|cell| cell.fg == colour).map(|cell| cell.symbol()).collect()
    };
    assert!(text_in(Color::Green).contains("ready") && text_in(Color::Green).contains("indexed"));
    assert!(text_in(Color::Red).contains("gopls") && text_in(Color::Red).contains("crashed"));
    assert!(text_in(Color::Yellow).contains("mapping symbols") && text_in(Color::Yellow).contains("12.5 s"));
    assert!(text_in(Color::Cyan).contains('█'));
}

#[test]
fn a_printed_frame_has_everything_and_no_keys() {
    let mut view = view();
    view.interactive = false;
    let text = as_text(&view, 100);
    for wanted in ["hobd 0.1.0", "日本語", "rust-analyzer", "nav_references", "96% less", "facts cache 90%"]
    {
        assert!(text.contains(wanted), "{wanted} is not in\n{text}");
    }
    assert!(!text.contains("quit") && text.lines().count() < 30, "{text}");
    view.apply_news(TopEvent::NotRunning);
    assert_eq!(as_text(&view, 100), "the daemon is not running\n");
}
