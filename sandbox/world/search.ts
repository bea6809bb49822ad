/** Answers a search: the parts of records in which most words of the query occur, best first. */

import { isObject, type JsonObject } from '../json.ts';
import { matches } from './query.ts';
import { listOf, type Tables } from './tables.ts';
import { keyOf } from './values.ts';

/** Where an operation searches; names are members of its body. */
export interface SearchRule {
  /** The list of records, the list of their parts, and the parameter between them. */
  readonly in: string;
  readonly parts: string;
  readonly parameter: string;
  readonly query: string;
  readonly top: string;
  /** A filter of the records by a member: its name in the body, and in the record. */
  readonly filters: Readonly<Record<string, string>>;
  /** Members of a part, by their name in the answer; the record's begin with `record.`. */
  readonly answer: Readonly<Record<string, string>>;
}

const DEFAULT_TOP = 8;

export function search(
  tables: Tables,
  rule: SearchRule,
  { body, example }: { readonly body: unknown; readonly example: unknown },
): { readonly body: unknown } {
  const asked = isObject(body) ? body : {};
  const words = wordsIn(String(asked[rule.query] ?? ''));
  const records = tables
    .all(rule.in)
    .filter((record) =>
      Object.entries(rule.filters).every(
        ([name, member]) => asked[name] === undefined || asked[name] === null || matches(record[member], asked[name]),
      ),
    );
  const found = records.flatMap((record) => {
    const ofRecord = new Set(wordsIn(String(record.name)));
    return listOf(tables.open(rule.parts, { [rule.parameter]: keyOf(record) })?.records).flatMap((part) => {
      const known = new Set([...ofRecord, ...wordsIn(String(part.text))]);
      const score = words.filter((word) => known.has(word)).length / Math.max(1, words.length);
      return score === 0 ? [] : [{ score, record, part }];
    });
  });
  const best = found.toSorted((a, b) => b.score - a.score).slice(0, Number(asked[rule.top] ?? DEFAULT_TOP));
  const [list = ''] = Object.keys(isObject(example) ? example : {});
  return { body: { [list]: best.map((one) => toResult(one, rule.answer)) } };
}

function toResult(
  { score, record, part }: { readonly score: number; readonly record: JsonObject; readonly part: JsonObject },
  answer: SearchRule['answer'],
): JsonObject {
  const named = Object.entries(answer).map(([name, from]) => [
    name,
    from.startsWith('record.') ? record[from.slice(7)] : part[from],
  ]);
  return { score: Math.round(score * 1e4) / 1e4, ...Object.fromEntries(named) };
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\d]{3,}/gu) ?? [];
}
