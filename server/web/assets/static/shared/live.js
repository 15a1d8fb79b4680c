/** Pages that the server keeps fresh: their clocks, what they say of a lost connection, and what a refresh leaves alone. */

import { time, timeOfDay } from "./words.js";

/** @type {any} */
const { htmx, Idiomorph } = /** @type {any} */ (window);

const LONGEST_SILENCE_MS = 12_000; // the server says something every five seconds
const TICK_MS = 100;
const SHORT_MS = 10_000;

const status = /** @type {?HTMLElement} */ (document.querySelector("#status"));
let ahead = null; // by how many milliseconds the server's clock is ahead of the page's; null as long as nobody tells
let since = null; // when the connection was lost

/** Show whether the page is connected. @param {string} words */
function show(words) {
  if (!status) return;
  status.hidden = !words;
  status.classList.toggle("lost", Boolean(since));
  if (status.textContent !== words) status.textContent = words;
}

function found() {
  since = null;
  show(document.querySelector("[sse-connect]") ? "live" : "");
}

function lost() {
  since ??= timeOfDay(new Date());
  for (const clock of document.querySelectorAll("[data-until]")) clock.classList.remove("runs", "short");
  show(`connection lost since ${since}; trying again`);
}

/** Open a stream of events that is closed when it falls silent: a machine that slept is not noticed otherwise. */
htmx.createEventSource = (url) => {
  const source = new EventSource(url);
  let silence = 0;
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(() => {
      source.close();
      source.onerror?.(new Event("error")); // so that htmx opens another one
    }, LONGEST_SILENCE_MS);
  };
  source.addEventListener("open", heard);
  source.addEventListener("error", () => clearTimeout(silence));
  source.addEventListener("beat", (event) => {
    heard();
    found();
    ahead = Number(event.data) - performance.now();
    tick();
  });
  return source;
};

/** Write the time on the clocks that run; they stand while nobody knows how they go on. */
function tick() {
  if (ahead === null || since) return;
  for (const clock of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-until]"))) {
    const left = 100 * Number(clock.dataset.until) - ahead - performance.now();
    const words = time(left);
    if (clock.textContent !== words) clock.textContent = words;
    clock.classList.toggle("short", left < SHORT_MS);
  }
}

/** Keep what a reader has opened, and what was asked for by itself; that is asked for again when it has changed. */
Object.assign(Idiomorph.defaults.callbacks, {
  beforeAttributeUpdated: (name, element) => !(name === "open" && element.localName === "details"),
  beforeNodeMorphed: (old, fresh) => {
    const own = old.dataset?.own;
    if (own === undefined) return true;
    if (own !== fresh.dataset.own) {
      old.dataset.own = fresh.dataset.own;
      htmx.trigger(old, "again");
    }
    return false;
  },
});

/** Copy the text of the element that a button names; also without TLS, where browsers have no clipboard for pages. */
document.addEventListener("click", (event) => {
  const button = /** @type {?HTMLElement} */ (/** @type {HTMLElement} */ (event.target).closest("[data-copy]"));
  const text = button && document.getElementById(button.dataset.copy ?? "");
  if (!text) return;
  getSelection()?.selectAllChildren(text);
  button.textContent = document.execCommand("copy") ? "Copied" : "Press Ctrl+C";
});

document.addEventListener("htmx:sseError", lost);
document.addEventListener("htmx:afterRequest", (event) => {
  if (/** @type {CustomEvent} */ (event).detail.successful) found();
  else lost();
});
document.addEventListener("htmx:afterSwap", tick);
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload(); // somebody came back to a page that was kept as it was
});
setInterval(tick, TICK_MS);
