// The report's page with 100,000 events in Debian's chromium: size, first paint, and the time of a frame while the full
// schedule is scrolled. Medians over the repetitions, each in a page of its own.
//
//   node bench/page/page_bench.mjs PAGE.html [REPETITIONS]
//
// PAGE.html: tests/browser/pages/hundred-thousand.html in a build folder after `ctest -R browser.pages`; the driver is
// that of the browser tests (scripts/test installs it).
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "../../tests/browser/node_modules/playwright-core/index.mjs";

const [file, repetitions = "5"] = process.argv.slice(2);
if (!file) {
  console.error("usage: node bench/page/page_bench.mjs PAGE.html [REPETITIONS]");
  process.exit(2);
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

// Scrolls the grid of the full schedule from top to bottom in so many frames; the milliseconds of each.
function scrollThrough(frames) {
  const grid = document.querySelector("#view3 .grid");
  return new Promise((done) => {
    const times = [];
    let last = performance.now();
    const step = (now) => {
      if (times.length === frames) return done(times.slice(1));
      times.push(now - last);
      last = now;
      grid.scrollTop = (grid.scrollHeight * times.length) / frames;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
}

async function measure(context) {
  const page = await context.newPage();
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(pathToFileURL(path.resolve(file)).href);
  const paint = await page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)));
    return performance.getEntriesByName("first-contentful-paint")[0].startTime;
  });
  const before = Date.now();
  await page.keyboard.press("3");
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const full = Date.now() - before;
  const frames = await page.evaluate(scrollThrough, 200);
  await page.close();
  return { paint, full, frame: median(frames), slowest: Math.max(...frames) };
}

const profile = fs.mkdtempSync(path.join(os.tmpdir(), "symbiosis-bench-"));
const context = await chromium.launchPersistentContext(profile, {
  executablePath: "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"],
  timeout: 120_000,
});
const runs = [];
for (let i = 0; i < Number(repetitions); ++i) runs.push(await measure(context));
await context.close();
fs.rmSync(profile, { recursive: true, force: true });
const of = (name) => median(runs.map((run) => run[name])).toFixed(0);
console.log("| page, MB | first paint, ms | full schedule shown, ms | frame while scrolling, ms: median | slowest |");
console.log("|---|---|---|---|---|");
console.log(`| ${(fs.statSync(file).size / 1e6).toFixed(1)} | ${of("paint")} | ${of("full")} | ${of("frame")} | ${of("slowest")} |`);
