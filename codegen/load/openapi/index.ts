/** Tolerant reading: a fault excludes only the operations that reach it. */

import type { Problem } from '../../diagnostics.ts';
import { toRecord } from '../../json.ts';
import { escapeToken, pointerTokens } from '../../json-pointer.ts';
import { findImpact, removeParts } from './fault-impact.ts';
import { type ObjectKind, SECTIONS } from './objects.ts';
import { readOperations, readUnreached } from './read.ts';
import type { Fault, Json } from './types.ts';

/** A message names at most this many operations and counts the others. */
const MAX_NAMED = 3;

interface RepairedDescriptor {
  /** `origin` as in `Fault`. */
  readonly problems: readonly (Omit<Problem, 'file'> & Pick<Fault, 'origin'>)[];
  /** Sentences on why an operation cannot become a tool, by the pointer of the operation. */
  readonly refused: ReadonlyMap<string, readonly string[]>;
}

/**
 * Repairs a descriptor and removes what cannot be repaired: the rest is valid.
 *
 * A refused operation keeps its names and texts. A response that leads to a fault loses its description. A faulty part
 * that no operation reaches is removed silently.
 *
 * @param document OpenAPI 3, bundled, with broken references replaced (`BROKEN_REFERENCE`); changed in place.
 */
export function repairDescriptor(document: Json): RepairedDescriptor {
  const visitedPointers = new Set<string>();
  const read = readOperations(document, visitedPointers);
  const impact = findImpact(document, read);
  removeParts(document, impact.parts);
  removeUnreached(document, visitedPointers);
  const repaired = read.repairs.map(({ pointer, message }) => ({
    code: 'descriptor-repaired' as const,
    pointer,
    message,
  }));
  const faulty = read.faults.map((fault) => {
    const lostOperations = [...impact.operations]
      .filter(([, reasons]) => reasons.includes(fault))
      .map(([pointer]) => pointer);
    return { ...fault, message: `${fault.message}${describeLoss(lostOperations, fault)}` };
  });
  const refused = [...impact.operations].map(
    ([pointer, reasons]) => [pointer, reasons.map((reason) => toReason(reason, pointer))] as const,
  );
  return { problems: [...repaired, ...faulty], refused: new Map(refused) };
}

/** Types are made from the whole document, so faulty parts that nothing reaches are removed too. */
function removeUnreached(document: Json, visitedPointers: Set<string>): void {
  const { components, webhooks } = document;
  const kindsByPointer = new Map<string, ObjectKind>();
  for (const [section, kind] of SECTIONS) {
    for (const name of Object.keys(toRecord(toRecord(components)[section]))) {
      const pointer = `/components/${section}/${escapeToken(name)}`;
      if (!visitedPointers.has(pointer)) kindsByPointer.set(pointer, kind);
    }
  }
  for (const name of Object.keys(toRecord(webhooks))) kindsByPointer.set(`/webhooks/${escapeToken(name)}`, 'PathItem');
  const read = readUnreached(document, visitedPointers, kindsByPointer);
  removeParts(document, findImpact(document, read).parts);
}

function describeLoss(operations: readonly string[], { pointer }: Fault): string {
  if (operations.length === 0) return pointer.includes('/responses/') ? ' Tools do not describe that answer.' : '';
  const operationNames = operations.slice(0, MAX_NAMED).map(nameOf).join(', ');
  const more = operations.length - MAX_NAMED;
  const rest = more > 0 ? ` and ${more} more` : '';
  return ` ${operationNames}${rest} ${operations.length === 1 ? 'does not become a tool' : 'do not become tools'}.`;
}

/** `GET /notes` from `/paths/~1notes/get`. */
function nameOf(operation: string): string {
  const [, path = '', method = '', other] = pointerTokens(operation);
  return operation.startsWith('/paths/') ? `${(other ?? method).toUpperCase()} ${path}` : operation.slice(1);
}

function toReason({ pointer, message }: Fault, operation: string): string {
  return pointer.startsWith(`${operation}/`) ? message : `${pointer.slice(1)}: ${message}`;
}
