/** Describes an undescribed path argument, if the path shows what it is. */

import { toSentence, toSingular, toWords } from './words.ts';

/** Names that mean nothing without their owner. */
const GENERIC = new Set('code guid id identifier key name number pk ref sid slug uid uri uuid'.split(' '));

/** `Id of the customer.` for `id` in `/customers/{id}`; empty if the name itself says more, or the path less. */
export function toPathArgumentText(path: string, name: string): string {
  const words = toWords(name);
  const segments = path.split('/');
  const before = segments[segments.indexOf(`{${name}}`) - 1] ?? '';
  const owner = before.includes('{') ? [] : toWords(before);
  const last = toSingular(owner.at(-1) ?? '');
  const isPlural = owner.length > 0 && last !== owner.at(-1);
  if (words.length !== 1 || !GENERIC.has(words[0] ?? '') || !isPlural) return '';
  return `${toSentence(words)} of the ${[...owner.slice(0, -1), last].join(' ')}.`;
}
