//! Tests the same questions in other languages: each has its own way from a name to its definition.

use super::super::testing::TestProject;
use super::{REFERENCES, definition, mark_place};

#[test]
fn modules_of_javascript() {
    let main = "import sail, {\n  moor,\n  sink as drown,\n} from './boats';\n\nsail(); drown(moor());\n";
    let boats = "export default function go() {}\nexport function moor() {}\nexport function sink(x) {}\n";
    let project = TestProject::with_files(&[("main.ts", main), ("boats.ts", boats)]);
    let at = |place: &str| definition(&project, "main.ts", &mark_place(main, place));
    assert_eq!(at("§sail();"), ["boats.ts:0:24-26"], "a default export has the importer's name");
    assert_eq!(at("§drown(moor"), ["boats.ts:2:16-20"]);
    assert_eq!(at("§moor()"), ["boats.ts:1:16-20"]);
    assert_eq!(at("  §moor,"), ["boats.ts:1:16-20"], "from a line of the import");
    assert_eq!(at("'./§boats'"), ["boats.ts:0:0-0"]);
    let uses = |place: &str| {
        project.show_locations(&project.at_mark(REFERENCES, "boats.ts", &mark_place(boats, place)))
    };
    assert_eq!(uses("function §moor"), ["main.ts:1:2-6", "main.ts:5:14-18"]);
    assert_eq!(uses("function §sink"), ["main.ts:2:2-6", "main.ts:5:8-13"]);
    assert_eq!(uses("function §go"), ["main.ts:0:7-11", "main.ts:5:0-4"]);
}

#[test]
fn declarations_of_c_lead_to_what_they_announce() {
    let main = "#include \"boat.h\"\n\nint main(void) {\n    return sail(3);\n}\n";
    let project = TestProject::with_files(&[
        ("boat.h", "int sail(int knots);\n"),
        ("boat.c", "#include \"boat.h\"\n\nint sail(int knots) {\n    return knots;\n}\n"),
        ("main.c", main),
    ]);
    assert_eq!(definition(&project, "main.c", &mark_place(main, "§sail(3)")), ["boat.c:2:4-8"]);
    assert_eq!(definition(&project, "boat.h", "int §sail(int knots);\n"), ["boat.c:2:4-8"]);
    let uses = project.at_mark(REFERENCES, "boat.h", "int §sail(int knots);\n");
    assert_eq!(project.show_locations(&uses), ["main.c:3:11-15"]);
    assert_eq!(definition(&project, "main.c", &mark_place(main, "\"§boat.h\"")), ["boat.h:0:0-0"]);
}

#[test]
fn packages_of_go_and_java() {
    let go = "package main\n\nimport \"example.com/x/boats\"\n\nfunc main() {\n\tboats.Sail()\n}\n";
    let java =
        "package app;\n\nimport fleet.Boat;\n\nclass App {\n    void run() { new Boat().sail(); }\n}\n";
    let project = TestProject::with_files(&[
        ("go.mod", "module example.com/x\n"),
        ("main.go", go),
        ("boats/boats.go", "package boats\n\nfunc Sail() {}\n"),
        ("app/App.java", java),
        ("fleet/Boat.java", "package fleet;\n\npublic class Boat {\n    public void sail() {}\n}\n"),
    ]);
    assert_eq!(definition(&project, "main.go", &mark_place(go, "boats.§Sail()")), ["boats/boats.go:2:5-9"]);
    assert_eq!(definition(&project, "main.go", &mark_place(go, "x/§boats\"")), ["boats/boats.go:0:0-0"]);
    let at = |place: &str| definition(&project, "app/App.java", &mark_place(java, place));
    assert_eq!(at("new §Boat()"), ["fleet/Boat.java:2:13-17"]);
    assert_eq!(at(".§sail()"), ["fleet/Boat.java:3:16-20"]);
    assert_eq!(at("fleet.§Boat;"), ["fleet/Boat.java:2:13-17"]);
}

#[test]
fn a_name_of_the_language_is_not_the_next_one() {
    let main = "require_relative 'boat'\n\nputs Boat.new(1).sail(Boat.new(2))\n";
    let project =
        TestProject::with_files(&[("main.rb", main), ("boat.rb", "class Boat\n  def sail(x)\n  end\nend\n")]);
    let at = |place: &str| definition(&project, "main.rb", &mark_place(main, place));
    assert_eq!(at("§puts"), [""; 0]);
    assert_eq!(at(".§sail("), ["boat.rb:1:6-10"]);
    assert_eq!(at("§Boat.new(1)"), ["boat.rb:0:6-10"]);
}

#[test]
fn notes_lead_to_headings_and_files() {
    let note = "# Log\n\nSee [the boats](boats.md#hulls), [[Boats]] and [the end](#end).\n\n## End\n";
    let project =
        TestProject::with_files(&[("log.md", note), ("boats.md", "# Boats\n\n## Hulls\n\nWood.\n")]);
    let at = |place: &str| definition(&project, "log.md", &mark_place(note, place));
    assert_eq!(at("§the boats"), ["boats.md:2:0-0"]);
    assert_eq!(at("[[§Boats]]"), ["boats.md:0:0-0"]);
    assert_eq!(at("[§the end]"), ["log.md:4:0-0"]);
    let uses = project.at_mark(REFERENCES, "boats.md", "# Boats\n\n## §Hulls\n\nWood.\n");
    assert_eq!(project.show_locations(&uses), ["log.md:2:4-4"]);
}
