/** What is shown of a call to who decides about it: one sentence, its arguments, and what a reading tool says of them. */

import { hash } from 'node:crypto';
import { z } from 'zod';
import type { ValueSealer } from '../../../base/credentials/sealed-value.ts';
import type { Arguments } from '../../upstream/index.ts';
import { isObject } from '../json.ts';
import { escapeTags } from '../results/errors.ts';

const LINE = z.object({ name: z.string(), value: z.string() });
const SHOWN = z.object({
  title: z.string(),
  sentence: z.string(),
  arguments: z.array(LINE),
  preview: z.array(LINE).nullable(),
  standing: z.string().nullable().default(null),
});

/**
 * `value` of a line is JSON, cut if it is long. All of it comes from a model, or from an upstream. `standing`: digest of an approval of all
 * calls of the tool; null: each is approved.
 */
export type Shown = Readonly<z.output<typeof SHOWN>>;
export type ShownLine = Shown['arguments'][number];

const MAX_SENTENCE_VALUE = 60;
const MAX_SENTENCE_ARGUMENTS = 6;
const MAX_VALUE = 4000;
const MAX_LINES = 60;
const MAX_PREVIEW_VALUE = 200;
const MAX_PREVIEW_LINES = 12;

/** Characters that are not seen, or that change how others are read. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A value as JSON on one line, in which nothing is invisible. */
function toText(value: unknown): string {
  return escapeTags(JSON.stringify(value) ?? 'null').replaceAll(UNSEEN, (unseen) =>
    [...Array(unseen.length).keys()]
      .map((index) => `\\u${unseen.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** A long value with its length and digest, so that who knows the whole can compare. */
function toShownText(value: unknown): string {
  const text = toText(value);
  if (text.length <= MAX_VALUE) return text;
  return `${cut(text, MAX_VALUE)} (${text.length} characters in all, SHA-256 ${hash('sha256', text, 'hex')})`;
}

/** Such as `Delete a contact list: listId "7f3a"`. */
function toSentence(title: string, args: Arguments): string {
  const all = Object.entries(args);
  const named = all
    .slice(0, MAX_SENTENCE_ARGUMENTS)
    .map(([name, value]) => `${name} ${cut(toText(value), MAX_SENTENCE_VALUE)}`);
  const more = all.length > named.length ? [`and ${all.length - named.length} more`] : [];
  return named.length === 0 ? title : `${title}: ${[...named, ...more].join(', ')}`;
}

/**
 * @param preview the structured content of a reading tool; null: there is none.
 * @param list an argument that is a list and shown whole, one element a line. Default: none.
 */
export function toShown(title: string, args: Arguments, preview: unknown, list?: string): Omit<Shown, 'standing'> {
  const lines = Object.entries(args).map(([name, value]) => ({
    name,
    value: name === list && Array.isArray(value) ? value.map(toText).join('\n') : toShownText(value),
  }));
  const shown = lines.slice(0, MAX_LINES);
  if (lines.length > shown.length) {
    const rest = Object.fromEntries(Object.entries(args).slice(MAX_LINES));
    shown.push({ name: `${lines.length - MAX_LINES} more`, value: toShownText(rest) });
  }
  return { title, sentence: toSentence(title, args), arguments: shown, preview: toPreview(preview) };
}

/** The plain members of an answer, or of the one object in it. */
function toPreview(answer: unknown): ShownLine[] | null {
  if (!isObject(answer)) return null;
  const members = Object.entries(answer).filter(([, value]) => value !== null);
  const [only] = members;
  if (members.length === 1 && isObject(only?.[1])) return toPreview(only[1]);
  const lines = members.flatMap(([name, value]) => {
    if (Array.isArray(value)) return [{ name, value: `${value.length} entries` }];
    return isObject(value) ? [] : [{ name, value: cut(toText(value), MAX_PREVIEW_VALUE) }];
  });
  return lines.length === 0 ? null : lines.slice(0, MAX_PREVIEW_LINES);
}

/** The row that a sealed text opens for. */
interface Row {
  readonly id: string;
  readonly digest: string | null;
}

const holderOf = ({ id, digest }: Row): string => `${id} ${digest}`;

/** @param expiresAt milliseconds since 1970. */
export function sealShown(sealer: ValueSealer, shown: Shown, row: Row & { readonly expiresAt: number }): string {
  return sealer.seal(shown, { holder: holderOf(row), expiresAt: row.expiresAt });
}

/** @returns null if it is kept no more, or was not sealed for this row. */
export function openShown(sealer: ValueSealer, row: Row & { readonly sealed: string | null }, now: number) {
  if (row.sealed === null) return null;
  const opened = SHOWN.safeParse(sealer.open(row.sealed, { holder: holderOf(row), now }));
  return opened.success ? (opened.data as Shown) : null;
}
