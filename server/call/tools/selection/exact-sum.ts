/** Sums of numbers with every digit. */

import { isExactNumber, toUnits } from '../../../../shared/exact-json.ts';
import type { Numeric } from './compare.ts';

/** Digits of sums and averages that are not exact: what JavaScript's numbers have at least. */
const PRECISION = 15;

/** Adds numbers as integers of the smallest power of ten among them. */
export class ExactSum {
  #count = 0;
  #units = 0n;
  /** The sum is `#units` x 10^-`#scale`. */
  #scale = 0;
  /** True if a number had digits that JavaScript would round. */
  #hasDigits = false;

  /** @param value null is not counted. */
  add(value: Numeric | null): void {
    if (value === null || !Number.isFinite(Number(value))) return;
    const [units, scale] = toUnits(String(value));
    if (scale > this.#scale) this.#rescale(scale);
    this.#units += units * 10n ** BigInt(this.#scale - scale);
    this.#hasDigits ||= typeof value === 'string';
    this.#count += 1;
  }

  #rescale(scale: number): void {
    this.#units *= 10n ** BigInt(scale - this.#scale);
    this.#scale = scale;
  }

  /**
   * The exact sum, as text if JavaScript would round it. Null if there was no number.
   *
   * If no number had more digits than JavaScript holds, a sum with decimals has 15 digits, because the numbers themselves may be rounded.
   */
  get total(): Numeric | null {
    if (this.#count === 0) return null;
    const text = toText(this.#units, this.#scale);
    if (!this.#hasDigits && text.includes('.')) return Number(Number(text).toPrecision(PRECISION));
    return isExactNumber(text) ? Number(text) : text;
  }

  /** The average with 15 digits. Null if there was no number. */
  get average(): number | null {
    if (this.#count === 0) return null;
    return Number((Number(toText(this.#units, this.#scale)) / this.#count).toPrecision(PRECISION));
  }
}

/** Writes the number without zeros at the end of the decimals. */
function toText(units: bigint, scale: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const decimals = digits.slice(digits.length - scale).replace(/0+$/, '');
  const integerDigits = scale === 0 ? digits : digits.slice(0, -scale);
  const number = scale === 0 || decimals === '' ? integerDigits : `${integerDigits}.${decimals}`;
  return units < 0n ? `-${number}` : number;
}
