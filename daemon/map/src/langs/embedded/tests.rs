//! Tests the facts that hob reads from files with scripts in them.

use crate::fixture::check_edges;
use crate::langs::lang::Lang;
use crate::langs::support::render;

#[test]
fn vue_setup_scripts_stand_where_they_are() {
    render::check(
        Lang::Vue,
        r#"<template>
  <my-button :label="a < b ? 1 : 2" @click="save"/> é<Card.Head/><div/>
</template>
<!-- <script>no()</script> -->
<script setup lang="ts">
import MyButton from './MyButton.vue'
import { Card } from '../cards'
const count = 1
/** Saves. */
function save(x: number): void { post(x) }
</script>
<script lang="ts">export interface Props { a: string }</script>
<style>a::after { content: "<script>" }</style>
"#,
        "
            constant count 8-8@8:7 | const count = 1
            function save 10-10@10:10 | function save(x: number): void | Saves.
            interface Props 12-12@12:36 E | interface Props
            field Props.a 12-12@12:44 ED | a: string
            class default 1-13@1:1 EX | component
            import named ./MyButton.vue default as MyButton @6
            import named ../cards Card as Card @7
            2:4 call MyButton in default
            2:55 call Card in default
            10:34 call post in save
        ",
    );
}

#[test]
fn a_component_that_exports_its_options_is_that_export() {
    render::check(
        Lang::Vue,
        "<script>\nexport default { methods: { go() { this.stop() }, stop() {} } }\n</script>\n<template><Go/></template>",
        "
            constant default 2-2@2:16 EX | export default { methods: { go() { this.stop() }, stop() {} } }
            field default.methods 2-2@2:18 E | methods: { go() { this.stop() }, stop() {} }
            method default.methods.go 2-2@2:29 E | go()
            method default.methods.stop 2-2@2:51 E | stop()
            2:41 call self.stop in default.methods.go
        ",
    );
}

#[test]
fn svelte_scripts_of_the_module_and_of_each_instance() {
    render::check(
        Lang::Svelte,
        "<script context=\"module\">export const PRELOAD = 1</script>\n<script lang='ts'>\n  export let name: string;\n  import Nav from './Nav.svelte';\n</script>\n<Nav/>\n",
        "
            constant PRELOAD 1-1@1:39 E | const PRELOAD = 1
            variable name 3-3@3:14 E | let name: string
            class default 1-6@1:1 EX | component
            import named ./Nav.svelte default as Nav @4
            6:2 call Nav in default
        ",
    );
}

#[test]
fn astro_code_between_the_dashes() {
    render::check(
        Lang::Astro,
        "---\nimport Nav from './Nav.astro'\nconst title = make()\n---\n<Nav/>\n<script>run(title as string)</script>\n",
        "
            constant title 3-3@3:7 | const title = make()
            class default 1-6@1:1 EX | component
            import named ./Nav.astro default as Nav @2
            3:15 call make
            5:2 call Nav in default
            6:9 call run
            6:13 use title
        ",
    );
}

#[test]
fn html_pages_by_their_scripts() {
    render::check(
        Lang::Html,
        "<html><script src=app.js></script><script src=\"https://x.y/z.js\"></script>\n<SCRIPT type=module>\nfunction go() { stop() }</SCRIPT>\n<script type=\"application/json\">{\"a\": 1}</script><script>go()</script><Nav-bar/></html>",
        "
            function go 3-3@3:10 | function go()
            import effect ./app.js @1
            3:17 call stop in go
            4:58 call go
        ",
    );
}

#[test]
fn components_are_imported_by_their_default_export() {
    check_edges(
        r"
//- /src/Button.vue
<script setup>
import { track } from './track'
function press() { track() }
</script>
//- /src/Old.vue
<script>
import Button from './Button'
export default { name: 'old' }
</script>
<template><Button/></template>
//- /src/track.ts
export function track() {}
//- /src/main.ts
import Button from './Button.vue'
import Old from './Old.vue'
new Button(Old)
//- /src/App.svelte
<script>import { track } from './track'; track()</script>
",
        "
            src/App.svelte calls src/track.ts#track import
            src/Button.vue#press calls src/track.ts#track import
            src/Old.vue#default calls src/Button.vue#default import
            src/main.ts calls src/Button.vue#default import
            src/main.ts references src/Old.vue#default import
        ",
    );
}

#[test]
fn damaged_pages_give_facts_all_the_same() {
    let sample = "<template><A b='c'>é</A></template><script lang=\"ts\">\nimport A from './a.vue'\nclass B { c(d: E) { f(d) } }\n</script><!-- x -->";
    for lang in [Lang::Vue, Lang::Svelte, Lang::Astro, Lang::Html] {
        render::torture(lang, sample);
    }
    render::torture(Lang::Astro, &format!("---\nconst a = 1\n---\n{sample}"));
}

#[test]
fn ids_and_classes_of_a_page() {
    render::check(
        Lang::Html,
        r##"<link rel="stylesheet" href="css/main.css?v=1"><link rel=icon href=a.png>
<style>.btn { color: var(--brand) } @keyframes go { } #main { }</style>
<div id="main"
  class="btn {{ kind }} {% if active %}on{% endif %} é wide"><a href="#main" class=btn>x</a><a href="#gone">y</a></div>
<script>go(".btn")</script><label for=main></label><p class='
 btn'>
"##,
        r##"
            constant #main 3-4@3:10 | id="main"
            class .btn 2-2@2:8 | .btn
            function @keyframes go 2-2@2:48 | @keyframes go
            import star ./css/main.css?v=1 @1
            2:26 use --brand in .btn
            2:55 use #main
            4:10 use .btn
            4:54 use .é
            4:56 use .wide
            4:72 use #main
            4:84 use .btn
            5:9 call go
            5:39 use #main
            6:2 use .btn
        "##,
    );
}

#[test]
fn classes_mean_the_styles_that_the_file_has_or_loads() {
    check_edges(
        r##"
//- /web/index.html
<link href="/css/main.css" rel="stylesheet">
<div class="card btn alone"></div><script>spin()</script>
//- /web/plain.html
<div class="card btn alone"></div>
//- /web/own.html
<style>.alone { } @keyframes spin { }</style><div class="alone card" id="top"><a href="#top">x</a></div>
//- /web/far.html
<link href="https://cdn.example/x.css" rel="stylesheet"><a class="alone" href="#top">x</a>
//- /css/main.css
@import "parts.css";
.card { animation: spin 1s }
//- /css/parts.css
.btn { }
@keyframes spin { }
//- /src/Box.vue
<template><div class="box card"></div></template>
<style>.box { }</style>
<style lang="scss">.card { }</style>
"##,
        "
            css/main.css exports css/parts.css import
            css/main.css#.card calls css/parts.css#@keyframes spin import
            src/Box.vue#default references src/Box.vue#.box exact
            web/index.html references css/main.css#.card import
            web/index.html references css/parts.css#.btn import
            web/own.html references web/own.html#%23top exact
            web/own.html references web/own.html#.alone exact
        ",
    );
}

#[test]
fn names_with_marks_are_found_by_what_is_written() {
    let map = crate::fixture::map(
        "//- /a.css\n.btn { }\n#main { }\n@keyframes spin { }\n.sm\\:x { }\n:root { --brand: red }\n",
    );
    for id in [".btn", "#main", "@keyframes spin", ".sm:x", "--brand"] {
        let node = crate::fixture::lookup_node(&map, id);
        let full = map.id(node).to_string();
        assert_eq!(full.strip_prefix("css:a.css#"), Some(id.replace('#', "%23").as_str()));
        assert_eq!(crate::fixture::lookup_node(&map, &full), node);
    }
}
