// The oracle of `changed_symbols.py` for TypeScript and JavaScript: TypeScript's own parser.
//
// Reads one JSON object a line, {"path", "text"}, and answers each with one line: the definitions by qualified name, each with the text of
// its own syntax tree, printed without comments and without the definitions in it. Started with the path of the package `typescript`.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const ts = createRequire(import.meta.url)(process.argv[2]);
const printer = ts.createPrinter({ removeComments: true });

function isFunction(node) {
  return node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isClassExpression(node));
}

/// The name of a definition; undefined for any other node.
function nameOf(node) {
  if (ts.isConstructorDeclaration(node)) return "constructor";
  const isNamed =
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    (ts.isMethodDeclaration(node) && (!ts.isObjectLiteralExpression(node.parent) || holderOf(node.parent) !== undefined)) ||
    ts.isMethodSignature(node) ||
    ts.isGetAccessorDeclaration(node) ||
    ts.isSetAccessorDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isEnumDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    (ts.isVariableDeclaration(node) && isFunction(node.initializer));
  if (!isNamed || !node.name) return undefined;
  return ts.isComputedPropertyName(node.name) ? node.name.getText() : node.name.text;
}

/// The name of what holds an object literal: a variable, or what is exported by default; undefined for any other literal, whose methods
/// belong to what is around it.
function holderOf(literal) {
  let holder = literal.parent;
  while (holder && (ts.isAsExpression(holder) || ts.isSatisfiesExpression(holder) || ts.isParenthesizedExpression(holder))) holder = holder.parent;
  if (holder && ts.isVariableDeclaration(holder) && ts.isIdentifier(holder.name)) return holder.name.text;
  return holder && ts.isExportAssignment(holder) ? "default" : undefined;
}

function ownText(node, file) {
  const stripped = ts.transform(node, [
    (context) => (root) => {
      const visit = (inner) =>
        inner !== root && nameOf(inner) !== undefined ? undefined : ts.visitEachChild(inner, visit, context);
      return visit(root);
    },
  ]);
  return printer.printNode(ts.EmitHint.Unspecified, stripped.transformed[0], file);
}

function definitions(path, text) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  if (file.parseDiagnostics.length > 0) return null;
  const found = Object.create(null);
  const walk = (node, prefix) => {
    ts.forEachChild(node, (child) => {
      const name = nameOf(child);
      if (name === undefined) {
        const holder = ts.isObjectLiteralExpression(child) ? holderOf(child) : undefined;
        return walk(child, holder === undefined ? prefix : `${prefix}${holder}.`);
      }
      const qualified = prefix + name;
      (found[qualified] ??= []).push(ownText(child, file));
      walk(child, `${qualified}.`);
    });
  };
  walk(file, "");
  for (const texts of Object.values(found)) texts.sort();
  return found;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { path, text } = JSON.parse(line);
  let answer = null;
  try {
    answer = definitions(path, text);
  } catch (error) {
    process.stderr.write(`${path}: ${error}\n`);
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
