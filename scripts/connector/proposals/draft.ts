/** The text of a first `connector.yaml` while it is written, and what a person has to decide about it. */

import { escapeInvisible } from '../../../codegen/emit/literal.ts';

/** What a person must decide about one thing; `place` is where in the file. */
export interface Decision {
  readonly place: string;
  readonly text: string;
}

export interface Draft {
  readonly decisions: readonly Decision[];
  /** Writes lines as they are. */
  add(...lines: string[]): void;
  /** Writes a comment. */
  say(text: string, indent?: string): void;
  /** Notes a decision, and writes it as a comment. */
  decide(place: string, text: string, indent?: string): void;
  /** Writes lines, as comments where no one can be sure of them. */
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

/** Words that are longer than a line stand on one of their own. */
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

/** `a, b, c and 4 more`. */
export function toList(names: readonly string[], most = 6): string {
  return names.length <= most ? names.join(', ') : `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
}

/** `1 tool`, `1,200 tools`. */
export function toCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** Values and how often they occur, the commonest first. */
export function countEach(values: Iterable<string>): [value: string, count: number][] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}
