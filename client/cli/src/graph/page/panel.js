// The page itself: search, the legend, callers and callees with their source, keys, and the view on the picture.
//
// Everything that is shown comes from the packed data, as text: nothing here makes markup of a string, and nothing is loaded.
"use strict";
(async () => {
  const byId = (id) => document.getElementById(id);
  const [D, source] = await Promise.all(["data", "source"].map((id) => HobCore.unpack(byId(id).textContent)));
  const G = HobCore.graphOf(D), search = HobCore.searcher(G), nodeAt = HobCore.finder(G);
  const canvas = byId("stage"), input = byId("search"), found = byId("found"), dock = byId("dock"), legend = byId("legend");
  const painter = HobPaint.makePainter(canvas, G);
  const MORE = 60; // rows shown before "more"
  const calm = matchMedia("(prefers-reduced-motion: reduce)"), night = matchMedia("(prefers-color-scheme: dark)");
  let theme = null, mode = "cluster", editor = D.editor, hovered = -1, chosen = null;

  function el(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
    made.append(...children.map((child) => (child instanceof Node ? child : document.createTextNode(String(child)))));
    return made;
  }
  const counted = (n, one) => n.toLocaleString("en") + " " + one + (n === 1 ? "" : one.endsWith("ch") ? "es" : "s");
  const go = (hash) => { if ((location.hash || "#") === hash) show(); else location.hash = hash; };

  // ---- lists
  /** A list of which the rest comes when it is asked for. */
  function list(items, row, id) {
    const made = el("ul", id ? { id } : {}), more = el("button", { class: "plain", type: "button" });
    let shown = 0;
    function add() {
      for (const item of items.slice(shown, shown + MORE)) made.append(row(item));
      shown = Math.min(items.length, shown + MORE);
      more.textContent = counted(items.length - shown, "more row");
      more.hidden = shown === items.length;
    }
    more.addEventListener("click", add);
    add();
    return [made, more];
  }
  function button(hash, ...children) {
    const made = el("button", { class: "item", type: "button" }, ...children);
    made.addEventListener("click", () => go(hash));
    return made;
  }
  const dotOf = (n) => { const dot = el("i", { class: "dot" }); dot.style.background = painter.swatch(n); return dot; };
  function symbolRow(n) {
    const made = button("#n=" + n, dotOf(n), el("b", {}, G.nameOf(n)), " ", el("small", {}, G.kindOf(n) + (G.isFile(n) ? "" : " " + G.placeOf(n))));
    peekOn(made, n);
    return el("li", {}, made);
  }
  /** Shows a node's source while a row of it is pointed at or has the focus. */
  function peekOn(made, n) {
    const on = () => { hovered = n < G.drawn ? n : -1; peek(n); wake(); };
    const off = () => { hovered = -1; peek(null); wake(); };
    made.addEventListener("mouseenter", on); made.addEventListener("mouseleave", off);
    made.addEventListener("focus", on); made.addEventListener("blur", off);
  }

  // ---- what is chosen
  function sourceOf(n) { return source.preview[n] ?? D.signature[n]; }
  function codeBlock(n) {
    const text = sourceOf(n);
    if (text === undefined) return el("p", { class: "dim" }, G.isFile(n) ? "A file: its symbols are below." : "No source of it is in this page.");
    const made = el("pre", {}), first = G.lineOf(n);
    if (source.preview[n] === undefined) { made.textContent = text; return made; }
    text.split("\n").forEach((line, at) => made.append(el("span", { class: "no" }, first + at), line + "\n"));
    return made;
  }
  function peek(n) {
    const place = byId("peek");
    if (!place || chosen === null || chosen.node === undefined) return;
    const shown = n === null ? chosen.node : n;
    place.replaceChildren(...(n === null ? [] : [el("p", { class: "dim peeked" }, G.nameOf(n) + " · " + G.placeOf(n))]), codeBlock(shown));
  }
  function openers(n) {
    const made = el("p", { class: "openers" });
    const choice = el("select", { "aria-label": "Editor" }, ...D.editors.map(([name], at) => el("option", { value: at }, name)));
    choice.value = editor;
    const link = el("a", { id: "open" }, "Open in");
    const aim = () => { link.href = HobCore.addressOf(D.editors[editor][1], D.root, G.pathOf(n), G.lineOf(n)); };
    choice.addEventListener("change", () => { editor = Number(choice.value); aim(); });
    aim();
    made.append(link, " ", choice);
    if (D.command) {
      const text = HobCore.commandOf(D.command, D.root, G.pathOf(n), G.lineOf(n));
      const copy = el("button", { class: "plain", type: "button", id: "copy", title: text }, "Copy the $EDITOR command");
      copy.addEventListener("click", () => copyText(text, copy));
      made.append(" ", copy);
    }
    return made;
  }
  async function copyText(text, by) {
    try { await navigator.clipboard.writeText(text); } catch {
      const area = el("textarea", {});
      area.value = text; document.body.append(area); area.select(); document.execCommand("copy"); area.remove();
    }
    by.textContent = "Copied";
  }
  const KIND_ORDER = ["calls", "extends", "implements", "references", "imports", "exports"];
  /** A column of callers or callees: the other ends of edges, calls first, the most connected first. */
  function column(title, id, edges, ends, color) {
    const order = (e) => KIND_ORDER.indexOf(G.kind(e)) + (G.tests.has(ends[e]) ? 100 : 0);
    const weight = (n) => (G.isFile(n) ? 0 : D.degree[n]);
    const rows = Array.from(edges).sort((a, b) => order(a) - order(b) || weight(ends[b]) - weight(ends[a]) || a - b);
    const row = (e) => {
      const other = ends[e], times = G.sites(e);
      const use = source.use[G.from[e] + "," + G.to[e] + "," + G.kindNumber(e)];
      const place = use ? G.pathOf(G.from[e]) + ":" + use[0] : G.placeOf(other);
      const made = button("#n=" + other, dotOf(other), el("b", {}, G.nameOf(other)), " ",
        el("small", {}, G.kind(e) + (times > 1 ? " ×" + times : "") + (G.tests.has(other) ? " · test" : "") + " · " + place));
      if (use) made.append(el("code", {}, use[1]));
      peekOn(made, other);
      return el("li", {}, made);
    };
    const head = el("h3", {}, title + " (" + rows.length.toLocaleString("en") + ")");
    head.style.borderColor = color;
    return el("div", { class: "column" }, head, ...(rows.length ? list(rows, row, id) : [el("p", { class: "dim", id }, "None that the map knows.")]));
  }
  function closer() {
    const made = el("button", { class: "plain", type: "button", id: "back", title: "Escape" }, "✕ close");
    made.addEventListener("click", () => go("#"));
    return made;
  }
  function nodeView(n) {
    const middle = el("div", { class: "column middle" }, closer(), el("h2", { id: "node" }, G.nameOf(n)),
      el("p", { class: "dim" }, G.kindOf(n) + (G.tests.has(n) ? ", a test" : "") + (G.isFile(n) ? "" : " in " + G.placeOf(n)) + " · ",
        clusterLink(G.clusterOf(n)), heatText(n)),
      openers(n));
    if (D.doc[n]) middle.append(el("p", {}, D.doc[n]));
    middle.append(el("div", { id: "peek" }, codeBlock(n)), el("p", {}, el("code", { id: "node-id", class: "dim" }, G.idOf(n))));
    if (G.isFile(n)) {
      const own = [];
      for (let s = 0; s < G.symbols; s++) if (D.file[s] === n - G.symbols) own.push(s);
      own.sort((a, b) => D.line[a] - D.line[b]);
      middle.append(el("h3", {}, "Its " + counted(own.length, "symbol")), ...list(own, symbolRow));
    }
    dock.replaceChildren(column("Used by", "users", G.into(n), G.from, painter.palette.users), middle,
      column("Uses", "uses", G.outOf(n), G.to, painter.palette.uses));
  }
  function clusterLink(c) {
    const made = el("button", { class: "plain", type: "button" }, D.clusters[c].label);
    made.addEventListener("click", () => go("#c=" + c));
    return made;
  }
  function heatText(n) {
    return D.heat ? " · changed in " + counted(D.heat[G.fileOf(n)], "commit") + " of " + counted(D.heatDays, "day") : "";
  }
  const membersOf = (c) => { const all = []; for (let n = 0; n < G.symbols; n++) if (G.clusterOf(n) === c) all.push(n); return all; };
  function clusterView(c) {
    const files = [], cluster = D.clusters[c], weight = (n) => D.degree[n] - (G.tests.has(n) ? 1e6 : 0);
    for (let f = 0; f < G.files; f++) if (D.cluster[f] === c) files.push(G.symbols + f);
    const near = D.links.filter((link) => link[0] === c || link[1] === c).map((link) => [link[0] === c ? link[1] : link[0], link[2]]);
    near.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const nearRow = ([other, uses]) => el("li", {}, button("#c=" + other, el("b", {}, D.clusters[other].label), " ", el("small", {}, counted(uses, "use") + " between the two")));
    dock.replaceChildren(
      el("div", { class: "column" }, el("h3", {}, "Symbols, most connected first"), ...list(membersOf(c).sort((a, b) => weight(b) - weight(a) || a - b), symbolRow)),
      el("div", { class: "column middle" }, closer(), el("h2", { id: "cluster" }, cluster.label), el("p", { class: "dim" }, about(cluster)),
        el("h3", {}, "Files"), ...list(files, symbolRow)),
      el("div", { class: "column" }, el("h3", {}, "Connected with (" + near.length + ")"), ...list(near, nearRow)),
    );
  }
  /** A cluster in words: its size, and the names that others come to it for. */
  function about(cluster) {
    const names = namesOf(cluster);
    return counted(cluster.files, "file") + ", " + counted(cluster.symbols, "symbol") + (names.length ? ": " + names.join(", ") : "");
  }

  const namesOf = (cluster) => cluster.hubs.slice(0, 3).map((n) => HobCore.labelOf(G.nameOf(n)));

  // ---- the legend
  function drawLegend() {
    const rows = [], swatch = (color) => { const dot = el("i", { class: "dot" }); dot.style.background = color; return dot; };
    if (mode === "language") {
      const sizes = new Map();
      for (let n = 0; n < G.symbols; n++) sizes.set(G.languageOf(n), (sizes.get(G.languageOf(n)) || 0) + 1);
      for (const [word, size] of [...sizes].sort((a, b) => b[1] - a[1])) {
        rows.push(el("li", {}, el("span", { class: "entry" }, swatch(painter.palette.node(HobPaint.hueOfWord(word))), word, " ", el("small", {}, counted(size, "symbol")))));
      }
    } else if (mode === "heat") {
      const scale = el("span", { class: "scale" });
      for (let step = 0; step <= 12; step++) scale.append(swatch(painter.palette.heat(step / 12)));
      rows.push(el("li", {}, el("span", { class: "entry" }, scale, el("small", {}, " never to most changed in " + counted(D.heatDays, "day")))));
      const hot = D.heat.map((changes, f) => [changes, f]).filter(([changes]) => changes > 0).sort((a, b) => b[0] - a[0] || a[1] - b[1]);
      for (const [changes, f] of hot.slice(0, 40)) rows.push(el("li", {}, button("#n=" + (G.symbols + f), swatch(painter.palette.heat(painter.heatShares[f])), D.paths[f], " ", el("small", {}, counted(changes, "commit")))));
    } else {
      D.clusters.forEach((cluster, c) => {
        rows.push(el("li", {}, button("#c=" + c, swatch(painter.palette.node(cluster.hue)), el("b", {}, cluster.label),
          el("span", { class: "names" }, [counted(cluster.symbols, "symbol"), ...namesOf(cluster)].join(", ")))));
      });
    }
    legend.replaceChildren(el("ul", {}, ...rows), ...D.notes.map((note) => el("p", { class: "dim" }, note)),
      el("p", { class: "dim" }, "Size: how connected. Ring: a test. Keys: ?"));
  }

  // ---- search
  let matches = [];
  function results() {
    const words = input.value.trim();
    matches = words.length > 1 ? search(words) : [];
    found.hidden = words.length < 2;
    if (!found.hidden) {
      const row = (n) => symbolRow(n);
      found.replaceChildren(el("h3", { id: "count" }, counted(matches.length, "match")), ...list(matches, row));
    }
    const here = chosen !== null && chosen.found === undefined;
    if (!here) pick(matches.length ? { found: true, nodes: matches.filter((n) => n < G.drawn) } : null);
  }
  function closeSearch() { found.hidden = true; if (chosen && chosen.found) pick(null); }

  // ---- the view
  let view = null, goal = null, moved = 0, queued = false, last = 0;
  function wake() { if (!queued) { queued = true; requestAnimationFrame(tick); } }
  function tick(now) {
    queued = false;
    const passed = Math.min(64, now - last || 16);
    last = now;
    if (goal) {
      const share = calm.matches ? 1 : 1 - Math.exp(-passed / 70);
      view.x += (goal.x - view.x) * share; view.y += (goal.y - view.y) * share;
      view.s *= (goal.s / view.s) ** share;
      moved = now;
      if (Math.abs(goal.s / view.s - 1) < 0.002 && Math.hypot(goal.x - view.x, goal.y - view.y) * view.s < 0.4) { view = { ...goal }; goal = null; }
    }
    const isMoving = now - moved < 120;
    if (painter.frame(view, isMoving, hovered) || isMoving || goal) wake();
  }
  function pick(choice) { chosen = choice; painter.choose(choice && { nodes: [], ...choice }); wake(); }
  function moveTo(target) { goal = target; wake(); }
  function zoom(by, px, py) {
    const [w, h] = painter.size, from = goal || view, [x, y] = painter.toWorld(from, px ?? w / 2, py ?? h / 2);
    const s = Math.min(12, Math.max(painter.least, from.s * by)), k = from.s / s;
    goal = { x: x + (from.x - x) * k, y: y + (from.y - y) * k, s };
    wake();
  }
  function zoomNow(by, px, py) { zoom(by, px, py); view = goal; goal = null; moved = performance.now(); wake(); }
  function pan(dx, dy) { goal = null; view = { ...view, x: view.x - dx / view.s, y: view.y - dy / view.s }; moved = performance.now(); wake(); }
  /** The view on some nodes, above the dock. */
  function viewOf(nodes, least) {
    const spots = nodes.map(G.spot);
    const side = (of, sign) => spots.reduce((all, spot) => of(all, spot), sign);
    const left = side((a, p) => Math.min(a, p.x - p.r), Infinity), right = side((a, p) => Math.max(a, p.x + p.r), -Infinity);
    const top = side((a, p) => Math.min(a, p.y - p.r), Infinity), bottom = side((a, p) => Math.max(a, p.y + p.r), -Infinity);
    const room = Math.max(right - left, bottom - top) * 0.12 + 40;
    return painter.fit([left - room, top - room, right - left + 2 * room, bottom - top + 2 * room], least);
  }

  /** The picture keeps clear of the legend. */
  function keepClear() {
    legend.classList.toggle("aside", !dock.hidden);
    painter.setInset(legend.hidden || legend.offsetWidth * 2.4 > canvas.clientWidth ? 0 : legend.offsetLeft + legend.offsetWidth);
  }

  // ---- where we are stands in the address, so that the browser's own back and forward work
  function show() {
    const [what, number] = location.hash.slice(1).split("="), n = Number(number);
    const isNumber = number !== undefined && number !== "" && Number.isInteger(n) && n >= 0;
    if (what === "n" && isNumber && n < G.nodes) {
      const { users, uses } = G.around(n);
      dock.hidden = false;
      settle();
      keepClear();
      nodeView(n);
      const own = G.isFile(n) ? drawnOf(n - G.symbols) : [];
      pick({ node: n, users, uses, nodes: [n, ...users, ...uses, ...own] });
      const near = [n, ...users, ...uses, ...own].filter((other) => other < G.drawn || other === n);
      moveTo(viewOf(near.length > 1 ? near : [n], 2.4));
    } else if (what === "c" && isNumber && n < D.clusters.length) {
      const c = D.clusters[n];
      dock.hidden = false;
      settle();
      keepClear();
      clusterView(n);
      pick({ cluster: n, nodes: membersOf(n).filter((other) => other < G.drawn) });
      moveTo(painter.fit([c.x - c.r * 1.3, c.y - c.r * 1.3, c.r * 2.6, c.r * 2.6], 4));
    } else {
      dock.hidden = true;
      settle();
      keepClear();
      dock.replaceChildren();
      pick(null);
      moveTo(painter.fit());
    }
    for (const part of dock.children) part.scrollTop = 0;
    document.documentElement.dataset.shown = location.hash || "#";
  }
  const drawnOf = (f) => { const own = []; for (let s = 0; s < G.drawn; s++) if (D.file[s] === f) own.push(s); return own; };
  /** Takes in a new size of the canvas. */
  function settle() {
    if (canvas.clientWidth === painter.size[0] && canvas.clientHeight === painter.size[1]) return;
    painter.resize();
    wake();
  }
  addEventListener("hashchange", () => { closeSearch(); show(); });
  addEventListener("resize", () => { settle(); keepClear(); if (!chosen) moveTo(painter.fit()); });

  // ---- looks
  function look() {
    const dark = theme === null ? night.matches : theme === "dark";
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    painter.look(dark, mode);
    drawLegend();
    if (chosen && chosen.node !== undefined) nodeView(chosen.node);
    wake();
  }
  night.addEventListener("change", look);
  const modes = byId("mode");
  if (!D.heat) modes.querySelector("[value=heat]").remove();
  modes.addEventListener("change", () => { mode = modes.value; look(); });
  function nextMode() { modes.selectedIndex = (modes.selectedIndex + 1) % modes.options.length; mode = modes.value; look(); }
  function turnTheme() { theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark"; look(); }
  byId("theme").addEventListener("click", turnTheme);
  byId("closer").addEventListener("click", () => zoom(1.4));
  byId("farther").addEventListener("click", () => zoom(1 / 1.4));
  byId("whole").addEventListener("click", () => moveTo(painter.fit()));
  byId("keys").addEventListener("click", () => { byId("help").hidden = !byId("help").hidden; });
  byId("help").addEventListener("click", () => { byId("help").hidden = true; });

  // ---- pointer
  let held = null;
  const pointers = new Map();
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const { left, top } = canvas.getBoundingClientRect(), lines = event.deltaMode === 1 ? 30 : 1;
    zoomNow(Math.exp(-event.deltaY * lines * 0.0016), event.clientX - left, event.clientY - top);
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    held = { x: event.clientX, y: event.clientY, far: 0 };
  });
  canvas.addEventListener("pointermove", (event) => {
    const { left, top } = canvas.getBoundingClientRect(), before = pointers.get(event.pointerId);
    if (before && pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const span = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]);
      zoomNow(span([event.clientX, event.clientY]) / Math.max(1, span(before)), (event.clientX + other[0]) / 2 - left, (event.clientY + other[1]) / 2 - top);
    } else if (before && held) {
      held.far += Math.hypot(event.clientX - before[0], event.clientY - before[1]);
      if (held.far > 4) pan(event.clientX - before[0], event.clientY - before[1]);
    } else {
      const at = hit(event.clientX - left, event.clientY - top);
      canvas.style.cursor = at >= 0 ? "pointer" : "grab";
      if (at !== hovered) { hovered = at; peek(at >= 0 ? at : null); wake(); }
    }
    if (before) pointers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  const hit = (px, py) => { const [x, y] = painter.toWorld(view, px, py); return nodeAt(x, y, 5 / view.s); };
  function release(event) {
    pointers.delete(event.pointerId);
    if (!held || pointers.size) return;
    const { left, top } = canvas.getBoundingClientRect(), isClick = held.far <= 4;
    held = null;
    if (!isClick) return;
    const n = hit(event.clientX - left, event.clientY - top);
    if (n >= 0) { go("#n=" + n); return; }
    const [x, y] = painter.toWorld(view, event.clientX - left, event.clientY - top);
    const c = D.clusters.findIndex((cluster) => Math.hypot(cluster.x - x, cluster.y - y) < cluster.r);
    go(c >= 0 ? "#c=" + c : "#");
  }
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", (event) => { pointers.delete(event.pointerId); held = null; });
  canvas.addEventListener("pointerleave", () => { if (hovered >= 0) { hovered = -1; peek(null); wake(); } });

  // ---- keys
  input.addEventListener("input", results);
  input.addEventListener("focus", () => { if (input.value.trim().length > 1) results(); });
  const rowsOf = (part) => Array.from(part.querySelectorAll("button:not([hidden])"));
  const columns = () => Array.from(dock.querySelectorAll(".column"));
  /** Moves the focus among rows, and between the columns of the dock; whether it did. */
  function walk(key) {
    const at = document.activeElement;
    const part = !found.hidden && (at === input || found.contains(at)) ? found : columns().find((column) => column.contains(at));
    const across = key === "ArrowLeft" || key === "ArrowRight";
    if (across) {
      const all = columns(), here = all.indexOf(part);
      if (!all.length || part === found) return false;
      const next = here < 0 ? all[key === "ArrowLeft" ? 0 : 2] : all[here + (key === "ArrowLeft" ? -1 : 1)];
      const first = next && rowsOf(next)[0];
      if (first) first.focus();
      return true;
    }
    if (!part) return false;
    const rows = rowsOf(part), place = rows.indexOf(at);
    const next = rows[place + (key === "ArrowDown" ? 1 : -1)];
    if (next) next.focus(); else if (part === found) input.focus();
    return true;
  }
  const KEYS = {
    "+": () => zoom(1.3), "=": () => zoom(1.3), "-": () => zoom(1 / 1.3), 0: () => moveTo(painter.fit()), c: nextMode, t: turnTheme,
    l: () => { legend.hidden = !legend.hidden; keepClear(); if (!chosen) moveTo(painter.fit()); }, "?": () => byId("keys").click(), o: () => { const link = byId("open"); if (link) link.click(); },
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = document.activeElement === input;
    if (event.key === "Escape") {
      if (!byId("help").hidden) { byId("help").hidden = true; return; }
      const wasFound = !found.hidden;
      input.value = ""; input.blur(); closeSearch();
      if (!wasFound) go("#");
    } else if (event.key === "Enter" && typing) {
      if (matches.length) { input.blur(); go("#n=" + matches[0]); closeSearch(); }
    } else if (event.key.startsWith("Arrow")) {
      if (typing && !event.key.endsWith("Down")) return;
      if (walk(event.key)) { event.preventDefault(); return; }
      const [dx, dy] = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
      pan(dx, dy);
    } else if (!typing && document.activeElement.tagName !== "SELECT") {
      if (event.key === "/") { event.preventDefault(); input.focus(); input.select(); } else if (Object.hasOwn(KEYS, event.key)) KEYS[event.key]();
    }
  });
  addEventListener("pointerdown", (event) => { if (!found.contains(event.target) && event.target !== input) found.hidden = true; });

  painter.resize();
  view = painter.fit();
  look();
  show();
  view = goal || view; goal = null;
  wake();
  /** For tests in a browser. */
  globalThis.hobPage = { G, painter, get view() { return view; }, setView: (next) => { goal = null; view = next; moved = performance.now(); wake(); } };
  document.documentElement.dataset.drawn = String(G.drawn);
})().catch((error) => {
  document.getElementById("legend").textContent = "This browser cannot show the page: it needs one of 2023 or later. (" + error + ")";
});
