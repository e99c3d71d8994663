// Small comforts of the game page; everything works without them.
"use strict";

// Arrow keys walk through the history, Home and End go to its ends.
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
  if (event.target.closest("input, select, textarea, button, [contenteditable]")) return;
  const link = document.querySelector(`.hist a[data-key="${CSS.escape(event.key)}"]`);
  if (!link) return;
  event.preventDefault();
  link.click();
});

const form = document.getElementById("order-form");
if (form) {
  const line = form.elements.order;
  const built = form.elements.built;

  // A changed step makes the line stale: it is built anew from the steps.
  form.addEventListener("change", (event) => {
    if (event.target === line) return;
    line.value = "";
    built.value = "";
    onlyThisLanding();
  });

  // Only the slots of the chosen landing are offered.
  const onlyThisLanding = () => {
    const landing = form.querySelector("[name=to]:checked");
    if (!landing) return;
    for (const list of form.querySelectorAll("select[name^=slot-]")) {
      for (const option of list.options) {
        const fits = option.value === "" || option.value.startsWith(landing.value + ":");
        option.disabled = option.hidden = !fits;
      }
      for (const group of list.querySelectorAll("optgroup")) {
        group.hidden = [...group.children].every((option) => option.hidden);
      }
      if (list.selectedOptions[0] && list.selectedOptions[0].disabled) list.value = "";
    }
  };
  onlyThisLanding();

  // A second click on Send while the first one is on its way changes nothing.
  let sent = false;
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
  window.addEventListener("pageshow", () => { sent = false; });
}

// What was just answered comes into view.
const news = document.getElementById("refused") || document.getElementById("preview");
if (news && !location.hash) news.scrollIntoView({ block: "center" });
