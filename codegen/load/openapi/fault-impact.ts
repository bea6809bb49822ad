/** The cost of a fault: the operations whose requests reach it, and the descriptions of responses that do. */

import { isRecord, toRecord } from '../../json.ts';
import { escapeToken, pointerTokens } from '../../json-pointer.ts';
import { findTarget } from './find-target.ts';
import { type Fault, type Json, METHODS, type ReadDescriptor } from './types.ts';

/**
 * A part of the descriptor that is refused as a whole. An operation depends on its path item. Nothing depends on a
 * response: a tool works without its description.
 */
type PartPointer = string;

const OPERATION = `(?:${METHODS.join('|')}|additionalOperations/[^/]+)(?=/|$)`;
const PART = new RegExp(
  `^(?:(/(?:paths|webhooks|components/pathItems)/[^/]+)(?:(/${OPERATION})(/responses/[^/]+)?)?|/components/[^/]+/[^/]+|/security)`,
);

interface FaultImpact {
  /** Why each operation is refused, by its pointer. */
  readonly operations: ReadonlyMap<string, readonly Fault[]>;
  /** Pointers of everything that reaches a fault, including operations. */
  readonly parts: ReadonlySet<PartPointer>;
}

/** @param read From reading the whole document, or what is left of it. */
export function findImpact(document: Json, { faults, references }: ReadDescriptor): FaultImpact {
  if (faults.length === 0) return { operations: new Map(), parts: new Set() };
  const referencesByPart = Map.groupBy(references, ({ to }) => partOf(to));
  const operations = findOperations(document);
  const operationsByPathItem = Map.groupBy(operations, ({ pathItem }) => pathItem);
  const unsecured = operations.filter(({ hasSecurity }) => !hasSecurity);
  const faultsByPart = new Map<PartPointer, Fault[]>();
  for (const [partPointer, partFaults] of Map.groupBy(faults, ({ pointer }) => partOf(pointer)))
    faultsByPart.set(partPointer, partFaults);
  const queue = [...faultsByPart.keys()];
  for (let partPointer = queue.shift(); partPointer !== undefined; partPointer = queue.shift()) {
    const causes = faultsByPart.get(partPointer) ?? [];
    const referring = (referencesByPart.get(partPointer) ?? []).map(({ from }) => partOf(from));
    const containedOperations = partPointer === '/security' ? unsecured : (operationsByPathItem.get(partPointer) ?? []);
    for (const dependent of [...referring, ...containedOperations.map(({ pointer }) => pointer)]) {
      if (faultsByPart.has(dependent)) continue;
      faultsByPart.set(dependent, causes.slice(0, 1));
      queue.push(dependent);
    }
  }
  const refused = operations.flatMap(({ pointer }) => {
    const reasons = faultsByPart.get(pointer);
    return reasons === undefined ? [] : [[pointer, reasons] as const];
  });
  return { operations: new Map(refused), parts: new Set(faultsByPart.keys()) };
}

/** The part that contains a place; the place itself if no part does. */
function partOf(pointer: string): PartPointer {
  return PART.exec(pointer)?.[0] ?? pointer;
}

interface OperationPart {
  readonly pointer: PartPointer;
  readonly pathItem: PartPointer;
  readonly hasSecurity: boolean;
}

function findOperations(document: Json): OperationPart[] {
  const items = [
    ...Object.entries(toRecord(document.paths)).map(([path, item]) => [`/paths/${escapeToken(path)}`, item] as const),
    ...Object.entries(toRecord(toRecord(document.components).pathItems)).map(
      ([name, item]) => [`/components/pathItems/${escapeToken(name)}`, item] as const,
    ),
  ];
  return items.flatMap(([pathItem, item]) =>
    [...Object.entries(toRecord(item)), ...additional(item)].flatMap(([key, operation]) =>
      METHODS.includes(key) || key.startsWith('additionalOperations/')
        ? [{ pointer: `${pathItem}/${key}`, pathItem, hasSecurity: toRecord(operation).security !== undefined }]
        : [],
    ),
  );
}

function additional(item: unknown): [string, unknown][] {
  const operations = toRecord(toRecord(item).additionalOperations);
  return Object.entries(operations).map(([method, operation]) => [
    `additionalOperations/${escapeToken(method)}`,
    operation,
  ]);
}

/** Keys that a refused operation keeps, so that connector.yaml and people still find it. */
const RETAINED_KEYS = ['operationId', 'summary', 'description', 'tags', 'deprecated', 'security'];

/** Removes everything that reaches a fault, so that the rest of the document is valid. */
export function removeParts(document: Json, parts: ReadonlySet<PartPointer>): void {
  for (const partPointer of parts) {
    const tokens = pointerTokens(partPointer);
    const key = tokens.at(-1) ?? '';
    const owner = findTarget(
      document,
      `#${partPointer.slice(0, partPointer.lastIndexOf('/')).replaceAll('%', '%25')}`,
    )?.value;
    const [, pathItem, operation, response] = PART.exec(partPointer) ?? [];
    if (partPointer === '' || !(isRecord(owner) || Array.isArray(owner))) continue;
    const holder = owner as Json;
    if (response !== undefined) holder[key] = { description: '' };
    else if (operation !== undefined) holder[key] = pick(toRecord(holder[key]), RETAINED_KEYS);
    else if (pathItem !== undefined && isRecord(holder[key])) holder[key] = omitSharedFields(holder[key]);
    else if (!Array.isArray(holder)) delete holder[key];
  }
}

function omitSharedFields({ parameters, servers, ...item }: Readonly<Record<string, unknown>>): Json {
  return item;
}

function pick(object: Readonly<Record<string, unknown>>, keys: readonly string[]): Json {
  return Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(object, key) ? [[key, object[key]]] : [])));
}
