// Small comforts of the game page; everything works without them.
"use strict";

const form = document.getElementById("order-form");
if (form) {
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
