//! Tests the facts that hob reads from style sheets, and the edges that they give.

use crate::fixture::check_edges;
use crate::langs::lang::Lang;
use crate::langs::support::project::fake::Fake;
use crate::langs::support::render::{check, facts_of, torture};

const SAMPLE: &str = r##"@charset "utf-8";
@import "base.css";
@import url('themes/dark.css') screen;
@import "https://a.b/c.css";
/* The colours. */
:root { --brand: #f00; --deep: var(--brand); }
/* A button. */
.btn, a.link:hover > #main .sm\:x { color: var(--brand, var(--deep)); animation: spin 1s linear infinite }
@keyframes spin { from { top: 0 } to { top: var(--deep) } }
@media print { .btn.wide { animation-name: spin, none } }
@layer base, util;
@layer base { .card { .title { color: red } &.open { --brand: red } } }
@container side (min-width: 4px) { .card:not(.gone) { x: y } }
.panel { container: side / inline-size; font-family: "Inter", Arial }
@font-face { font-family: "Inter"; src: url(a.woff) }
@property --angle { syntax: "<angle>" }
.row { @apply btn card; transform: rotate(var(--angle)) }
"##;

#[test]
fn the_first_place_defines_and_others_use() {
    check(
        Lang::Css,
        SAMPLE,
        r#"variable --brand 6-6@6:9 E | --brand: #f00
         variable --deep 6-6@6:24 E | --deep: var(--brand)
         class .btn 8-8@8:1 E | .btn, a.link:hover > #main .sm\:x | A button.
         class .link 8-8@8:8 E | .btn, a.link:hover > #main .sm\:x | A button.
         constant #main 8-8@8:22 E | .btn, a.link:hover > #main .sm\:x | A button.
         class .sm:x 8-8@8:28 E | .btn, a.link:hover > #main .sm\:x | A button.
         function @keyframes spin 9-9@9:12 E | @keyframes spin
         class .wide 10-10@10:20 E | .btn.wide
         module @layer base 11-11@11:8 E | @layer base
         module @layer util 11-11@11:14 E | @layer base, util
         class .card 12-12@12:15 E | .card
         class .title 12-12@12:23 E | .title
         class .open 12-12@12:46 E | &.open
         class .panel 14-14@14:1 E | .panel
         constant @container side 14-14@14:21 E | container: side / inline-size
         constant @font-face Inter 15-15@15:28 E | font-family: "Inter"
         variable --angle 16-16@16:11 E | @property --angle
         class .row 17-17@17:1 E | .row
         import star base.css reexported @2
         import star themes/dark.css reexported @3
         6:36 use --brand in --deep
         8:48 use --brand in .btn
         8:61 use --deep in .btn
         8:82 call @keyframes spin in .btn
         9:49 use --deep in @keyframes spin
         10:16 use .btn
         10:44 call @keyframes spin in .wide
         12:8 use @layer base
         12:54 use --brand in .open
         13:12 use @container side
         13:36 use .card
         13:46 use .gone
         14:55 use @font-face Inter in .panel
         17:15 use .btn in .row
         17:19 use .card in .row
         17:47 use --angle in .row"#,
    );
}

#[test]
fn broken_sheets_give_facts() {
    torture(Lang::Css, SAMPLE);
    let facts = facts_of(Lang::Css, ".a { color: red\n.b { --x: 1px }\n@keyframes \n.c {");
    assert!(facts.contains("class .b") && facts.contains("variable --x"), "{facts}");
}

#[test]
fn sheets_are_found() {
    let fake = Fake::new(&[
        ("css/main.css", ""),
        ("css/parts/base.css", ""),
        ("public/reset.css", ""),
        ("base.css", ""),
    ]);
    for (module, found) in [
        ("parts/base.css", "css/parts/base.css"),
        ("./parts/base", "css/parts/base.css"),
        ("../base.css?v=1", "base.css"),
        ("/reset.css", "public/reset.css"),
        ("base.css", "unknown"),
        ("tailwindcss", "ext:tailwindcss"),
        ("~@fontsource/inter/400.css", "ext:@fontsource/inter"),
        ("./gone.css", "unknown"),
    ] {
        assert_eq!(fake.resolve(&super::imports::StyleSheets, "css/main.css", module), found, "{module}");
    }
}

#[test]
fn names_pass_through_imports_and_by_name() {
    check_edges(
        r#"
//- /base.css
:root { --brand: red }
.btn { color: var(--brand) }
@keyframes spin { }
//- /all.css
@import "base.css";
//- /page.css
@import "./all.css";
.btn { animation: spin 1s; @apply card; }
//- /other.css
.card { color: var(--brand); animation: fade 1s }
//- /code.ts
import "./page.css";
export class btn {}
spin();
"#,
        "all.css exports base.css import
         base.css#.btn references base.css#--brand exact
         other.css#.card references base.css#--brand name
         page.css exports all.css import
         page.css#.btn calls base.css#@keyframes spin import
         page.css#.btn references other.css#.card name",
    );
}
