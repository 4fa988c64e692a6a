//! Tests completions: the scripts for every shell, and what bash actually makes of one.

use std::process::Command;

use hob_tests::{World, run};

/// Returns the completions that bash offers after `line`, with the script that `hob completions bash` prints.
fn offered(world: &World, line: &[&str]) -> Vec<String> {
    let script = world.hob(&world.path("tmp"), &["completions", "bash"]).success();
    let ask = r#"
source /dev/stdin
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
function_of_hob=$(complete -p hob | sed 's/.*-F \([^ ]*\).*/\1/')
"$function_of_hob" hob "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}""#;
    let mut bash = Command::new("bash");
    world.clean(&mut bash);
    bash.args(["--noprofile", "--norc", "-c", ask, "bash"]).args(line);
    run(&mut bash, script.as_bytes()).success().lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_options_and_tools() {
    let world = World::new();
    let has = |offered: &[String], word: &str| offered.iter().any(|found| found == word);
    let commands = offered(&world, &["hob", "se"]);
    assert!(has(&commands, "search") && has(&commands, "setup") && has(&commands, "service"), "{commands:?}");
    assert!(!has(&commands, "map"), "{commands:?}");
    let options = offered(&world, &["hob", "man", "--"]);
    assert!(has(&options, "--out") && has(&options, "--help"), "{options:?}");
    let tools = offered(&world, &["hob", "call", "map_"]);
    assert!(has(&tools, "map_search") && !has(&tools, "regex_search"), "{tools:?}");
    let shells = offered(&world, &["hob", "completions", ""]);
    assert!(has(&shells, "fish") && has(&shells, "elvish"), "{shells:?}");
}

#[test]
fn every_shell_has_a_script_that_knows_the_commands() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = world.hob(&world.path("tmp"), &["completions", shell]).success();
        for word in ["doctor", "service", "regex_search", "man"] {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
    }
    let unknown = world.hob(&world.path("tmp"), &["completions", "tcsh"]).code(2);
    assert!(unknown.stderr.contains("possible values: bash"), "{unknown}");
}
