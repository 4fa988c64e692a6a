//! Answers `hob_models`: lists, adds and removes embedding models.

use std::path::Path;

use hob_proto::ToolError;
use hob_proto::tools::models::{ModelInfo, ModelsArgs, ModelsResult};

use super::{ToolCall, ToolOutcome, to_data};
use hob_host::{InstalledModel, ModelsError};
use hob_results::errors;

pub(super) fn models(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: ModelsArgs = call.parse_args()?;
    let models = call.services.host.models();
    let failed = |error: ModelsError| errors::model_failed(&error);
    match args.action.as_str() {
        "add" => {
            let (folder, name) = to_add(&args)?;
            models.add(Path::new(folder), name).map_err(failed)?;
        }
        "remove" => {
            let name = args.name.as_deref().ok_or_else(|| missing_argument("name"))?;
            models.remove(name).map_err(failed)?;
        }
        _ => {}
    }
    if args.action != "list" {
        // The answer goes even to a caller who has cancelled meanwhile.
        call.notes.is_done = true;
        call.services.host.models_changed();
    }
    to_data(&ModelsResult { models: models.list().into_iter().map(model_info).collect() })
}

fn to_add(args: &ModelsArgs) -> Result<(&str, &str), ToolError> {
    let folder = args.folder.as_deref().ok_or_else(|| missing_argument("folder"))?;
    if !Path::new(folder).is_absolute() {
        return Err(ToolError::bad_args(format!("`folder` must be an absolute path, not `{folder}`.")));
    }
    let called = Path::new(folder).file_name().and_then(|name| name.to_str());
    let name = args.name.as_deref().or(called).ok_or_else(|| missing_argument("name"))?;
    Ok((folder, name))
}

fn missing_argument(argument: &str) -> ToolError {
    ToolError::bad_args(format!("This needs `{argument}`."))
}

fn model_info(kept: InstalledModel) -> ModelInfo {
    let InstalledModel { name, active, model, disk_bytes } = kept;
    let known = model.as_ref().ok();
    ModelInfo {
        name,
        active,
        dims: known.map(|model| model.dims()),
        tokens: known.map(|model| model.tokens()),
        disk_bytes,
        memory_bytes: known.map(|model| model.heap_bytes()),
        problem: model.err(),
    }
}
