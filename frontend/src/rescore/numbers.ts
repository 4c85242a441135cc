/**
 * Arithmetic and number formatting as in Python: sums and powers are rounded once, so that they are identical to the
 * bit, and numbers in names and hashes have the same digits.
 */

/** The sum of `values`, rounded once: Python's `math.fsum` (Shewchuk 1997, with the last step of CPython). */
export function fsum(values: readonly number[]): number {
  const partials: number[] = [];
  for (let x of values) {
    let used = 0;
    for (let y of partials) {
      if (Math.abs(x) < Math.abs(y)) [x, y] = [y, x];
      const high = x + y;
      const low = y - (high - x);
      if (low !== 0) partials[used++] = low;
      x = high;
    }
    partials.length = used;
    partials.push(x);
  }
  let n = partials.length;
  if (n === 0) return 0;
  let high = partials[--n] as number;
  let low = 0;
  while (n > 0) {
    const x = high;
    const y = partials[--n] as number;
    high = x + y;
    low = y - (high - x);
    if (low !== 0) break;
  }
  const next = partials[n - 1];
  // The remainder is halfway between two numbers, so the other partials decide which way to round.
  if (n > 0 && next !== undefined && ((low < 0 && next < 0) || (low > 0 && next > 0))) {
    const twice = low * 2;
    const up = high + twice;
    if (twice === up - high) high = up;
  }
  return high;
}

/** Python's `statistics.fmean`; `values` must not be empty. */
export function fmean(values: readonly number[]): number {
  return fsum(values) / values.length;
}

const BITS = 160n;
const ONE = 1n << BITS;
const LN2 = naturalLogOf2();

/** e to the power of `x` ≤ 1, rounded once; the browser's `Math.exp` is off by one bit in about one of ten cases. */
export function exp(x: number): number {
  if (x < -746) return 0;
  const exact = fixed(x);
  let power = exact / LN2;
  if (power * LN2 > exact) power -= 1n; // BigInt divides towards zero, and the rest must not be negative
  const rest = exact - power * LN2;
  let sum = ONE;
  let term = ONE;
  for (let k = 1n; term > 0n; k += 1n) {
    term = (term * rest) / (ONE * k);
    sum += term;
  }
  // `sum` is in [1, 2): keep 53 bits of it, or fewer for a subnormal result.
  const e = Number(power);
  const short = Math.max(0, -1022 - e);
  const shift = BITS - 52n + BigInt(short);
  const shifted = (sum + (1n << (shift - 1n))) >> shift;
  return Number(shifted) * 2 ** (e - 52 + short);
}

/** A number in fixed point; exact, since none of the numbers used has lower bits. */
function fixed(x: number): bigint {
  let scale = 0;
  while (!Number.isInteger(x)) {
    x *= 2;
    scale += 1;
  }
  const bits = BigInt(scale);
  return bits <= BITS ? BigInt(x) << (BITS - bits) : BigInt(x) >> (bits - BITS);
}

/** ln 2 = 2 artanh(1/3). */
function naturalLogOf2(): bigint {
  let sum = 0n;
  let term = (2n * ONE) / 3n;
  for (let k = 1n; term > 0n; k += 2n) {
    sum += term / k;
    term /= 9n;
  }
  return sum;
}

/** A number as Python's `format(x, "g")` writes it: six digits, without trailing zeros. */
export function general(x: number): string {
  if (x === 0) return Object.is(x, -0) ? "-0" : "0";
  const sign = x < 0 ? "-" : "";
  const [all, exponent] = rounded(Math.abs(x));
  const digits = all.replace(/0+$/, "");
  if (exponent < -4 || exponent >= 6) return sign + scientific(digits, exponent);
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const integer = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const decimals = digits.slice(exponent + 1);
  return sign + (decimals ? `${integer}.${decimals}` : integer);
}

/** The first six digits of `x` > 0 and the exponent of the first; ties round to the even digit. */
function rounded(x: number): [string, number] {
  const [digits, exponent] = parts(x.toExponential(40));
  const down = /^50*$/.test(digits.slice(6)) && Number(digits[5]) % 2 === 0; // JavaScript itself rounds up
  return down ? [digits.slice(0, 6), exponent] : parts(x.toExponential(5));
}

function parts(scientific: string): [string, number] {
  const [mantissa = "", exponent] = scientific.split("e");
  return [mantissa.replace(".", ""), Number(exponent)];
}

/** A float as Python's `repr` writes it: the fewest digits that parse to the same number. */
export function repr(x: number): string {
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    return (x < 0 ? "-" : "") + scientific(...parts(size.toExponential()));
  }
  const plain = Object.is(x, -0) ? "-0" : String(x);
  return Number.isInteger(x) ? `${plain}.0` : plain;
}

function scientific(digits: string, exponent: number): string {
  const mantissa = digits.length > 1 ? `${digits[0]}.${digits.slice(1)}` : digits;
  const size = String(Math.abs(exponent)).padStart(2, "0");
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${size}`;
}
