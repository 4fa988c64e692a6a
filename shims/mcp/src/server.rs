//! Implements the MCP server: its description, its tools, and the conversion of a call into a result.
//!
//! Everything but a call is answered from the static table, without the daemon. `rmcp` negotiates the revision; this
//! file adds what only some revisions have (cache hints) and keeps the rest the same for all of them. Only this file,
//! `ask.rs`, `roots.rs` and `stdio.rs` use MCP's types.

use std::sync::{Arc, OnceLock};

use hob_client::DaemonAnswer;
use hob_proto::Form;
use hob_proto::tools::{self, ToolDef, ToolSet, schema};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, DiscoverResult, ErrorCode, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler};

use crate::ask::{CallContinuation, Questions};
use crate::policy;
use crate::relay::{Relay, RelayOrder, Reporter};
use crate::roots::{CallRoot, Roots};

/// Time for which a client may keep the tool list, in milliseconds: the list cannot change while this process lives.
const LIST_TTL_MS: u64 = 60 * 60 * 1000;

/// Methods that are served: a request for one of them that cannot be read has wrong parameters.
const SERVED: &[&str] = &["initialize", "server/discover", "ping", "tools/list", "tools/call"];

/// The server of one client.
pub(crate) struct Server {
    listed: Vec<&'static ToolDef>,
    output_schemas: bool,
    tools: OnceLock<Vec<Tool>>,
    roots: Roots,
    relay: Relay,
}

impl Server {
    pub(crate) fn new(
        listed: Vec<&'static ToolDef>,
        output_schemas: bool,
        roots: Roots,
        relay: Relay,
    ) -> Self {
        Self { listed, output_schemas, tools: OnceLock::new(), roots, relay }
    }

    fn listed_tools(&self) -> &[Tool] {
        self.tools.get_or_init(|| self.listed.iter().map(|def| as_tool(def, self.output_schemas)).collect())
    }

    /// Returns the tool of this name, if this client may call it: it is listed, or in no list at all.
    fn callable_tool(&self, name: &str) -> Result<&'static ToolDef, ErrorData> {
        let Some(def) = tools::find(name) else {
            return Err(ErrorData::invalid_params(tools::unknown_tool(name).to_string(), None));
        };
        if def.set == ToolSet::Hidden || self.listed.iter().any(|listed| listed.name == name) {
            return Ok(def);
        }
        let way = if def.set == ToolSet::Edit { "--edits" } else { "--tools all" };
        let message = format!("the tool `{name}` is not offered here; start hob-mcp with `{way}` to have it");
        Err(ErrorData::invalid_params(message, None))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut info = Implementation::new("hob", env!("CARGO_PKG_VERSION"));
        info.title = Some("hob".to_owned());
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(info)
            .with_instructions(policy::instructions(&self.listed))
    }

    async fn discover(&self, _context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info()).with_ttl_ms(LIST_TTL_MS))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let result = ListToolsResult::with_all_items(self.listed_tools().to_vec());
        let has_hints =
            context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        if has_hints {
            return Ok(result.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Private));
        }
        Ok(result)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.callable_tool(&request.name)?;
        let mut questions = Questions::for_call(&context, &request);
        let args = request.arguments.unwrap_or_default();
        let named = args.get("root").is_some_and(|root| !root.is_null());
        let form = self.relay.form_of(&args);
        let root = if named {
            CallRoot { folder: self.roots.known_root().to_path_buf(), is_followed: false }
        } else {
            self.roots.root_for_call(&context, tool, &args).await
        };
        let token = context.meta.get_progress_token();
        let mut reporter = token.map(|token| Reporter::new(context.peer.clone(), token));
        let mut stands = None;
        loop {
            let (offers, replies) = (questions.offers(), questions.replies());
            let order = RelayOrder {
                tool,
                args: args.clone(),
                root: &root,
                offers,
                replies,
                reporter: reporter.as_mut(),
            };
            let DaemonAnswer { ok, envelope, ask } = tokio::select! {
                answer = self.relay.call(order) => answer,
                // The call was cancelled: `rmcp` drops this answer.
                () = context.ct.cancelled() => return Err(cancelled_error()),
            };
            // If the repeated call fails, the first answer stands.
            let envelope = stands.take().filter(|_| !ok).unwrap_or(envelope);
            let next = match ask {
                Some(ask) => questions.put_question(ask, reporter.as_mut()).await,
                None => CallContinuation::Stands,
            };
            match next {
                CallContinuation::Stands => return Ok(as_result(envelope, form).into()),
                CallContinuation::Returned(question) => return Ok(question.into()),
                CallContinuation::Again => stands = Some(envelope),
                CallContinuation::Cancelled => return Err(cancelled_error()),
            }
        }
    }

    /// Handles requests that `rmcp` cannot read, even those whose method it knows.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        if SERVED.contains(&method.as_str()) {
            return Err(ErrorData::invalid_params(
                format!("the parameters of `{method}` are malformed"),
                None,
            ));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{method}`"), None))
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        self.roots.forget_roots().await;
    }
}

fn cancelled_error() -> ErrorData {
    ErrorData::internal_error("cancelled", None)
}

fn as_tool(def: &'static ToolDef, output_schema: bool) -> Tool {
    let mut annotations = ToolAnnotations::new().read_only(def.read_only).open_world(false);
    if !def.read_only {
        annotations = annotations.destructive(def.destructive).idempotent(def.idempotent);
    }
    let tool = Tool::new(def.name, def.description, schema::input_schema(def))
        .with_title(def.title)
        .with_annotations(annotations);
    if output_schema { tool.with_raw_output_schema(Arc::new(schema::output_schema(def))) } else { tool }
}

/// Converts an answer into a result: a text alone, or the JSON envelope twice, because some clients show the model only
/// one of the two; a structured copy beside the text would make them show that instead of the text. A failure of the
/// tool is an answer like any other and no MCP error, because the model should read its hint.
fn as_result(answer: String, form: Form) -> CallToolResult {
    let structure = (form == Form::Json).then(|| serde_json::from_str(&answer).ok()).flatten();
    let mut result = CallToolResult::success(vec![ContentBlock::text(answer)]);
    result.structured_content = structure;
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_tool_is_what_the_table_says() {
        for def in tools::select_tools("all", true).expect("known") {
            let tool = serde_json::to_value(as_tool(def, false)).expect("plain data");
            assert_eq!(tool, schema::tool_listing(def), "{}", def.name);
            let tool = serde_json::to_value(as_tool(def, true)).expect("plain data");
            assert_eq!(tool["outputSchema"]["type"], "object", "{}", def.name);
        }
    }

    #[test]
    fn text_and_structure_are_the_same_envelope_in_the_same_order() {
        let text = r#"{"ok":true,"data":{"z":1,"a":[1.5,"é"]},"warnings":[]}"#;
        let result = as_result(text.to_owned(), Form::Json);
        assert_eq!(serde_json::to_string(&result.structured_content).expect("plain data"), text);
        assert_eq!(result.is_error, Some(false));
        assert_eq!(as_result(text.to_owned(), Form::Text).structured_content, None);
    }
}
