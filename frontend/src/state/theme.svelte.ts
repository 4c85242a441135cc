// Light or dark theme: that of the system, unless the user chooses one.

import { readStored, writeStored } from "../lib/browserStore";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const STORAGE_KEY = "factscope.theme";
const stored = readStored("localStorage", STORAGE_KEY);
export const theme = $state({ value: (THEMES.includes(stored as Theme) ? stored : "auto") as Theme });

export function setTheme(value: Theme): void {
  theme.value = value;
  if (value === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
  writeStored("localStorage", STORAGE_KEY, value);
}
