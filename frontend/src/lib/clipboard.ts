// Export from the page: copying as plain text and, if available, HTML, or saving as a file.

/** Copy a text; returns whether that succeeded. */
export async function copyText(text: string, html?: string): Promise<boolean> {
  try {
    if (html && "ClipboardItem" in window) {
      const typed = (type: string, value: string): [string, Blob] => [type, new Blob([value], { type })];
      await navigator.clipboard.write([new ClipboardItem(Object.fromEntries([typed("text/plain", text), typed("text/html", html)]))]);
    } else {
      await navigator.clipboard.writeText(text);
    }
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** Fallback for pages not served over a secure connection, where the clipboard API is unavailable. */
function copyBySelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "vh";
  document.body.append(field);
  const focused = document.activeElement as HTMLElement | null;
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  focused?.focus();
  return done;
}

/** Have the browser save content as a file. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
