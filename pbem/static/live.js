// Keeps the game page current without loading it: asks what is newest, sends orders, and puts in
// what has changed. Without script the same page works by loading.
"use strict";

(() => {
  const HIDDEN = 60000, PLAYING = 300; // milliseconds between two questions
  const game = () => document.querySelector(".game");
  const form = () => document.getElementById("order-form");
  const isPast = (page) => Boolean(page.querySelector(".decide.past"));
  const isPlaying = () => Boolean(document.querySelector("[data-pending]"));
  if (!game()) return;

  let timer = 0;
  let asking = false;
  let sending = false;
  let lostAt = null;

  // ---- asking ----------------------------------------------------------------------------------

  const later = () => {
    clearTimeout(timer);
    if (!game().dataset.newest) return; // the game is over
    timer = setTimeout(ask, document.hidden ? HIDDEN : isPlaying() ? PLAYING : 1000 * game().dataset.every);
  };

  const ask = async () => {
    if (asking || sending) return;
    asking = true;
    try {
      const answer = await fetch(game().dataset.newest, { cache: "no-cache" });
      if (answer.ok) {
        const { version, waiting } = await answer.json();
        online();
        count(waiting);
        if (version !== game().dataset.version && !sending) await look();
      } else if (answer.status === 404) return location.reload(); // hidden by now, or gone
    } catch { offline(); }
    asking = false;
    later();
  };

  // The page as it is now; of a past entry only what tells of the present.
  const look = async () => {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    const page = parsed(await answer.text());
    if (!answer.ok || !page.querySelector(".game")) return location.reload();
    if (sending) return;
    if (isPast(document)) {
      for (const part of ["head", "news", "history"]) {
        const old = document.querySelector(`[data-part="${part}"]`);
        const now = page.querySelector(`[data-part="${part}"]`);
        if (old && now && !old.contains(document.activeElement)) old.replaceWith(now);
      }
      game().dataset.version = page.querySelector(".game").dataset.version;
    } else put(page, choices());
  };

  const parsed = (text) => new DOMParser().parseFromString(text, "text/html");

  // ---- what is said about the connection -------------------------------------------------------

  const offline = () => {
    lostAt ??= new Date();
    let line = document.getElementById("offline");
    if (!line) {
      line = document.createElement("p");
      line.id = "offline";
      line.className = "offline";
      line.setAttribute("role", "status");
      document.body.append(line);
    }
    const since = lostAt.toLocaleTimeString(document.documentElement.lang, { timeStyle: "short" });
    const words = game().dataset.offline.replace("{time}", since);
    if (line.textContent !== words) line.textContent = words;
  };
  const online = () => {
    lostAt = null;
    document.getElementById("offline")?.remove();
  };
  const count = (waiting) => {
    const bare = document.title.replace(/^\(\d+\) /, "");
    document.title = waiting ? `(${waiting}) ${bare}` : bare;
  };

  // ---- putting in ------------------------------------------------------------------------------

  // What is chosen in the form: [name, value], without what the page itself has put there.
  const choices = () => {
    if (!form()) return [];
    const own = [...form().querySelectorAll("input[type=hidden]")].map((each) => each.name);
    return [...new FormData(form())].filter(([name, value]) => value && !own.includes(name));
  };

  // Choose again what is still there. Returns whether all of it is.
  const choose = (chosen) => {
    const missing = chosen.filter(([name, value]) => {
      const found = form()?.elements.namedItem(name);
      const controls = !found ? [] : found instanceof RadioNodeList ? [...found] : [found];
      for (const control of controls) {
        const isText = control.tagName === "SELECT" || control.type === "text";
        if (control.disabled || (!isText && control.value !== value)) continue;
        if (!isText) control.checked = true;
        else control.value = value;
        return control.value !== value;
      }
      return true;
    });
    return !missing.length;
  };

  const keyOf = (each) => each && each !== document.body && (each.id ? `#${CSS.escape(each.id)}`
    : each.name ? `[name="${CSS.escape(each.name)}"][value="${CSS.escape(each.value)}"]` : "h2");

  const put = (page, chosen) => {
    const had = document.activeElement;
    const inside = had?.closest(".game") && keyOf(had);
    const open = [...document.querySelectorAll(".game details")].map((each) =>
      [each.id || each.querySelector("summary").textContent, each.open]);
    const marks = new Set([...document.querySelectorAll(".game .new")].map((each) => each.outerHTML));
    const scrolled = document.querySelector(".choices")?.scrollTop || 0;
    document.title = page.title;
    for (const part of [".gh", ".game"]) {
      document.querySelector(part).replaceWith(page.querySelector(part));
    }
    const was = new Map(open);
    for (const each of document.querySelectorAll(".game details")) {
      const before = was.get(each.id || each.querySelector("summary").textContent);
      if (before !== undefined) each.open = before;
    }
    for (const each of document.querySelectorAll(".game .new")) {
      each.classList.toggle("fresh", !marks.has(each.outerHTML));
    }
    if (!choose(chosen)) {
      const outcome = document.getElementById("outcome");
      const line = document.createElement("p");
      line.className = "warn";
      line.textContent = game().dataset.lost;
      outcome?.prepend(line);
    }
    const list = document.querySelector(".choices");
    if (list) list.scrollTop = scrolled;
    if (inside) {
      const heading = document.getElementById("h-decide");
      const same = document.querySelector(`.game ${inside}`);
      if (!same) heading.tabIndex = -1;
      (same || heading).focus({ preventScroll: true });
    }
    document.dispatchEvent(new CustomEvent("carreira:put", { detail: { chosen: chosen.length > 0 } }));
  };

  // ---- sending ---------------------------------------------------------------------------------

  const send = async (button) => {
    sending = true;
    const label = [...button.childNodes];
    button.setAttribute("aria-disabled", "true");
    button.replaceChildren(game().dataset.sending);
    try {
      const answer = await fetch(button.formAction, { method: "POST", body: new FormData(form()) });
      const page = parsed(await answer.text());
      sending = false;
      const path = (url) => new URL(url, location.href).pathname;
      if (!page.querySelector(".game")) return location.assign(answer.url); // signed out, or refused
      if (answer.redirected && path(answer.url) !== path(location.href)) return location.assign(answer.url);
      online();
      put(page, []);
    } catch {
      sending = false;
      button.removeAttribute("aria-disabled");
      button.replaceChildren(...label);
      const outcome = document.getElementById("outcome");
      const line = document.createElement("p");
      line.className = "warn";
      line.textContent = game().dataset.unsent;
      outcome.replaceChildren(line);
    }
    later();
  };

  document.addEventListener("submit", (event) => {
    if (event.target !== form()) return;
    const button = event.submitter;
    // A second click while the first one is on its way changes nothing, nor does one too early.
    if (sending || button?.getAttribute("aria-disabled")) return event.preventDefault();
    if (!button?.formAction.endsWith("/orders")) return;
    event.preventDefault();
    send(button);
  });

  document.addEventListener("visibilitychange", () => { if (document.hidden) later(); else ask(); });
  addEventListener("online", ask);
  later();
})();
