/** Answers a search: the parts of records in which most words of the query occur, best first. */

import { isObject, type JsonObject, valueAt } from '../json.ts';
import { matches } from './query.ts';
import type { Tables } from './tables.ts';
import { keyOf, listOf } from './values.ts';

/** The search of an operation; names are members of its body. */
export interface SearchRule {
  /** The list of records, the list of their parts, and the parameter between them. */
  readonly in: string;
  readonly parts: string;
  readonly parameter: string;
  readonly query: string;
  readonly top: string;
  /** A filter of the records by a member: its name in the body, and in the record. */
  readonly filters: Readonly<Record<string, string>>;
  /** Members of a `part` or its `record`, by their name in the answer. */
  readonly answer: Readonly<Record<string, string>>;
}

const DEFAULT_TOP = 8;

export function search(
  tables: Tables,
  rule: SearchRule,
  { body, example }: { readonly body: unknown; readonly example: unknown },
): { readonly body: unknown } {
  const request = isObject(body) ? body : {};
  const words = wordsIn(String(request[rule.query] ?? ''));
  const filters = Object.entries(rule.filters).filter(([name]) => (request[name] ?? null) !== null);
  const passesFilters = (record: JsonObject) =>
    filters.every(([name, member]) => matches(record[member], request[name]));
  const scoredParts = tables
    .all(rule.in)
    .filter(passesFilters)
    .flatMap((record) => {
      const nameWords = wordsIn(String(record.name));
      return listOf(tables.open(rule.parts, { [rule.parameter]: keyOf(record) })?.records).map((part) => {
        const recordWords = new Set([...nameWords, ...wordsIn(String(part.text))]);
        return {
          record,
          part,
          score: words.filter((word) => recordWords.has(word)).length / Math.max(1, words.length),
        };
      });
    });
  const best = scoredParts.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  const answers = best.slice(0, Number(request[rule.top] ?? DEFAULT_TOP)).map(({ score, ...match }) => {
    const members = Object.entries(rule.answer).map(([name, path]) => [name, valueAt(match, path)]);
    return { score: Math.round(score * 1e4) / 1e4, ...Object.fromEntries(members) };
  });
  const [list = ''] = Object.keys(isObject(example) ? example : {});
  return { body: { [list]: answers } };
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\d]{3,}/gu) ?? [];
}
