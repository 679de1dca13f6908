// The page's behaviour. Whatever the program's names and sources hold reaches the document as text nodes only.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const FAILING = 0, ALTERNATE = 1, RUN = ["failing", "alternate"], SIGN = ["✗", "✓"];
  const INITIAL = -1, NOTHING = -2; // in data.from
  const ROW_HEIGHT = 24, SMALLEST_FOLD = 3, LONGEST_CHAIN = 20;
  const sides = data.hasAlternate ? [FAILING, ALTERNATE] : [FAILING];

  function element(tag, classes, ...children) {
    const node = document.createElement(tag);
    if (classes) node.className = classes;
    node.append(...children);
    return node;
  }

  // --- events ---

  const alternateOnly = new Set(data.alternateOnly);
  const idOf = (event) => data.threads[data.thread[event]].id + ":" + data.index[event] + (alternateOnly.has(event) ? "a" : "");
  // Of two runs, whose events are not in the order of their indices.
  const byId = data.areRuns ? new Map(data.thread.map((_, event) => [idOf(event), event])) : null;

  // Events of one run stand thread by thread, with ascending indices.
  function eventOf(id) {
    if (byId) return byId.get(id) ?? null;
    const at = id.lastIndexOf(":"), index = Number(id.slice(at + 1));
    const thread = data.threads.find((t) => t.id === id.slice(0, at));
    if (!thread) return null;
    let low = thread.first, high = thread.first + thread.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (data.index[middle] < index) low = middle + 1;
      else high = middle;
    }
    return low < thread.first + thread.count && data.index[low] === index ? low : null;
  }

  const text = (number) => (number < 0 ? "" : data.strings[number]);
  const nameOf = (event) => data.threads[data.thread[event]].name;
  const variableOf = (event) => text(data.variable[event]);
  const valueOf = (event, side) => text(data.value[side][event]);
  const kindOf = (event) => data.kinds[data.kind[event]];
  const placeOf = (event) => data.places[data.place[event]] || null; // {file, line, code}
  function lineWords(event) {
    const place = placeOf(event);
    if (!place || !place.line) return "";
    return place.file === data.mainFile ? "line " + place.line : data.files[place.file] + ":" + place.line;
  }
  function codeOf(event) {
    const place = placeOf(event);
    return (place && text(place.code)) || (kindOf(event) + " " + variableOf(event)).trim();
  }
  const isAccess = (event) => data.access[data.kind[event]];
  const verbOf = (event) => ({ read: "reads", write: "writes", rmw: "writes" })[kindOf(event)] || kindOf(event);
  const said = (event, side) => {
    if (!steps[side][event]) return absentWords(event, side);
    if (side === FAILING && hasEnded(event)) return "the run had ended";
    const value = valueOf(event, side);
    if (value === "") return verbOf(event);
    return isAccess(event) ? `${verbOf(event)} ${variableOf(event)} = ${value}` : `${verbOf(event)} ${variableOf(event)}: ${value}`;
  };

  // --- schedules ---

  // A row: the event, and whether it is there in each run.
  const rows = data.rows.map((code) => ({ event: Math.floor(code / 3), only: code % 3 })); // 0: both, 1, 2: one run
  const isIn = (row, side) => row.only === 0 || row.only === side + 1;
  const count = data.thread.length;
  const steps = sides.map(() => new Int32Array(count)); // from 1; 0: the run does not have the event
  const lengths = sides.map((side) => {
    let step = 0;
    for (const row of rows) if (isIn(row, side)) steps[side][row.event] = ++step;
    return step;
  });
  const isOneSided = (event) => data.areRuns && sides.some((side) => !steps[side][event]);
  // Once the failing run is over, what the alternate goes on to do is no difference.
  const absentWords = (event, side) =>
    side === FAILING && steps[ALTERNATE][data.anchor] && steps[ALTERNATE][event] > steps[ALTERNATE][data.anchor]
      ? "the run had ended" : "does not happen in this run";
  const decisionSign = data.isDecisive ? "◆" : "◇";
  const decisionWords = data.isDecisive ? "◆ the decision" : "◇ the runs part here";
  const tail = new Set(data.tail), inDsp = new Set(data.dsp);
  const hasEnded = (event) => tail.has(event) && steps[FAILING][event] > steps[FAILING][data.failure];
  const writers = (event, side) => [data.from[side][event]].flat();
  const differs = (event) =>
    data.hasAlternate && (data.value[0][event] !== data.value[1][event] || String(data.from[0][event]) !== String(data.from[1][event]));

  // All accesses of shared memory; stretches that are the same in both runs are folded.
  function simplified(opened) {
    const isShown = (row) => data.access[data.kind[row.event]] || row.event === data.failure || inDsp.has(row.event);
    const result = [];
    let run = [];
    const flush = () => {
      if (run.length >= SMALLEST_FOLD && !opened.has(run[0].event))
        result.push({ fold: run.length, first: run[0].event, only: run[0].only });
      else result.push(...run);
      run = [];
    };
    for (const row of rows) {
      if (!isShown(row)) continue;
      const isAlike = row.only === 0 ? !differs(row.event) : isOneSided(row.event);
      if (isAlike && !inDsp.has(row.event) && row.event !== data.anchor) {
        if (run.length && run[0].only !== row.only) flush();
        run.push(row);
        continue;
      }
      flush();
      result.push(row);
    }
    flush();
    return result;
  }

  // --- the dataflow of a value, backwards ---

  // Steps from the newest to the oldest: a read comes from a write, a write from the reads that its value needs.
  function origins(event, side) {
    const chain = [], seen = new Set([event]);
    const queue = [event];
    while (queue.length && chain.length < LONGEST_CHAIN) {
      const at = queue.shift();
      const next = [];
      if (kindOf(at) !== "write") for (const from of writers(at, side)) if (from !== NOTHING) next.push(from);
      if (kindOf(at) === "write") next.push(...(data.uses[at] || []));
      for (const from of next) {
        if (from !== INITIAL && seen.has(from)) continue;
        chain.push({ at, from });
        if (from === INITIAL) continue;
        seen.add(from);
        queue.push(from);
      }
    }
    return chain;
  }

  // --- what is chosen ---

  let chosen = null; // {event, side, traced}: pinned by a click or a key
  let current = null; // what is shown: under the pointer, or pinned
  const originsShown = new Set();

  // `keepsWords`: what is under the pointer is one of the words.
  function show(next, keepsWords = false) {
    current = next;
    originsShown.clear();
    if (next && next.traced)
      for (const step of origins(next.event, next.side)) if (step.from !== INITIAL) originsShown.add(step.from);
    markPicture();
    markSource();
    grids.forEach((grid) => grid.mark());
    if (!keepsWords) describe();
  }
  function pin(event, side, traced) {
    chosen = { event, side, traced };
    show(chosen);
  }
  function clear() {
    chosen = null;
    show(null);
  }

  // --- the picture ---

  const svg = document.querySelector(".picture svg");
  const cards = [...svg.querySelectorAll("[data-event]")].map((group) => {
    const side = group.id.startsWith("alternate") ? ALTERNATE : FAILING;
    const event = eventOf(group.dataset.event);
    const box = group.getBBox(), ring = document.createElementNS(svg.namespaceURI, "rect");
    ring.setAttribute("class", "ring");
    for (const [name, value] of Object.entries({ x: box.x - 2, y: box.y - 2, width: box.width + 4, height: box.height + 4, rx: 2 }))
      ring.setAttribute(name, value);
    group.append(ring);
    group.setAttribute("role", "button");
    group.setAttribute("tabindex", "-1");
    group.setAttribute("aria-label",
      `${RUN[side]}, event ${steps[side][event]}: ${nameOf(event)} ${lineWords(event)} ${codeOf(event)}, ${said(event, side)}`);
    return { group, side, event };
  });
  cards.sort((a, b) => a.side - b.side || steps[a.side][a.event] - steps[b.side][b.event]);
  if (cards.length) cards[0].group.setAttribute("tabindex", "0");
  const edges = [...svg.querySelectorAll("[data-to]")];

  function markPicture() {
    const id = current ? idOf(current.event) : null;
    svg.classList.toggle("choosing", current !== null);
    const related = new Set();
    for (const edge of edges) {
      const isOn = id !== null && (edge.dataset.from === id || edge.dataset.to === id);
      edge.classList.toggle("on", isOn);
      if (isOn) related.add(edge.dataset.from).add(edge.dataset.to);
    }
    for (const card of cards) {
      const cardId = card.group.dataset.event;
      card.group.classList.toggle("on", cardId === id);
      card.group.classList.toggle("related", cardId !== id && related.has(cardId));
      card.group.classList.toggle("origin", originsShown.has(card.event) && card.side === current.side);
    }
  }

  // --- the source ---

  const source = document.getElementById("source");
  const lineOf = (event) => {
    const place = placeOf(event);
    return place && document.getElementById(`line-${place.file}-${place.line}`);
  };
  function markSource() {
    source.querySelectorAll(".on, .origin").forEach((line) => line.classList.remove("on", "origin"));
    for (const event of originsShown) lineOf(event)?.classList.add("origin");
    const line = current && lineOf(current.event);
    if (!line) return;
    line.classList.add("on");
    const top = line.offsetTop - source.offsetTop, height = source.clientHeight;
    if (top < source.scrollTop + 40 || top > source.scrollTop + height - 40) source.scrollTop = top - height / 2;
  }

  // --- the words beside it ---

  const detail = document.getElementById("detail");
  function describe() {
    if (!current) {
      detail.replaceChildren("Point at an event, or press ", element("kbd", "", "↓"),
        ", to see it in both runs and in the source. Click a value to follow where it came from.");
      return;
    }
    const { event } = current;
    const heading = element("h3", "", `${nameOf(event)} ${lineWords(event)} `, element("code", "", codeOf(event)));
    const list = element("ul", "");
    for (const side of sides)
      list.append(element("li", "", `${SIGN[side]} ${RUN[side]}, ${steps[side][event] ? `event ${steps[side][event]} of ${lengths[side]}` : "no event"}: ${said(event, side)}`));
    if (event === data.decision) list.append(element("li", "", decisionWords));
    detail.replaceChildren(heading, list);
    if (current.traced) detail.append(...originWords(event, current.side));
  }
  function originWords(event, side) {
    const chain = origins(event, side);
    if (!chain.length) return [];
    const list = element("ol", "origins");
    for (const { at, from } of chain) {
      if (from === INITIAL) {
        list.append(element("li", "", `${variableOf(at) || "it"}: the initial value`));
        continue;
      }
      const button = element("button", "", `${nameOf(from)} ${lineWords(from)} ${said(from, side)}`);
      button.dataset.event = idOf(from);
      button.dataset.run = RUN[side];
      list.append(element("li", "", button));
    }
    if (chain.length >= LONGEST_CHAIN) list.append(element("li", "", "and from further back"));
    return [element("h3", "", `Where it came from, ${RUN[side]} run`), list];
  }

  // --- the two schedules as grids ---

  class Grid {
    constructor(view, label, makeRows) {
      this.makeRows = makeRows;
      this.opened = new Set();
      this.shown = new Map(); // by row: its element
      const heads = element("div", "panels");
      sides.forEach((side) => {
        if (side === ALTERNATE) heads.append(element("span", ""));
        heads.append(element("h2", RUN[side], `${SIGN[side]} ${side === FAILING ? "Failing" : "Alternate"} ${data.areRuns ? "run" : "schedule"}`));
      });
      this.space = element("div", "rows");
      this.box = element("div", "grid", this.space);
      this.box.tabIndex = 0;
      this.box.setAttribute("role", "grid");
      this.box.setAttribute("aria-label", label);
      this.space.setAttribute("role", "rowgroup");
      view.classList.toggle("alone", !data.hasAlternate);
      view.append(heads, this.box);
      this.box.addEventListener("scroll", () => this.paint(), { passive: true });
      new ResizeObserver(() => this.paint()).observe(this.box);
      this.rows = null;
    }
    fill() {
      this.rows = this.makeRows(this.opened);
      this.rowOf = new Map(); // by "side:event"
      this.rows.forEach((row, i) => {
        if (row.fold) return;
        for (const side of sides) if (isIn(row, side)) this.rowOf.set(side * count + row.event, i);
      });
      this.space.style.height = this.rows.length * ROW_HEIGHT + "px";
      this.box.style.setProperty("--rows", this.rows.length);
      this.box.setAttribute("aria-rowcount", this.rows.length);
      this.shown.forEach((node) => node.remove());
      this.shown.clear();
      this.paint();
    }
    paint() {
      if (!this.rows || this.box.clientHeight === 0) return;
      const first = Math.max(0, Math.floor(this.box.scrollTop / ROW_HEIGHT) - 8);
      const end = Math.min(this.rows.length, first + Math.ceil(this.box.clientHeight / ROW_HEIGHT) + 16);
      for (const [i, node] of this.shown)
        if (i < first || i >= end) {
          node.remove();
          this.shown.delete(i);
        }
      const added = document.createDocumentFragment();
      for (let i = first; i < end; ++i) {
        if (this.shown.has(i)) continue;
        const node = this.makeRow(this.rows[i]);
        node.style.top = i * ROW_HEIGHT + "px";
        node.setAttribute("role", "row");
        node.setAttribute("aria-rowindex", i + 1);
        this.shown.set(i, node);
        added.append(node);
      }
      this.space.append(added);
      this.mark();
    }
    makeRow(row) {
      if (row.fold) {
        const where = row.only ? `only in the ${RUN[row.only - 1]} run` : "that are the same in both runs";
        const node = element("div", "row fold", `⋯ ${row.fold} accesses ${where}`);
        if (!data.hasAlternate) node.textContent = `⋯ ${row.fold} further accesses`;
        node.tabIndex = 0;
        node.addEventListener("click", () => {
          this.opened.add(row.first);
          this.fill();
        });
        return node;
      }
      const node = element("div", row.event === data.anchor ? "row fails" : "row");
      sides.forEach((side) => {
        if (side === ALTERNATE) node.append(this.makeSign(row));
        node.append(this.makeCell(row, side));
      });
      return node;
    }
    makeSign(row) {
      const isMoved = row.only !== 0, isChanged = data.value[0][row.event] !== data.value[1][row.event];
      const isAlone = isOneSided(row.event);
      const sign = element("span", "sign", isAlone ? "+" : isMoved ? (row.only === 1 ? "→" : "←") : isChanged ? "≠" : "");
      if (isMoved) sign.title = isAlone ? "only one of the runs does this" : "stands elsewhere in the other run";
      return sign;
    }
    makeCell(row, side) {
      const { event } = row;
      const cell = element("div", "cell " + RUN[side]);
      cell.setAttribute("role", "gridcell");
      if (!steps[side][event]) {
        cell.classList.add("absent");
        cell.append(element("span", "step"), element("span", "", absentWords(event, side)));
        return cell;
      }
      if (!isIn(row, side)) {
        const isLater = steps[side][event] > steps[1 - side][event];
        cell.classList.add("ghost");
        cell.append(element("span", "step"), element("span", "", `${isLater ? "↓ runs later" : "↑ ran earlier"} (event ${steps[side][event]})`));
        return cell;
      }
      const lane = Math.min(data.thread[event], 8);
      cell.style.setProperty("--lane", lane);
      cell.style.setProperty("--colour", `var(--thread${data.thread[event] % 8})`);
      cell.id = `cell-${this.box.parentNode.id}-${side}-${event}`;
      cell.dataset.event = idOf(event);
      cell.dataset.run = RUN[side];
      if (inDsp.has(event)) cell.classList.add("key");
      const place = placeOf(event);
      const where = place && place.line ? (place.file === data.mainFile ? "" : data.files[place.file] + ":") + place.line + " " : "";
      const what = element("span", "what", element("span", "", (event === data.decision ? decisionSign + " " : "") + nameOf(event) + " ", element("span", "place", where), element("code", "", codeOf(event))));
      const value = valueOf(event, side);
      const words = side === FAILING && hasEnded(event) ? "(ended)" : !isAccess(event) || value === "" ? value : `${kindOf(event) === "read" ? "R" : "W"} ${value}`;
      cell.append(element("span", "step", String(steps[side][event])), what, element("span", words ? "value" : "", words));
      cell.title = `${nameOf(event)} ${lineWords(event)}  ${codeOf(event)}  ${said(event, side)}`;
      return cell;
    }
    mark() {
      if (!this.rows) return;
      this.box.removeAttribute("aria-activedescendant");
      for (const cell of this.space.querySelectorAll(".cell[data-event]")) {
        const event = eventOf(cell.dataset.event);
        const isOn = current !== null && event === current.event;
        cell.classList.toggle("on", isOn);
        cell.classList.toggle("origin", originsShown.has(event) && cell.dataset.run === RUN[current.side]);
        if (isOn && cell.dataset.run === RUN[current.side]) this.box.setAttribute("aria-activedescendant", cell.id);
      }
    }
    reveal(event, side) {
      const row = this.rowOf.get(side * count + event);
      if (row === undefined) return;
      const top = row * ROW_HEIGHT, height = this.box.clientHeight;
      if (top < this.box.scrollTop || top + ROW_HEIGHT > this.box.scrollTop + height) this.box.scrollTop = top - height / 2;
      this.paint();
    }
    next(at, by) {
      const side = at ? at.side : FAILING;
      let row = at ? this.rowOf.get(side * count + at.event) : undefined;
      if (row === undefined) row = by > 0 ? -1 : this.rows.length;
      for (row += by; row >= 0 && row < this.rows.length; row += by)
        if (!this.rows[row].fold && isIn(this.rows[row], side)) return { event: this.rows[row].event, side };
      return at;
    }
    has(event, side) {
      return this.rowOf.has(side * count + event);
    }
  }

  // --- the three levels ---

  const tabs = [...document.querySelectorAll("[role=tab]")];
  const views = tabs.map((tab) => document.getElementById(tab.getAttribute("aria-controls")));
  const grids = [null,
    new Grid(views[1], "Simplified schedules", simplified),
    new Grid(views[2], "Full schedules", () => rows)].filter(Boolean);
  let level = 0;
  const grid = () => grids[level - 1];

  function open(next) {
    level = next;
    tabs.forEach((tab, i) => {
      tab.setAttribute("aria-selected", String(i === next));
      tab.tabIndex = i === next ? 0 : -1;
      views[i].hidden = i !== next;
    });
    if (!grid()) return;
    if (!grid().rows) grid().fill();
    grid().paint();
    const at = chosen || { event: data.anchor, side: FAILING };
    grid().reveal(at.event, at.side);
  }

  const pictured = {
    next(at, by) {
      const side = at ? at.side : FAILING, list = cards.filter((card) => card.side === side);
      const i = at ? list.findIndex((card) => card.event === at.event) : -1;
      const to = i < 0 ? (by > 0 ? 0 : list.length - 1) : Math.min(Math.max(i + by, 0), list.length - 1);
      return list[to] ? { event: list[to].event, side } : at;
    },
    has: (event, side) => cards.some((card) => card.event === event && card.side === side),
  };
  const here = () => grid() || pictured;

  function goTo(next) {
    if (!next) return;
    pin(next.event, next.side, false);
    if (grid()) {
      grid().reveal(next.event, next.side);
      grid().box.focus({ preventScroll: true });
      return;
    }
    const card = cards.find((c) => c.event === next.event && c.side === next.side);
    if (!card) return;
    cards.forEach((c) => c.group.setAttribute("tabindex", c === card ? "0" : "-1"));
    card.group.focus({ preventScroll: true });
    card.group.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // --- pointer and keys ---

  // The event that an element of the document stands for.
  function target(node) {
    const at = node instanceof Element && node.closest("[data-event]");
    if (!at) return null;
    const event = eventOf(at.dataset.event);
    if (event === null) return null;
    const isAlternate = at.dataset.run === "alternate" || at.id.startsWith("alternate");
    return { event, side: isAlternate ? ALTERNATE : FAILING };
  }
  document.addEventListener("mouseover", (happening) => {
    const at = target(happening.target);
    if (!at || (chosen && at.event === chosen.event)) {
      if (current !== chosen) show(chosen, detail.contains(happening.target));
      return;
    }
    if (!current || current.event !== at.event || current.side !== at.side)
      show({ ...at, traced: false }, detail.contains(happening.target));
  });
  document.addEventListener("click", (happening) => {
    const at = target(happening.target);
    if (at) pin(at.event, at.side, true);
  });
  tabs.forEach((tab, i) => tab.addEventListener("click", () => open(i)));

  document.addEventListener("focusin", (happening) => {
    const at = happening.target.closest(".picture") ? target(happening.target) : null;
    if (at && (!chosen || at.event !== chosen.event || at.side !== chosen.side)) pin(at.event, at.side, false);
  });
  document.addEventListener("keydown", (happening) => {
    if (happening.ctrlKey || happening.metaKey || happening.altKey) return;
    const { key } = happening, at = happening.target;
    const isTab = at.getAttribute && at.getAttribute("role") === "tab";
    if (["1", "2", "3"].includes(key)) return open(Number(key) - 1);
    if (key === "Escape") {
      if (at.blur) at.blur();
      return clear();
    }
    if (isTab && (key === "ArrowLeft" || key === "ArrowRight")) {
      open((level + (key === "ArrowRight" ? 1 : tabs.length - 1)) % tabs.length);
      tabs[level].focus();
    } else if (at === source) {
      return;
    } else if (key === "Enter" && at.classList.contains("fold")) {
      at.click();
    } else if (key === "ArrowDown" || key === "ArrowUp") {
      goTo(here().next(chosen, key === "ArrowDown" ? 1 : -1));
    } else if ((key === "ArrowLeft" || key === "ArrowRight") && chosen && data.hasAlternate) {
      const side = key === "ArrowRight" ? ALTERNATE : FAILING;
      if (here().has(chosen.event, side)) goTo({ event: chosen.event, side });
    } else if ((key === "Enter" || key === " ") && chosen && at.tagName !== "BUTTON") {
      pin(chosen.event, chosen.side, true);
    } else {
      return;
    }
    happening.preventDefault();
  });

  // --- commands ---

  async function copy(words, node) {
    try {
      await navigator.clipboard.writeText(words);
      return true;
    } catch {
      getSelection().selectAllChildren(node); // a browser without a clipboard for files: ready for Ctrl+C
      return document.execCommand("copy");
    }
  }
  document.querySelectorAll(".command").forEach((command) => {
    const code = command.querySelector("code"), button = command.querySelector("button");
    button.addEventListener("click", async () => {
      button.textContent = (await copy(code.textContent, code)) ? "Copied" : "Press Ctrl+C";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
  });

  describe();
})();
