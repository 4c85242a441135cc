// Addresses that are safe to follow, and links to a quote within a page.

/** The address if it is http or https with a host; else null, and the page shows it as text. */
export function webAddress(url: string | null | undefined): string | null {
  if (!url || !/^https?:\/\/[^/?#]/i.test(url) || /[\u0000-\u0020\u007f-\u009f\\]/.test(url)) return null;
  return URL.canParse(url) ? url : null;
}

/** Host name of a web address as browsers write it, without a final dot; null for a local path. For display only: scoring has its own. */
export function webHost(url: string | null | undefined): string | null {
  try {
    const parsed = new URL(url ?? "");
    if (!["http:", "https:"].includes(parsed.protocol)) return null;
    return parsed.hostname.toLowerCase().replace(/^\.+|\.+$/g, "") || null;
  } catch {
    return null;
  }
}

/** The address with a text fragment, so that a browser opens the page at the quote. */
export function atQuote(url: string, quote: string | null): string {
  const words = quote?.split(/\s+/).filter(Boolean) ?? [];
  if (!words.length) return url;
  const encoded = (part: string[]): string => encodeURIComponent(part.join(" ")).replace(/-/g, "%2D");
  const directive = words.length <= 10 ? encoded(words) : `${encoded(words.slice(0, 5))},${encoded(words.slice(-5))}`;
  const [address, fragment = ""] = url.split("#", 2);
  return `${address}#${fragment.split(":~:")[0]}:~:text=${directive}`;
}
