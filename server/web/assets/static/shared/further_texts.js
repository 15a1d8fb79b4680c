/** The texts of pages that few open: which imports this module has them, beside those of all pages. */

import { LANGUAGE, add } from "./texts.js";

if (LANGUAGE !== "en") add((await import(`../texts/${LANGUAGE}-further.js`)).default);
