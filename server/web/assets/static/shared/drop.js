/** Choosing a file of the own machine, or dropping it on the page. */

import { find } from "./dom.js";

/**
 * Offer to take a file, until one was accepted.
 * @param {(file: File) => Promise<boolean>} take tells whether it accepts the file
 */
export function offerFile(take) {
  const drop = find("#drop");
  drop.hidden = false;
  const tryFile = async (file) => {
    if (file && !drop.hidden) drop.hidden = await take(file);
  };
  const input = find("#file");
  input.addEventListener("change", async () => {
    await tryFile(input.files[0]);
    input.value = ""; // so that the same file can be chosen again when it was changed
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  document.addEventListener("dragleave", () => drop.classList.remove("over"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    tryFile(event.dataTransfer.files[0]);
  });
}
