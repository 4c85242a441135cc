// What the browser keeps for this page. It may refuse, for want of room or by its settings: then nothing is kept.

type Place = "localStorage" | "sessionStorage";

export function kept(place: Place, key: string): string | null {
  try {
    return globalThis[place].getItem(key);
  } catch {
    return null;
  }
}

/** Keep a value, or with null forget it. */
export function keep(place: Place, key: string, value: string | null): void {
  try {
    if (value === null) globalThis[place].removeItem(key);
    else globalThis[place].setItem(key, value);
  } catch {
    // What was to be kept lives as long as the page.
  }
}
