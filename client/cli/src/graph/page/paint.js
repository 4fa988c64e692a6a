// Paints the picture on a canvas.
//
// What moves is an image of the picture, larger than the window, which is drawn at once wherever the view goes. A new image is
// painted in slices between two frames when the old one is too coarse, too small, or of another choice; only labels, which must
// stay sharp, are drawn in every frame. So panning and zooming cost the same however many nodes there are.
"use strict";
const HobPaint = (() => {
  const MARGIN = 0.3; // of the window, on each side of the image
  const MOST_LINES = 6000; // edges within clusters in one image

  const FIXED = { Python: 212, TypeScript: 205, TSX: 195, JavaScript: 48, JSX: 40, Rust: 18, Go: 188, Java: 8, C: 232, "C++": 338, "C#": 285,
    Ruby: 355, PHP: 250, Kotlin: 268, Swift: 24, Scala: 350, Lua: 240, Bash: 110, CSS: 300, Markdown: 150, HTML: 14, Vue: 152, SQL: 90 };
  const hueOfWord = (word) => FIXED[word] ?? [...word].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) % 360, 7);

  /** Colours for a theme; `hue` null is grey. */
  function paletteOf(dark) {
    const grey = dark ? "hsl(30 4% 56%)" : "hsl(30 4% 52%)";
    return {
      dark, grey,
      back: dark ? "#17181b" : "#fafaf8",
      front: dark ? "#eceae6" : "#1f1e1c",
      halo: dark ? "rgba(23,24,27,.86)" : "rgba(250,250,248,.88)",
      link: dark ? "#7d828c" : "#8d8a84",
      users: dark ? "#6cb0ff" : "#1f6fd0",
      uses: dark ? "#ffab5c" : "#c9600c",
      ring: dark ? "#ffffff" : "#111111",
      node: (hue) => (hue === null ? grey : dark ? `hsl(${hue} 68% 66%)` : `hsl(${hue} 62% 44%)`),
      line: (hue) => (hue === null ? grey : dark ? `hsl(${hue} 45% 55%)` : `hsl(${hue} 45% 50%)`),
      disc: (hue) => (hue === null ? (dark ? "#22242a" : "#f0efeb") : dark ? `hsl(${hue} 28% 15%)` : `hsl(${hue} 60% 95%)`),
      rim: (hue) => (hue === null ? (dark ? "#363941" : "#dcdad4") : dark ? `hsl(${hue} 28% 28%)` : `hsl(${hue} 40% 82%)`),
      // From cold to hot: pale to deep on light, deep to bright on dark.
      heat: (share) => (share <= 0 ? (dark ? "#4a4d55" : "#c9c7c1") : dark
        ? `hsl(${48 - 40 * share} ${70 + 25 * share}% ${38 + 26 * share}%)` : `hsl(${46 - 40 * share} ${75 + 15 * share}% ${66 - 26 * share}%)`),
    };
  }

  /** How hot a file is among the files that changed, 0 to 1. */
  function heatShares(G) {
    if (!G.D.heat) return null;
    const most = Math.log1p(G.D.heat.reduce((hottest, changes) => Math.max(hottest, changes), 1));
    return G.D.heat.map((changes) => Math.log1p(changes) / most);
  }

  /** The colour of each node, for a way of colouring. */
  function colourer(G, palette, mode) {
    const shares = heatShares(G);
    if (mode === "heat" && shares) return (n) => palette.heat(Math.round(shares[G.fileOf(n)] * 12) / 12);
    if (mode === "language") return (n) => palette.node(hueOfWord(G.languageOf(n)));
    return (n) => palette.node(G.D.clusters[G.clusterOf(n)].hue);
  }

  function makePainter(canvas, G) {
    const context = canvas.getContext("2d", { alpha: false });
    let width = 0, height = 0, ratio = 1, palette = paletteOf(false), mode = "cluster", colour = colourer(G, palette, mode);
    let chosen = null; // {node, users, uses} or {cluster} or {found}
    let version = 0, image = null, coming = null, labelSprites = new Map(), dotSprites = new Map(), planned = null;
    const measure = document.createElement("canvas").getContext("2d");
    const font = (strong) => (strong ? "600 13px" : "12px") + " system-ui, sans-serif";
    const widthOf = (text, strong) => { measure.font = font(strong); return Math.ceil(measure.measureText(text).width) + 2; };
    const box = G.D.box;
    let least = 0.05;
    let chooser = null, labels = [];
    let inset = 0; // pixels on the left that something else covers

    function resize() {
      ratio = Math.min(2, globalThis.devicePixelRatio || 1);
      width = Math.max(1, canvas.clientWidth); height = Math.max(1, canvas.clientHeight);
      canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
      least = fit().s * 0.5;
      labels = HobCore.labelsOf(G, widthOf);
      chooser = HobCore.labelChooser(labels, least);
      planned = null;
      image = coming = null;
      version++;
    }
    /** The view that shows a rectangle of the picture, all of it by default. */
    function fit(rect = box, most = 3) {
      const s = Math.min(Math.max(width - inset, width / 3) / rect[2], height / rect[3], most);
      return { x: rect[0] + rect[2] / 2 - inset / 2 / s, y: rect[1] + rect[3] / 2, s };
    }
    const toWorld = (view, px, py) => [(px - width / 2) / view.s + view.x, (py - height / 2) / view.s + view.y];

    function sprite(color, radius, hollow) {
      const px = Math.max(1, Math.round(radius * ratio * 2) / 2), key = color + "|" + px + (hollow ? "o" : "");
      let made = dotSprites.get(key);
      if (!made) {
        const size = Math.ceil(px * 2 + 3);
        made = document.createElement("canvas");
        made.width = made.height = size;
        const c = made.getContext("2d");
        c.beginPath();
        c.arc(size / 2, size / 2, Math.max(0.5, px - (hollow ? 0.5 : 0)), 0, 7);
        if (hollow) { c.lineWidth = Math.max(1, px * 0.3); c.strokeStyle = color; c.fillStyle = palette.back; c.fill(); c.stroke(); }
        else { c.fillStyle = color; c.fill(); if (px > 3) { c.lineWidth = ratio * 0.8; c.strokeStyle = palette.back; c.stroke(); } }
        dotSprites.set(key, made);
      }
      return made;
    }
    function labelSprite(label, faint) {
      const key = (label.strong ? "b" : "n") + (faint ? "f" : "") + label.text;
      let made = labelSprites.get(key);
      if (!made) {
        made = document.createElement("canvas");
        const w = widthOf(label.text, label.strong) + 6, h = 20;
        made.width = Math.ceil(w * ratio); made.height = Math.ceil(h * ratio);
        const c = made.getContext("2d");
        c.scale(ratio, ratio);
        c.font = font(label.strong);
        c.textBaseline = "middle";
        c.lineJoin = "round";
        c.globalAlpha = faint ? 0.45 : 1;
        c.lineWidth = 3.5; c.strokeStyle = palette.halo;
        c.strokeText(label.text, 3, h / 2);
        c.fillStyle = palette.front;
        c.fillText(label.text, 3, h / 2);
        labelSprites.set(key, made);
      }
      return made;
    }

    /** Paints an image in slices: every `yield` is a place to stop. */
    function* paint(target, view) {
      const w = target.width / ratio, h = target.height / ratio, c = target.getContext("2d", { alpha: false });
      c.setTransform(1, 0, 0, 1, 0, 0);
      c.fillStyle = palette.back;
      c.fillRect(0, 0, target.width, target.height);
      c.scale(ratio, ratio);
      const X = (x) => (x - view.x) * view.s + w / 2, Y = (y) => (y - view.y) * view.s + h / 2;
      const isSeen = (x, y, r) => X(x) + r * view.s > 0 && X(x) - r * view.s < w && Y(y) + r * view.s > 0 && Y(y) - r * view.s < h;
      const clusters = G.D.clusters, dim = chosen !== null;
      const own = chosen && chosen.cluster !== undefined ? chosen.cluster : -1;
      const hue = (cluster) => (mode === "cluster" ? cluster.hue : null);
      clusters.forEach((cluster, number) => {
        if (!isSeen(cluster.x, cluster.y, cluster.r)) return;
        c.globalAlpha = dim && number !== own ? 0.4 : 1;
        c.beginPath(); c.arc(X(cluster.x), Y(cluster.y), cluster.r * view.s, 0, 7);
        c.fillStyle = palette.disc(hue(cluster)); c.fill();
        c.lineWidth = number === own ? 2.5 : 1; c.strokeStyle = number === own ? palette.ring : palette.rim(hue(cluster)); c.stroke();
      });
      yield;
      const heaviest = Math.max(1, ...G.D.links.map((link) => link[2]));
      const links = G.D.links.slice().sort((a, b) => b[2] - a[2]).slice(0, 260);
      c.strokeStyle = palette.link; c.lineCap = "round";
      for (const [at, [a, b, weight]] of links.entries()) {
        if (dim && own < 0) break;
        if (own >= 0 && a !== own && b !== own) continue;
        const p = clusters[a], q = clusters[b], share = Math.sqrt(weight / heaviest);
        const far = Math.hypot(q.x - p.x, q.y - p.y) || 1, ux = (q.x - p.x) / far, uy = (q.y - p.y) / far;
        c.globalAlpha = (own >= 0 ? 0.25 : 0.07) + 0.38 * share;
        c.lineWidth = Math.max(0.6, (0.5 + 6 * share) * Math.min(1.6, Math.max(0.5, view.s)));
        c.beginPath();
        const from = [p.x + ux * p.r, p.y + uy * p.r], to = [q.x - ux * q.r, q.y - uy * q.r], bend = (far - p.r - q.r) * 0.1;
        c.moveTo(X(from[0]), Y(from[1]));
        c.quadraticCurveTo(X((from[0] + to[0]) / 2 - uy * bend), Y((from[1] + to[1]) / 2 + ux * bend), X(to[0]), Y(to[1]));
        c.stroke();
        if (at % 60 === 59) yield;
      }
      let lines = 0;
      for (let number = 0; number < clusters.length && lines < MOST_LINES; number++) {
        const cluster = clusters[number], pairs = G.inner[number];
        if (!pairs.length || !isSeen(cluster.x, cluster.y, cluster.r)) continue;
        c.strokeStyle = palette.line(hue(cluster));
        c.globalAlpha = (dim && number !== own ? 0.1 : 0.34) * Math.min(1, 0.5 + view.s / 2);
        c.lineWidth = Math.min(1.2, Math.max(0.5, view.s * 0.5));
        for (let at = 0; at < pairs.length && lines < MOST_LINES; at += 800) {
          c.beginPath();
          for (let i = at; i < Math.min(pairs.length, at + 800); i += 2, lines++) {
            c.moveTo(X(G.x[pairs[i]]), Y(G.y[pairs[i]])); c.lineTo(X(G.x[pairs[i + 1]]), Y(G.y[pairs[i + 1]]));
          }
          c.stroke();
          yield;
        }
      }
      const bright = new Set(chosen ? chosen.nodes : []);
      c.globalAlpha = dim ? 0.16 : 1;
      for (let n = G.drawn - 1; n >= 0; n--) {
        if (bright.has(n) || !isSeen(G.x[n], G.y[n], G.r[n])) continue;
        dot(c, X(G.x[n]), Y(G.y[n]), G.r[n] * view.s, dim && own < 0 ? palette.grey : colour(n), G.tests.has(n));
        if (n % 500 === 0) yield;
      }
      c.globalAlpha = 1;
      if (chosen && chosen.node !== undefined) yield* paintUses(c, view, X, Y);
      for (const n of bright) if (n < G.drawn) dot(c, X(G.x[n]), Y(G.y[n]), Math.max(2.5, G.r[n] * view.s), colour(n), G.tests.has(n));
      if (chosen && chosen.node !== undefined) {
        const spot = G.spot(chosen.node);
        dot(c, X(spot.x), Y(spot.y), Math.max(4, spot.r * view.s), colour(chosen.node), false);
        c.lineWidth = 2.5; c.strokeStyle = palette.ring;
        c.beginPath(); c.arc(X(spot.x), Y(spot.y), Math.max(4, spot.r * view.s) + 3, 0, 7); c.stroke();
      }
    }
    function dot(c, x, y, r, color, hollow) {
      const made = sprite(color, r, hollow), size = made.width / ratio;
      c.drawImage(made, x - size / 2, y - size / 2, size, size);
    }
    /** The lines between the chosen node and those around it: users in one colour, what it uses in another. */
    function* paintUses(c, view, X, Y) {
      const middle = G.spot(chosen.node);
      for (const [others, color, side] of [[chosen.users, palette.users, -1], [chosen.uses, palette.uses, 1]]) {
        const near = others.filter((other) => other < G.drawn);
        c.strokeStyle = color; c.lineWidth = near.length > 200 ? 0.7 : 1.4; c.globalAlpha = near.length > 200 ? 0.35 : 0.75;
        for (let at = 0; at < near.length; at += 150) {
          c.beginPath();
          for (const other of near.slice(at, at + 150)) {
            const dx = G.x[other] - middle.x, dy = G.y[other] - middle.y;
            c.moveTo(X(middle.x), Y(middle.y));
            c.quadraticCurveTo(X(middle.x + dx / 2 - dy * 0.12 * side), Y(middle.y + dy / 2 + dx * 0.12 * side), X(G.x[other]), Y(G.y[other]));
          }
          c.stroke();
          yield;
        }
      }
      c.globalAlpha = 1;
    }

    /** Begins a new image for a view. */
    function begin(view) {
      const target = document.createElement("canvas");
      target.width = Math.round(width * (1 + 2 * MARGIN) * ratio); target.height = Math.round(height * (1 + 2 * MARGIN) * ratio);
      coming = { target, view: { ...view }, version, steps: paint(target, view) };
    }
    function isCovered(view, part) {
      const w = (width * (1 + 2 * MARGIN * part)) / image.view.s, h = (height * (1 + 2 * MARGIN * part)) / image.view.s;
      return Math.abs(view.x - image.view.x) <= (w - width / view.s) / 2 + 0.01 && Math.abs(view.y - image.view.y) <= (h - height / view.s) / 2 + 0.01;
    }
    /** Goes on with the image that is coming; true once it is there. */
    function advance(until) {
      while (performance.now() < until) {
        if (!coming.steps.next().done) continue;
        image = coming; coming = null;
        return;
      }
    }

    /** Draws a frame; true if another is needed although nothing moves. */
    function frame(view, isMoving, hovered) {
      const begun = performance.now();
      if (coming && coming.version !== version) coming = null;
      if (!coming) {
        const zoomed = image ? view.s / image.view.s : 0;
        const coarse = isMoving ? zoomed > 1.6 || zoomed < 0.7 : zoomed !== 1;
        if (!image || image.version !== version || coarse || !isCovered(view, isMoving ? 0.55 : 1)) begin(view);
      }
      if (coming) advance(begun + (image ? (isMoving ? 4 : 10) : 1e4));
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.fillStyle = palette.back;
      context.fillRect(0, 0, width, height);
      if (image) {
        const k = view.s / image.view.s, w = (image.target.width / ratio) * k, h = (image.target.height / ratio) * k;
        context.imageSmoothingEnabled = k !== 1;
        const left = (image.view.x - view.x) * view.s + width / 2 - w / 2, top = (image.view.y - view.y) * view.s + height / 2 - h / 2;
        if (k === 1) context.drawImage(image.target, Math.round(left * ratio) / ratio, Math.round(top * ratio) / ratio, w, h);
        else context.drawImage(image.target, left, top, w, h);
      }
      drawLabels(view);
      if (hovered >= 0) drawHovered(view, hovered);
      return coming !== null || (image !== null && image.view.s !== view.s);
    }
    function drawLabels(view) {
      if (!planned) planned = plan();
      const X = (x) => (x - view.x) * view.s + width / 2, Y = (y) => (y - view.y) * view.s + height / 2;
      for (const number of planned.chooser(view.s)) {
        const label = planned.labels[number], px = X(label.x) + label.box[0], py = Y(label.y) + (label.box[1] + label.box[3]) / 2;
        if (px > width || py < -10 || py > height + 10 || px + (label.box[2] - label.box[0]) < 0) continue;
        const made = labelSprite(label, label.faint);
        context.drawImage(made, px - 3, py - 10, made.width / ratio, made.height / ratio);
      }
    }
    /** The labels for what is chosen: without a choice all, else those of the bright nodes, and the clusters faintly. */
    function plan() {
      if (!chosen) return { labels, chooser };
      const own = chosen.nodes.filter((n) => n < G.drawn || n === chosen.node).slice(0, 400);
      const rank = (n) => (n === chosen.node ? 1e9 : n < G.symbols ? G.D.degree[n] : 0);
      own.sort((a, b) => rank(b) - rank(a) || a - b);
      const bright = own.map((n) => HobCore.nodeLabel(G, n, widthOf, 0));
      const clusters = labels.filter((label) => label.strong).map((label) => ({ ...label, faint: label.cluster !== chosen.cluster }));
      const all = bright.slice(0, 1).concat(clusters, bright.slice(1));
      return { labels: all, chooser: HobCore.labelChooser(all, least) };
    }
    function drawHovered(view, n) {
      const spot = G.spot(n), px = (spot.x - view.x) * view.s + width / 2, py = (spot.y - view.y) * view.s + height / 2;
      const r = Math.max(3, spot.r * view.s);
      context.lineWidth = 2; context.strokeStyle = palette.ring;
      context.beginPath(); context.arc(px, py, r + 2, 0, 7); context.stroke();
      const text = HobCore.short(G.nameOf(n), 60), w = widthOf(text, true) + 12, left = Math.min(px + r + 6, width - w - 4);
      context.fillStyle = palette.front; context.fillRect(left, py - 11, w, 22);
      context.font = font(true); context.textBaseline = "middle"; context.fillStyle = palette.back;
      context.fillText(text, left + 6, py + 1);
    }

    return {
      setInset: (pixels) => { inset = pixels; },
      resize, fit, frame, toWorld, heatShares: heatShares(G),
      get least() { return least; }, get size() { return [width, height]; }, get palette() { return palette; },
      /** For tests: labels that are on the screen, as boxes. */
      boxes(view) {
        if (!planned) planned = plan();
        return planned.chooser(view.s).map((number) => planned.labels[number]).map((label) => ({ text: label.text,
          box: [0, 1, 2, 3].map((i) => (i % 2 ? (label.y - view.y) * view.s + height / 2 : (label.x - view.x) * view.s + width / 2) + label.box[i]) }));
      },
      look(dark, newMode) {
        palette = paletteOf(dark); mode = newMode; colour = colourer(G, palette, mode);
        labelSprites.clear(); dotSprites.clear();
        version++;
      },
      choose(choice) { chosen = choice; planned = null; version++; },
      swatch: (n) => colour(n),
    };
  }

  return { makePainter, hueOfWord, paletteOf };
})();
