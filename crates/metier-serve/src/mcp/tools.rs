//! Tools: the dialect's, in the protocol's shape.

use std::sync::Arc;

use metier_runtime::JournalError;
use metier_runtime::capability::Effect;
use metier_store::Catalog;
use serde_json::{Value, json};

use super::fit::fitted;
use super::sdk::{CallToolResult, ContentBlock, ErrorData, JsonObject, Tool, ToolAnnotations};
use super::shown;
use crate::dialect::{self, Dialect, Reply};

pub(super) fn list(dialect: Dialect, catalog: &Catalog) -> Vec<Tool> {
    dialect.tools(catalog).into_iter().map(tool).collect()
}

fn tool(tool: dialect::Tool) -> Tool {
    let annotations = match tool.effect {
        Effect::Looks | Effect::Records => ToolAnnotations::new().read_only(true),
        Effect::Changes => ToolAnnotations::new().destructive(false),
        Effect::Runs => ToolAnnotations::new().destructive(true),
    };
    let spelled = Tool::new(tool.name, tool.description, object(tool.input))
        .with_title(tool.title)
        .annotate(annotations.open_world(tool.effect == Effect::Runs));
    match tool.output {
        Some(output) => spelled.with_raw_output_schema(object(output)),
        None => spelled,
    }
}

/// What a call answers. A tool that is not there is the client's error; everything else is told to
/// the model.
pub(super) fn answer(
    reply: Result<Option<Reply>, JournalError>,
    name: &str,
) -> Result<CallToolResult, ErrorData> {
    let reply = match reply {
        Ok(Some(reply)) => reply,
        Ok(None) => {
            let shown = shown(name);
            let message = format!("there is no tool `{shown}`");
            return Err(ErrorData::invalid_params(message, Some(json!({ "tool": shown }))));
        }
        Err(error) => Reply::refused(&error),
    };
    let reply = fitted(reply);
    let content = vec![ContentBlock::text(reply.text)];
    let mut result = match reply.failed {
        true => CallToolResult::error(content),
        false => CallToolResult::success(content),
    };
    result.structured_content = reply.data;
    Ok(result)
}

fn object(value: Value) -> Arc<JsonObject> {
    Arc::new(match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    })
}

#[cfg(test)]
#[path = "tools_tests.rs"]
mod tests;
