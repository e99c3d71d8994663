// Chooses the zone that the browser knows, once, for new people; without script the list does.
const form = document.querySelector("[data-guess-zone]");
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (form && [...form.elements.zone.options].some((option) => option.value === zone)) {
  form.elements.zone.value = zone;
}
