// The report's page in a real browser, over the pages that `browser_pages` wrote.
//
//   SYMBIOSIS_PAGES        their folder
//   SYMBIOSIS_SCREENSHOTS  if set, pictures of every page go into this folder
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const pages = process.env.SYMBIOSIS_PAGES, screenshots = process.env.SYMBIOSIS_SCREENSHOTS;
const LARGE = "hundred-thousand";
const names = fs.readdirSync(pages).filter((name) => name.endsWith(".html")).map((name) => path.basename(name, ".html"));
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
  "--disable-sync", "--no-first-run"];

let context, profile;
before(async () => {
  profile = fs.mkdtempSync(path.join(os.tmpdir(), "symbiosis-browser-"));
  context = await chromium.launchPersistentContext(profile, { executablePath: "/usr/bin/chromium", args: FLAGS, timeout: 120_000 });
  await context.addInitScript(`window.shownTexts = ${shownTexts}`);
});
after(async () => {
  await context?.close();
  fs.rmSync(profile, { recursive: true, force: true });
});

// Opens a page; whatever it complains about or asks the network for ends up in `troubles`.
async function opened(name, { width = 1280, height = 900, colorScheme = "light" } = {}) {
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(String(error)));
  const url = pathToFileURL(path.join(pages, name + ".html")).href;
  page.on("request", (request) => request.url() !== url && troubles.push("asked for " + request.url()));
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme });
  await page.goto(url);
  return { page, troubles };
}
async function withPage(name, options, body) {
  const { page, troubles } = await opened(name, options);
  try {
    await body(page);
    assert.deepEqual(troubles, [], `${name}: the page complains or loads something`);
  } finally {
    await page.close();
  }
}

// Asks until the page says yes. (The page's own policy forbids playwright's waitForFunction.)
async function eventually(page, question) {
  for (let tries = 0; tries < 100; ++tries) {
    if (await page.evaluate(question)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail("never came true: " + question);
}

const marked = (page, selector) =>
  page.$$eval(selector, (nodes) => nodes.map((node) => node.id || node.dataset.run + " " + node.dataset.event).sort());
const selected = (page) => page.$$eval("[role=tab]", (tabs) => tabs.findIndex((tab) => tab.ariaSelected === "true"));

// --- loading ---

test("every page loads without a complaint and without a request", async () => {
  for (const name of names)
    await withPage(name, {}, async (page) => {
      assert.match(await page.textContent("h1"), /^✗ ./);
      assert.match(await page.textContent("#certificate"), /^Certificate: ./);
      assert.match(await page.textContent(".command code"), /^symbiosis replay .*--failing$/);
    });
});

test("hostile names are shown as text and nothing of them runs", async () => {
  await withPage("hostile", {}, async (page) => {
    for (const key of ["ArrowDown", "Enter", "2", "ArrowDown", "Enter", "3", "ArrowDown"]) await page.keyboard.press(key);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(await page.locator("script").count(), 2);
    assert.match(await page.textContent("#line-0-19 code"), /^<\/script><script>window.hacked=1<\/script><img .*\{\{css\}\}"'&$/);
    assert.match(await page.textContent("#detail"), /<script>window\.hacked=1/);
  });
});

// --- linking ---

test("pointing at an event marks it in both panels and in the source", async () => {
  await withPage("running-example", {}, async (page) => {
    assert.deepEqual(await marked(page, ".on"), []);
    await page.hover("#failing_e0_2_5");
    assert.deepEqual(await marked(page, ".event.on"), ["alternate_e0_2_5", "failing_e0_2_5"]);
    assert.deepEqual(await marked(page, ".line.on"), ["line-0-19"]);
    assert.deepEqual(await marked(page, ".edge.flow.on"), ["alternate_flow_1", "failing_flow_1"]);
    assert.match(await page.textContent("#detail"), /T2 line 19.*✗ failing, event 24 of 26: reads filled = 0.*✓ alternate.*reads filled = 1/s);
    await page.hover("h1");
    assert.deepEqual(await marked(page, ".on"), []);
    await page.hover("#line-0-20 .mark");
    assert.deepEqual(await marked(page, ".event.on"), ["alternate_e0_1_7", "failing_e0_1_7"]);
  });
});

test("the keyboard walks a panel, crosses to the other run and clears", async () => {
  await withPage("running-example", {}, async (page) => {
    const walked = [];
    for (let i = 0; i < 4; ++i) {
      await page.keyboard.press("ArrowDown");
      walked.push(await page.evaluate(() => document.activeElement.id));
    }
    assert.deepEqual(walked.map((id) => id.split("_")[0]), Array(4).fill("failing"));
    assert.equal(walked[3], "failing_e0_2_5", "the failing check is the last of the failing run");
    assert.deepEqual(await marked(page, ".line.on"), ["line-0-19"]);
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement.id), "alternate_e0_2_5");
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.evaluate(() => document.activeElement.id), "alternate_e0_1_7", "runs later in the alternate");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await page.evaluate(() => document.activeElement.id), "failing_e0_1_7");
    await page.keyboard.press("Escape");
    assert.deepEqual(await marked(page, ".on"), []);
  });
});

test("clicking a value follows its dataflow backwards", async () => {
  await withPage("running-example", {}, async (page) => {
    await page.click("#failing_e0_2_5");
    const chain = await page.$$eval("#detail .origins li", (items) => items.map((item) => item.textContent));
    assert.deepEqual(chain.slice(0, 3), ["T1 line 20 writes filled = 0", "T1 line 20 reads filled = 1", "T0 line 4 writes filled = 1"]);
    assert.deepEqual(await marked(page, ".event.origin"), ["failing_e0_1_7", "failing_e0_6"]);
    assert.deepEqual(await marked(page, ".line.origin"), ["line-0-2", "line-0-20", "line-0-4"]);
    await page.click("#detail .origins button");
    assert.deepEqual(await marked(page, ".line.on"), ["line-0-20"]);
    await page.click("#alternate_e0_2_5");
    assert.match(await page.textContent("#detail .origins li"), /^T0 line 4 writes filled = 1/);
  });
});

test("the grids link the same event and trace the same value", async () => {
  await withPage("running-example", {}, async (page) => {
    await page.keyboard.press("3");
    await page.hover("#view3 .cell.failing[data-event='0.2:5']");
    assert.deepEqual(await marked(page, "#view3 .cell.on"), ["cell-view3-0-23", "cell-view3-1-23"]);
    assert.deepEqual(await marked(page, ".line.on"), ["line-0-19"]);
    await page.click("#view3 .cell.failing[data-event='0.2:5'] .value");
    assert.match(await page.textContent("#detail .origins li"), /^T1 line 20 writes filled = 0/);
    await page.keyboard.press("ArrowUp");
    assert.match(await page.textContent("#detail h3"), /^T2 line 18/);
  });
});

test("a fold of identical accesses opens", async () => {
  await withPage(LARGE, {}, async (page) => {
    await page.keyboard.press("2");
    assert.equal(await page.textContent("#view2 .fold"), "⋯ 99991 accesses that are the same in both runs");
    assert.ok((await page.locator("#view2 .row").count()) < 30);
    await page.focus("#view2 .fold");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#view2 .fold").count(), 0);
    assert.ok((await page.locator("#view2 .row").count()) > 20);
  });
});

// --- levels ---

test("what only one run does is said to be missing in the other, and the decision is marked", async () => {
  await withPage("decision", {}, async (page) => {
    await page.keyboard.press("3");
    const grid = page.locator("#view3 .grid");
    await grid.waitFor();
    assert.deepEqual(await page.locator("#view3 h2").allTextContents(), ["✗ Failing run", "✓ Alternate run"]);
    const absent = await grid.locator(".cell.absent").allTextContents();
    assert.ok(absent.length > 0 && absent.every((words) => words === "does not happen in this run" || words === "the run had ended"), absent);
    assert.equal(await grid.locator(".cell.failing", { hasText: "◆" }).count(), 1);
    assert.equal(await grid.locator(".cell.alternate", { hasText: "◆" }).count(), 1);
    await grid.locator(".cell.failing", { hasText: "left = left - 1" }).last().click();
    assert.match(await page.locator("#detail").textContent(), /alternate, no event: does not happen in this run/);
  });
});

test("tabs and keys switch between the three levels", async () => {
  for (const name of ["running-example", "no-alternate"])
    await withPage(name, {}, async (page) => {
      const visible = () => page.$$eval(".view", (views) => views.filter((view) => view.offsetHeight > 0).map((view) => view.id));
      assert.deepEqual(await visible(), ["view1"]);
      for (const [key, view] of [["2", "view2"], ["3", "view3"], ["1", "view1"]]) {
        await page.keyboard.press(key);
        assert.deepEqual(await visible(), [view]);
        assert.equal(await selected(page), Number(view.slice(-1)) - 1);
      }
      await page.click("#tab2");
      assert.deepEqual(await visible(), ["view2"]);
      await page.keyboard.press("ArrowRight");
      assert.deepEqual(await visible(), ["view3"]);
      assert.equal(await page.evaluate(() => document.activeElement.id), "tab3");
    });
});

test("a hundred thousand events: under 20 MB, and only the rows in sight exist", async () => {
  assert.ok(fs.statSync(path.join(pages, LARGE + ".html")).size < 20e6);
  await withPage(LARGE, {}, async (page) => {
    await page.keyboard.press("3");
    assert.ok(await page.locator("#view3 .row.fails").isVisible(), "it opens at the failure");
    for (const part of [0, 0.3, 0.9, 1]) {
      await page.$eval("#view3 .grid", (grid, to) => (grid.scrollTop = to * grid.scrollHeight), part);
      await eventually(page, () => {
        const grid = document.querySelector("#view3 .grid"), box = grid.getBoundingClientRect();
        const tops = [...grid.querySelectorAll(".row")].map((row) => row.getBoundingClientRect());
        return tops.some((row) => row.top <= box.top + 24) && tops.some((row) => row.bottom >= box.bottom - 24);
      });
      assert.ok((await page.locator("#view3 .row").count()) < 120);
    }
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.locator("#view3 .cell.on").count() > 0, true);
  });
});

test("the copy button copies the command", async () => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await withPage("running-example", {}, async (page) => {
    await page.click(".command button");
    await eventually(page, () => document.querySelector(".command button").textContent === "Copied");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "symbiosis replay .symbiosis/queue-1 --failing");
  });
});

// --- looks ---

// In the page: its texts, without those that nobody sees.
function* shownTexts() {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest("script, style, title, desc") || !parent.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    yield { node, parent, range };
  }
}

// In the page: pairs of texts whose boxes, as far as they can be seen, overlap.
function overlaps() {
  const boxes = [];
  for (const { node, parent, range } of window.shownTexts()) {
    for (const rect of range.getClientRects()) {
      let { left, top, right, bottom } = rect;
      for (let at = parent; at && at !== document.body; at = at.parentElement) {
        if (at instanceof SVGElement || getComputedStyle(at).overflow === "visible") continue;
        const clip = at.getBoundingClientRect();
        left = Math.max(left, clip.left), right = Math.min(right, clip.right);
        top = Math.max(top, clip.top), bottom = Math.min(bottom, clip.bottom);
      }
      // Letters fill about two thirds of their line.
      const height = bottom - top;
      if (right - left < 1 || height < 4 || parent.closest("h2")?.matches("#source h2")) continue;
      boxes.push({ node, text: node.data.trim(), left, right, top: top + height * 0.2, bottom: bottom - height * 0.2 });
    }
  }
  const found = [];
  const touch = 1.5;
  for (let i = 0; i < boxes.length; ++i)
    for (let k = i + 1; k < boxes.length; ++k) {
      const a = boxes[i], b = boxes[k];
      if (a.node === b.node) continue; // a text and its ellipsis
      if (a.left + touch < b.right && b.left + touch < a.right && a.top + touch < b.bottom && b.top + touch < a.bottom)
        found.push(`"${a.text}" over "${b.text}"`);
    }
  return found;
}

// In the page: texts with less than 4.5 between ink and ground.
function faint() {
  const channel = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const parsed = (colour) => colour.match(/[\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const isOpaque = (colour) => colour && colour !== "none" && colour !== "transparent" && (parsed(colour)[3] ?? 1) > 0.99;
  // What lies under a text: for HTML its nearest ground, in the picture the last filled shape below its middle.
  function ground(node, rect) {
    const svg = node.closest("svg");
    if (svg) {
      let best = null;
      for (const shape of svg.querySelectorAll("polygon, path")) {
        if (!(shape.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
        const fill = getComputedStyle(shape).fill;
        if (!isOpaque(fill)) continue;
        const box = shape.getBoundingClientRect(), x = (rect.left + rect.right) / 2, y = (rect.top + rect.bottom) / 2;
        if (box.left > x || box.right < x || box.top > y || box.bottom < y) continue;
        const inverse = shape.getScreenCTM().inverse();
        if (shape.isPointInFill(new DOMPoint(x, y).matrixTransform(inverse))) best = fill;
      }
      if (best) return best;
    }
    for (let at = node; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (isOpaque(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  }
  const found = [];
  for (const { node, parent, range } of window.shownTexts()) {
    const rect = range.getBoundingClientRect();
    const style = getComputedStyle(parent), ink = parent instanceof SVGElement ? style.fill : style.color;
    const ratio = contrast(parsed(ink), parsed(ground(parent, rect)));
    if (ratio < 4.5) found.push(`"${node.data.trim()}": ${ratio.toFixed(2)} (${ink} on ${ground(parent, rect)})`);
  }
  return found;
}

for (const width of [1280, 800])
  test(`no text lies over another at ${width} pixels`, async () => {
    for (const name of names)
      await withPage(name, { width }, async (page) => {
        for (const level of ["1", "2", "3"]) {
          await page.keyboard.press(level);
          assert.deepEqual(await page.evaluate(overlaps), [], `${name}, level ${level}`);
          assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} scrolls sideways`);
        }
      });
  });

for (const colorScheme of ["light", "dark"])
  test(`every text can be read in the ${colorScheme} theme`, async () => {
    for (const name of names.filter((each) => each !== LARGE))
      await withPage(name, { colorScheme }, async (page) => {
        for (const level of ["1", "2", "3"]) {
          await page.keyboard.press(level);
          await page.keyboard.press("ArrowDown");
          await page.keyboard.press("Enter");
          assert.deepEqual(await page.evaluate(faint), [], `${name}, level ${level}`);
        }
      });
  });

test("pictures for people", { skip: !screenshots }, async () => {
  fs.mkdirSync(screenshots, { recursive: true });
  for (const name of names)
    for (const colorScheme of ["light", "dark"])
      for (const width of [1920, 1280, 800])
        await withPage(name, { width, colorScheme }, async (page) => {
          const shot = (what) => page.screenshot({ path: path.join(screenshots, `${name}-${width}-${colorScheme}-${what}.png`), fullPage: true });
          await shot(1);
          await page.keyboard.press("ArrowDown");
          await page.keyboard.press("Enter");
          await shot("chosen");
          await page.keyboard.press("2");
          await shot(2);
          await page.keyboard.press("3");
          await shot(3);
        });
});
