/** Infers the effect of a POST from the shapes of its request and its answer. */

import { isRecord, toRecord } from '../../json.ts';
import type { OperationModel, Schema } from '../../model/types.ts';
import { wordSet } from '../../word-set.ts';
import { toWords } from '../words/words.ts';
import { verbAt } from './names.ts';

/** The parts of an operation that have shapes. */
type ShapedOperation = Partial<Pick<OperationModel, 'parameters' | 'body' | 'responses'>>;

/** A member of the request. */
interface Member {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

export type Resolve = (ref: string) => Schema;

/** Maximum number of references and `allOf` levels that are followed. */
const MAX_DEPTH = 8;

/** Members that choose what an operation does. */
const ACTION_NAMES = wordSet('action cmd command op operation verb');

/** Members that ask for one page of a list. */
const PAGE_NAMES =
  /^(cursor|limit|max_?results|next_?(page_?)?token|offset|page|page_?(number|size|token)|per_?page|start_?cursor)$/i;

/** Participles that an answer has where something was deleted. */
const DELETION_PARTICIPLES = wordSet('deleted destroyed erased purged removed revoked terminated');

/** Other members of an answer that says only that something was deleted. */
const RECEIPT_NAMES = wordSet('id key message name object ok status success type');

/**
 * Returns a sign that the operation destroys, in words, or null.
 *
 * @param isNamedAsReading if true, only required members count.
 */
export function findDestructiveShape(
  operation: ShapedOperation,
  isNamedAsReading: boolean,
  resolve: Resolve,
): string | null {
  for (const { name, schema, isRequired } of membersOfRequest(operation, resolve)) {
    if (!ACTION_NAMES.has(name.toLowerCase()) || (isNamedAsReading && !isRequired)) continue;
    const value = valuesOf(schema, resolve).find((text) => verbAt(toWords(text), 0)?.effect === 'destroys');
    if (value !== undefined) return `"${value}" among the values of ${name}`;
  }
  const answer = Object.entries(membersOf(schemaOfAnswer(operation), resolve));
  const receipt = answer.find(([name, schema]) => {
    const types = [expand(schema, resolve).type].flat();
    if (!toWords(name).some((word) => DELETION_PARTICIPLES.has(word))) return false;
    const otherMembers = answer.filter(([other]) => other !== name);
    return (
      types.includes('integer') ||
      (types.includes('boolean') && otherMembers.every(([other]) => RECEIPT_NAMES.has(other)))
    );
  });
  return receipt === undefined ? null : `"${receipt[0]}" in the answer`;
}

/** Returns a sign that the operation only reads: it asks for a page and is answered with a list. Null without such a sign. */
export function findReadingShape(operation: ShapedOperation, resolve: Resolve): string | null {
  const page = membersOfRequest(operation, resolve).find(({ name }) => PAGE_NAMES.test(name));
  if (page === undefined) return null;
  const answer = expand(schemaOfAnswer(operation) ?? {}, resolve);
  const isList = (schema: Schema) => [expand(schema, resolve).type].flat().includes('array');
  const hasList = isList(answer) || Object.values(membersOf(answer, resolve)).some(isList);
  return hasList ? `a list in the answer, of which "${page.name}" asks for a page` : null;
}

function membersOfRequest({ parameters = [], body }: ShapedOperation, resolve: Resolve): Member[] {
  const content = body?.contents[0]?.schema ?? null;
  const required = requiredOf(content, resolve);
  const bodyMembers = Object.entries(membersOf(content, resolve));
  return [
    ...parameters.map(({ name, schema, required: isRequired }) => ({ name, schema, isRequired })),
    ...bodyMembers.map(([name, schema]) => ({ name, schema, isRequired: required.has(name) })),
  ];
}

function schemaOfAnswer({ responses = [] }: ShapedOperation): Schema | null {
  return responses.find(({ status }) => status.startsWith('2'))?.contents[0]?.schema ?? null;
}

/** The schema behind references. */
function expand(schema: Schema, resolve: Resolve): Schema {
  let current = schema;
  for (let depth = 0; depth < MAX_DEPTH && typeof current.$ref === 'string'; depth += 1)
    current = resolve(current.$ref);
  return current;
}

function membersOf(schema: Schema | null, resolve: Resolve, depth = 0): Readonly<Record<string, Schema>> {
  if (schema === null || depth > MAX_DEPTH) return {};
  const { properties, allOf } = expand(schema, resolve);
  const inherited = Array.isArray(allOf)
    ? allOf.filter(isRecord).map((part) => membersOf(part, resolve, depth + 1))
    : [];
  return Object.assign({}, ...inherited, toRecord(properties)) as Record<string, Schema>;
}

function requiredOf(schema: Schema | null, resolve: Resolve): ReadonlySet<unknown> {
  const { required } = schema === null ? {} : expand(schema, resolve);
  return new Set(Array.isArray(required) ? required : []);
}

/** The texts that a schema, or its items, allow. */
function valuesOf(schema: Schema, resolve: Resolve): readonly string[] {
  const { enum: values, const: value, items } = expand(schema, resolve);
  const texts = [...(Array.isArray(values) ? values : []), value].filter((candidate) => typeof candidate === 'string');
  return isRecord(items) ? [...texts, ...valuesOf(items, resolve)] : texts;
}
