/**
 * Finds the path segments that an argument must not equal, because another path of the descriptor has them as a
 * literal.
 */

import { byCodeUnit } from '../../json.ts';
import { remember } from '../../remember.ts';
import { typesOf } from '../schema/readers.ts';
import type { ArgumentModel } from '../types.ts';

/** By argument: the values that it must not have, sorted. */
type ReservedSegments = Readonly<Record<string, readonly string[]>>;

/** Looks up the reserved segments of one operation's arguments. */
export type ReservedSegmentsOf = (path: string, args: readonly ArgumentModel[]) => ReservedSegments;

const TEMPLATE = /\{[^{}]*\}/g;
/** One parameter with its surroundings in the segment. */
const ONE_PARAMETER = /^([^{}]*)\{([^{}]*)\}([^{}]*)$/;

/**
 * Reads all paths of a descriptor, even those without a tool: `contactId` of `/contacts/{contact_id}` must not be
 * `upsert` if the descriptor has `/contacts/upsert`, or `batches` if it has `/contacts/batches/{batch_id}`. The request
 * would be another operation's.
 *
 * Values that the schema of the argument itself lists are not reserved.
 */
export function createReservedSegments(paths: readonly string[]): ReservedSegmentsOf {
  const literals = new Map<string, Set<string>>();
  for (const path of paths) {
    for (const { before, segment } of segmentsOf(path)) {
      if (segment.includes('{') || segment === '') continue;
      remember(literals, before, () => new Set()).add(segment);
    }
  }
  return (path, args) => {
    const reserved = segmentsOf(path).flatMap(({ before, segment }) => {
      const [, prefix = '', name, suffix = ''] = ONE_PARAMETER.exec(segment) ?? [];
      const argument = args.find(({ wire }) => wire?.in === 'path' && wire.name === name);
      if (argument === undefined) return [];
      const values = [...(literals.get(before) ?? [])]
        .filter((literal) => literal.length > prefix.length + suffix.length)
        .filter((literal) => literal.startsWith(prefix) && literal.endsWith(suffix))
        .map((literal) => literal.slice(prefix.length, literal.length - suffix.length))
        .filter((value) => canBe(argument, value));
      return values.length === 0 ? [] : [[argument.name, values.sort(byCodeUnit)] as const];
    });
    return Object.fromEntries(reserved);
  };
}

/** Every segment, with the shape of the path before it. */
function segmentsOf(path: string): readonly { readonly before: string; readonly segment: string }[] {
  const segments = path.split('/');
  const shapes = segments.map((segment) => segment.replaceAll(TEMPLATE, '{}'));
  return segments.map((segment, at) => ({ before: shapes.slice(0, at).join('/'), segment }));
}

/** True if the schema allows any text as the value: a number is never a word, and a listed value is intended. */
function canBe({ schema }: ArgumentModel, value: string): boolean {
  const types = typesOf(schema);
  if (types.length > 0 && !types.includes('string')) return /^\d+$/.test(value);
  return !Array.isArray(schema.enum) && schema.const !== value;
}
