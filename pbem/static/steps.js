// Leafing through a game by keys, by swiping and by itself; the links do the same without it.
"use strict";
(() => {
const still = matchMedia("(prefers-reduced-motion: reduce)");
const SPEEDS = [1, 2, 4, 8];
const bar = () => document.querySelector(".hist");
const link = (key) => document.querySelector(`.hist a[data-key="${CSS.escape(key)}"]`);
const past = (page) => page.querySelector(".decide.past");
let speed = Number(sessionStorage.getItem("speed")) || 2;
let timer = 0;
let going = 0;
let shown = location.pathname;

// From one past entry to another only the page's content changes: nothing jumps or flickers.
async function turn(key) {
  const target = link(key);
  if (!target) return false;
  if (!past(document)) { target.click(); return true; }
  const mine = ++going;
  try {
    const answer = await fetch(target.href, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (mine !== going) return true;
    if (!answer.ok || !past(page)) { location.assign(target.href); return true; }
    history.pushState(null, "", target.href.replace(/#.*/, ""));
    shown = location.pathname;
    show(page);
  } catch { location.assign(target.href); }
  return true;
}

function show(page) {
  const focused = document.activeElement.closest(".hist [data-key], .hist [data-part-of]");
  const again = focused && (focused.dataset.key || focused.dataset.partOf);
  const open = [...document.querySelectorAll(".game details[open] > summary")].map((s) => s.textContent);
  document.title = page.title;
  for (const part of [".gh", ".game"]) document.querySelector(part).replaceWith(page.querySelector(part));
  for (const summary of document.querySelectorAll(".game details > summary")) {
    if (open.includes(summary.textContent)) summary.parentElement.open = true;
  }
  dress();
  if (again) (link(again) || document.querySelector(`[data-part-of="${again}"]`) || bar().querySelector("a")).focus();
  const said = document.querySelector("[data-live]");
  if (said && !timer) heard.textContent = said.textContent;
}

// ---- by itself
function dress() {
  const place = document.querySelector("[data-auto]");
  if (!place || still.matches || !link("ArrowRight")) return;
  const words = place.dataset;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn s";
  button.dataset.partOf = "auto";
  button.textContent = timer ? words.stop : words.play;
  button.addEventListener("click", () => { timer ? stop() : start(); });
  const label = document.createElement("label");
  label.textContent = words.speed + " ";
  const list = document.createElement("select");
  for (const each of SPEEDS) list.add(new Option(each, each, false, each === speed));
  list.addEventListener("change", () => { speed = Number(list.value); sessionStorage.setItem("speed", list.value); });
  label.append(list);
  place.replaceChildren(button, label);
}

function start() {
  timer = setTimeout(next, speed * 1000);
  dress();
}

function stop() {
  clearTimeout(timer);
  timer = 0;
  dress();
}

async function next() {
  const more = link("ArrowRight");
  // The present is a page of its own kind: it is left to the reader to open it.
  if (!more || document.hidden || !/\/\d+\/\d+(#|$)/.test(more.href)) return stop();
  await turn("ArrowRight");
  if (timer) start();
}

const heard = document.createElement("p");
heard.className = "sr";
heard.setAttribute("role", "status");
document.body.append(heard);

// ---- by keys: arrows to the neighbours, Home and End to the ends
document.addEventListener("keydown", (event) => {
  if (timer && event.key !== "Shift") stop();
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
  if (event.target.closest("input, select, textarea, button, .spot, [contenteditable]")) return;
  if (!link(event.key)) return;
  event.preventDefault();
  turn(event.key);
});

// ---- menus that open over the page close by Escape, and by a press beside them
document.addEventListener("keydown", (event) => {
  const open = event.key === "Escape" && document.querySelector("details.pop[open]");
  if (!open) return;
  open.open = false;
  open.querySelector("summary").focus();
});
document.addEventListener("click", (event) => {
  for (const open of document.querySelectorAll("details.pop[open]")) {
    if (!open.contains(event.target)) open.open = false;
  }
});

// ---- by swiping over the chart
let from = null;
document.addEventListener("touchstart", (event) => {
  const one = event.touches.length === 1 && event.target.closest(".chart") && past(document);
  from = one ? [event.touches[0].clientX, event.touches[0].clientY] : null;
}, { passive: true });
document.addEventListener("touchend", (event) => {
  if (!from) return;
  const x = event.changedTouches[0].clientX - from[0];
  const y = event.changedTouches[0].clientY - from[1];
  from = null;
  if (Math.abs(x) > 60 && Math.abs(x) > 2 * Math.abs(y)) turn(x < 0 ? "ArrowRight" : "ArrowLeft");
}, { passive: true });

// Any input ends what goes by itself, but on its own button.
for (const kind of ["pointerdown", "wheel", "touchstart"]) {
  document.addEventListener(kind, (event) => {
    if (timer && !event.target.closest("[data-auto]")) stop();
  }, { passive: true });
}
document.addEventListener("click", (event) => {
  const target = event.target.closest(".hist a[data-key]");
  if (!target || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || !past(document)) return;
  event.preventDefault();
  turn(target.dataset.key);
});
addEventListener("popstate", () => { if (location.pathname !== shown) location.reload(); });
dress();
})();
