/** Reads a descriptor from its operations along everything that they reference, and repairs what it can. */

import { isRecord } from '../../json.ts';
import { toPointer } from '../../json-pointer.ts';
import { nearest } from '../../nearest.ts';
import { findTarget } from './find-target.ts';
import { type DescribedKind, type Field, fieldsOf, NAMES, type ObjectKind, SECTIONS } from './objects.ts';
import { repairMethods, repairParameter, repairPaths, repairRepeatedParameters } from './repair-objects.ts';
import { describeValue, REPAIRS } from './repairs.ts';
import { dropWrongReference, readSchema, toReferences } from './schemas.ts';
import {
  BROKEN_REFERENCE,
  type BrokenReference,
  type Fault,
  type Json,
  type ReadDescriptor,
  type Reading,
  type Tokens,
} from './types.ts';

/** Objects that a Reference Object may replace; path items and schemas have their own `$ref`. */
const REFERABLE: ReadonlySet<ObjectKind> = new Set(['Parameter', 'Header', 'RequestBody', 'Response', 'MediaType']);

/** Keys that a Reference Object may have (OpenAPI 3.1 §4.8.23). */
const REFERENCE_KEYS = new Set(['$ref', 'summary', 'description']);

/**
 * Reads the objects that calls depend on, each once; others are neither checked nor changed.
 *
 * @param document OpenAPI 3, bundled; it is repaired in place.
 */
export function readOperations(document: Json, visitedPointers: Set<string>): ReadDescriptor {
  return read(document, visitedPointers, (reading) => readObject(document, 'Document', [], reading));
}

/** The same for places that no operation reaches, by their pointers. */
export function readUnreached(
  document: Json,
  visitedPointers: Set<string>,
  kindsByPointer: ReadonlyMap<string, ObjectKind>,
): ReadDescriptor {
  return read(document, visitedPointers, (reading) => {
    for (const [pointer, kind] of kindsByPointer) reading.follow(`#${pointer.replaceAll('%', '%25')}`, [], kind);
  });
}

/** @param visitedPointers Pointers of objects that were already read; new ones are added. */
function read(document: Json, visitedPointers: Set<string>, start: (reading: Reading) => void): ReadDescriptor {
  const repairs: { pointer: string; message: string }[] = [];
  const faults: Fault[] = [];
  const references: { from: string; to: string }[] = [];
  const pendingReads: (() => void)[] = [];
  const reading: Reading = {
    document,
    repair: (repair, tokens, repaired) => {
      repairs.push({ pointer: toPointer(tokens), message: REPAIRS[repair](repaired) });
    },
    fault: (tokens, message) => {
      faults.push({ code: 'openapi-invalid', pointer: toPointer(tokens), message });
    },
    follow: (ref, tokens, kind) => {
      const target = findTarget(document, ref);
      if (target === null) {
        faults.push({
          code: 'reference-unresolved',
          pointer: toPointer(tokens),
          message: `$ref ${JSON.stringify(ref)} leads nowhere.`,
        });
        return;
      }
      if (target.tokens.length === 0 && kind !== 'Schema') {
        const message = `This leads to the whole descriptor, where ${NAMES[kind as DescribedKind]} belongs.`;
        faults.push({ code: 'reference-kind', pointer: toPointer(tokens), message });
        return;
      }
      const section = target.tokens.length === 3 && target.tokens[0] === 'components' ? target.tokens[1] : undefined;
      if (section === 'schemas' && kind !== 'Schema') {
        const message = `This leads to a schema, where ${NAMES[kind as DescribedKind]} belongs.`;
        faults.push({ code: 'reference-kind', pointer: toPointer(tokens), message });
        return;
      }
      references.push({ from: toPointer(tokens), to: toPointer(target.tokens) });
      readTarget(target.tokens, kind);
    },
    isBroken: (value, tokens) => {
      const broken = value[BROKEN_REFERENCE] as BrokenReference | undefined;
      if (broken === undefined) return false;
      faults.push({ ...broken, pointer: toPointer(tokens) });
      return true;
    },
  };
  /** Reads a component whole, whichever part is referenced. Parts of `paths` are read with their operations. */
  const readTarget = (tokens: Tokens, kind: ObjectKind): void => {
    if (tokens[0] === 'paths') return;
    const section = tokens[0] === 'components' ? SECTIONS.get(tokens[1] ?? '') : undefined;
    const target = section === undefined || tokens.length < 3 ? tokens : tokens.slice(0, 3);
    const pointer = toPointer(target);
    if (visitedPointers.has(pointer)) return;
    visitedPointers.add(pointer);
    pendingReads.push(() => {
      const owner = findTarget(document, `#${toPointer(target.slice(0, -1))}`)?.value as Json;
      readValue({ owner, key: target.at(-1) ?? '', tokens: target }, section ?? kind, reading);
    });
  };

  start(reading);
  for (let next = pendingReads.pop(); next !== undefined; next = pendingReads.pop()) next();
  return { repairs, faults, references };
}

/** A value that can be replaced: the key of its owner, and its place in the document. */
interface ObjectEntry {
  readonly owner: Json;
  readonly key: string;
  readonly tokens: Tokens;
}

/** Reads a value as an object of a kind. */
function readValue(entry: ObjectEntry, kind: ObjectKind, reading: Reading): void {
  const { owner, key, tokens } = entry;
  const value = owner[key];
  if (kind === 'Schema') {
    if (!isRecord(value) && typeof value !== 'boolean') {
      reading.repair('schema-none', tokens, { key, owner: 'a schema', value });
      owner[key] = {};
    }
    readSchema(owner[key], tokens, reading);
    return;
  }
  if (!isRecord(value)) {
    const name = NAMES[kind as DescribedKind] ?? 'an entry';
    reading.fault(
      tokens,
      `${name.charAt(0).toUpperCase()}${name.slice(1)} must be an object, and is ${describeValue(value)}.`,
    );
    return;
  }
  if (kind === 'Requirement' || reading.isBroken(value, tokens)) return;
  if (dropWrongReference(value, NAMES[kind], tokens, reading) && REFERABLE.has(kind)) return;
  const { $ref: ref } = value;
  if (typeof ref === 'string') {
    if (REFERABLE.has(kind)) {
      readReference(value, kind as DescribedKind, tokens, reading);
      return;
    }
    if (kind === 'Operation') {
      readOperationReference(entry, ref, reading);
      return;
    }
    if (kind !== 'PathItem') {
      reading.fault(tokens, `A \`$ref\` cannot stand for ${NAMES[kind]}.`);
      return;
    }
    reading.follow(ref, tokens, kind);
    if ((findTarget(reading.document, ref)?.tokens.length ?? 0) === 0) delete (value as Json).$ref;
  }
  readObject(value, kind, tokens, reading);
}

function readReference(value: Json, kind: DescribedKind, tokens: Tokens, reading: Reading): void {
  for (const key of Object.keys(value)) {
    if (REFERENCE_KEYS.has(key) || key.startsWith('x-')) continue;
    reading.repair('reference-siblings', [...tokens, key], { key, owner: NAMES[kind] });
    delete value[key];
  }
  reading.follow(String(value.$ref), tokens, kind);
}

function readOperationReference({ owner, key, tokens }: ObjectEntry, ref: string, reading: Reading): void {
  const target = findTarget(reading.document, ref);
  if (target === null || !isRecord(target.value)) {
    reading.fault(tokens, `$ref ${JSON.stringify(ref)} leads nowhere.`);
    return;
  }
  const { callbacks, ...operation } = target.value;
  reading.repair('reference-for-operation', tokens, { key, owner: NAMES.PathItem });
  owner[key] = operation;
  readObject(operation, 'Operation', tokens, reading);
}

function readObject(object: Json, kind: DescribedKind, tokens: Tokens, reading: Reading): void {
  if (kind === 'Parameter') repairParameter(object, tokens, reading);
  if (kind === 'Document') repairPaths(object, reading);
  if (kind === 'PathItem') repairMethods(object, tokens, reading);
  if (kind === 'PathItem' || kind === 'Operation') repairRepeatedParameters(object, kind, tokens, reading);
  const fields = fieldsOf(kind);
  for (const key of Object.keys(object)) {
    const field = fields.get(key);
    const entry = { owner: object, key, tokens: [...tokens, key] };
    if (field !== undefined) readField(entry, field, kind, reading);
    else if (!key.startsWith('x-') && key !== BROKEN_REFERENCE) readUnknown(entry, kind, reading);
  }
  for (const [key, field] of fields) {
    if (field.isRequired && object[key] === undefined)
      reading.fault(tokens, `\`${key}\` of ${NAMES[kind]} is missing.`);
  }
}

/** A misspelt key that affects the request is a fault of its object; any other unknown key is ignored. */
function readUnknown({ owner, key, tokens }: ObjectEntry, kind: DescribedKind, reading: Reading): void {
  if (kind === 'Document' || kind === 'Info' || kind === 'Components') return;
  const missing = [...fieldsOf(kind)].filter(([name, { isNote }]) => !isNote && owner[name] === undefined);
  const [near] = nearest(
    key,
    missing.map(([name]) => name).filter((name) => name.length > 4),
  );
  if (near !== undefined && Math.abs(near.length - key.length) <= 2) {
    reading.fault(tokens, `OpenAPI has no \`${key}\` in ${NAMES[kind]}. It looks like \`${near}\`.`);
    return;
  }
  reading.repair('unknown-key', tokens, { key, owner: NAMES[kind] });
}

function readField(entry: ObjectEntry, field: Field, kind: DescribedKind, reading: Reading): void {
  const { owner: object, key, tokens } = entry;
  const owner = NAMES[kind];
  const fieldValue = object[key];
  if (field.valueKind === 'any' && field.collection === null) return;
  if (fieldValue === null && !(field.isRequired && !field.isNote)) {
    reading.repair('null', tokens, { key, owner });
    delete object[key];
    return;
  }
  if (field.valueKind === 'text' || field.valueKind === 'flag') {
    readScalar(entry, field, owner, reading);
    return;
  }
  const objectKind = field.valueKind as ObjectKind;
  if (field.collection === null) {
    readValue(entry, objectKind, reading);
    return;
  }
  const list =
    field.collection === 'list' && isRecord(fieldValue) && typeof fieldValue.$ref !== 'string'
      ? [fieldValue]
      : fieldValue;
  if (list !== fieldValue) {
    reading.repair('one-for-list', tokens, { key, owner });
    object[key] = list;
  }
  const isExpectedType = field.collection === 'list' ? Array.isArray(list) : isRecord(list);
  if (isRecord(list) && reading.isBroken(list, tokens)) return;
  if (isRecord(list) && typeof list.$ref === 'string') {
    const members =
      REFERABLE.has(objectKind) || objectKind === 'PathItem' ? toReferences(list.$ref, reading.document) : null;
    if (members === null) {
      reading.fault(tokens, `A \`$ref\` cannot stand for \`${key}\` of ${owner}.`);
      return;
    }
    reading.repair('reference-for-many', tokens, { key, owner });
    object[key] = members;
  } else if (!isExpectedType) {
    reportWrongType(entry, field, owner, reading);
    return;
  }
  const entries = object[key] as Json;
  for (const name of Object.keys(entries)) {
    if (!name.startsWith('x-'))
      readValue({ owner: entries, key: name, tokens: [...tokens, name] }, objectKind, reading);
  }
}

/** Reads texts and flags, single or in lists. */
function readScalar(entry: ObjectEntry, field: Field, owner: string, reading: Reading): void {
  const { owner: object, key, tokens } = entry;
  const fieldValue = object[key];
  const isText = field.valueKind === 'text';
  const isExpectedType = (value: unknown): boolean => (isText ? typeof value === 'string' : typeof value === 'boolean');
  if (field.collection === 'list') {
    if (!Array.isArray(fieldValue)) {
      reportWrongType(entry, field, owner, reading);
      return;
    }
    if (fieldValue.every(isExpectedType)) return;
    reading.repair('number-for-text', tokens, {
      key,
      owner,
      value: fieldValue.find((value) => !isExpectedType(value)),
    });
    object[key] = fieldValue.filter((value) => value !== null).map(String);
  } else if (isExpectedType(fieldValue)) {
    return;
  } else if (isText && (typeof fieldValue === 'number' || typeof fieldValue === 'boolean')) {
    reading.repair('number-for-text', tokens, { key, owner, value: fieldValue });
    object[key] = String(fieldValue);
  } else if (!isText && (fieldValue === 'true' || fieldValue === 'false')) {
    reading.repair('text-for-flag', tokens, { key, owner, value: fieldValue });
    object[key] = fieldValue === 'true';
  } else {
    reportWrongType(entry, field, owner, reading);
  }
}

const SCALARS = { text: 'a text', flag: 'true or false' } as const;
const MANY = { list: 'a list', map: 'an object' } as const;

function reportWrongType(
  { owner: object, key, tokens }: ObjectEntry,
  field: Field,
  owner: string,
  reading: Reading,
): void {
  const fieldValue = object[key];
  if (field.isNote) {
    reading.repair('wrong-note', tokens, { key, owner, value: fieldValue });
    delete object[key];
    return;
  }
  const expected = field.collection === null ? SCALARS[field.valueKind as 'text' | 'flag'] : MANY[field.collection];
  reading.fault(tokens, `\`${key}\` of ${owner} must be ${expected}, and is ${describeValue(fieldValue)}.`);
}
