//! Tests keys of object literals and patterns, values taken out of lists, maps and promises, and members that only the
//! flow of values tells.

use crate::fixture::{map, shown_uses};
use crate::graph::{Confidence, Map, NodeRef};
use crate::language_of;
use crate::locals::{NamePlace, local_name_at};
use crate::meaning::NameInFile;
use crate::place_reading::read_place;

/// Checks that a fixture has these edges to `wanted`, whatever other edges it has.
#[track_caller]
fn check_uses_of(fixture: &str, wanted: &str, expected: &[&str]) {
    let map = map(fixture);
    let to_wanted = |edge: &String| edge.split(' ').nth(2).is_some_and(|to| to.ends_with(wanted));
    let found: Vec<String> = shown_uses(&map).into_iter().filter(to_wanted).collect();
    assert_eq!(found, expected, "{:#?}", shown_uses(&map));
}

const OPTIONS: &str = "
//- /options.ts
export interface Retry { count: number }
export interface Options { name: string; retry?: Retry; tags: Tag[] }
export interface Tag { label: string }
//- /use.ts
import { Options } from './options';
function send(address: string, options: Options) {}
";

#[test]
fn a_key_is_a_use_of_the_member_that_its_object_is_expected_to_have() {
    for code in [
        "export const one: Options = { name: 'a' };",
        "export const all: Options[] = [{ name: 'a' }];",
        "export function one(): Options { return { name: 'a' } }",
        "export const one = () => ({ name: 'a' } as Options);",
        "export function start() { send('x', { name: 'a' }); }",
        "export async function start(): Promise<Options> { return { name: 'a' } }",
    ] {
        let map = map(&format!("{OPTIONS}{code}\n"));
        let found = shown_uses(&map);
        let is_key = |edge: &&String| edge.contains("options.ts#Options.name import");
        assert_eq!(found.iter().filter(is_key).count(), 1, "{code}: {found:#?}");
    }
}

#[test]
fn keys_within_keys_belong_to_the_types_of_those() {
    check_uses_of(
        &format!("{OPTIONS}const one: Options = {{ retry: {{ count: 1 }}, tags: [{{ label: 'x' }}] }};\n"),
        "Retry.count",
        &["use.ts#one.retry references options.ts#Retry.count import"],
    );
}

#[test]
fn a_key_that_no_type_has_means_nothing() {
    let fixture =
        format!("{OPTIONS}const one: Options = {{ size: 1 }};\nconst two: Unknown = {{ size: 2 }};\n")
            + "//- /other.ts\nexport class Box { size = 0 }\n";
    check_uses_of(&fixture, "Box.size", &[]);
}

#[test]
fn a_pattern_takes_members_of_the_value_and_its_names_have_their_types() {
    check_uses_of(
        "
//- /a.ts
class Api { get() {} }
interface Services { api: Api }
function run({ api }: Services) { api.get() }
function walk(services: Services) { const { api: inner } = services; inner.get() }
",
        "Api.get",
        &["a.ts#run calls a.ts#Api.get import", "a.ts#walk calls a.ts#Api.get import"],
    );
}

#[test]
fn what_is_taken_out_of_lists_maps_and_promises_has_their_types() {
    check_uses_of(
        "
//- /a.ts
class Job { run() {} }
interface Queue { first: Promise<Job>; all: Job[]; named: Map<string, Job> }
async function one(queue: Queue) { (await queue.first).run() }
function two(queue: Queue) { queue.all[0].run() }
function three(queue: Queue) { for (const job of queue.all) job.run() }
function four(queue: Queue) { queue.all.filter(Boolean).forEach(job => job.run()) }
function five(queue: Queue) { queue.named.get('x')?.run() }
",
        "Job.run",
        &[
            "a.ts#five calls a.ts#Job.run import",
            "a.ts#four calls a.ts#Job.run import",
            "a.ts#one calls a.ts#Job.run import",
            "a.ts#three calls a.ts#Job.run import",
            "a.ts#two calls a.ts#Job.run import",
        ],
    );
}

#[test]
fn an_intersection_has_the_members_of_its_parts() {
    check_uses_of(
        "
//- /a.ts
interface Named { name: string }
type Sized = Named & { size: number };
function show(it: Sized) { return it.name }
",
        "Named.name",
        &["a.ts#show references a.ts#Named.name import"],
    );
}

/// Returns the definitions that the name at `^` means, in the last line of the only file.
fn meant(path: &str, code: &str) -> Vec<(String, Confidence)> {
    let col = code.lines().last().and_then(|line| line.find('^')).expect("a mark") as u32 + 1;
    let text = code.replace('^', "");
    let map = map(&format!("//- /{path}\n{text}\n"));
    let at = NamePlace { line: text.lines().count() as u32, col };
    let rest = &text.lines().last().expect("a line")[col as usize - 1..];
    let word: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
    let name = NameInFile { path, at, word: &word };
    let lang = language_of(path, text.as_bytes());
    let meaning = map.meaning_at(name, local_name_at(lang, text.as_bytes(), at, &|| true));
    assert!(!meaning.is_sure(), "facts tell it: {meaning:?}");
    let receiver = read_place(lang, text.as_bytes(), at, &|| true).receiver.expect("an expression");
    map.meaning_through_values(name, &receiver)
        .into_iter()
        .map(|(node, sure)| (shown(&map, node), sure))
        .collect()
}

fn shown(map: &Map, node: NodeRef) -> String {
    map.info(node).map(|info| info.qualified).unwrap_or_default()
}

#[test]
fn a_member_is_found_through_the_values_of_the_expression_before_it() {
    for (path, code, member) in [
        ("a.js", "const a = { size: 1 };\nconst id = x => x;\nid(a).^size", "a.size"),
        ("a.js", "const a = { size: 1 };\nconst all = [a, 1];\nall[0].^size", "a.size"),
        ("a.py", "class A:\n    size = 1\na, b = (A, 2)\na.^size", "A.size"),
        ("a.py", "class A:\n    size = 1\ndef make(of):\n    return of()\nmake(A).^size", "A.size"),
    ] {
        assert_eq!(meant(path, code), [(member.to_owned(), Confidence::Flow)], "{code}");
    }
}

#[test]
fn a_member_of_what_nothing_tells_is_not_guessed() {
    assert_eq!(meant("a.js", "const a = { size: 1 };\nunknown().^size"), []);
}
