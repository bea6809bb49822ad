/** Compares what was counted with `pins.json`, where each number stands next to the reason why it is this one. */

import type { Counts } from './count.ts';

/** A number that was accepted. */
export interface Pin {
  readonly count: number;
  readonly reason: string;
}

/** `pins.json`: the version of Node that they were counted on, such as `v26.10.0`, and the pins by title and figure. */
export interface Pins {
  readonly node: string;
  readonly pins: Readonly<Record<string, Readonly<Record<string, Pin>>>>;
}

/** How far a count may be from its pin. All others are the same in every run; bytes are sampled, and another valgrind or C library may take other instructions. */
const BANDS: Readonly<Record<string, (pin: number) => number>> = {
  bytes: () => 1000,
  instructions: (pin) => Math.round(pin * 0.03),
};

/** One number next to its pin. */
export interface Compared {
  readonly title: string;
  readonly figure: string;
  readonly count: number;
  /** Null: there is none yet. */
  readonly pin: Pin | null;
  readonly band: number;
  readonly isMoved: boolean;
}

/** Compares everything that was counted; pins of what was not counted are left out. */
export function comparePins(counts: Counts, { pins }: Pins): Compared[] {
  return Object.entries(counts).flatMap(([title, figures]) =>
    Object.entries(figures).map(([figure, { count }]) => {
      const pin = pins[title]?.[figure] ?? null;
      const band = BANDS[figure]?.(pin?.count ?? 0) ?? 0;
      return { title, figure, count, pin, band, isMoved: pin === null || Math.abs(count - pin.count) > band };
    }),
  );
}

/** @returns the pins with what moved, for this reason; all others keep their count and theirs. */
export function movePins(pins: Pins, compared: readonly Compared[], node: string, reason: string): Pins {
  const moved: Record<string, Record<string, Pin>> = structuredClone(pins.pins) as never;
  for (const { title, figure, count, isMoved } of compared) {
    if (isMoved) moved[title] = { ...moved[title], [figure]: { count, reason } };
  }
  return { node, pins: moved };
}

/** One line for each number, those that moved with their pin and its reason. */
export function formatCompared(compared: readonly Compared[]): string {
  const groups = Map.groupBy(compared, ({ title }) => title);
  const line = ({ figure, count, pin, band, isMoved }: Compared): string => {
    const pinned = pin === null ? 'no pin' : `pin ${pin.count}${band === 0 ? '' : ` ± ${band}`}`;
    const why = pin === null ? '' : `: ${pin.reason}`;
    return `  ${isMoved ? 'MOVED' : '     '} ${figure.padEnd(20)} ${String(count).padStart(7)}  ${pinned}${isMoved ? why : ''}`;
  };
  return [...groups].map(([title, rows]) => [title, ...rows.map(line)].join('\n')).join('\n');
}
