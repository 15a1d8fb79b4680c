/**
 * What a reader chooses for all pages: colours, light or dark, where it is not those of the system, and the language.
 * No module: it runs at once.
 */

(() => {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;

  function chosen() {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // a browser that keeps nothing
    }
  }

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
  }

  function show() {
    const theme = chosen();
    if (theme === "dark" || theme === "light") root.dataset.theme = theme;
    else delete root.dataset.theme;
    document.getElementById("theme")?.setAttribute("aria-pressed", String(isDark()));
  }

  function change() {
    const dark = !isDark();
    try {
      if (dark === system.matches) localStorage.removeItem("theme");
      else localStorage.setItem("theme", dark ? "dark" : "light");
      show();
    } catch {
      root.dataset.theme = dark ? "dark" : "light";
    }
  }

  /** Ask for the same page in another language, with what its address holds for the page alone. */
  function translate(event) {
    const there = new URL(location.href);
    there.searchParams.set("language", event.currentTarget.hreflang);
    event.currentTarget.href = there.href;
  }

  show();
  system.addEventListener("change", show);
  window.addEventListener("storage", show); // another tab has changed it
  document.addEventListener("DOMContentLoaded", () => {
    for (const link of document.querySelectorAll("a.language")) link.addEventListener("click", translate);
    const button = document.getElementById("theme");
    if (!button) return;
    button.hidden = false;
    button.addEventListener("click", change);
    show();
  });
})();
