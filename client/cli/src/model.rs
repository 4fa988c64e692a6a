//! Defines `hob model`: manages the embedding models that the user has given to hob.
//!
//! The daemon copies and checks them, because it maps them into memory; hob downloads none.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hob_proto::tools::models::{ModelInfo, ModelsResult};
use serde_json::{Map, Value, json};

use super::ask::{self, CliQuestion};
use super::term::Style;
use super::{CommandFailure, CommandOutcome, Common, show};

/// Models that know the meaning of words: add, list or remove them
///
/// With a model, text_search, investigate and resolve can also find what is called otherwise (use_embeddings). hob fetches none:
/// docs/models.md says where they are to be had.
#[derive(Debug, Args)]
pub(crate) struct Model {
    #[command(subcommand)]
    what: Option<ModelCommand>,
}

#[derive(Debug, Subcommand)]
enum ModelCommand {
    /// Copy a model out of a folder; it is the active one from now on
    Add {
        /// A folder with model.safetensors and tokenizer.json, or that of the Python package wordllama
        dir: PathBuf,
        /// Name for the model (default: that of the folder)
        #[arg(long)]
        name: Option<String>,
    },
    /// List the models, the active one first (the default)
    List,
    /// Remove a model; the one that was added before it becomes active
    Remove {
        /// The name in `hob model list`
        name: String,
    },
}

impl Model {
    pub(super) async fn run(self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        let args = match self.what.unwrap_or(ModelCommand::List) {
            ModelCommand::Add { dir, name } => {
                let folder = std::path::absolute(dir)?;
                let folder = folder
                    .to_str()
                    .ok_or_else(|| CommandFailure::Usage("the folder's path is no text".to_owned()))?;
                json!({"action": "add", "folder": folder, "name": name})
            }
            ModelCommand::List => json!({"action": "list"}),
            ModelCommand::Remove { name } => json!({"action": "remove", "name": name}),
        };
        show_models(args, common).await
    }
}

async fn show_models(args: Value, common: &Common) -> Result<CommandOutcome, CommandFailure> {
    let given = |(key, value): (String, Value)| (!value.is_null()).then_some((key, value));
    let args: Map<_, _> = args.as_object().cloned().into_iter().flatten().filter_map(given).collect();
    let question = CliQuestion::new("hob_models", args, common)?;
    let answer = ask::with_progress(&question, common).await?;
    show::print_result(&answer, common.json, |result, style| Some(list(result, style)))
}

fn list(result: &ModelsResult, style: &Style) -> String {
    if result.models.is_empty() {
        return "no model: questions are answered by words alone (hob model add DIR)\n".to_owned();
    }
    result.models.iter().map(|model| one(model, style)).collect()
}

fn one(model: &ModelInfo, style: &Style) -> String {
    let about = match (&model.problem, model.dims, model.tokens) {
        (Some(problem), ..) => style.notice(problem.as_str()).into_owned(),
        (None, Some(dims), Some(tokens)) => {
            let megabytes = model.disk_bytes as f64 / 1e6;
            style.dim(format!("{dims} dimensions, {tokens} tokens, {megabytes:.1} MB")).into_owned()
        }
        _ => String::new(),
    };
    let counts = if model.active { " (active)" } else { "" };
    format!("{}{counts}: {about}\n", style.bold(model.name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_active_model_and_broken_ones_can_be_told() {
        let result: ModelsResult = serde_json::from_value(json!({"models": [
            {"name": "big", "active": true, "dims": 256, "tokens": 32000, "disk_bytes": 16_400_000},
            {"name": "old", "active": false, "disk_bytes": 0, "problem": "it is gone"},
        ]}))
        .expect("a result");
        let text = list(&result, &Style::default());
        assert_eq!(text, "big (active): 256 dimensions, 32000 tokens, 16.4 MB\nold: it is gone\n");
        assert!(list(&ModelsResult { models: Vec::new() }, &Style::default()).contains("hob model add"));
    }
}
