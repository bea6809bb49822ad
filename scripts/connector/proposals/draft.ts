/** The text of a first `connector.yaml` as it is written, and the decisions that it leaves to a person. */

import { escapeInvisible } from '../../../shared/invisible.ts';

/** A decision for a person; `place` is its location in the file. */
export interface Decision {
  readonly place: string;
  readonly text: string;
}

export interface Draft {
  readonly decisions: readonly Decision[];
  /** Writes lines unchanged. */
  add(...lines: string[]): void;
  /** Writes a comment. */
  say(text: string, indent?: string): void;
  /** Notes a decision, and writes it as a comment. */
  decide(place: string, text: string, indent?: string): void;
  /** Writes lines, as comments if they are uncertain. */
  propose(isSure: boolean, ...lines: string[]): void;
  toText(): string;
}

const WIDTH = 118;

export function createDraft(): Draft {
  const lines: string[] = [];
  const decisions: Decision[] = [];
  const say = (text: string, indent = '') => lines.push(...wrap(text, `${indent}# `));
  return {
    decisions,
    add: (...more) => void lines.push(...more),
    say,
    decide: (place, text, indent) => {
      decisions.push({ place, text });
      say(`To decide: ${text}`, indent);
    },
    propose: (isSure, ...more) => void lines.push(...(isSure ? more : more.map((line) => `# ${line}`))),
    toText: () => `${lines.join('\n')}\n`,
  };
}

/** A word that is longer than a line gets its own line. */
function wrap(text: string, start: string): string[] {
  const lines: string[] = [];
  let line = start;
  for (const word of escapeInvisible(text.replaceAll(/\s+/g, ' ')).split(' ')) {
    if (line.length > start.length && line.length + word.length > WIDTH) {
      lines.push(line.trimEnd());
      line = start;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}

/** Returns names as a list, such as `a, b, c and 4 more`. */
export function toList(names: readonly string[], most = 6): string {
  return names.length <= most ? names.join(', ') : `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
}

/** Returns a number with its noun, such as `1 tool` or `1,200 tools`. */
export function toCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns values and their counts, most common first. */
export function countEach(values: Iterable<string>): [value: string, count: number][] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}
