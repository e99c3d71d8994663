// Pick by pointing: places of the table work the plain form, and the server says what it would do.
// What is legal stands in the form: a place whose choice the form does not offer is no button.
"use strict";

(() => {
let ended = new AbortController(); // of the listeners of a form that was replaced

function point(isAlreadyChosen) {
  const form = document.getElementById("order-form");
  ended.abort();
  ended = new AbortController();
  const { signal } = ended;
  if (!form) return;
  const { order: line, built } = form.elements;
  const places = () => [...document.querySelectorAll("[data-pick]")];

  // ---- choices of the form ---------------------------------------------------------------------

  const controls = (name) => {
    const found = form.elements.namedItem(name);
    return !found ? [] : found instanceof RadioNodeList ? [...found] : [found];
  };
  const isList = (control) => control.tagName === "SELECT";
  const isCount = (list) => [...list.options].every((option) => /^\d*$/.test(option.value));
  const nothing = (value) => value === "" || value === "0";

  // "field=value" is one value; "field+beginning" the entries of a list that begin so, in turn.
  const read = (pick) => {
    const at = pick.search(/[=+]/);
    const [name, says, inTurn] = [pick.slice(0, at), pick.slice(at + 1), pick[at] === "+"];
    for (const control of controls(name)) {
      if (control.disabled || control.type === "hidden") continue;
      if (!isList(control)) {
        if (control.value === says) return { control, values: [says] };
        continue;
      }
      const values = [...control.options].map((option) => option.value)
        .filter((value) => (inTurn ? !nothing(value) && value.startsWith(says) : value === says));
      if (values.length) return { control, values, inTurn };
    }
    return null;
  };
  const isChosen = ({ control, values }) =>
    isList(control) ? values.includes(control.value) : control.checked;

  // What must be chosen for a control to count: its row's tick, and the choice its step is for.
  const needs = (control) => {
    const needed = [];
    const tick = control.closest(".shiprow")?.querySelector(":scope > input");
    if (tick && tick !== control) needed.push(tick);
    const when = control.closest("[data-when]");
    if (when) needed.push(read(when.dataset.when)?.control || null);
    return needed;
  };
  const isOpen = (control) => needs(control).every((needed) => {
    if (!needed || needed.disabled) return false;
    const rival = needed.type === "radio" && controls(needed.name).some((each) => each.checked);
    return (needed.checked || !rival) && isOpen(needed);
  });
  const isDirect = (control) => needs(control).every((needed) => needed.checked && isDirect(needed));

  const put = ({ control, value }) => {
    for (const needed of needs(control)) put({ control: needed, value: needed.value });
    if (isList(control)) control.value = value;
    else control.checked = true;
  };
  const drop = (control) => {
    if (isList(control)) control.selectedIndex = 0;
    else control.checked = false;
  };

  // ---- places ----------------------------------------------------------------------------------

  const also = (place) => (place.dataset.also || "").split("&").filter(Boolean);
  const alsoHolds = (place) => also(place).every((pick) => {
    const choice = read(pick);
    return choice ? isChosen(choice) : pick.endsWith("=");
  });
  const twins = (place) => places().filter((each) =>
    each.dataset.pick === place.dataset.pick && each.dataset.also === place.dataset.also);

  // The choice that a place stands for now: the chosen one, else the one that is nearest.
  const choiceOf = (place) => {
    const picks = place.dataset.pick.split("|").map(read);
    const open = picks.filter((choice) => choice && isOpen(choice.control));
    const direct = open.filter((choice) => isDirect(choice.control));
    const far = open.filter((choice) => !isDirect(choice.control));
    const spare = place.dataset.else ? read(place.dataset.else) : null;
    const isSpare = spare && isOpen(spare.control) && !isChosen(spare) ? spare : null;
    return direct.find(isChosen)
      || direct.find(({ control }) => !isList(control) || nothing(control.value)) || direct[0]
      || (far.length === 1 && far[0]) || isSpare || far[0] || null;
  };

  const isOn = (place, choice) => {
    if (!place.dataset.pick || !isDirect(choice.control) || !isChosen(choice)) return false;
    if (!alsoHolds(place)) return false;
    const same = choice.inTurn ? twins(place) : [];
    return same.length < 2 || same.indexOf(place) <= choice.values.indexOf(choice.control.value);
  };

  const nameOf = ({ control, values, inTurn }) => {
    const words = [control.closest("fieldset")?.querySelector("legend")?.textContent];
    words.push(control.labels[0]?.innerText);
    if (isList(control)) {
      const now = inTurn && !values.includes(control.value) && isCount(control);
      const said = now || values.includes(control.value) ? control.value : values[0];
      const option = [...control.options].find((each) => each.value === said);
      words.push(option?.closest("optgroup")?.label, option?.textContent);
    }
    return words.filter(Boolean).map((each) => each.replace(/\s+/g, " ").trim()).join(", ");
  };

  // Makes the places that are legal now buttons, and tells which are chosen.
  const light = () => {
    const seen = new Set();
    const found = places().map((place) => {
      const choice = choiceOf(place);
      if (!choice) return [place, null];
      const key = place.dataset.pick + "|" + place.dataset.also;
      const again = seen.has(key) && !choice.inTurn;
      seen.add(key);
      return [place, choice, isOn(place, choice), nameOf(choice), again];
    });
    for (const [place, choice, on, name, again] of found) {
      place.classList.toggle("lit", Boolean(choice));
      const told = choice ? {
        role: "button", tabindex: again ? "-1" : "0", "aria-pressed": on, "aria-label": name,
        "aria-hidden": again || null,
      } : { role: null, tabindex: null, "aria-pressed": null, "aria-label": null, "aria-hidden": null };
      for (const [each, value] of Object.entries(told)) { // what stays keeps the focus
        if (value === null) place.removeAttribute(each);
        else place.setAttribute(each, value);
      }
      if (!choice) continue;
      place.ownerSVGElement?.setAttribute("role", "group"); // an image has no buttons
    }
    for (const list of form.querySelectorAll("select:not([data-steps])")) addSteps(list);
  };

  const choose = (place) => {
    const choice = choiceOf(place);
    if (!choice) return;
    const { control, values, inTurn } = choice;
    const on = isOn(place, choice);
    const moves = !alsoHolds(place);
    if (moves && inTurn) {
      for (const list of control.closest("fieldset").querySelectorAll("select")) drop(list);
    }
    for (const pick of also(place)) {
      const other = read(pick);
      if (other) put({ control: other.control, value: other.values[0] });
      else if (pick.endsWith("=")) controls(pick.slice(0, -1)).forEach(drop);
    }
    if (inTurn) {
      const now = values.indexOf(control.value) + 1;
      const next = on && twins(place).length > 1 ? now - 1 : (now + 1) % (values.length + 1);
      put({ control, value: next ? values[next - 1] : control.options[0].value });
    } else if (on) drop(control);
    else put({ control, value: values[0] });
    changed();
  };

  document.addEventListener("click", (event) => {
    const place = event.target.closest?.(".spot.lit");
    if (place) choose(place);
  }, { signal });
  document.addEventListener("keydown", (event) => {
    const place = event.target.closest?.(".spot.lit");
    if (!place || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    choose(place);
  }, { signal });

  // Less and more beside the lists that count.
  const addSteps = (list) => {
    list.dataset.steps = "";
    if (!isCount(list) || list.options.length < 3) return;
    for (const [sign, by, where] of [["−", -1, "beforebegin"], ["+", 1, "afterend"]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "btn s by";
      button.textContent = sign;
      button.dataset.by = list.name + sign;
      button.setAttribute("aria-label", `${sign} ${list.labels[0]?.textContent || ""}`);
      button.addEventListener("click", () => {
        const next = list.selectedIndex + by;
        if (next < 0 || next >= list.options.length) return;
        put({ control: list, value: list.options[next].value });
        changed();
      });
      list.insertAdjacentElement(where, button);
    }
  };

  // ---- what the server says --------------------------------------------------------------------

  let asking = null;
  let timer = 0;
  let next = null; // the step behind the one that was changed, to be shown

  const changed = () => {
    line.value = built.value = "";
    light();
    ask(60);
  };
  const ask = (delay) => {
    asking?.abort();
    clearTimeout(timer);
    form.setAttribute("aria-busy", "true");
    timer = setTimeout(fetchParts, delay);
  };
  const fetchParts = async () => {
    const mine = asking = new AbortController();
    const body = new FormData(form);
    body.append("part", "1");
    try {
      const answer = await fetch(form.getAttribute("action"), { method: "POST", body, signal: mine.signal });
      if (answer.status === 409) location.reload();
      const text = answer.ok && !answer.redirected ? await answer.text() : "";
      if (text && !mine.signal.aborted) show(new DOMParser().parseFromString(text, "text/html"));
    } catch (problem) {
      if (problem.name === "AbortError") return;
      if (!(problem instanceof TypeError)) throw problem;
      setMay(true); // without a connection nobody says what is missing: sending will
    }
    if (asking === mine) form.removeAttribute("aria-busy");
  };

  const show = (fresh) => {
    const back = focusKeeper();
    for (const part of fresh.querySelectorAll("[data-part]")) {
      const old = document.querySelector(`[data-part="${part.dataset.part}"]`);
      if (!old) continue;
      const open = [...old.querySelectorAll("details")].map((each) => each.open);
      if (part.dataset.part !== "outcome" || old.innerHTML !== part.innerHTML) {
        old.replaceChildren(...part.childNodes);
      }
      old.querySelectorAll("details").forEach((each, at) => { each.open = open[at]; });
    }
    if (fresh.getElementById("order") && !line.value.trim()) {
      line.value = fresh.getElementById("order").value;
      built.value = fresh.querySelector("[name=built]").value;
    }
    may();
    light();
    back();
    if (next !== null) showStep(next);
    next = null;
  };

  // Focus comes back to what had it, in the parts that were replaced.
  const focusKeeper = () => {
    const had = document.activeElement;
    const same = (each) => each.tagName === had.tagName && each.name === had.name
      && (isList(each) || each.value === had.value) && each.dataset.by === had.dataset.by
      && each.dataset.pick === had.dataset.pick && each.dataset.also === had.dataset.also;
    if (!had || !had.closest("[data-part]")) return () => {};
    const all = () => [...document.querySelectorAll(`[data-part] ${had.tagName}`)].filter(same);
    const at = all().indexOf(had);
    return () => { if (!had.isConnected) all()[at]?.focus({ preventScroll: true }); };
  };

  const steps = () => [...form.querySelectorAll("fieldset")];
  const showStep = (at) => {
    const step = steps().slice(at).find((each) => each.checkVisibility());
    step?.querySelector("legend").scrollIntoView({ block: "nearest" });
  };

  // Send waits until a step that is missing is chosen; a typed line may always be sent.
  const may = () => {
    const missing = document.querySelector("#outcome .missing") && !line.value.trim();
    setMay(!missing);
  };
  const setMay = (can) => {
    for (const each of document.querySelectorAll("[form=order-form][formaction]")) {
      if (can) each.removeAttribute("aria-disabled");
      else each.setAttribute("aria-disabled", "true");
    }
  };

  form.addEventListener("change", (event) => {
    if (event.target === line) return;
    const step = event.target.closest("fieldset");
    next = step && event.target.type !== "checkbox" ? steps().indexOf(step) + 1 : null;
    changed();
  });
  line.addEventListener("input", () => { may(); ask(500); });
  line.addEventListener("keydown", (event) => { // Enter asks what the line would do; it does not send
    if (event.key !== "Enter") return;
    event.preventDefault();
    ask(0);
  });

  may();
  light();
  if (isAlreadyChosen) ask(0);
}

document.addEventListener("carreira:put", (event) => point(event.detail.chosen)); // by live.js
point(false);
})();
