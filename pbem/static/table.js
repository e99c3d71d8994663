// Small comforts of the game page; everything works without them.
"use strict";

const form = document.getElementById("order-form");
if (form) {
  // A second click on Send while the first one is on its way changes nothing, nor does one too early.
  let sent = false;
  form.addEventListener("submit", (event) => {
    if (sent || event.submitter?.getAttribute("aria-disabled")) event.preventDefault();
    else sent = true;
  });
  window.addEventListener("pageshow", () => { sent = false; });
}
