// Reads a page of `hob graph` without a browser and says as JSON what it holds and what is wrong with it: places, labels at every scale,
// search, neighbours. Only the part of the script that knows no document runs; the others are parsed.
//
//   node tests/clients/graph_page.mjs PAGE [WORD...]

import { readFileSync } from "node:fs";
import vm from "node:vm";

const [file, ...words] = process.argv.slice(2);
const page = readFileSync(file, "utf8");
const scripts = [...page.matchAll(/<script nonce="[0-9a-f]+">\n([\s\S]*?)<\/script>/g)].map((match) => match[1]);
const core = vm.runInThisContext(`${scripts[0]}\nHobCore`);
scripts.slice(1).forEach((script) => new vm.Script(script));
const block = (id) => core.unpack(page.match(new RegExp(`id="${id}">([A-Za-z0-9+/=]*)<`))[1]);
const [data, source] = [await block("data"), await block("source")];
const graph = core.graphOf(data);
const problems = [];

for (let n = 0; n < graph.drawn; n++) {
  const cluster = data.clusters[graph.clusterOf(n)];
  const far = Math.hypot(graph.x[n] - cluster.x, graph.y[n] - cluster.y) + graph.r[n];
  if (!(far <= cluster.r + 0.5)) problems.push(`${graph.nameOf(n)} lies outside ${cluster.label}`);
  if (core.finder(graph)(graph.x[n], graph.y[n], 0) !== n && n < 50) problems.push(`${graph.nameOf(n)} is not where it is drawn`);
}
data.clusters.forEach((one, at) => {
  for (const other of data.clusters.slice(at + 1))
    if (Math.hypot(one.x - other.x, one.y - other.y) < one.r + other.r) problems.push(`${one.label} lies on ${other.label}`);
});

/// Whether two of the labels that are shown at a scale touch.
function collision(labels, shown, scale) {
  const boxes = shown.map((number) => labels[number]).map(({ x, y, box, text }) => ({ text, left: x * scale + box[0], top: y * scale + box[1],
    right: x * scale + box[2], bottom: y * scale + box[3] }));
  boxes.sort((a, b) => a.left - b.left);
  for (let i = 0; i < boxes.length; i++)
    for (let j = i + 1; j < boxes.length && boxes[j].left < boxes[i].right; j++)
      if (boxes[i].top < boxes[j].bottom && boxes[j].top < boxes[i].bottom) return `${boxes[i].text} and ${boxes[j].text}`;
  return null;
}
const labels = core.labelsOf(graph, (text, strong) => text.length * (strong ? 7.6 : 6.8));
const choose = core.labelChooser(labels, 0.05);
const shownAt = [];
let before = new Set();
for (let scale = 0.05; scale < 12; scale *= 1.07) {
  const shown = choose(scale), here = new Set(shown), touching = collision(labels, shown, scale);
  if (touching) problems.push(`at ${scale.toFixed(2)} labels collide: ${touching}`);
  for (const number of before) if (!here.has(number)) problems.push(`at ${scale.toFixed(2)} a label is gone: ${labels[number].text}`);
  before = here;
  shownAt.push(shown.length);
}

const search = core.searcher(graph);
const ids = (nodes) => nodes.map(graph.idOf);
const answers = Object.fromEntries(words.map((word) => {
  const found = search(word), best = found[0], around = best === undefined ? { users: [], uses: [] } : graph.around(best);
  const use = (e) => source.use[[graph.from[e], graph.to[e], graph.kindNumber(e)].join(",")];
  return [word, {
    matches: found.length, first: found.slice(0, 3).map(graph.nameOf), users: ids(around.users), uses: ids(around.uses),
    preview: source.preview[best], useLines: best === undefined ? [] : Array.from(graph.into(best), use).filter(Boolean),
    open: best === undefined ? null : core.addressOf(data.editors[data.editor][1], data.root, graph.pathOf(best), graph.lineOf(best)),
    command: best === undefined ? null : core.commandOf(data.command, data.root, graph.pathOf(best), graph.lineOf(best)),
  }];
}));
console.log(JSON.stringify({
  problems, drawn: graph.drawn, symbols: graph.symbols, files: graph.files, edges: graph.from.length, notes: data.notes, heat: data.heat,
  paths: data.paths, clusters: data.clusters.map((cluster) => cluster.label), labels: { fewest: shownAt[0], most: shownAt.at(-1) }, answers,
}));
