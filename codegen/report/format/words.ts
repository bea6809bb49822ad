/** Names and values as all formats write them: levels, places, values. */

import { figure } from '../../emit/figures.ts';
import type { Level } from '../rules.ts';
import { RULES } from '../rules.ts';
import type { ChangeGroup } from '../types.ts';

const MAX_VALUE = 100;

export const LEVEL_TITLES: Readonly<Record<Level, string>> = {
  breaking: 'Breaking',
  risk: 'Risk',
  behaviour: 'Behaviour',
  wording: 'Wording',
  addition: 'Additions',
};

/** `Argument removed`, or `Argument removed; Output field removed`. */
export function titleOf({ changes }: ChangeGroup): string {
  return [...new Set(changes.map(({ rule }) => RULES[rule].title))].join('; ');
}

/** A value on one line: JSON, shortened in the middle if it is long; a schema by its type alone if that is enough. */
export function valueText(value: unknown): string {
  if (value === undefined) return 'none';
  const text = typeof value === 'string' ? value : JSON.stringify(summary(value));
  if (text.length <= MAX_VALUE) return text;
  const half = Math.floor(MAX_VALUE / 2) - 1;
  return `${text.slice(0, half)} … ${text.slice(-half)}`;
}

/** Schemas are shown by their type; a reviewer finds the rest in the file. */
function summary(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { type, format, enum: values, description: _, ...rest } = value as Record<string, unknown>;
  if (type === undefined && values === undefined) return value;
  const structural = ['properties', 'items', 'additionalProperties', 'required', 'default', 'examples', 'title'];
  const constraints = Object.entries(rest).filter(([keyword]) => !structural.includes(keyword));
  if (constraints.length === 0 && format === undefined && values === undefined) return type;
  return { type, format, enum: values, ...Object.fromEntries(constraints) };
}

/** `+12`, `-3` or `±0`. */
export function signed(count: number): string {
  if (count === 0) return '±0';
  return `${count > 0 ? '+' : '-'}${figure(Math.abs(count))}`;
}

/** Names of a group's tools, sorted; empty for the service itself. */
export function toolsOf({ changes }: ChangeGroup): string[] {
  return [...new Set(changes.flatMap(({ tool }) => (tool === null ? [] : [tool])))].sort();
}
