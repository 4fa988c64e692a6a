//! Test files in languages that no tree of the tests is written in: one file each, with the pairs that are tried in it.

use super::pairs::Pair;

/// The name of a file, its text and the pairs.
pub(super) type Fixture = (&'static str, &'static str, &'static [Pair]);

/// One file for each language without a tree.
pub(super) const FIXTURES: &[Fixture] = &[
    (
        "A.java",
        JAVA,
        &[
            ("java", "System.out.println($A)", "log.info($A)"),
            ("java", "if ($C) { $$$B }", "if (!($C)) {\n} else {\n    $$$B\n}"),
            ("java", "for ($T $X : $Y) { $$$B }", "$Y.forEach($X -> { $$$B });"),
            ("java", "$A == null", "isNull($A)"),
        ],
    ),
    (
        "a.cpp",
        CPP,
        &[
            ("cpp", "$A->$F($$$X)", "call($A, &$F, $$$X)"),
            ("cpp", "std::vector<$T>", "Vec<$T>"),
            ("cpp", "for (auto $X : $Y) { $$$B }", "for (const auto& $X : $Y) {\n    $$$B\n}"),
        ],
    ),
    (
        "A.cs",
        CSHARP,
        &[
            ("cs", "Console.WriteLine($$$A)", "Log($$$A)"),
            ("cs", "$A > 0", "0 < $A"),
            ("cs", "$A.Length", "Count($A)"),
        ],
    ),
    (
        "a.rb",
        RUBY,
        &[
            ("rb", "puts $A", "log($A)"),
            ("rb", "def $F($$$A)\n  $$$B\nend", "def $F($$$A)\n  trace\n  $$$B\nend"),
            ("rb", "$X.each do |$I|\n  $$$B\nend", "for $I in $X\n  $$$B\nend"),
        ],
    ),
    (
        "a.php",
        PHP,
        &[
            ("php", "strlen($A)", "mb_strlen($A)"),
            ("php", "$A == null", "is_null($A)"),
            ("php", "array($$$A)", "[$$$A]"),
        ],
    ),
    (
        "a.kt",
        KOTLIN,
        &[
            ("kt", "println($A)", "log($A)"),
            ("kt", "val $A = $B", "var $A = $B"),
            ("kt", "if ($A) $B else $C", "choose($A, { $B }, { $C })"),
        ],
    ),
    (
        "a.swift",
        SWIFT,
        &[
            ("swift", "print($A)", "log($A)"),
            ("swift", "let $A = $B", "var $A = $B"),
            ("swift", "guard let $A = $B else { $$$C }", "guard case let $A? = $B else { $$$C }"),
        ],
    ),
    (
        "a.scala",
        SCALA,
        &[
            ("scala", "println($A)", "log($A)"),
            ("scala", "val $A = $B", "lazy val $A = $B"),
            ("scala", "$X.map($F)", "for (x <- $X) yield $F(x)"),
        ],
    ),
    (
        "a.lua",
        LUA,
        &[
            ("lua", "print($A)", "log($A)"),
            ("lua", "local $A = $B", "$A = $B"),
            ("lua", "for $K, $V in pairs($T) do $$$B end", "each($T, function($K, $V)\n  $$$B\nend)"),
        ],
    ),
    (
        "a.sh",
        BASH,
        &[("sh", "echo $A", "printf '%s\\n' $A"), ("sh", "if $C; then $$$B; fi", "$C && { $$$B; }")],
    ),
    (
        "a.tsx",
        TSX,
        &[
            ("tsx", "<$T>$$$C</$T>", "<Box as=\"$T\">$$$C</Box>"),
            ("tsx", "useState($A)", "useStored($A)"),
            ("tsx", "$A.map($F)", "each($A, $F)"),
        ],
    ),
    (
        "crlf.py",
        "\u{feff}def f():\r\n    if g(1,\r\n         2):\r\n        return g(3, 4)\r\n",
        &[("py", "g($A, $B)", "h($B, $A)")],
    ),
];

const JAVA: &str = r##"package a;

class A {
    void run(List<String> names, Object o) {
        for (String name : names) {
            if (name == null) {
                System.out.println("none: " + 1);
                continue;
            }
            System.out.println(name);
        }
        if (o == null) {
            System.out.println(
                "grüße " +
                    names.size());
        }
    }
}
"##;

const CPP: &str = r##"#include <vector>

template <typename T>
int count(std::vector<T>* all, Visitor* v) {
    for (auto one : *all) {
        if (v->likes(one)) {
            v->visit(one, 1,
                     2);
        }
    }
    std::vector<int> sizes;
    return v->done() + all->size();
}
"##;

const CSHARP: &str = r##"namespace A
{
    class B
    {
        public void Run(string name)
        {
            if (name.Length > 0)
            {
                Console.WriteLine("{0} {1}", name ?? "none", 1);
                if (done)
                {
                    Console.WriteLine();
                }
            }
        }
    }
}
"##;

const RUBY: &str = r##"module A
  class B
    def run(names, count)
      names.each do |name|
        puts name
        puts "#{name}: #{count}"
      end
    end

    def other(x)
      run([x], 1)
      puts(x)
    end
  end
end
"##;

const PHP: &str = r##"<?php

namespace A;

class B
{
    public function run(array $names): int
    {
        $all = array(1, strlen("a"), array());
        if ($names == null) {
            return strlen($names[0]);
        }
        return strlen(strlen($all));
    }
}
"##;

const KOTLIN: &str = r##"package a

class A(val b: Int) {
    fun run(names: List<String>) {
        val count = names.size
        for (name in names) {
            println(name)
            val longer = if (name.length > 3) name else name + "..."
            println(
                longer
            )
        }
    }
}
"##;

const SWIFT: &str = r##"import Foundation

class A {
    func run(names: [String?]) {
        let count = names.count
        for name in names {
            guard let known = name else { continue }
            print(known)
            let longer = known + "..."
            print(longer + "\(count)")
        }
    }
}
"##;

const SCALA: &str = r##"package a

object A {
  def run(names: List[String]): Unit = {
    val count = names.size
    val longer = names.map(pad)
    longer.foreach { name =>
      println(name)
      println(
        name + count
      )
    }
  }
}
"##;

const LUA: &str = r##"local M = {}

function M.run(names)
  local count = 0
  for key, name in pairs(names) do
    print(name)
    if name then
      local longer = name .. "..."
      print(longer)
    end
  end
  return count
end

return M
"##;

const BASH: &str = r##"#!/bin/bash
run() {
  local name="$1"
  if test -n "$name"; then
    echo "$name"
    echo one
  fi
  echo done
}
run "$@"
"##;

const TSX: &str = r##"import { useState } from "react";

export function A({ names }: { names: string[] }) {
  const [count, setCount] = useState(0);
  return (
    <div className={names[0]}>
      <p>{count}</p>
      <ul>
        {names.map((name) => (
          <li className={name} key={name}>
            {name}
          </li>
        ))}
      </ul>
    </div>
  );
}
"##;
