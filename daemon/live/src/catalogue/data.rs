//! Describes the servers for data, styles, markup and descriptions of infrastructure.
//!
//! hob's developers have measured none of them, so they have the cautious values.

use crate::spec::{Install, ServerSpec};

pub(super) fn servers() -> Vec<ServerSpec> {
    vec![
        ServerSpec {
            name: "yaml-language-server",
            files: &[("yaml", "yaml"), ("yml", "yaml")],
            commands: &[&["yaml-language-server", "--stdio"]],
            install_hint: "npm install -g yaml-language-server",
            install: Some(Install::Npm(&["yaml-language-server@1.25.0"])),
            ..ServerSpec::cautious_defaults()
        },
        ServerSpec {
            name: "vscode-json-language-server",
            files: &[("json", "json"), ("jsonc", "jsonc")],
            commands: &[&["vscode-json-language-server", "--stdio"]],
            install_hint: "npm install -g vscode-langservers-extracted",
            install: Some(Install::Npm(&["vscode-langservers-extracted@4.10.0"])),
            ..ServerSpec::cautious_defaults()
        },
        ServerSpec {
            name: "vscode-css-language-server",
            files: &[("css", "css"), ("scss", "scss"), ("less", "less")],
            commands: &[&["vscode-css-language-server", "--stdio"]],
            install_hint: "npm install -g vscode-langservers-extracted",
            install: Some(Install::Npm(&["vscode-langservers-extracted@4.10.0"])),
            ..ServerSpec::cautious_defaults()
        },
        ServerSpec {
            name: "vscode-html-language-server",
            files: &[("html", "html"), ("htm", "html")],
            commands: &[&["vscode-html-language-server", "--stdio"]],
            install_hint: "npm install -g vscode-langservers-extracted",
            install: Some(Install::Npm(&["vscode-langservers-extracted@4.10.0"])),
            ..ServerSpec::cautious_defaults()
        },
        ServerSpec {
            name: "terraform-ls",
            files: &[("tf", "terraform"), ("tfvars", "terraform-vars")],
            markers: &[".terraform.lock.hcl", ".terraform"],
            commands: &[&["terraform-ls", "serve"]],
            version_args: &["version"],
            install_hint: "brew install hashicorp/tap/terraform-ls, or put its release on the PATH",
            needs_trust: Some(
                "it has Terraform load the providers that lie in the project's .terraform folder",
            ),
            ..ServerSpec::cautious_defaults()
        },
    ]
}
