/**
 * Detects how a list continues from the names in the descriptor: of arguments, of members of the answer and of headers.
 */

import { withoutUndefined } from '../../json.ts';
import { escapeToken } from '../../json-pointer.ts';
import type { OperationModel, Schema } from '../../model/types.ts';
import { kindsOf } from '../schema/kinds.ts';
import { mergeAllOf } from '../schema/merge.ts';
import { alternativesOf, schemaList, schemaMap, typesOf } from '../schema/readers.ts';
import type { ArgumentModel, PageRule } from '../types.ts';
import { type AnswerSchemas, schemasAt } from './answer-pointers.ts';
import {
  CURSOR_ARGUMENTS,
  CURSOR_MEMBERS,
  CURSOR_MEMBERS_OF_NEXT,
  ENVELOPES,
  LAST_RECORD_ARGUMENTS,
  LINK_MEMBERS,
  LINK_OBJECTS,
  MORE_MEMBERS,
  NEXT_HEADERS,
  NEXT_OBJECTS,
  OFFSET_ARGUMENTS,
  PAGE_ARGUMENTS,
  PAGES_MEMBERS,
  plainName,
  RECORD_MEMBERS,
  SIZE_ARGUMENTS,
  TOTAL_MEMBERS,
} from './paging-names.ts';

interface ListOperation extends AnswerSchemas {
  readonly operation: OperationModel;
  readonly arguments: readonly ArgumentModel[];
}

/** A member of an answer, or of an object in it that describes the list. */
interface Member {
  readonly pointer: string;
  readonly name: string;
  /** Plain name of the object around it; empty for the answer itself. */
  readonly parent: string;
  readonly kinds: ReadonlySet<string>;
  readonly isUrl: boolean;
}

/** Levels of objects below the answer that are searched for paging members. */
const MAX_DEPTH = 2;

/**
 * The page rule of a list, if the descriptor shows it unambiguously; else null.
 *
 * Only for GET: repeating such a call changes nothing.
 */
export function findPaging(list: ListOperation): PageRule | null {
  if (list.operation.method !== 'GET') return null;
  const findArgument = (names: ReadonlySet<string>, type: 'integer' | 'any') =>
    list.arguments.find(({ name, schema, wire }) => {
      const isQueryParameter = wire?.in === 'query' && names.has(plainName(wire.name ?? name));
      return (
        isQueryParameter &&
        (type === 'any' || typesOf(schema).some((typeName) => typeName === 'integer' || typeName === 'number'))
      );
    })?.name;
  const cursor = findArgument(CURSOR_ARGUMENTS, 'any');
  const page = findArgument(PAGE_ARGUMENTS, 'integer');
  const offset = findArgument(OFFSET_ARGUMENTS, 'integer');
  const last = findArgument(LAST_RECORD_ARGUMENTS, 'any');
  const positionArgument = cursor ?? page ?? offset;
  if (positionArgument === undefined && last === undefined) return null;
  const size = findArgument(SIZE_ARGUMENTS, 'integer');
  const members = list.answers.length === 1 ? membersOf(list.answers, list, { pointer: '', name: '', depth: 0 }) : [];
  const items = findRecords(list, members);
  const itemsAndSize = withoutUndefined({ items, size });
  const more = pointerOf(members, MORE_MEMBERS, 'boolean') ?? null;
  if (cursor !== undefined) {
    const next = members.find(isCursor)?.pointer;
    if (next !== undefined) return { argument: cursor, next, queryParameter: null, more, ...itemsAndSize };
  }
  if (positionArgument !== undefined) {
    const headers = list.operation.responses.flatMap(({ status, headers }) => (/^2/.test(status) ? headers : []));
    const header = headers.find((name) => NEXT_HEADERS.has(name));
    if (header !== undefined) return { kind: 'header', argument: positionArgument, header, ...itemsAndSize };
    const next = members.find(isLink)?.pointer;
    if (next !== undefined) return { kind: 'link', argument: positionArgument, next, ...itemsAndSize };
    if (headers.includes('link')) return { kind: 'link', argument: positionArgument, ...itemsAndSize };
  }
  if (items === undefined || size === undefined) return null;
  if (last !== undefined && more !== null && schemasAt(`${items}/0/id`, list).length > 0) {
    return { kind: 'last', argument: last, ...itemsAndSize, items, id: '/id', more };
  }
  const countingArgument = offset ?? page;
  if (countingArgument === undefined) return null;
  const kind = offset === undefined ? 'page' : 'offset';
  const total = pointerOf(members, TOTAL_MEMBERS, 'integer');
  const pages = kind === 'page' ? pointerOf(members, PAGES_MEMBERS, 'integer') : undefined;
  const first = firstOf(list.arguments, kind, countingArgument);
  return withoutUndefined({
    kind,
    argument: countingArgument,
    items,
    size,
    first,
    total,
    pages,
    more: more ?? undefined,
  });
}

/** The value of a counting argument for the first page. */
export function firstOf(args: readonly ArgumentModel[], kind: 'offset' | 'page', argument: string): number {
  const schema = args.find(({ name }) => name === argument)?.schema ?? {};
  if (typeof schema.default === 'number') return schema.default;
  if (kind === 'offset') return schema.minimum === 1 ? 1 : 0;
  return schema.minimum === 0 && typesOf(schema).includes('integer') ? 0 : 1;
}

/** @param parent where the members are: its pointer, its name, and how deep it is. */
function membersOf(
  schemas: readonly Schema[],
  list: ListOperation,
  parent: Pick<Member, 'pointer' | 'name'> & { readonly depth: number },
): readonly Member[] {
  const { pointer, depth } = parent;
  return schemas.flatMap((answerSchema) => {
    const { schema, leftovers } = mergeAllOf(answerSchema, list.resolve);
    const variants = depth === 0 ? [...leftovers, ...alternativesOf(schema)] : [];
    const declaredMembers = schemaMap(schema, 'properties').flatMap(([name, member]): readonly Member[] => {
      const inner = mergeAllOf(member, list.resolve).schema;
      const entry = {
        pointer: `${pointer}/${escapeToken(name)}`,
        name: plainName(name),
        parent: parent.name,
        kinds: kindsOf(member, list.resolve),
        isUrl: isUrl(inner),
      };
      const isEnvelope = ENVELOPES.has(entry.name) && depth < MAX_DEPTH;
      return isEnvelope ? [entry, ...membersOf([inner], list, { ...entry, depth: depth + 1 })] : [entry];
    });
    return [...declaredMembers, ...membersOf(variants, list, { ...parent, depth: depth + 1 })];
  });
}

function isUrl(schema: Schema): boolean {
  return [schema, ...schemaList(schema, 'anyOf')].some(({ format }) => format === 'uri' || format === 'url');
}

function isText({ kinds }: Member): boolean {
  return kinds.has('string') && !kinds.has('object');
}

function isCursor(member: Member): boolean {
  if (!isText(member)) return false;
  const isInNext = NEXT_OBJECTS.has(member.parent) && CURSOR_MEMBERS_OF_NEXT.has(member.name);
  return CURSOR_MEMBERS.has(member.name) || isInNext;
}

function isLink(member: Member): boolean {
  if (!isText(member)) return false;
  if (LINK_MEMBERS.has(member.name) || (member.parent === 'next' && member.name === 'href')) return true;
  return member.name === 'next' && (member.isUrl || LINK_OBJECTS.has(member.parent));
}

function pointerOf(members: readonly Member[], names: ReadonlySet<string>, kind: string): string | undefined {
  return members.find(({ name, kinds }) => names.has(name) && kinds.has(kind))?.pointer;
}

/** The only array of the answer, or the one with the most likely name. */
function findRecords({ answers, resolve }: ListOperation, members: readonly Member[]): string | undefined {
  if (answers.length === 1 && answers.some((answer) => kindsOf(answer, resolve).has('array'))) return '';
  const arrays = members.filter(({ kinds, parent }) => parent === '' && kinds.has('array') && kinds.size < 3);
  const likely = RECORD_MEMBERS.map((name) => arrays.find((member) => member.name === name)).find(
    (member) => member !== undefined,
  );
  return (likely ?? (arrays.length === 1 ? arrays[0] : undefined))?.pointer;
}
