/** Short texts that the browser stores for the pages. */

/** @returns {string} what is stored under a key; empty where nothing is */
export function stored(key) {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return ""; // a browser that stores nothing
  }
}

/** Store a text under a key; an empty one removes what is there. */
export function store(key, text) {
  try {
    if (text) localStorage.setItem(key, text);
    else localStorage.removeItem(key);
  } catch {} // a browser that stores nothing
}
