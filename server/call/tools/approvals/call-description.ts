/** The description of a call for the person who decides about it: everything that it sends, and the answers of reading tools about it. */

import { z } from 'zod';
import type { ValueSealer } from '../../../base/credentials/sealed-value.ts';
import { isObject } from '../json.ts';
import { SHOWN_ARGUMENT, type ShownArgument } from './shown-arguments.ts';
import { escapeUnseen, toVisibleJson } from './visible-text.ts';

const LINE = z.object({ name: z.string(), value: z.string() });

const LOOKED_UP_NAME = z.object({
  argument: z.string(),
  id: z.string(),
  /** The name in the words of the service, such as `"Newsletter", num_contacts 8`. Undefined if there is a `problem`. */
  name: z.string().optional(),
  problem: z.enum(['missing', 'failed', 'nameless']).optional(),
  /** True if the client may call the reading tool, and so may see the name. */
  isForClient: z.boolean(),
});

const SHOWN = z.object({
  title: z.string(),
  /** The title with every argument; without them where they are too long, which `isWhole` says. */
  sentence: z.string(),
  isWhole: z.boolean(),
  arguments: z.array(SHOWN_ARGUMENT),
  names: z.array(LOOKED_UP_NAME),
  preview: z.array(LINE).nullable(),
  /** Time at which names and preview were read, in milliseconds since 1970. Undefined if nothing was read. */
  lookedUpAt: z.number().optional(),
  standing: z.string().nullable(),
});

/**
 * Arguments come from a model, names and preview from an upstream. `standing` is the digest of an approval of all calls of the tool, or null if each
 * call needs its own approval.
 */
export type CallDescription = Readonly<z.output<typeof SHOWN>>;
export type PreviewLine = Readonly<z.output<typeof LINE>>;
export type LookedUpName = Readonly<z.output<typeof LOOKED_UP_NAME>>;

/** The answers of reading tools about a call. */
export interface LookUps {
  readonly names: readonly LookedUpName[];
  /** Structured content of the tool's preview. Null if the tool has no preview, or the preview failed. */
  readonly preview: unknown;
  /** Time at which names and preview were read, in milliseconds since 1970. Undefined if no tool was called. */
  readonly lookedUpAt?: number;
}

/** Characters of a sentence with all arguments. A client shows it in a form. */
const MAX_SENTENCE_LENGTH = 1000;

const MAX_PREVIEW_VALUE = 200;
const MAX_PREVIEW_LINES = 12;

/** Describes a call to who decides about it. `title` may say how many calls it is. */
export function describeCall(
  title: string,
  args: readonly ShownArgument[],
  { names, preview, lookedUpAt }: LookUps,
  standing: string | null,
): CallDescription {
  const fullSentence = toSentence(title, args);
  const isWhole = fullSentence.length <= MAX_SENTENCE_LENGTH;
  const count = args.length === 1 ? 'one argument' : `${args.length} arguments`;
  const description = {
    title,
    sentence: isWhole ? fullSentence : `${title}, with ${count}`,
    isWhole,
    arguments: [...args],
    names: [...names],
    preview: toPreview(preview),
    standing,
  };
  return lookedUpAt === undefined ? description : { ...description, lookedUpAt };
}

/** Another name could look like several arguments. */
const PLAIN_NAME = /^[^\s",:()]+$/;

/** Writes all arguments, such as `Delete a contact list: listId "7f3a"`. */
function toSentence(title: string, args: readonly ShownArgument[]): string {
  const argumentTexts = args.map(({ name, value, origin, warning }) => {
    const remark = origin === 'default' || origin === 'constant' ? ' (added by the gateway)' : '';
    const quotedName = PLAIN_NAME.test(name) ? name : `"${name}"`;
    return `${quotedName} ${value}${remark}${warning === undefined ? '' : ` (${warning.replace(/\.$/, '')})`}`;
  });
  return argumentTexts.length === 0 ? title : `${title}: ${escapeMarkup(argumentTexts.join(', '))}`;
}

/** Escapes what a client that renders Markdown would hide: comments, elements, and the targets of links. */
export function escapeMarkup(json: string): string {
  return json.replaceAll('<', '\\u003c').replaceAll('](', ']\\u0028');
}

/** Names the plain members of an answer, or of the one object in it. */
function toPreview(answer: unknown): PreviewLine[] | null {
  if (!isObject(answer)) return null;
  const members = Object.entries(answer).filter(([, value]) => value !== null);
  const [onlyMember] = members;
  if (members.length === 1 && isObject(onlyMember?.[1])) return toPreview(onlyMember[1]);
  const lines = members.flatMap(([name, value]) => {
    if (Array.isArray(value)) return [{ name: nameOf(name), value: `${value.length} entries` }];
    return isObject(value) ? [] : [{ name: nameOf(name), value: truncate(toVisibleJson(value), MAX_PREVIEW_VALUE) }];
  });
  return lines.length === 0 ? null : lines.slice(0, MAX_PREVIEW_LINES);
}

/** The name of a member that a service chose: on one line. */
const nameOf = (name: string): string => truncate(escapeUnseen(name).replaceAll('\n', '\\n'), MAX_PREVIEW_VALUE);

function truncate(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The row that a sealed text opens for. */
interface Row {
  readonly id: string;
  readonly digest: string | null;
}

const holderOf = ({ id, digest }: Row): string => `${id} ${digest}`;

/** @param expiresAt milliseconds since 1970. */
export function sealDescription(
  sealer: ValueSealer,
  description: CallDescription,
  row: Row & { readonly expiresAt: number },
): string {
  return sealer.seal(description, { holder: holderOf(row), expiresAt: row.expiresAt });
}

/** @returns null if it is kept no more, or was not sealed for this row. */
export function openDescription(sealer: ValueSealer, row: Row & { readonly sealed: string | null }, now: number) {
  if (row.sealed === null) return null;
  const opened = SHOWN.safeParse(sealer.open(row.sealed, { holder: holderOf(row), now }));
  return opened.success ? (opened.data as CallDescription) : null;
}
