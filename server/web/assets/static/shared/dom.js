/** Small helpers for pages. Text is always set as text: whatever a name holds, it is shown and never read as markup. */

/**
 * Make an element.
 * @param {string} tag a tag name, with classes behind dots
 * @param {Object<string, string|number|boolean|Function>} [attributes] functions become listeners of the event named
 * @param {...(Node|string|null)} children
 * @returns {HTMLElement}
 */
export function el(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") hear(element, key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null) element.setAttribute(key, String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/**
 * Make an element of SVG.
 * @param {string} name tag name
 * @param {Object<string, string|number>} [attributes]
 * @param {...(Node|string)} children
 * @returns {SVGElement}
 */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

const heard = new WeakMap(); // element -> what it does at events, so that `patch` can give it another closure

function hear(element, kind, listener) {
  const listeners = heard.get(element) ?? {};
  if (!(kind in listeners)) element.addEventListener(kind, (event) => heard.get(element)[kind](event));
  heard.set(element, { ...listeners, [kind]: listener });
}

/**
 * Let an element have these children, and keep those that are there already: only texts and attributes that differ are
 * changed, so that focus, selection and a click that is under way stay what they were. Children with the same
 * `data-key` are the same ones; others are taken one after the other, where the tag fits.
 * @param {Element} parent
 * @param {...(Node|string|null)} wanted
 */
export function patch(parent, ...wanted) {
  const focused = /** @type {?HTMLElement} */ (document.activeElement);
  const nodes = wanted.filter((one) => one !== null).map((one) => (one instanceof Node ? one : document.createTextNode(one)));
  const keys = new Set(nodes.map(keyOf));
  const keyed = new Map();
  for (const child of [...parent.childNodes]) {
    const key = keyOf(child);
    if (key && keys.has(key)) keyed.set(key, child);
    else if (key) child.remove();
  }
  let at = parent.firstChild;
  for (const node of nodes) {
    const key = keyOf(node);
    const same = key ? keyed.get(key) : at && !keyOf(at) ? at : null;
    if (!same || same.nodeName !== node.nodeName) parent.insertBefore(node, at);
    else {
      if (same === at) at = at.nextSibling;
      else parent.insertBefore(same, at);
      update(same, node);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
  if (focused !== document.activeElement && focused?.isConnected) focused.focus({ preventScroll: true }); // it was moved
}

function keyOf(node) {
  return node.dataset?.key ?? "";
}

function update(old, wanted) {
  if (!(old instanceof Element)) {
    if (old.data !== wanted.data) old.data = wanted.data;
    return;
  }
  const kept = old.localName === "details" ? ["open"] : []; // which a reader has chosen
  for (const { name } of [...old.attributes]) if (!wanted.hasAttribute(name) && !kept.includes(name)) old.removeAttribute(name);
  for (const { name, value } of wanted.attributes) {
    if (old.getAttribute(name) !== value && !kept.includes(name)) old.setAttribute(name, value);
  }
  if (heard.has(wanted)) for (const [kind, listener] of Object.entries(heard.get(wanted))) hear(old, kind, listener);
  patch(old, ...wanted.childNodes);
}

/** Make nodes of markup that the server has made; a script in it would not run. */
export function parse(markup) {
  return [...new DOMParser().parseFromString(markup, "text/html").body.childNodes];
}

/** Find an element that the page has. */
export function find(selector) {
  const element = document.querySelector(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
}

/** Set the text of an element, where it differs: a screen reader says again what is set again. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * A name as a link to the page of the player.
 * @param {string} name
 * @param {string} [tag] with classes, as of `el`
 */
export function playerLink(name, tag = "a.player") {
  return el(tag, { href: `/player/${encodeURIComponent(name)}` }, name);
}

/** Resolve after so many milliseconds. */
export function wait(milliseconds) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
