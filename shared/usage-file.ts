/**
 * The usage file: the calls of a gateway's tools, in numbers and published names, without values. `utg usage --json` writes it, and `npm run
 * tools:diff -- --usage` reads it. It comes from a gateway, so its content is not trusted.
 */

import { z } from 'zod';

/** Classes of a value. Exactly one fits: '' is `empty`, not `text`; 5 is `integer`, not `number`; [] and {} are `empty`. */
const VALUE_CLASSES = ['null', 'empty', 'text', 'integer', 'number', 'boolean', 'array', 'object', 'other'] as const;
export type ValueClass = (typeof VALUE_CLASSES)[number];

/**
 * The outcome of a call: `waiting` for its user, `denied` by its user, `refused` by the gateway before it was sent (invalid arguments), `failed` at the upstream or
 * on the way.
 */
const OUTCOMES = ['ok', 'waiting', 'denied', 'refused', 'failed'] as const;

const count = z.int().min(0);
const name = z.string().min(1).max(1000);

/**
 * One argument, or one member inside an argument.
 *
 * `calls` is the number of calls that had it at least once. Only an argument with an `enum` has `members`, by the
 * published value: text unchanged, any other value as JSON; `other` for a value that is not published. A call with an
 * array counts once for each class or member in it.
 */
const ARGUMENT = z.strictObject({
  calls: count,
  classes: z.partialRecord(z.enum(VALUE_CLASSES), count),
  members: z.record(name, count).optional(),
});

const TOOL = z.strictObject({
  calls: count,
  outcomes: z.partialRecord(z.enum(OUTCOMES), count),
  arguments: z.record(name, ARGUMENT),
});

/**
 * The whole file.
 *
 * - `from` and `to`: first and last day, UTC, both inclusive: `2026-10-23`. `days` is their number, usually 30.
 * - `threshold`: entries with fewer calls are left out, at every level. So a missing name had 0 to `threshold - 1`
 *   calls, and 1 leaves nothing out.
 * - `tools`: by the name that was called, so an alias has a separate entry. Unknown names are left out.
 * - `arguments`: by place, as the published input schema names it: `limit`, or, if the gateway looks inside arguments,
 *   members joined by dots with `[]` for items: `filter.status`, `tags[]`. `other` for names that are not published.
 * - `depth`: levels of members that are counted: 1 for arguments alone.
 */
export const USAGE_FILE = z.strictObject({
  version: z.literal(2),
  from: z.iso.date(),
  to: z.iso.date(),
  days: z.int().min(1).max(366),
  threshold: z.int().min(1),
  depth: z.int().min(1).max(8),
  tools: z.record(z.string().min(1).max(128), TOOL),
});

export type UsageFile = z.infer<typeof USAGE_FILE>;
export type ToolUsage = UsageFile['tools'][string];
export type ArgumentUsage = ToolUsage['arguments'][string];

/** A file that is not a usage file; the message names its first fault. */
export class UsageFileError extends Error {}

/** @throws {UsageFileError} */
export function readUsage(text: string): UsageFile {
  const result = USAGE_FILE.safeParse(parse(text));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const issuePath = issue === undefined || issue.path.length === 0 ? 'the file' : z.core.toDotPath(issue.path);
  throw new UsageFileError(`Not a usage file of version 2: ${issuePath}: ${issue?.message ?? 'is not valid'}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageFileError('Not a usage file of version 2: it is not JSON.');
  }
}
