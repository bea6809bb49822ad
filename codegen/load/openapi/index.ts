/** Tolerant reading: only what an operation reaches can refuse it, and it costs that operation. */

import type { Problem } from '../../diagnostics.ts';
import { toRecord } from '../../json.ts';
import { escapeToken, pointerTokens } from '../../json-pointer.ts';
import { type ObjectKind, SECTIONS } from './objects.ts';
import { findCost, removeParts } from './reach.ts';
import { readOperations, readUnreached } from './read.ts';
import type { Fault, Json } from './types.ts';

/** Operations that a message names; the others are counted. */
const MAX_NAMED = 3;

interface SoundDescriptor {
  /** `origin` as in `Fault`. */
  readonly problems: readonly (Omit<Problem, 'file'> & Pick<Fault, 'origin'>)[];
  /** Sentences on why an operation can have no tool, by the pointer of the operation. */
  readonly refused: ReadonlyMap<string, readonly string[]>;
}

/**
 * Repairs a descriptor, and takes out of it what cannot be repaired: everything left is sound.
 *
 * Of a refused operation its names and texts stay. An answer that leads to a fault stays without its description. What
 * no operation reaches goes silently where it is wrong.
 *
 * @param document OpenAPI 3, bundled, with references to nowhere replaced (`BROKEN_REFERENCE`); changed in place.
 */
export function readSound(document: Json): SoundDescriptor {
  const seen = new Set<string>();
  const read = readOperations(document, seen);
  const cost = findCost(document, read);
  removeParts(document, cost.parts);
  removeUnreached(document, seen);
  const repaired = read.repairs.map(({ pointer, message }) => ({
    code: 'descriptor-repaired' as const,
    pointer,
    message,
  }));
  const faulty = read.faults.map((fault) => {
    const lost = [...cost.operations].filter(([, reasons]) => reasons.includes(fault)).map(([pointer]) => pointer);
    return { ...fault, message: `${fault.message}${toLoss(lost, fault)}` };
  });
  const refused = [...cost.operations].map(
    ([pointer, reasons]) => [pointer, reasons.map((reason) => toReason(reason, pointer))] as const,
  );
  return { problems: [...repaired, ...faulty], refused: new Map(refused) };
}

/** Types are made of the whole document, so that what nothing reaches must be sound as well, or go. */
function removeUnreached(document: Json, seen: Set<string>): void {
  const { components, webhooks } = document;
  const places = new Map<string, ObjectKind>();
  for (const [section, kind] of SECTIONS) {
    for (const name of Object.keys(toRecord(toRecord(components)[section]))) {
      const pointer = `/components/${section}/${escapeToken(name)}`;
      if (!seen.has(pointer)) places.set(pointer, kind);
    }
  }
  for (const name of Object.keys(toRecord(webhooks))) places.set(`/webhooks/${escapeToken(name)}`, 'PathItem');
  const read = readUnreached(document, seen, places);
  removeParts(document, findCost(document, read).parts);
}

function toLoss(operations: readonly string[], { pointer }: Fault): string {
  if (operations.length === 0) return pointer.includes('/responses/') ? ' Tools do not describe that answer.' : '';
  const named = operations.slice(0, MAX_NAMED).map(nameOf).join(', ');
  const more = operations.length - MAX_NAMED;
  const rest = more > 0 ? ` and ${more} more` : '';
  return ` ${named}${rest} ${operations.length === 1 ? 'does not become a tool' : 'do not become toolss'}.`;
}

/** `GET /notes` from `/paths/~1notes/get`. */
function nameOf(operation: string): string {
  const [, path = '', method = '', other] = pointerTokens(operation);
  return operation.startsWith('/paths/') ? `${(other ?? method).toUpperCase()} ${path}` : operation.slice(1);
}

function toReason({ pointer, message }: Fault, operation: string): string {
  return pointer.startsWith(`${operation}/`) ? message : `${pointer.slice(1)}: ${message}`;
}
