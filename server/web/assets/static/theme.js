/** The choice of light or dark colours, where a reader does not want those of the system. No module: it runs at once. */

(() => {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const link = location.hash || (location.pathname === "/play" && stored("game")) || "";
  const linked = /(?:^|[#&])game=(\w+)/.exec(link)?.[1];
  if (linked && linked !== "gipf") root.dataset.linked = linked; // before a board of GIPF is seen in its place

  function stored(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // a browser that keeps nothing
    }
  }

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
  }

  function show() {
    const theme = stored("theme");
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

  show();
  system.addEventListener("change", show);
  window.addEventListener("storage", show); // another tab has changed it
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (!button) return;
    button.hidden = false;
    button.addEventListener("click", change);
    show();
  });
})();
