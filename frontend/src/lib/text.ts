// Offsets in code points, as in the records, on JavaScript's UTF-16 strings.

/** `slice(start, end)` of a text by code points. */
export function slicer(text: string): (start: number, end?: number) => string {
  if (!/[\ud800-\udfff]/.test(text)) return (start, end) => text.slice(start, end);
  const points = Array.from(text);
  return (start, end) => points.slice(start, end).join("");
}

/** The number of code points in a text. */
export function codePoints(text: string): number {
  let n = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit < 0xdc00) at++;
    n++;
  }
  return n;
}

// Characters that reorder text or act as commands: controls and bidirectional embeddings, overrides and isolates.
// Direction marks stay, because Hebrew and Arabic spelling uses them.
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** The text with every control character made visible, so that none of them affects the page. */
export function inert(text: string): string {
  return text.replace(/\r\n|[\u0085\u2028\u2029]/g, "\n").replace(UNSAFE, (match) => {
    const code = match.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
  });
}

/** At most `limit` characters on one line, cut after a word if possible. */
export function clip(text: string, limit: number): string {
  const line = inert(text).split(/\s+/).filter(Boolean).join(" ");
  if (line.length <= limit) return line;
  const cut = line.slice(0, limit - 1);
  const space = cut.lastIndexOf(" ");
  return `${(space > limit / 2 ? cut.slice(0, space) : cut).replace(/[ ,;:]+$/, "")}…`;
}

/** The text for display, without the Markdown marks of headings and bold words; offsets refer to the original text. */
export function withoutMarkdown(text: string): string {
  return text.replace(/(^|\n)[ \t]*#{1,6}[ \t]+/g, "$1").replace(/\*\*(?=\S)|(?<=\S)\*\*/g, "");
}

const CELLS = /\S(?: *\|| {2,}\S|\t|;\s.*:\s)|^\|/;

/** Whether a passage is a table: several lines, each with cells separated by bars, tabs or wide spaces. */
export function isTable(text: string): boolean {
  const lines = text.split("\n");
  return lines.length > 1 && lines.every((line) => CELLS.test(line));
}

/** Only the words of a text, to compare two texts. */
export function bare(text: string): string {
  return (text.toLocaleLowerCase("en").match(/[\p{L}\p{N}_]+/gu) ?? []).join(" ");
}

const STRONG = /[\p{L}]/u;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** The direction of a text, by its first letter, as with `dir="auto"`, which in a text field does not take linear time. */
export function direction(text: string): "ltr" | "rtl" {
  const letter = text.slice(0, 2_000).match(STRONG)?.[0];
  return letter && RIGHT_TO_LEFT.test(letter) ? "rtl" : "ltr";
}
