/**
 * Texts in the language of the page. A text is written in English where it is used; what it is in another language
 * comes from the catalogue of the server (`server/web/assets/texts`).
 */

/** The language of the page, as dates and numbers are written in it. */
export const LANGUAGE = document.documentElement.lang || "en";

/** @type {{texts: Object<string, string>, sentences: Object<string, string>}} */
const catalogue = LANGUAGE === "en" ? { texts: {}, sentences: {} } : (await import(`../texts/${LANGUAGE}.js`)).default;

const texts = new Map(Object.entries(catalogue.texts));
const HOLE = /\{([0-9])(?::(word|list|number|sentence))?\}/g;

const NUMBER = "[-+−±]?[0-9.½]+(?: (?:m?s|min|h))?";

const forms = formsOf(catalogue.sentences);

/** Make forms of sentences of what the catalogue has. @param {Object<string, string>} sentences */
function formsOf(sentences) {
  return Object.entries(sentences).map(([form, words]) => {
    const holes = [...form.matchAll(HOLE)];
    const parts = form.split(/\{[0-9](?::[a-z]+)?\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const pattern = parts.map((part, i) => (i ? `(${holes[i - 1][2] === "number" ? NUMBER : ".+?"})` : "") + part).join("");
    return { pattern: new RegExp(`^${pattern}$`, "s"), holes, words };
  });
}

/** Have more texts. @param {Object<string, string>} more */
export function add(more) {
  for (const [text, words] of Object.entries(more)) texts.set(text, words);
}

/**
 * A text with values in place of {0}, {1} and so on.
 * @param {string} text in English
 * @param {...(string|number)} values
 */
export function t(text, ...values) {
  const words = texts.get(text) ?? text;
  return values.length ? words.replace(HOLE, (_, at) => String(values[Number(at)])) : words;
}

/**
 * A sentence of the server's or of the rules, as far as its form is known.
 * @param {string} sentence in English
 */
export function told(sentence, among = forms) {
  for (const { pattern, holes, words } of among) {
    const found = pattern.exec(sentence);
    if (!found) continue;
    const values = new Map(holes.map(([, at, kind], i) => [at, partOf(kind, found[i + 1], among)]));
    return words.replace(HOLE, (_, at) => values.get(at) ?? "");
  }
  return sentence;
}

/** What stands in a hole of a sentence, in the language of the page. */
function partOf(kind, text, among) {
  if (kind === "list") return text.split(" or ").join(t(" or "));
  if (kind === "word") return t(text);
  if (kind === "number") return text.replace(".", t("."));
  return kind === "sentence" ? t(told(text, among)) : text;
}

/** @type {?ReturnType<typeof formsOf>} */
let refusals = null;

/**
 * A sentence by which the server refuses something, as far as its form is known. The forms are loaded with the first one.
 * @param {string} sentence in English
 */
export async function refused(sentence) {
  if (LANGUAGE === "en") return sentence;
  refusals ??= formsOf((await import(`../texts/${LANGUAGE}-refusals.js`).catch(() => ({ default: {} }))).default);
  return told(sentence, [...forms, ...refusals]);
}

/**
 * A number with its noun.
 * @param {number} number
 * @param {string} one in English
 * @param {string} [many]
 */
export function count(number, one, many = `${one}s`) {
  return `${number} ${t(number === 1 ? one : many)}`;
}

/**
 * A day, or a day with its time, in words.
 * @param {Date} date
 * @param {Intl.DateTimeFormatOptions} [options]
 */
export function day(date, options = { dateStyle: "medium" }) {
  return date.toLocaleString(LANGUAGE === "en" ? [] : LANGUAGE, options);
}
