//! Checks the language model that the user may have named: whether its key is where the settings say. It asks the model
//! nothing.

use std::path::PathBuf;

use toml::de::DeTable;

use super::check::{Check, Finding};
use super::surroundings::Surroundings;

pub(super) const CHECKS: &[Check] = &[Check { name: "key", run: |around| vec![key(around)] }];

fn key(around: &Surroundings) -> Finding {
    let text =
        around.settings.as_ref().ok().and_then(|it| std::fs::read_to_string(it.places.settings_file()).ok());
    let table = text.as_deref().and_then(|text| DeTable::parse(text).ok());
    let model = table.as_ref().and_then(|table| table.get_ref().get("model")?.get_ref().as_table());
    let Some(model) = model else { return Finding::ok("no model is named; none is needed") };
    let said = |field: &str| model.get(field).and_then(|value| value.get_ref().as_str());
    judge_model(&said)
}

fn judge_model<'m>(said: &dyn Fn(&str) -> Option<&'m str>) -> Finding {
    let (name, endpoint) = (said("name").unwrap_or_default(), said("endpoint").unwrap_or_default());
    if let Some(variable) = said("key_env") {
        // The variable is read in the environment of the program that starts the daemon, most often a shell like this
        // one.
        if std::env::var_os(variable).is_none_or(|value| value.is_empty()) {
            let text = format!("the key of the model {name} is to be in {variable}, which is not set here");
            return Finding::note(text)
                .with_fix(format!("set {variable} where the daemon is started, or use key_file"));
        }
    }
    if let Some(file) = said("key_file") {
        let path = expand_home(file);
        if let Err(error) = std::fs::File::open(&path) {
            let text = format!("the key of the model {name}, {}, cannot be read: {error}", path.display());
            return Finding::problem(text)
                .with_fix("write the key into that file, or change key_file in config.toml");
        }
    }
    Finding::ok(format!("the model {name} at {endpoint} may be asked"))
}

fn expand_home(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}
