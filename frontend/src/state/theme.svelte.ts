// Light or dark: as the system has it, unless a person says otherwise.

import { keep, kept } from "../lib/browserStore";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEPT = "factscope.theme";
const found = kept("localStorage", KEPT);
export const theme = $state({ value: (THEMES.includes(found as Theme) ? found : "auto") as Theme });

export function paint(value: Theme): void {
  theme.value = value;
  if (value === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
  keep("localStorage", KEPT, value);
}
