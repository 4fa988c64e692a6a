// A page of `hob graph` in a real browser: what a person does with it, whether labels touch as the browser measures them, frames per
// second while panning and zooming, and screenshots in both themes. Needs Chromium and, in the folder where it is started, the npm
// package `playwright-core`. No test: CI reads the page with node alone (tests/e2e/graph.rs).
//
//   hob graph --heat --out page.html && npm install --no-save playwright-core && node tests/bench/graph_page.mjs page.html --shots shots
//
// Prints one line of JSON; exits with 1 if something is not as it should be.

import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(join(process.cwd(), "x"))("playwright-core");
const args = process.argv.slice(2);
const shots = args.includes("--shots") ? args[args.indexOf("--shots") + 1] : null;
const file = resolve(args[0]);
const profile = mkdtempSync(join(tmpdir(), "hob-graph-page-"));
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  viewport: { width: 1280, height: 800 },
  colorScheme: "light",
});
const page = await context.newPage();
const problems = [];
const check = (what, is) => { if (!is) problems.push(what); };
page.on("console", (message) => { if (message.type() === "error") problems.push(`console: ${message.text()}`); });
page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
page.on("request", (request) => { if (!request.url().startsWith("file://") && !request.url().startsWith("blob:")) problems.push(`asked for ${request.url()}`); });
const shot = async (name) => { if (shots) { mkdirSync(shots, { recursive: true }); await page.screenshot({ path: join(shots, `${name}.png`) }); } };
const rest = () => page.waitForTimeout(700);
const shown = (hash) => page.waitForFunction((hash) => document.documentElement.dataset.shown?.startsWith(hash), hash);

const begun = Date.now();
await page.goto(pathToFileURL(file).href);
await page.waitForFunction(() => document.documentElement.dataset.drawn);
const readyMs = Date.now() - begun;
await rest();
await shot("all-light");

// Labels as the browser measures them, from all to very near.
const collisions = await page.evaluate(() => {
  const { painter } = window.hobPage, whole = painter.fit(), touching = [];
  for (let s = whole.s; s < 10; s *= 1.1) {
    const boxes = painter.boxes({ ...whole, s }).sort((a, b) => a.box[0] - b.box[0]);
    boxes.forEach((one, i) => {
      for (let j = i + 1; j < boxes.length && boxes[j].box[0] < one.box[2]; j++) {
        const other = boxes[j];
        if (one.box[1] < other.box[3] - 0.01 && other.box[1] < one.box[3] - 0.01) touching.push(`${s.toFixed(2)}: ${one.text} | ${other.text}`);
      }
    });
  }
  return touching.slice(0, 5);
});
check(`labels collide: ${collisions.join("; ")}`, collisions.length === 0);

/** Frames per second while `step` is done before each frame. */
const frames = (step) => page.evaluate(async (step) => {
  const move = { // the view at each of 240 frames
    pan: (i, view) => ({ ...view, x: view.x + (Math.cos(i / 25) * 7) / view.s, y: view.y + (Math.sin(i / 25) * 7) / view.s }),
    zoom: (i, view) => ({ ...view, s: view.s * (i % 120 < 60 ? 1.03 : 1 / 1.03) }),
  }[step];
  const times = [];
  let last = null;
  for (let i = 0; i < 240; i++) {
    const now = await new Promise((done) => requestAnimationFrame(done));
    if (last !== null) times.push(now - last);
    last = now;
    window.hobPage.setView(move(i, window.hobPage.view));
  }
  times.sort((a, b) => a - b);
  const at = (share) => Number(times[Math.floor(times.length * share)].toFixed(1));
  return { fps: Number(((1000 * times.length) / times.reduce((a, b) => a + b)).toFixed(1)), p50: at(0.5), p95: at(0.95), max: at(0.999) };
}, step);
const nodes = await page.evaluate(() => window.hobPage.G.drawn);
const pan = await frames("pan"), zoom = await frames("zoom");

// What a person does: search, choose, look at callers and callees, go back, by keys and by the pointer.
const best = await page.evaluate(() => { const { G } = window.hobPage; return G.nameOf(0).split(".").at(-1); });
await page.keyboard.press("Escape");
await shown("#");
await page.keyboard.press("/");
await page.keyboard.type(best);
await page.waitForSelector("#found:not([hidden]) .item");
await rest();
await shot("search-light");
await page.keyboard.press("Enter");
await shown("#n=");
await rest();
check("the node that was searched is chosen", (await page.textContent("#node")).includes(best));
check("there are callers and callees", (await page.locator("#users, #uses").count()) === 2);
const link = await page.getAttribute("#open", "href");
check(`the link leads into an editor: ${link}`, /^[a-z]+:\/\/.+\d+$/.test(link));
await shot("node-light");
await page.keyboard.press("ArrowLeft");
const caller = await page.evaluate(() => document.activeElement.closest("#users") !== null || document.querySelector("#users").children.length === 0);
check("the arrow leads to the callers", caller);
await page.emulateMedia({ colorScheme: "dark" });
await rest();
await shot("node-dark");
await page.keyboard.press("Escape");
await shown("#");
await rest();
await shot("all-dark");
// The largest cluster, near, by a click into it.
const [x, y] = await page.evaluate(() => {
  const { G, painter, view } = window.hobPage, [w, h] = painter.size, c = G.D.clusters[0];
  const stage = document.getElementById("stage").getBoundingClientRect();
  return [stage.left + (c.x - view.x) * view.s + w / 2, stage.top + (c.y - c.r * 0.985 - view.y) * view.s + h / 2 + 2];
});
await page.mouse.click(x, y);
await page.waitForFunction(() => document.documentElement.dataset.shown !== "#");
await page.keyboard.press("Escape");
await shown("#");
const near = async (theme) => {
  await page.emulateMedia({ colorScheme: theme });
  await page.evaluate(() => { const { G, setView } = window.hobPage, c = G.D.clusters[0]; setView({ x: c.x, y: c.y, s: 3 }); });
  await rest();
  await shot(`near-${theme}`);
};
await near("dark");
await near("light");
for (const colours of await page.$$eval("#mode option", (options) => options.map((option) => option.value)))  {
  await page.selectOption("#mode", colours);
  await page.evaluate(() => { const { painter, setView } = window.hobPage; setView(painter.fit()); });
  await rest();
  if (colours !== "cluster") await shot(`${colours}-light`);
}
await context.close();
rmSync(profile, { recursive: true, force: true });
console.log(JSON.stringify({ bytes: statSync(file).size, nodes, readyMs, pan, zoom, problems }));
process.exit(problems.length ? 1 : 0);
