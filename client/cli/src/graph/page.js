// The script of `hob graph`'s page: draws clusters and hubs, searches symbols, shows a symbol's neighbours.
//
// Everything shown comes from the data block below it, as text: names, paths and docs are a stranger's, so nothing here ever
// makes markup of a string. Nothing is loaded from anywhere.
"use strict";
(() => {
  const D = JSON.parse(document.getElementById("data").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const PAGE = 100; // rows shown before "more"
  const symbols = D.names.length;
  const byId = (id) => document.getElementById(id);
  const stage = byId("stage"), panel = byId("panel"), input = byId("search");

  // Nodes: symbols first, best score first, then files.
  const isFile = (n) => n >= symbols;
  const fileOf = (n) => (isFile(n) ? n - symbols : D.file[n]);
  const nameOf = (n) => (isFile(n) ? D.paths[n - symbols] : D.names[n]);
  const kindOf = (n) => (isFile(n) ? "file" : D.kinds[D.kind[n]]);
  const placeOf = (n) => (isFile(n) ? "" : D.paths[D.file[n]] + ":" + D.line[n]);
  const clusterOf = (n) => D.cluster[fileOf(n)];
  const idOf = (n) => D.ids[fileOf(n)] + (isFile(n) ? "" : "#" + (D.suffix[n] ?? D.names[n]));

  // Edges as two lists by node: where each node's begin, and the edges in that order.
  const edges = D.edges.length / 4;
  function lists(end) {
    const from = new Uint32Array(symbols + D.paths.length + 1);
    for (let e = 0; e < edges; e++) from[D.edges[e * 4 + end] + 1]++;
    for (let n = 1; n < from.length; n++) from[n] += from[n - 1];
    const next = from.slice(), order = new Uint32Array(edges);
    for (let e = 0; e < edges; e++) order[next[D.edges[e * 4 + end]]++] = e;
    return (n) => order.subarray(from[n], from[n + 1]);
  }
  const outOf = lists(0), into = lists(1);

  function el(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
    made.append(...children.map((child) => (child instanceof Node ? child : document.createTextNode(String(child)))));
    return made;
  }
  function draw(tag, attributes, text) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }
  const counted = (n, one) => n.toLocaleString("en") + " " + one + (n === 1 ? "" : one.endsWith("ch") ? "es" : "s");
  const short = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
  const go = (hash) => { if ((location.hash || "#") === hash) show(); else location.hash = hash; };

  // ---- the panel
  function button(label, note, hash) {
    const made = el("button", { class: "item", type: "button" }, label);
    if (note) made.append(" ", el("small", {}, note));
    made.addEventListener("click", () => go(hash));
    return el("li", {}, made);
  }
  /** A list of which the rest comes when asked for. */
  function list(items, row) {
    const made = el("ul");
    let shown = 0;
    const more = el("button", { class: "plain", type: "button" });
    function add() {
      for (const item of items.slice(shown, shown + PAGE)) made.append(row(item));
      shown = Math.min(items.length, shown + PAGE);
      more.textContent = counted(items.length - shown, "more row");
      more.hidden = shown === items.length;
    }
    more.addEventListener("click", add);
    add();
    return [made, more];
  }
  const symbolRow = (n) => button(nameOf(n), kindOf(n) + (isFile(n) ? "" : " " + placeOf(n)), "#n=" + n);

  function overview() {
    const rows = D.clusters.map((_, c) => c);
    panel.replaceChildren(
      el("h2", {}, "Clusters"),
      el("p", { class: "dim" }, "Files that hang together. Choose one, or search for a symbol."),
      ...list(rows, (c) => button(D.clusters[c].label, counted(D.clusters[c].files, "file") + ", "
        + counted(D.clusters[c].symbols, "symbol"), "#c=" + c)),
      ...D.notes.map((note) => el("p", { class: "dim" }, note)),
    );
  }
  function clusterView(c) {
    const members = [], files = [];
    for (let n = 0; n < symbols; n++) if (clusterOf(n) === c) members.push(n);
    for (let f = 0; f < D.paths.length; f++) if (D.cluster[f] === c) files.push(symbols + f);
    panel.replaceChildren(
      back(), el("h2", {}, D.clusters[c].label),
      el("p", { class: "dim" }, counted(D.clusters[c].files, "file") + ", " + counted(D.clusters[c].symbols, "symbol")),
      el("h3", {}, "Symbols, most connected first"), ...list(members, symbolRow),
      el("h3", {}, "Files"), ...list(files, symbolRow),
    );
  }
  function back() {
    const made = el("button", { class: "plain", type: "button", id: "back" }, "← all clusters");
    made.addEventListener("click", () => go("#"));
    return made;
  }
  function nodeView(n) {
    const parts = [back(), el("h2", { id: "node" }, nameOf(n))];
    parts.push(el("p", { class: "dim" }, kindOf(n) + (D.tests.has(n) ? ", a test" : "") + (isFile(n) ? "" : " in " + placeOf(n))));
    if (D.signature[n]) parts.push(el("p", {}, el("code", {}, D.signature[n])));
    if (D.doc[n]) parts.push(el("p", {}, D.doc[n]));
    parts.push(el("p", {}, el("code", { id: "node-id" }, idOf(n))));
    const cluster = el("ul", {}, button(D.clusters[clusterOf(n)].label, "its cluster", "#c=" + clusterOf(n)));
    parts.push(cluster);
    parts.push(...neighbours("Used by", "users", into(n), 0), ...neighbours("Uses", "uses", outOf(n), 1));
    if (isFile(n)) {
      const own = [];
      for (let s = 0; s < symbols; s++) if (D.file[s] === n - symbols) own.push(s);
      own.sort((a, b) => D.line[a] - D.line[b]);
      parts.push(el("h3", {}, "Holds " + counted(own.length, "symbol")), ...list(own, symbolRow));
    }
    panel.replaceChildren(...parts);
  }
  function neighbours(title, id, found, far) {
    const rows = Array.from(found).sort((a, b) => D.edges[a * 4 + far] - D.edges[b * 4 + far]);
    const row = (e) => {
      const other = D.edges[e * 4 + far], times = D.edges[e * 4 + 3];
      const how = D.edgeKinds[D.edges[e * 4 + 2]] + (times > 1 ? " ×" + times : "");
      return button(nameOf(other), how + " · " + (placeOf(other) || "file"), "#n=" + other);
    };
    const [made, more] = list(rows, row);
    made.id = id;
    return [el("h3", {}, title + " (" + rows.length + ")"), made, more];
  }

  // ---- search: exact names, then beginnings, then parts; within each the most connected first
  const lower = D.names.map((name) => name.toLowerCase());
  const lowerPaths = D.paths.map((path) => path.toLowerCase());
  function search(text) {
    const wanted = text.trim().toLowerCase();
    const classes = [[], [], [], []];
    for (let n = 0; n < symbols; n++) {
      const name = lower[n], at = name.indexOf(wanted);
      if (at < 0) continue;
      const last = name.slice(name.lastIndexOf(".") + 1);
      classes[name === wanted || last === wanted ? 0 : last.startsWith(wanted) || at === 0 ? 1 : 2].push(n);
    }
    lowerPaths.forEach((path, f) => { if (path.includes(wanted)) classes[3].push(symbols + f); });
    return classes.flat();
  }
  function results(text) {
    const found = search(text);
    panel.replaceChildren(back(), el("h2", { id: "found" }, counted(found.length, "match")), ...list(found, symbolRow));
  }

  // ---- the picture
  let view = D.box.slice();
  const world = draw("g", { id: "world" }), around = draw("g", { id: "around" });
  stage.append(world, around);
  function frame(box) { view = box; stage.setAttribute("viewBox", box.join(" ")); }
  function pressable(group, hash) {
    group.setAttribute("tabindex", "0");
    group.setAttribute("role", "button");
    group.addEventListener("click", () => go(hash));
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); go(hash); }
    });
    return group;
  }
  function drawWorld() {
    const heaviest = Math.max(1, ...D.links.map((link) => link[2]));
    for (const [a, b, weight] of D.links) {
      const p = D.clusters[a], q = D.clusters[b], share = Math.sqrt(weight / heaviest);
      world.append(draw("line", { class: "link", x1: p.x, y1: p.y, x2: q.x, y2: q.y,
        "stroke-width": (0.5 + 4 * share).toFixed(2), "stroke-opacity": (0.12 + 0.5 * share).toFixed(2) }));
    }
    D.clusters.forEach((c, number) => {
      const group = pressable(draw("g", { "data-cluster": number }), "#c=" + number);
      group.append(draw("title", {}, c.label + ": " + counted(c.symbols, "symbol")));
      group.append(draw("circle", { class: "bubble", cx: c.x, cy: c.y, r: c.r }));
      group.append(draw("text", { x: c.x, y: c.y + c.r + 13, "text-anchor": "middle" }, short(c.label, 34)));
      world.append(group);
      for (const [n, x, y] of c.hubs) {
        const dot = pressable(draw("g", { "data-node": n }), "#n=" + n);
        dot.append(draw("title", {}, nameOf(n)), draw("circle", { class: "dot", cx: x, cy: y, r: 4 }));
        if (c.r > 26) dot.append(draw("text", { class: "small", x, y: y - 6, "text-anchor": "middle" }, short(nameOf(n), 22)));
        world.append(dot);
      }
    });
  }
  /** A node between its users and what it uses. */
  function drawAround(n) {
    around.replaceChildren();
    const best = (found, far) => [...new Set(Array.from(found, (e) => D.edges[e * 4 + far]))].sort((a, b) => a - b).slice(0, 18);
    const sides = [[best(into(n), 0), -1], [best(outOf(n), 1), 1]];
    for (const [nodes, side] of sides) {
      nodes.forEach((other, at) => {
        const x = side * 230, y = (at - (nodes.length - 1) / 2) * 26;
        around.append(draw("line", { class: "link", x1: 0, y1: 0, x2: x, y2: y, "stroke-opacity": 0.5 }));
        const group = pressable(draw("g", { "data-node": other }), "#n=" + other);
        group.append(draw("title", {}, nameOf(other) + " " + placeOf(other)), draw("circle", { class: "dot", cx: x, cy: y, r: 5 }));
        const anchor = side < 0 ? "end" : "start";
        group.append(draw("text", { x: x + side * 10, y: y + 4, "text-anchor": anchor }, short(nameOf(other), 32)));
        around.append(group);
      });
    }
    around.append(draw("circle", { class: "dot on", cx: 0, cy: 0, r: 9 }));
    around.append(draw("text", { x: 0, y: -16, "text-anchor": "middle" }, short(nameOf(n), 44)));
    const tall = Math.max(sides[0][0].length, sides[1][0].length) * 26 + 80;
    frame([-480, -Math.max(tall, 360) / 2, 960, Math.max(tall, 360)]);
  }
  function mark(c) {
    for (const bubble of world.querySelectorAll(".bubble")) bubble.classList.remove("on");
    const group = world.querySelector('[data-cluster="' + c + '"] .bubble');
    if (group) group.classList.add("on");
  }

  // ---- where we are stands in the address, so that the browser's own back and forward work
  function show() {
    const [what, number] = location.hash.slice(1).split("=");
    const n = Number(number);
    const node = what === "n" && Number.isInteger(n) && n >= 0 && n < symbols + D.paths.length;
    const cluster = what === "c" && Number.isInteger(n) && n >= 0 && n < D.clusters.length;
    world.style.display = node ? "none" : "";
    around.style.display = node ? "" : "none";
    if (node) { nodeView(n); drawAround(n); } else {
      frame(D.box.slice());
      mark(cluster ? n : -1);
      if (cluster) clusterView(n); else overview();
    }
    panel.scrollTop = 0;
  }
  addEventListener("hashchange", show);
  input.addEventListener("input", () => { if (input.value.trim().length > 1) results(input.value); else show(); });
  const items = () => Array.from(panel.querySelectorAll("button:not([hidden])"));
  addEventListener("keydown", (event) => {
    const typing = document.activeElement === input;
    if (event.key === "/" && !typing) { event.preventDefault(); input.focus(); input.select(); }
    else if (event.key === "Enter" && typing) { const first = panel.querySelector(".item"); if (first) first.click(); }
    else if (event.key === "Escape") { input.value = ""; input.blur(); go("#"); }
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const all = items(), at = all.indexOf(document.activeElement);
      const next = all[at + (event.key === "ArrowDown" ? 1 : -1)];
      if (next && (typing || at >= 0)) { event.preventDefault(); next.focus(); }
      else if (at === 0) { event.preventDefault(); input.focus(); }
    }
  });
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15);
  }, { passive: false });
  function zoom(by) {
    const [x, y, w, h] = view;
    frame([x + (w - w * by) / 2, y + (h - h * by) / 2, w * by, h * by]);
  }
  let held = null;
  stage.addEventListener("pointerdown", (event) => { held = [event.clientX, event.clientY, view]; });
  addEventListener("pointerup", () => { held = null; });
  addEventListener("pointermove", (event) => {
    if (!held) return;
    const [x, y, w, h] = held[2], scale = Math.max(w / stage.clientWidth, h / stage.clientHeight);
    frame([x - (event.clientX - held[0]) * scale, y - (event.clientY - held[1]) * scale, w, h]);
  });
  byId("closer").addEventListener("click", () => zoom(1 / 1.3));
  byId("farther").addEventListener("click", () => zoom(1.3));

  D.tests = new Set(D.tests);
  drawWorld();
  show();
  document.documentElement.dataset.drawn = String(D.clusters.length);
})();
