/** Asking the server, and hearing from it. */

import { wait } from "./dom.js";
import { timeOfDay } from "./words.js";

/** An answer that is no: its message is a sentence for people. */
export class Refused extends Error {}

/** No answer at all. */
export class Unreachable extends Refused {}

const AGAIN_MS = 3000;

/**
 * Ask until the server can be reached, as long as the answer is wanted.
 * @param {() => Promise<any>} asking
 * @param {(sentence: string) => void} tell shows each time that the server cannot be reached
 * @param {() => boolean} [isWanted]
 */
export async function untilReached(asking, tell, isWanted = () => true) {
  for (;;) {
    try {
      return await asking();
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      if (!isWanted()) return null;
      tell(`${error.message} Trying again …`);
    }
    await wait(AGAIN_MS);
    if (!isWanted()) return null;
  }
}

/**
 * Ask for JSON.
 * @param {string} path
 * @param {RequestInit} [options]
 * @throws {Refused}
 */
export async function ask(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable("The server cannot be reached.");
  }
  let answer = null;
  try {
    answer = await response.json();
  } catch {
    const sentence = `The server gave no answer that can be read (status ${response.status}).`;
    throw new (response.status > 501 ? Unreachable : Refused)(sentence); // a proxy answers while the server restarts
  }
  if (!response.ok) {
    throw new Refused(answer.error ?? `The server refused (status ${response.status}).`);
  }
  return answer;
}

/** How JSON is sent. @returns {RequestInit} */
export function posted(question, signal = null) {
  return { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question), signal };
}

const LONGEST_SILENCE_MS = 12_000; // the server says something every five seconds

/**
 * Hear of something live until `close` is called. The connection comes back by itself, and then all is told anew.
 * @param {string} path
 * @param {(data: object) => void} onData
 * @param {(lost: string) => void} onState what to say of a connection that is lost, empty while there is one
 * @param {() => void} [onRefused] the server is there and tells nothing of this any more
 * @returns {{close: () => void}}
 */
export function listen(path, onData, onState, onRefused = () => {}) {
  let source = null;
  let silence = 0;
  let again = 0;
  let since = null;
  const close = () => {
    clearTimeout(silence);
    clearTimeout(again);
    if (source) source.close();
  };
  const found = () => {
    since = null;
    onState("");
    clearTimeout(silence);
    silence = setTimeout(() => {
      // a machine that slept, or a server that stands, is not noticed otherwise
      lost();
      open();
    }, LONGEST_SILENCE_MS);
  };
  const lost = () => {
    since ??= timeOfDay(new Date());
    onState(`connection lost since ${since}; trying again`);
  };
  const open = () => {
    close();
    const mine = new EventSource(path);
    source = mine;
    mine.addEventListener("open", found);
    mine.addEventListener("beat", found);
    mine.addEventListener("message", (event) => {
      found();
      onData(JSON.parse(event.data));
    });
    mine.addEventListener("error", () => {
      if (source !== mine) return;
      clearTimeout(silence);
      lost();
      if (mine.readyState !== EventSource.CLOSED) return;
      clearTimeout(again);
      again = setTimeout(open, AGAIN_MS);
      onRefused();
    });
  };
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) open(); // somebody came back to a page that was kept as it was
  });
  open();
  return { close };
}
