//! The smallest MCP server that `rmcp` can make. The start of `hob-mcp` is measured against it.
//!
//! It lists no tools and does nothing. If `hob-mcp` takes longer than this, the difference is hob's own.

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
