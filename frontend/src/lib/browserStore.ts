// Values that the page keeps in the browser. The browser may refuse, if its storage is full or disabled; then nothing is stored.

type StorageName = "localStorage" | "sessionStorage";

export function readStored(storage: StorageName, key: string): string | null {
  try {
    return globalThis[storage].getItem(key);
  } catch {
    return null;
  }
}

/** Store a value, or remove it if it is null. */
export function writeStored(storage: StorageName, key: string, value: string | null): void {
  try {
    if (value === null) globalThis[storage].removeItem(key);
    else globalThis[storage].setItem(key, value);
  } catch {
    // The value lives only as long as the page.
  }
}
