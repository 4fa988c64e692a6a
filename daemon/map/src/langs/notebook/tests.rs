//! Tests the facts that hob reads from notebooks, and the edges that they give, at their places in the file.

use crate::fixture::check_edges;
use crate::langs::lang::Lang;
use crate::langs::support::render::{check, torture};

const SAMPLE: &str = r##"{
 "cells": [
  {"cell_type": "markdown", "metadata": {}, "source": ["def not_code(): pass\n"]},
  {
   "cell_type": "code",
   "execution_count": 1,
   "metadata": {},
   "outputs": [{"text": ["def nor_this(): pass"]}],
   "source": [
    "%matplotlib inline\n",
    "!pip install \\\n",
    "   pandas\n",
    "import pandas as pd\n",
    "from lib.load import read, \\\n",
    "    write\n",
    "LIMIT = 3\n",
    "files = !ls\n",
    "read?"
   ]
  },
  {
   "cell_type": "code",
   "source": [
    "class Model:\n",
    "    \"\"\"A \\\"model\\\" of it.\"\"\"\n",
    "    def fit(self, x=\"é\", y='\u00e9'):\n",
    "        if x:\n",
    "            %time self.fit(1)\n",
    "        write(\"a\", self.check(y)); read(LIMIT)\n",
    "    def check(self, y): return y\n"
   ]
  },
  {"cell_type": "code", "source": "def run():\n    x = \"\\u00e9\"; m = Model()\n    m.fit(\"\ud83d\ude00\", pd.Series())\n"},
  {"cell_type": "code", "source": ["%%bash\n", "def not_python\n"]},
  {"cell_type": "code", "source": ["%%time\n", "run()"]}
 ],
 "metadata": {"kernelspec": {"language": "python", "name": "python3"}},
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

#[test]
fn cells_are_one_module_with_places_of_the_file() {
    check(
        Lang::Notebook,
        SAMPLE,
        r#"constant LIMIT 16-16@16:6 | LIMIT = 3
         variable files 17-17@17:6 | files = None
         class Model 24-30@24:12 | class Model | A \"model\" of it.
         method Model.fit 26-29@26:14 | def fit(self, x="é", y='é')
         method Model.check 30-30@30:14 | def check(self, y)
         function run 33-33@33:40 | def run()
         import module pandas as pd reexported @13
         import named lib.load read as read reexported @14
         import named lib.load write as write reexported @15
         29:14 call write in Model.fit
         29:32 call self.check in Model.fit
         29:43 call read in Model.fit
         29:48 use LIMIT in Model.fit
         33:73 call Model in run
         33:88 call <Model>.fit in run
         33:110 use pd in run
         33:113 call pd/Series in run
         35:49 call run"#,
    );
}

#[test]
fn every_name_stands_at_its_place() {
    let facts = crate::extract(Lang::Notebook, "", SAMPLE.as_bytes());
    let lines: Vec<Vec<u16>> = SAMPLE.lines().map(|line| line.encode_utf16().collect()).collect();
    let defs = facts.defs.iter().map(|def| (facts.name(def.name), def.name_at));
    let refs = facts.refs.iter().map(|found| (facts.name(found.name), (found.line, found.col())));
    for (name, (line, col)) in defs.chain(refs) {
        let rest = &lines[line as usize - 1][col as usize - 1..];
        assert!(String::from_utf16_lossy(rest).starts_with(name), "{name} at {line}:{col}");
    }
    let run = facts.defs.iter().find(|def| facts.name(def.name) == "run").expect("it is defined");
    let text = &SAMPLE[run.bytes.0 as usize..run.bytes.1 as usize];
    assert!(text.starts_with("def run():") && text.ends_with("pd.Series())"), "{text}");
}

#[test]
fn what_is_no_python_notebook_is_text_only() {
    let broken = SAMPLE.replacen("\"cells\": [", "\"cells\": [[", 1);
    let other = SAMPLE.replacen("\"language\": \"python\"", "\"language\": \"julia\"", 1);
    let older = SAMPLE.replacen("\"nbformat\": 4", "\"nbformat\": 3", 1);
    for text in [broken, other, older, String::new(), "[1]".to_owned(), "{\"nbformat\": 4}".to_owned()] {
        check(Lang::Notebook, &text, "");
    }
    let cell =
        "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"a = 1\", 3, \"\"]}, 7], \"nbformat\": 4}";
    check(Lang::Notebook, cell, "");
    check(Lang::Notebook, &cell.replace(", 7", ""), "variable a 1-1@1:46 | a = 1");
}

#[test]
fn operators_at_the_start_of_a_line_are_no_magics() {
    let cell = |lines: &str| {
        format!("{{\"nbformat\": 4, \"cells\": [{{\"cell_type\": \"code\", \"source\": [\n{lines}\n]}}]}}")
    };
    check(
        Lang::Notebook,
        &cell("\"a = (f(1)\\n\",\n\"  % g(2)\\n\",\n\"  != h(3))\\n\",\n\"%sql\\n\",\n\"k()\""),
        "
            variable a 2-4@2:2 | a = (f(1)
            2:7 call f
            3:6 call g
            4:7 call h
            6:2 call k
        ",
    );
    check(Lang::Notebook, &cell("\"\\n\",\n\"%sql\\n\",\n\"SELECT f(1)\""), "");
}

#[test]
fn notebooks_import_and_are_not_imported() {
    check_edges(
        r#"
//- /lib/load.py
def read(path): pass
def run(): read(1)
//- /main.py
from study import fit
fit()
other.fit()
def go(x): x.solve()
//- /study.ipynb
{"nbformat": 4, "cells": [
 {"cell_type": "code", "source": ["import numpy\n", "from lib.load import read\n", "import lib.load as load\n"]},
 {"cell_type": "code", "source": ["def fit(): return read(1)\n", "class Model:\n", "    def solve(self): fit()\n"]},
 {"cell_type": "code", "source": "fit()\nm = Model()\nm.solve()\nload.run()\nnumpy.zeros(3)"}
], "metadata": {}}
"#,
        "lib/load.py#run calls lib/load.py#read exact
         main.py calls py:ext:study import
         study.ipynb calls lib/load.py#run import
         study.ipynb calls py:ext:numpy import
         study.ipynb calls study.ipynb#Model exact
         study.ipynb calls study.ipynb#Model.solve import
         study.ipynb calls study.ipynb#fit exact
         study.ipynb references py:ext:numpy import
         study.ipynb references study.ipynb#m exact
         study.ipynb#Model.solve calls study.ipynb#fit exact
         study.ipynb#fit calls lib/load.py#read import",
    );
}

#[test]
fn damaged_notebooks_give_facts_all_the_same() {
    torture(Lang::Notebook, SAMPLE);
}
