// What leaves the page: copied, as plain words and where it is given as styled ones, or saved as a file.

/** Whether it was copied. */
export async function copyText(text: string, html?: string): Promise<boolean> {
  try {
    if (html && "ClipboardItem" in window) {
      const as = (type: string, value: string): [string, Blob] => [type, new Blob([value], { type })];
      await navigator.clipboard.write([new ClipboardItem(Object.fromEntries([as("text/plain", text), as("text/html", html)]))]);
    } else {
      await navigator.clipboard.writeText(text);
    }
    return true;
  } catch {
    return copyByHand(text);
  }
}

/** For a page that is not served over a secure connection, where the clipboard is shut. */
function copyByHand(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "vh";
  document.body.append(field);
  const before = document.activeElement as HTMLElement | null;
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  before?.focus();
  return done;
}

/** Have the browser keep something as a file. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
