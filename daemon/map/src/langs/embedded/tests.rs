//! What is read from files with scripts in them.

use crate::fixture::check_edges;
use crate::langs::Lang;
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
        "",
    );
}

#[test]
fn a_component_that_exports_its_options_is_that_export() {
    render::check(
        Lang::Vue,
        "<script>\nexport default { methods: { go() { this.stop() }, stop() {} } }\n</script>\n<template><Go/></template>",
        "",
    );
}

#[test]
fn svelte_astro_and_html() {
    render::check(
        Lang::Svelte,
        "<script context=\"module\">export const PRELOAD = 1</script>\n<script lang='ts'>\n  export let name: string;\n  import Nav from './Nav.svelte';\n</script>\n<Nav/>\n",
        "",
    );
}
#[test]
fn astro() {
    render::check(
        Lang::Astro,
        "---\nimport Nav from './Nav.astro'\nconst title = make()\n---\n<Nav/>\n<script>run(title as string)</script>\n",
        "",
    );
}
#[test]
fn html() {
    render::check(
        Lang::Html,
        "<html><script src=app.js></script><script src=\"https://x.y/z.js\"></script>\n<SCRIPT type=module>\nfunction go() { stop() }</SCRIPT>\n<script type=\"application/json\">{\"a\": 1}</script><script>go()</script><Nav-bar/></html>",
        "",
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
        "",
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
