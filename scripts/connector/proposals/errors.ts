/** Finds where error bodies contain what a model needs, from the descriptor's schemas of error responses. */

import { escapeToken } from '../../../codegen/json-pointer.ts';
import type { OperationModel, Schema, ServiceModel } from '../../../codegen/model/types.ts';
import { plainName } from '../../../codegen/tools/answers/paging-names.ts';
import { isJsonMediaType } from '../../../codegen/tools/body/media-types.ts';
import { kindsOf } from '../../../codegen/tools/schema/kinds.ts';
import { mergeAllOf } from '../../../codegen/tools/schema/merge.ts';
import { schemaList, schemaMap, toSchema } from '../../../codegen/tools/schema/readers.ts';
import { countEach, type Draft, toCount } from './draft.ts';

const ERROR_FIELDS = ['message', 'code', 'details'] as const;
type ErrorField = (typeof ERROR_FIELDS)[number];

/** Names of members by what they contain, most likely first; in lower case, without separators. */
const NAMES: Readonly<Record<ErrorField, readonly string[]>> = {
  message: ['message', 'errormessage', 'errordescription', 'msg', 'detail', 'description', 'reason', 'title', 'error'],
  code: ['code', 'errorcode', 'errcode'],
  details: ['errors', 'details', 'errordetails', 'violations', 'invalidparams', 'fields'],
};
const KINDS: Readonly<Record<ErrorField, readonly string[]>> = {
  message: ['string'],
  code: ['string', 'integer', 'number'],
  details: ['array', 'object'],
};

const MAX_DEPTH = 2;
const MAX_POINTERS = 3;
/** A place that a smaller percentage of operations shows is omitted. */
const MIN_PERCENT = 5;

/** Matches text that needs no quotes in YAML. */
const PLAIN = /^[\w/-]+$/;

type ErrorPointers = Readonly<Record<ErrorField, string | null>>;

/** A place, the number of operations that show it, and the first of them. */
interface PointerCount {
  readonly pointer: string;
  readonly count: number;
  readonly at: string;
}

/** Returns the places of each part, most common first, and the number of operations that describe their errors. */
function findErrors({ operations, resolve }: ServiceModel) {
  const pointersBySchema = new Map<Schema | string, ErrorPointers>();
  const pointersOf = (schema: Schema): ErrorPointers => {
    const key = typeof schema.$ref === 'string' ? schema.$ref : schema;
    const pointers = pointersBySchema.get(key) ?? findPointers(schema, resolve);
    pointersBySchema.set(key, pointers);
    return pointers;
  };
  const operationPointers = operations.flatMap((operation) => {
    const pointers = errorSchemas(operation).map(({ schema, status }) => ({ ...pointersOf(schema), status }));
    return pointers.length === 0 ? [] : [{ operation, places: pointers }];
  });
  const countPointers = (field: ErrorField): PointerCount[] => {
    const pointers = operationPointers.flatMap(({ places }) => [...new Set(places.flatMap((one) => one[field] ?? []))]);
    const common = countEach(pointers).filter(([, count]) => count * 100 >= operationPointers.length * MIN_PERCENT);
    return common.slice(0, MAX_POINTERS).map(([pointer, count]) => {
      const first = operationPointers.find(({ places }) => places.some((one) => one[field] === pointer));
      const status = first?.places.find((one) => one[field] === pointer)?.status;
      return { pointer, count, at: `${first?.operation.method} ${first?.operation.path} ${status}` };
    });
  };
  return {
    described: operationPointers.length,
    message: countPointers('message'),
    code: countPointers('code'),
    details: countPointers('details'),
  };
}

/** Writes the settings uncommented only if most operations that describe their errors have the message in one place. */
export function writeErrors(model: ServiceModel, draft: Draft): void {
  const { described, ...errorPointers } = findErrors(model);
  const [message] = errorPointers.message;
  if (message === undefined) {
    draft.decide(
      'errors',
      'where do error bodies keep the message? The descriptor does not show it. For instance: errors: { message: [/error/message] }',
    );
    draft.add('');
    return;
  }
  const examples = ERROR_FIELDS.flatMap((field) =>
    errorPointers[field].map(({ pointer, count, at }) => `${pointer} in ${count} (${at})`),
  );
  const isSure = message.count * 2 >= described;
  draft.say(`Seen in the error answers of ${toCount(described, 'operation')}: ${examples.join(', ')}.`);
  if (!isSure) draft.decide('errors', 'is this where error bodies keep message, code and details?');
  draft.propose(
    isSure,
    'errors:',
    ...ERROR_FIELDS.flatMap((field) => {
      const pointers = errorPointers[field].map(({ pointer }) =>
        PLAIN.test(pointer) ? pointer : JSON.stringify(pointer),
      );
      return pointers.length === 0 ? [] : [`  ${field}: [${pointers.join(', ')}]`];
    }),
  );
  draft.add('');
}

function errorSchemas({ responses }: OperationModel): { readonly schema: Schema; readonly status: string }[] {
  return responses
    .filter(({ status }) => /^[45]|^default$/.test(status))
    .flatMap(({ status, contents }) =>
      contents.flatMap(({ mediaType, schema }) =>
        schema !== null && isJsonMediaType(mediaType) ? [{ schema, status }] : [],
      ),
    );
}

interface Member {
  readonly pointer: string;
  readonly name: string;
  readonly depth: number;
  readonly kinds: ReadonlySet<string>;
}

function findPointers(schema: Schema, resolve: ServiceModel['resolve']): ErrorPointers {
  const members = membersOf(schema, '', 0, resolve);
  const find = (field: ErrorField, otherPointers: readonly string[]) => {
    const hits = members.filter(
      ({ name, kinds, pointer }) =>
        NAMES[field].includes(name) &&
        KINDS[field].some((kind) => kinds.has(kind)) &&
        (field === 'message' ? !kinds.has('object') : !otherPointers.some((other) => other.startsWith(pointer))),
    );
    const rank = ({ name, depth }: Member) => NAMES[field].indexOf(name) + depth * 0.1;
    return hits.sort((a, b) => rank(a) - rank(b))[0]?.pointer ?? null;
  };
  const message = find('message', []);
  const code = find('code', message === null ? [] : [message]);
  return {
    message,
    code,
    details: find(
      'details',
      [message, code].filter((one) => one !== null),
    ),
  };
}

/** Returns the members of the body, of objects in it, and of the first item of its lists. */
function membersOf(sourceSchema: Schema, pointer: string, depth: number, resolve: ServiceModel['resolve']): Member[] {
  const { schema, leftovers } = mergeAllOf(sourceSchema, resolve);
  const variants = [...leftovers, ...schemaList(schema, 'anyOf'), ...schemaList(schema, 'oneOf')];
  const propertyMembers = schemaMap(schema, 'properties').flatMap(([name, member]) => {
    const memberPointer = `${pointer}/${escapeToken(name)}`;
    const kinds = kindsOf(member, resolve);
    const inner = depth < MAX_DEPTH ? membersOf(member, memberPointer, depth + 1, resolve) : [];
    return [{ pointer: memberPointer, name: plainName(name), depth, kinds }, ...inner];
  });
  const items = schema.items === undefined || depth >= MAX_DEPTH ? [] : [toSchema(schema.items)];
  return [
    ...propertyMembers,
    ...items.flatMap((item) => membersOf(item, `${pointer}/0`, depth + 1, resolve)),
    ...(depth < MAX_DEPTH ? variants.flatMap((variant) => membersOf(variant, pointer, depth + 1, resolve)) : []),
  ];
}
