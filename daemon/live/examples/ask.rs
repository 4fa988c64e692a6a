//! Asks a project's language server where something is used, and what another name would change: `ask ROOT FILE LINE COL [SERVER_FOLDER]`. For trying servers out.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use hob_base::{AbsPath, CancelToken, Deadline, WsPath};
use hob_live::live::{Live, LiveOptions, LiveProject};
use hob_live::process::scrubbed_environment;
use hob_live::requests::{RequestPosition, ServerQueryContext, definition, references, rename};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [root, file, line, col, rest @ ..] = args.as_slice() else {
        return Err("usage: ask ROOT FILE LINE COL [FOLDER_OF_SERVERS]".into());
    };
    let mut env = scrubbed_environment(std::env::vars_os());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = rest.iter().map(PathBuf::from).chain(std::env::split_paths(&path));
    env.retain(|(name, _)| name != "PATH");
    env.push(("PATH".into(), std::env::join_paths(folders)?));
    let live = Live::new(LiveOptions { env, ..LiveOptions::default() });
    let project =
        LiveProject { root: AbsPath::new(root)?, trusted: true, preferences: std::sync::Arc::default() };
    let at = RequestPosition { file: WsPath::new(file)?, line: line.parse()?, col: col.parse()? };
    let read = |path: &WsPath| std::fs::read_to_string(project.root.join_ws(path)).ok();
    for round in 0..3 {
        let cancel = CancelToken::new(Deadline::after(Duration::from_secs(60)));
        let asking = ServerQueryContext { read: &read, cancel: &cancel };
        let start = Instant::now();
        let places = live.ask(&project, &at.file, &cancel, |server| references(server, &at, false, asking));
        match places {
            Ok(answer) => println!(
                "{round}: {} references, {:?}, {:?}",
                answer.value.len(),
                answer.completeness,
                start.elapsed()
            ),
            Err(error) => println!("{round}: {error}"),
        }
        let defined = live.ask(&project, &at.file, &cancel, |server| definition(server, &at, asking));
        println!("   defined at {:?}", defined.map(|answer| answer.value));
    }
    let cancel = CancelToken::new(Deadline::after(Duration::from_secs(60)));
    let asking = ServerQueryContext { read: &read, cancel: &cancel };
    match live.ask(&project, &at.file, &cancel, |server| rename(server, &at, "renamed", asking)) {
        Ok(answer) => {
            let (renaming, edits) = (&answer.value, answer.value.files.iter().map(|file| file.edits.len()));
            let (edits, files) = (edits.sum::<usize>(), renaming.files.len());
            println!("`{}`: {edits} edits in {files} files, {:?}", renaming.old_name, answer.completeness);
            println!("   moves {:?}, notes {:?}", renaming.moves, renaming.notes);
        }
        Err(error) => println!("no other name: {error}"),
    }
    for server in live.status() {
        println!("{}: {}, {} MiB", server.key.server, server.state, server.rss_bytes >> 20);
    }
    live.close();
    Ok(())
}
