//! Tests the manifests of the packages: they have the same version and consistent names, and nothing that a registry
//! refuses.

use hob_tests::{World, repository};
use serde_json::Value;

use super::{PROGRAMS, text_of, version};

#[track_caller]
fn json(name: &str) -> Value {
    serde_json::from_str(&text_of(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_manifest_bears_the_version_of_the_workspace() {
    let version = version();
    let root = text_of("Cargo.toml");
    let (_, members) = root.split_once("members = [\n").expect("the workspace has members");
    for member in members
        .lines()
        .take_while(|line| !line.starts_with(']'))
        .map(|line| line.trim().trim_matches(['"', ',']))
    {
        let manifest = text_of(&format!("{member}/Cargo.toml"));
        assert!(manifest.contains("\nversion.workspace = true\n"), "{member} has a version of its own");
    }
    let npm = json("packaging/npm/package.json");
    let server = json("packaging/mcp-registry/server.json");
    let plugin = json("packaging/claude-plugin/.claude-plugin/plugin.json");
    let mut said =
        vec![("npm", &npm["version"]), ("server.json", &server["version"]), ("plug-in", &plugin["version"])];
    said.extend(
        npm["optionalDependencies"]
            .as_object()
            .expect("platforms")
            .iter()
            .map(|(name, at)| (name.as_str(), at)),
    );
    said.extend(
        server["packages"]
            .as_array()
            .expect("packages")
            .iter()
            .map(|package| ("a package", &package["version"])),
    );
    for (who, at) in said {
        assert_eq!(at, &Value::from(version.as_str()), "{who}");
    }
    assert!(text_of("packaging/pypi/METADATA").contains(&format!("\nVersion: {version}\n")));
    assert!(text_of("packaging/install.sh").contains(&format!("\nversion={version}\n")));
    let formula = text_of("packaging/homebrew/hob.rb");
    assert!(formula.contains(&format!("version \"{version}\"\n")));
    let addresses: Vec<&str> = formula.lines().filter(|line| line.trim_start().starts_with("url ")).collect();
    let right = format!("/v{version}/hob-{version}-");
    assert!(addresses.len() == 4 && addresses.iter().all(|line| line.contains(&right)), "{addresses:?}");
    let world = World::new();
    for name in PROGRAMS {
        let said = hob_tests::run(world.command(name).arg("--version"), b"").success();
        assert_eq!(said.trim(), format!("{name} {version}"));
    }
}

#[test]
fn the_entry_for_the_mcp_registry_is_one_that_it_takes() {
    let server = json("packaging/mcp-registry/server.json");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    assert_eq!(
        server["$schema"],
        "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
    );
    let name = text(&server["name"]);
    let (space, own) = name.split_once('/').expect("a name is `namespace/name`");
    let plain = |part: &str, more: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c));
    assert!(
        plain(space, ".-") && plain(own, "._-") && !own.is_empty() && (3..=200).contains(&name.len()),
        "{name}"
    );
    assert!(
        (1..=100).contains(&text(&server["description"]).chars().count()),
        "the registry takes 100 characters"
    );
    assert!((1..=100).contains(&text(&server["title"]).chars().count()));
    let packages = server["packages"].as_array().expect("packages");
    for package in packages {
        assert!(["npm", "pypi"].contains(&text(&package["registryType"]).as_str()), "{package}");
        assert_eq!(package["transport"], serde_json::json!({"type": "stdio"}), "{package}");
        let arguments = package["packageArguments"].as_array().expect("arguments");
        assert!(
            arguments
                .iter()
                .all(|argument| argument["type"] == "positional" && argument["value"].is_string())
        );
    }
    // The registry looks for its name in the packages of the other registries, to check that they have the same owner.
    let npm = json("packaging/npm/package.json");
    assert_eq!(npm["mcpName"], server["name"]);
    assert!(text_of("packaging/pypi/README.md").contains(&format!("mcp-name: {name} ")));
    let pypi = text_of("packaging/pypi/METADATA");
    for package in packages {
        let known = npm["name"] == package["identifier"]
            && pypi.contains(&format!("\nName: {}\n", text(&package["identifier"])));
        assert!(known, "{package}");
    }
}

#[test]
fn the_plug_in_names_programs_and_tools_that_exist() {
    let world = World::new();
    let plugin = json("packaging/claude-plugin/.claude-plugin/plugin.json");
    let market = json("packaging/claude-plugin/.claude-plugin/marketplace.json");
    assert_eq!(market["plugins"][0]["name"], plugin["name"]);
    let servers = json("packaging/claude-plugin/.mcp.json");
    assert_eq!(servers["mcpServers"]["hob"]["command"], "hob-mcp");
    let skill = text_of("packaging/claude-plugin/skills/hob/SKILL.md");
    let head =
        skill.strip_prefix("---\n").and_then(|text| text.split_once("\n---\n")).expect("front matter").0;
    assert!(head.lines().any(|line| line == "name: hob") && head.contains("\ndescription: "), "{head}");
    assert!(head.len() < 1024, "a client keeps it in its context");
    let tools = world.hob(repository(), &["tools", "--markdown"]).success();
    let rows = skill.lines().filter(|line| line.starts_with("| ")).skip(1);
    let named: Vec<&str> = rows
        .filter_map(|row| row.split(" | ").nth(1))
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    assert!(named.len() > 10, "{named:?}");
    for name in named.into_iter().filter(|name| *name != "subject") {
        assert!(tools.contains(&format!("\n## `{name}`\n")), "the skill names {name}, which is no tool");
    }
}

#[test]
fn the_documented_cargo_command_names_every_package_with_a_program() {
    let guide = text_of("docs/install.md");
    let (_, below) = guide.split_once("<!-- cargo command -->").expect("the marker");
    let line = below.lines().find(|line| line.starts_with("for part in ")).expect("the command");
    let (parts, rest) = line.trim_start_matches("for part in ").split_once(';').expect("a loop");
    assert!(rest.contains("cargo install --locked --path \"$part\""), "{rest}");
    let mut programs: Vec<String> = Vec::new();
    for part in parts.split(' ') {
        let manifest = text_of(&format!("{part}/Cargo.toml"));
        let (_, bin) =
            manifest.split_once("[[bin]]\nname = \"").unwrap_or_else(|| panic!("{part} has no program"));
        programs.push(bin.split('"').next().expect("quoted").to_owned());
        let package = manifest.split('"').nth(1).expect("a name").to_owned();
        assert!(
            guide.matches(&package).count() >= 2,
            "{package} is installed from git, and removed, by name"
        );
    }
    programs.sort();
    let mut all = PROGRAMS.map(str::to_owned);
    all.sort();
    assert_eq!(programs, all);
}
