// Offsets in code points, as the records have them, over JavaScript's strings of UTF-16 units.

/** `slice(start, end)` of a text by code points. */
export function slicer(text: string): (start: number, end?: number) => string {
  if (!/[\ud800-\udfff]/.test(text)) return (start, end) => text.slice(start, end);
  const points = Array.from(text);
  return (start, end) => points.slice(start, end).join("");
}

/** How many code points a text has. */
export function codePoints(text: string): number {
  let n = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit < 0xdc00) at++;
    n++;
  }
  return n;
}

// What reorders the characters around it or is obeyed by something: controls and the bidirectional embeddings,
// overrides and isolates. Direction marks stay: they are spelling in Hebrew and Arabic.
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** The text with every control character shown as a sign, so that nothing in it steers the page. */
export function inert(text: string): string {
  return text.replace(/\r\n|[\u0085\u2028\u2029]/g, "\n").replace(UNSAFE, (match) => {
    const code = match.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
  });
}

/** At most `limit` characters on one line, cut after a word where there is one. */
export function clip(text: string, limit: number): string {
  const line = inert(text).split(/\s+/).filter(Boolean).join(" ");
  if (line.length <= limit) return line;
  const cut = line.slice(0, limit - 1);
  const space = cut.lastIndexOf(" ");
  return `${(space > limit / 2 ? cut.slice(0, space) : cut).replace(/[ ,;:]+$/, "")}…`;
}

/** The text without the marks of Markdown headings and bold words, for reading; offsets are those of the text itself. */
export function withoutMarkdown(text: string): string {
  return text.replace(/(^|\n)[ \t]*#{1,6}[ \t]+/g, "$1").replace(/\*\*(?=\S)|(?<=\S)\*\*/g, "");
}

const CELLS = /\S(?: *\|| {2,}\S|\t|;\s.*:\s)|^\|/;

/** Whether a passage is a table: several lines, each with cells that bars, tabs or wide spaces keep apart. */
export function isTable(text: string): boolean {
  const lines = text.split("\n");
  return lines.length > 1 && lines.every((line) => CELLS.test(line));
}

/** The words of a text alone, to see whether two say the same. */
export function bare(text: string): string {
  return (text.toLocaleLowerCase("en").match(/[\p{L}\p{N}_]+/gu) ?? []).join(" ");
}

const STRONG = /[\p{L}]/u;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Which way a text runs, by its first letter: what `dir="auto"` finds out too, but in a field not in linear time. */
export function direction(text: string): "ltr" | "rtl" {
  const letter = text.slice(0, 2_000).match(STRONG)?.[0];
  return letter && RIGHT_TO_LEFT.test(letter) ? "rtl" : "ltr";
}
