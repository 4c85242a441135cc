// The words of a text's citations, in the language in use; apart from the others, so that only their view loads them.

import { cited as de } from "../strings/de.cited";
import { cited as en } from "../strings/en.cited";
import { t } from "./words.svelte";

export function w(): typeof en {
  return t().code === "de" ? de : en;
}
