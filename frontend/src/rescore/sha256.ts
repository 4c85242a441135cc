/** SHA-256 (FIPS 180-4). The browser's own is asynchronous, but a score is needed at once. */

/** “The first thirty-two bits of the fractional parts” of roots of the first primes, as the standard says. */
function roots(count: number, power: number): number[] {
  const constants: number[] = [];
  for (let n = 2; constants.length < count; n += 1) {
    let prime = true;
    for (let d = 2; d * d <= n; d += 1) if (n % d === 0) prime = false;
    if (prime) constants.push(fraction(n, power));
  }
  return constants;
}

/** 2³² times the fractional part of the root, computed in integers, since floats are not exact enough. */
function fraction(n: number, power: number): number {
  const target = BigInt(n) << BigInt(32 * power);
  let low = 0n;
  for (let bit = 1n << 40n; bit > 0n; bit >>= 1n) {
    const candidate = low | bit;
    if (candidate ** BigInt(power) <= target) low = candidate;
  }
  return Number(low & 0xffffffffn) | 0;
}

const FIRST = roots(8, 2);
const ROUND = roots(64, 3);

function rotateRight(x: number, by: number): number {
  return (x >>> by) | (x << (32 - by));
}

/** The hash of a text in UTF-8 as 64 hexadecimal digits. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x20000000));
  view.setUint32(padded.length - 4, bytes.length << 3);
  const hash = Int32Array.from(FIRST);
  for (let offset = 0; offset < padded.length; offset += 64) block(view, offset, hash);
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

function block(view: DataView, at: number, hash: Int32Array): void {
  const w = new Int32Array(64);
  for (let i = 0; i < 64; i += 1) w[i] = i < 16 ? view.getInt32(at + 4 * i) : scheduled(w, i);
  let [a, b, c, d, e, f, g, h] = hash as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i += 1) {
    const s1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
    const sum1 = (h + s1 + ((e & f) ^ (~e & g)) + (ROUND[i] as number) + (w[i] as number)) | 0;
    const s0 = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
    const sum2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + sum1) | 0, c, b, a, (sum1 + sum2) | 0];
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) hash[i] = ((hash[i] as number) + word) | 0;
}

function scheduled(w: Int32Array, i: number): number {
  const [x, y] = [w[i - 15] as number, w[i - 2] as number];
  const s0 = rotateRight(x, 7) ^ rotateRight(x, 18) ^ (x >>> 3);
  const s1 = rotateRight(y, 17) ^ rotateRight(y, 19) ^ (y >>> 10);
  return ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) | 0;
}
