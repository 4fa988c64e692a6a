// The part of the page's script that knows no document: unpacks the picture, finds nodes, and decides which labels are shown.
//
// Tests run it under node. Names and paths are a stranger's: they stay strings here, and nothing makes markup of them.
"use strict";
const HobCore = (() => {
  /** The value that `hob graph` packed: JSON, deflated, in base64. */
  async function unpack(base64) {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  const LANGUAGES = { py: "Python", ts: "TypeScript", tsx: "TSX", js: "JavaScript", jsx: "JSX", rs: "Rust", go: "Go", java: "Java",
    c: "C", cpp: "C++", cs: "C#", rb: "Ruby", php: "PHP", kt: "Kotlin", swift: "Swift", scala: "Scala", lua: "Lua", sh: "Bash", bash: "Bash",
    ex: "Elixir", dart: "Dart", css: "CSS", proto: "Protocol Buffers", tf: "Terraform", hcl: "HCL", sql: "SQL", ipynb: "Notebooks", vue: "Vue",
    svelte: "Svelte", astro: "Astro", html: "HTML", md: "Markdown", mdx: "MDX" };

  /** The graph of a picture. Nodes are numbers: symbols first, those that are drawn before the others, then files. */
  function graphOf(D) {
    const symbols = D.names.length, files = D.paths.length, count = D.edges.to.length;
    const from = new Uint32Array(count), to = Uint32Array.from(D.edges.to);
    let node = 0;
    D.edges.step.forEach((step, e) => { node += step; from[e] = node; });
    /** The edges by one of their ends: each node's are together. */
    function lists(ends) {
      const start = new Uint32Array(symbols + files + 1);
      for (let e = 0; e < count; e++) start[ends[e] + 1]++;
      for (let n = 1; n < start.length; n++) start[n] += start[n - 1];
      const next = start.slice(), order = new Uint32Array(count);
      for (let e = 0; e < count; e++) order[next[ends[e]]++] = e;
      return (n) => order.subarray(start[n], start[n + 1]);
    }
    const outOf = lists(from), into = lists(to);
    const drawn = D.x.length;
    const [x, y, r] = [D.x, D.y, D.r].map((column) => Float32Array.from(column, (tenths) => tenths / 10));
    const isFile = (n) => n >= symbols;
    const fileOf = (n) => (isFile(n) ? n - symbols : D.file[n]);
    const clusterOf = (n) => D.cluster[fileOf(n)];
    const tests = new Set(D.tests);
    const fileId = (f) => D.ids[f] ?? D.languages[f] + ":" + D.paths[f];
    const G = {
      D, symbols, files, drawn, x, y, r, from, to, outOf, into, isFile, fileOf, clusterOf, tests,
      nodes: symbols + files,
      kind: (e) => D.edgeKinds[D.edges.kind[e]],
      kindNumber: (e) => D.edges.kind[e],
      sites: (e) => D.edges.sites[e],
      nameOf: (n) => (isFile(n) ? D.paths[n - symbols] : D.names[n]),
      kindOf: (n) => (isFile(n) ? "file" : D.kinds[D.kind[n]]),
      lineOf: (n) => (isFile(n) ? 1 : D.line[n]),
      pathOf: (n) => D.paths[fileOf(n)],
      placeOf: (n) => (isFile(n) ? D.paths[n - symbols] : D.paths[D.file[n]] + ":" + D.line[n]),
      idOf: (n) => fileId(fileOf(n)) + (isFile(n) ? "" : "#" + (D.suffix[n] ?? D.names[n])),
      languageOf: (n) => LANGUAGES[D.languages[fileOf(n)]] ?? D.languages[fileOf(n)],
      /** Where a node is; one that is not drawn is in the middle of its cluster. */
      spot(n) {
        if (n < drawn) return { x: x[n], y: y[n], r: r[n] };
        const c = D.clusters[clusterOf(n)];
        return { x: c.x, y: c.y, r: 4 };
      },
      /** Callers and callees of a node: the other ends of its edges, each once. */
      around(n) {
        const ends = (edges, end) => [...new Set(Array.from(edges, (e) => end[e]))].filter((other) => other !== n);
        return { users: ends(into(n), from), uses: ends(outOf(n), to) };
      },
    };
    G.inner = innerEdges(G);
    return G;
  }

  /** The edges within clusters, cluster by cluster, as pairs of nodes that are drawn; each pair once. */
  function innerEdges(G) {
    const groups = G.D.clusters.map(() => []), seen = new Set();
    for (let e = 0; e < G.from.length; e++) {
      const a = G.from[e], b = G.to[e];
      if (a >= G.drawn || b >= G.drawn || a === b || G.clusterOf(a) !== G.clusterOf(b)) continue;
      const pair = Math.min(a, b) * G.drawn + Math.max(a, b);
      if (seen.has(pair)) continue;
      seen.add(pair);
      groups[G.clusterOf(a)].push(a, b);
    }
    return groups;
  }

  /** The nodes that words find: exact names, then beginnings, then parts, then paths; in each class the most connected first. */
  function searcher(G) {
    const lower = G.D.names.map((name) => name.toLowerCase());
    const paths = G.D.paths.map((path) => path.toLowerCase());
    const search = (text) => {
      const wanted = text.trim().toLowerCase();
      const classes = [[], [], [], [], []];
      if (!wanted) return [];
      for (let n = 0; n < G.symbols; n++) {
        const name = lower[n], at = name.indexOf(wanted);
        if (at < 0) continue;
        const last = name.slice(name.lastIndexOf(".") + 1);
        classes[name === wanted || last === wanted ? 0 : last.startsWith(wanted) || at === 0 ? 1 : 2].push(n);
      }
      paths.forEach((path, f) => {
        if (path.includes(wanted)) classes[path.endsWith("/" + wanted) || path === wanted ? 1 : 3].push(G.symbols + f);
      });
      // An inherited member: `Flask.route` is `Scaffold.route`.
      const member = wanted.slice(wanted.lastIndexOf(".") + 1);
      if (!classes.flat().length && member && member !== wanted) return search(member);
      // Of two of one class, the more connected; tests last.
      const weight = (n) => (G.isFile(n) ? -1 : G.D.degree[n]) - (G.tests.has(n) ? 1e6 : 0);
      for (const found of classes) found.sort((a, b) => weight(b) - weight(a) || a - b);
      return classes.flat();
    };
    return search;
  }

  const short = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

  /** A name without what it is in, if it is long: `Context.invoke`, but `invoke` of `a.b.c.Context.invoke`. */
  function labelOf(name) {
    if (name.length <= 26) return name;
    const last = name.slice(Math.max(name.lastIndexOf("."), name.lastIndexOf(":"), name.lastIndexOf("/")) + 1);
    return short(last || name, 26);
  }

  /** A cluster's name, without the folders above if it is long: `…/v4/locales` of `packages/zod/src/v4/locales`. */
  function clusterLabel(name) {
    const folder = name.split(" ")[0], parts = folder.split("/");
    const rest = name.slice(folder.length);
    return short((folder.length > 22 && parts.length > 2 ? "…/" + parts.slice(-2).join("/") : folder) + rest, 36);
  }

  /**
   * The labels that a picture may have, the most wanted first. A label is fixed to a point of the picture and has a box around that
   * point in pixels, `[left, top, right, bottom]`; it is shown from a scale on.
   */
  function labelsOf(G, widthOf) {
    const labels = [];
    G.D.clusters.forEach((c, number) => {
      const text = clusterLabel(c.label), w = widthOf(text, true);
      labels.push({ text, strong: true, cluster: number, x: c.x, y: c.y - c.r, box: [-w / 2, -19, w / 2, -4], from: 7 / c.r });
    });
    const hubs = new Set(G.D.clusters.flatMap((c) => c.hubs.slice(0, 2)));
    const order = Array.from({ length: G.drawn }, (_, n) => n);
    const rank = (n) => G.D.degree[n] - (G.tests.has(n) ? 1e6 : 0);
    order.sort((a, b) => rank(b) - rank(a) || a - b);
    for (const n of order) labels.push(nodeLabel(G, n, widthOf, (hubs.has(n) ? 4 : 5.2) / G.r[n]));
    return labels;
  }

  function nodeLabel(G, n, widthOf, from) {
    const text = labelOf(G.nameOf(n)), spot = G.spot(n);
    return { text, strong: false, node: n, x: spot.x + spot.r, y: spot.y, box: [3, -7, 3 + widthOf(text, false), 7], from };
  }

  const STEP = 1.2; // from one level of labels to the next

  /**
   * Chooses labels by scale, so that no two of them collide, and so that none vanishes as one comes nearer. Labels are chosen for the
   * smallest scale of a level: as the scale grows, the points move apart and the boxes stay as large, so what is apart stays apart.
   */
  function labelChooser(labels, least) {
    const levels = []; // for each level, the numbers of its labels
    const levelOf = (scale) => Math.max(0, Math.floor(Math.log(scale / least) / Math.log(STEP) + 1e-9));
    function choose(level) {
      const scale = least * STEP ** level, cell = 64, grid = new Map();
      const boxOf = (label) => [label.x * scale + label.box[0], label.y * scale + label.box[1], label.x * scale + label.box[2], label.y * scale + label.box[3]];
      const cells = (box, visit) => {
        for (let i = Math.floor(box[0] / cell); i <= Math.floor(box[2] / cell); i++)
          for (let j = Math.floor(box[1] / cell); j <= Math.floor(box[3] / cell); j++)
            if (visit(i * 65537 + j) === false) return false;
        return true;
      };
      const put = (box) => cells(box, (at) => { const there = grid.get(at); if (there) there.push(box); else grid.set(at, [box]); });
      const isFree = (box) => cells(box, (at) => !(grid.get(at) || []).some((other) =>
        box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3]));
      const kept = level > 0 ? levels[level - 1] : [], there = new Set(kept), chosen = kept.slice();
      for (const number of kept) put(boxOf(labels[number]));
      labels.forEach((label, number) => {
        if (label.from > scale || there.has(number)) return;
        const box = boxOf(label);
        if (isFree(box)) { put(box); chosen.push(number); }
      });
      return chosen;
    }
    return (scale) => {
      const wanted = Math.min(levelOf(scale), 80);
      while (levels.length <= wanted) levels.push(choose(levels.length));
      return levels[wanted];
    };
  }

  /** Finds the drawn node at a point of the picture, or the nearest within `reach`; -1 if there is none. */
  function finder(G) {
    const cell = 24, grid = new Map();
    const key = (x, y) => Math.floor(x / cell) * 65537 + Math.floor(y / cell);
    for (let n = 0; n < G.drawn; n++) {
      const at = key(G.x[n], G.y[n]), there = grid.get(at);
      if (there) there.push(n); else grid.set(at, [n]);
    }
    return (x, y, reach) => {
      let best = -1, least = Infinity;
      const wide = Math.ceil((reach + 11) / cell);
      for (let i = -wide; i <= wide; i++) for (let j = -wide; j <= wide; j++) {
        for (const n of grid.get(key(x + i * cell, y + j * cell)) || []) {
          const far = Math.hypot(G.x[n] - x, G.y[n] - y) - G.r[n];
          if (far <= reach && far < least) { best = n; least = far; }
        }
      }
      return best;
    };
  }

  /** The address that opens a file at a line in an editor. */
  function addressOf(template, root, path, line) {
    const whole = (root + "/" + path).replaceAll("\\", "/");
    const absolute = whole.startsWith("/") ? whole : "/" + whole;
    return template.replace("{path}", absolute.split("/").map(encodeURIComponent).join("/")).replace("{line}", String(line));
  }

  /** The command that opens a file at a line, for a shell. */
  function commandOf(template, root, path, line) {
    const whole = root + "/" + path;
    const quoted = /^[\w@%+=:,./-]+$/.test(whole) ? whole : "'" + whole.replaceAll("'", "'\\''") + "'";
    return template.replace("{path}", () => quoted).replace("{line}", String(line));
  }

  return { unpack, graphOf, searcher, labelsOf, nodeLabel, labelChooser, labelOf, finder, addressOf, commandOf, short, STEP };
})();
