//! Defines `hob graph`: draws the workspace as a page that opens from disk, or as an image.
//!
//! The daemon returns the map page by page; this program gathers, lays out and draws, so that this costs the daemon
//! nothing.

mod data;
mod deflate;
mod editor;
mod layout;
mod model;
mod nodes;
mod page;
mod palette;
mod source;
mod svg;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use hob_proto::Envelope;
use hob_proto::places::Places;
use hob_proto::tools::graph::GraphResult;
use serde_json::{Map, json};

use super::ask::{self, CliQuestion};
use super::term::{self, Style};
use super::{CommandFailure, CommandOutcome, Common, output, show};
use model::{Gatherer, Picture};

/// Draw the code base: clusters, hubs, and which code uses which
///
/// Writes one HTML page that opens from disk and loads nothing from elsewhere: the most connected symbols by cluster, search,
/// and for each symbol its callers and callees with their source, and links into an editor ($VISUAL or $EDITOR is the first
/// choice). Keys on the page: / searches, arrows and Enter choose, Escape goes back, ? shows the others.
#[derive(Debug, Args)]
pub(crate) struct Graph {
    /// Write the page here (default: a file in hob's own folder, whose name is printed)
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Write a still image of the clusters here; without --out no page is written
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Let the page colour files by the number of commits in the last DAYS that changed them
    #[arg(long, value_name = "DAYS", num_args = 0..=1, default_missing_value = "365", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    heat: Option<u32>,

    /// Open the page (with --svg alone, the image) in the browser
    #[arg(long)]
    open: bool,
}

impl Graph {
    pub(super) async fn run(self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        let mut picture = match gather_pages(self.heat, common).await? {
            Ok(picture) => picture,
            Err(refused) => return Ok(refused),
        };
        let out = match (&self.out, &self.svg) {
            (Some(out), _) => Some(place_of(out)?),
            (None, Some(_)) => None,
            (None, None) => Some(own_file(&picture)?),
        };
        let svg = self.svg.as_deref().map(place_of).transpose()?;
        if let Some(out) = &out {
            let data = data::pack_picture(&picture, &editor::choice_of_env()).ok_or_else(|| {
                CommandFailure::Daemon("the picture cannot be packed: this is a bug".to_owned())
            })?;
            write(out, &page::html_page(&picture, &data), self.out.is_none())?;
            picture.notes = data.notes;
        }
        if let Some(svg) = &svg {
            write(svg, &svg::svg_image(&picture), false)?;
        }
        report_picture(&picture, out.as_deref(), svg.as_deref(), common.json)?;
        if self.open
            && let Some(file) = out.or(svg)
        {
            open(&file)?;
        }
        Ok(CommandOutcome::Done)
    }
}

/// Gathers all pages of the map. Returns the command's outcome if the daemon has none; the reason is printed by then.
async fn gather_pages(
    heat: Option<u32>,
    common: &Common,
) -> Result<Result<Picture, CommandOutcome>, CommandFailure> {
    let mut gatherer = Gatherer::new(heat);
    let mut args = Map::new();
    if let Some(days) = heat {
        args.insert("heat_days".to_owned(), days.into());
    }
    loop {
        let question = CliQuestion::new("hob_graph", args.clone(), common)?;
        let answer = ask::with_progress(&question, common).await?;
        let envelope = Envelope::parse(&answer.envelope)
            .map_err(|error| CommandFailure::Daemon(format!("the answer cannot be read: {error}")))?;
        let Some(data) = envelope.data else {
            return show::print_answer(&answer, common.json).map(Err);
        };
        if envelope.truncated {
            return Err(CommandFailure::Daemon("a page came cut: this is a bug".to_owned()));
        }
        if !args.contains_key("after_path") {
            show::remarks_of(&answer);
        }
        let page: GraphResult = serde_json::from_value(data)
            .map_err(|error| CommandFailure::Daemon(format!("the answer cannot be read: {error}")))?;
        let next = page.next_path.clone();
        gatherer.add_page(page);
        match next {
            Some(path) => drop(args.insert("after_path".to_owned(), path.into())),
            None => {
                let mut picture = gatherer.finish();
                picture.is_far = common.far.are_given();
                if picture.is_far {
                    picture
                        .notes
                        .push("The project is on another machine, so its source is not shown.".to_owned());
                }
                return Ok(Ok(picture));
            }
        }
    }
}

/// Returns the absolute path of a file, relative to the working directory, whatever `--root` is.
fn place_of(file: &Path) -> Result<PathBuf, CommandFailure> {
    Ok(Common::working_dir()?.join(file))
}

/// Returns the path of a file of hob's own, one for each workspace: a page in the project would be indexed with it.
fn own_file(picture: &Picture) -> Result<PathBuf, CommandFailure> {
    let places = Places::from_process_env()?;
    let plain = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' };
    let name: String = picture.name.chars().take(60).map(plain).collect();
    let folder = places.cache.join(PAGES);
    output::make_private_folder(&folder)?;
    Ok(folder.join(format!("{name}{}", page_suffix(&picture.root))))
}

/// The folder of such files, in that of caches.
const PAGES: &str = "graphs";

/// Suffixes of the names of a project's files.
fn page_suffix(root: &str) -> String {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    root.hash(&mut hasher);
    format!("-{:08x}.html", hasher.finish() as u32)
}

/// Lists the pages of the project `root` in hob's own folder.
pub(super) fn pages_of(places: &Places, root: &str) -> Vec<PathBuf> {
    let ending = page_suffix(root);
    let files = std::fs::read_dir(places.cache.join(PAGES)).into_iter().flatten().flatten();
    let of_root =
        |file: &PathBuf| file.file_name().is_some_and(|name| name.to_string_lossy().ends_with(&ending));
    files.map(|file| file.path()).filter(of_root).collect()
}

/// Writes a file: one of hob's own for the user alone, one that the user names with the usual permissions.
fn write(file: &Path, text: &str, is_own: bool) -> Result<(), CommandFailure> {
    use std::io::Write as _;
    output::make_way(file)?;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    if is_own {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = is_own;
    let written = options.open(file).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| CommandFailure::Usage(format!("{}: {error}", file.display())))
}

fn report_picture(
    picture: &Picture,
    out: Option<&Path>,
    svg: Option<&Path>,
    as_json: bool,
) -> Result<(), CommandFailure> {
    if as_json {
        let written = json!({
            "out": out, "svg": svg, "files": picture.files.len(), "symbols": picture.symbols_total,
            "clusters": picture.clusters.len(), "edges": picture.edges_total, "notes": picture.notes,
        });
        term::print(&format!("{written}\n"))?;
        return Ok(());
    }
    let style = Style::of_stdout();
    for file in [out, svg].into_iter().flatten() {
        term::print(&format!(
            "{}  {}\n",
            style.path(file.display().to_string()),
            page::totals_line(picture)
        ))?;
    }
    for note in &picture.notes {
        term::note_to_stderr(note);
    }
    Ok(())
}

/// Opens a file with the desktop's program for it.
fn open(file: &Path) -> Result<(), CommandFailure> {
    let program = match () {
        () if cfg!(target_os = "macos") => "open",
        () if cfg!(windows) => "explorer",
        () => "xdg-open",
    };
    let mut command = Command::new(program);
    command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop).map_err(|error| {
        CommandFailure::Usage(format!(
            "{program} cannot be started ({error}): open {} in a browser",
            file.display()
        ))
    })
}
