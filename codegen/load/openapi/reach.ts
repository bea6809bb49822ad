/** The cost of a fault: the operations whose requests reach it, and the descriptions of responses that do. */

import { isRecord, toRecord } from '../../json.ts';
import { escapeToken, pointerTokens } from '../../json-pointer.ts';
import { findPlace } from './places.ts';
import { type Fault, type Json, METHODS, type ReadDescriptor } from './types.ts';

/**
 * A part of the descriptor that is refused as a whole. An operation depends on its path item. Nothing depends on a
 * response: a tool works without its description.
 */
type Part = string;

const OPERATION = `(?:${METHODS.join('|')}|additionalOperations/[^/]+)(?=/|$)`;
const PART = new RegExp(
  `^(?:(/(?:paths|webhooks|components/pathItems)/[^/]+)(?:(/${OPERATION})(/responses/[^/]+)?)?|/components/[^/]+/[^/]+|/security)`,
);

interface Cost {
  /** Why each operation is refused, by its pointer. */
  readonly operations: ReadonlyMap<string, readonly Fault[]>;
  /** Pointers of everything that reaches a fault, including operations. */
  readonly parts: ReadonlySet<Part>;
}

/** @param read From reading the whole document, or what is left of it. */
export function findCost(document: Json, { faults, references }: ReadDescriptor): Cost {
  if (faults.length === 0) return { operations: new Map(), parts: new Set() };
  const users = Map.groupBy(references, ({ to }) => partOf(to));
  const operations = findOperations(document);
  const ofPathItem = Map.groupBy(operations, ({ pathItem }) => pathItem);
  const unsecured = operations.filter(({ hasSecurity }) => !hasSecurity);
  const because = new Map<Part, Fault[]>();
  for (const [part, own] of Map.groupBy(faults, ({ pointer }) => partOf(pointer))) because.set(part, own);
  const waiting = [...because.keys()];
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
    const causes = because.get(part) ?? [];
    const referring = (users.get(part) ?? []).map(({ from }) => partOf(from));
    const inside = part === '/security' ? unsecured : (ofPathItem.get(part) ?? []);
    for (const user of [...referring, ...inside.map(({ pointer }) => pointer)]) {
      if (because.has(user)) continue;
      because.set(user, causes.slice(0, 1));
      waiting.push(user);
    }
  }
  const refused = operations.flatMap(({ pointer }) => {
    const reasons = because.get(pointer);
    return reasons === undefined ? [] : [[pointer, reasons] as const];
  });
  return { operations: new Map(refused), parts: new Set(because.keys()) };
}

/** The part that contains a place; the place itself if no part does. */
function partOf(pointer: string): Part {
  return PART.exec(pointer)?.[0] ?? pointer;
}

interface OperationPart {
  readonly pointer: Part;
  readonly pathItem: Part;
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
  return Object.entries(operations).map(([method, one]) => [`additionalOperations/${escapeToken(method)}`, one]);
}

/** Keys that a refused operation keeps, so that connector.yaml and people still find it. */
const KEPT = ['operationId', 'summary', 'description', 'tags', 'deprecated', 'security'];

/** Removes everything that reaches a fault, so that the rest of the document is valid. */
export function removeParts(document: Json, parts: ReadonlySet<Part>): void {
  for (const part of parts) {
    const tokens = pointerTokens(part);
    const key = tokens.at(-1) ?? '';
    const owner = findPlace(document, `#${part.slice(0, part.lastIndexOf('/')).replaceAll('%', '%25')}`)?.value;
    const [, pathItem, operation, response] = PART.exec(part) ?? [];
    if (part === '' || !(isRecord(owner) || Array.isArray(owner))) continue;
    const holder = owner as Json;
    if (response !== undefined) holder[key] = { description: '' };
    else if (operation !== undefined) holder[key] = pick(toRecord(holder[key]), KEPT);
    else if (pathItem !== undefined && isRecord(holder[key])) holder[key] = withoutOwn(holder[key]);
    else if (!Array.isArray(holder)) delete holder[key];
  }
}

function withoutOwn({ parameters, servers, ...item }: Readonly<Record<string, unknown>>): Json {
  return item;
}

function pick(object: Readonly<Record<string, unknown>>, keys: readonly string[]): Json {
  return Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(object, key) ? [[key, object[key]]] : [])));
}
