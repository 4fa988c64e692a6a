//! The smallest MCP server that `rmcp` makes: what `hob-mcp`'s start is measured against.
//!
//! It lists no tools and does nothing. Whatever `hob-mcp` takes longer than this is hob's own.

use rmcp::model::{ServerCapabilities, ServerConfig};
use rmcp::{ServerHandler, ServiceExt};

struct Hello;

impl ServerHandler for Hello {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Hello.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}
