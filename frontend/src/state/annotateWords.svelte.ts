// The annotation page's texts in the current language, kept apart so that only this page loads them.

import { annotate as de } from "../strings/de.annotate";
import { annotate as en } from "../strings/en.annotate";
import { t } from "./words.svelte";

export function w(): typeof en {
  return t().code === "de" ? de : en;
}
