// The citation view's texts in the current language, kept apart so that only this view loads them.

import { cited as de } from "../strings/de.cited";
import { cited as en } from "../strings/en.cited";
import { t } from "./words.svelte";

export function w(): typeof en {
  return t().code === "de" ? de : en;
}
