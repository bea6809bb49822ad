/** Finds the path segments that an argument must not become, because another path of the descriptor has them as a literal. */

import { byCodeUnit } from '../../json.ts';
import { typesOf } from '../schema/readers.ts';
import type { ArgumentModel } from '../types.ts';

/** By argument: what it must not be, sorted. */
export type ReservedSegments = Readonly<Record<string, readonly string[]>>;

/** Looks up the reserved segments of one operation's arguments. */
export type ReservedSegmentsOf = (path: string, args: readonly ArgumentModel[]) => ReservedSegments;

const TEMPLATE = /\{[^{}]*\}/g;
/** One parameter, and what stands around it in its segment. */
const ONE_PARAMETER = /^([^{}]*)\{([^{}]*)\}([^{}]*)$/;

/**
 * Reads the paths of a descriptor, those without a tool too: `contactId` of `/contacts/{contact_id}` must not be `upsert`
 * where the descriptor has `/contacts/upsert`, or `batches` where it has `/contacts/batches/{batch_id}`. The request would
 * be another operation's.
 *
 * What the schema of an argument names as a value itself is not reserved.
 */
export function createReservedSegments(paths: readonly string[]): ReservedSegmentsOf {
  const literals = new Map<string, Set<string>>();
  for (const path of paths) {
    for (const { before, segment } of segmentsOf(path)) {
      if (segment.includes('{') || segment === '') continue;
      const known = literals.get(before) ?? new Set();
      literals.set(before, known.add(segment));
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

/** Whether nothing but the path speaks about the value: a number never is a word, and a named value is meant. */
function canBe({ schema }: ArgumentModel, value: string): boolean {
  const types = typesOf(schema);
  if (types.length > 0 && !types.includes('string')) return /^\d+$/.test(value);
  return !Array.isArray(schema.enum) && schema.const !== value;
}
