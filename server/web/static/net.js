/** Asking the server, and hearing from it. */

/** An answer that is no: its message is a sentence for people. */
export class Refused extends Error {}

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
    throw new Refused("The server cannot be reached.");
  }
  let answer = null;
  try {
    answer = await response.json();
  } catch {
    throw new Refused(`The server gave no answer that can be read (status ${response.status}).`);
  }
  if (!response.ok) throw new Refused(answer.error ?? `The server refused (status ${response.status}).`);
  return answer;
}

const LONGEST_SILENCE_MS = 40_000;

/**
 * Hear of something live until `close` is called. The connection comes back by itself, and then all is told anew.
 * @param {string} path
 * @param {(data: object) => void} onData
 * @param {(connected: boolean) => void} onState
 * @returns {{close: () => void}}
 */
export function listen(path, onData, onState) {
  let source = null;
  let silence = 0;
  let again = 0;
  const close = () => {
    clearTimeout(silence);
    clearTimeout(again);
    if (source) source.close();
  };
  const open = () => {
    source = new EventSource(path);
    source.addEventListener("open", () => onState(true));
    source.addEventListener("message", (event) => {
      watch();
      onState(true);
      onData(JSON.parse(event.data));
    });
    source.addEventListener("error", () => {
      onState(false);
      if (source.readyState === EventSource.CLOSED) {
        clearTimeout(again);
        again = setTimeout(open, 3000);
      }
    });
  };
  const watch = () => {
    clearTimeout(silence);
    silence = setTimeout(() => {
      // events may be rare, but a machine that slept does not notice that its connection is gone
      close();
      open();
      watch();
    }, LONGEST_SILENCE_MS);
  };
  open();
  watch();
  return { close };
}
