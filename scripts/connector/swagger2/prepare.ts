/**
 * Makes the implicit rules of Swagger 2.0 explicit, because a converter reads the document by the rules of OpenAPI 3.
 */

import { isRecord } from '../../../codegen/json.ts';
import { fragmentPointer, member, pointerTokens } from '../../../codegen/json-pointer.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];
const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data'];
/** Separators that OpenAPI 3 cannot express, by place and `collectionFormat`. */
const UNSUPPORTED_SEPARATORS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  query: { tsv: 'tab characters' },
  formData: { tsv: 'tab characters' },
  path: { tsv: 'tab characters', ssv: 'spaces', pipes: '`|`' },
  header: { tsv: 'tab characters', ssv: 'spaces', pipes: '`|`' },
};

type Members = Record<string, unknown>;

/** Returns true if a value is an object of the document, which may be changed. */
export function isMembers(value: unknown): value is Members {
  return isRecord(value);
}

/**
 * Changes the document in place:
 *
 * - `schemes` becomes https if that is offered; without any, `scheme`, which the document was fetched with (Swagger 2.0, Swagger Object).
 * - Bodies and form fields that a path or the document shares are copied into each operation.
 * - Forms without a media type become multipart if they have a file, otherwise URL-encoded; other bodies without one become JSON. An empty
 *   `consumes` clears the document's (Operation Object), but with a body it is a mistake: the document's counts.
 * - A path item keeps only its operations, parameters and `$ref`.
 * - Arrays without a `collectionFormat` become `csv` (Parameter Object). One whose separator OpenAPI 3 cannot express becomes a string, and
 *   its description names the separator.
 */
export function prepareSwagger2(document: Members, scheme: 'http' | 'https'): void {
  const schemes = Array.isArray(document.schemes) && document.schemes.length > 0 ? document.schemes : [scheme];
  document.schemes = schemes.includes('https') ? ['https'] : schemes;
  if (isMembers(document.parameters)) for (const shared of Object.values(document.parameters)) prepareArray(shared);
  for (const item of Object.values(isMembers(document.paths) ? document.paths : {})) {
    if (isMembers(item)) preparePath(document, item);
  }
}

function preparePath(document: Members, item: Members): void {
  const pathParameters = listOf(item.parameters).map((parameter) => inline(document, parameter));
  if (item.parameters !== undefined) item.parameters = pathParameters.filter((parameter) => !isBody(parameter));
  for (const key of Object.keys(item)) {
    const operation = item[key];
    if (key === 'parameters') for (const parameter of listOf(item.parameters)) prepareArray(parameter);
    else if (METHODS.includes(key) && isMembers(operation))
      prepareOperation(document, operation, pathParameters.filter(isBody));
    else if (key !== '$ref') delete item[key];
  }
}

function prepareOperation(document: Members, operation: Members, pathParameters: readonly Members[]): void {
  const operationParameters = listOf(operation.parameters).map((parameter) => inline(document, parameter));
  const hasBody = operationParameters.some((parameter) => parameter.in === 'body');
  const inherited = pathParameters.filter((parameter) =>
    parameter.in === 'body'
      ? !hasBody
      : !operationParameters.some(({ in: parameterIn, name }) => parameterIn === 'formData' && name === parameter.name),
  );
  const parameters = [...operationParameters, ...inherited.map((parameter) => structuredClone(parameter))];
  if (parameters.length > 0) operation.parameters = parameters;
  for (const parameter of parameters) prepareArray(parameter);
  const fields = parameters.filter((parameter) => parameter.in === 'formData');
  const consumes = [operation.consumes, document.consumes].filter(Array.isArray).find(({ length }) => length > 0) ?? [];
  if (parameters.some((parameter) => parameter.in === 'body'))
    operation.consumes = consumes.length > 0 ? consumes : ['application/json'];
  if (fields.length === 0) return;
  const hasFile = fields.some(({ type }) => type === 'file');
  const forms = consumes.filter((type) => (hasFile ? FORM_TYPES.slice(1) : FORM_TYPES).includes(type));
  operation.consumes = forms.length > 0 ? forms : [FORM_TYPES[hasFile ? 1 : 0]];
}

/** Returns a copy of the shared body or form field that is referred to. Returns anything else unchanged. */
function inline(document: Members, parameter: Members): Members {
  const { $ref } = parameter;
  if (typeof $ref !== 'string' || !$ref.startsWith('#/parameters/')) return parameter;
  const shared = pointerTokens(fragmentPointer($ref) ?? '').reduce(member, document as unknown);
  return isMembers(shared) && isBody(shared) ? structuredClone(shared) : parameter;
}

function prepareArray(parameter: unknown): void {
  if (!isMembers(parameter) || parameter.type !== 'array') return;
  const format = String(parameter.collectionFormat ?? 'csv');
  const separator = UNSUPPORTED_SEPARATORS[String(parameter.in)]?.[format];
  if (separator === undefined) {
    parameter.collectionFormat = format;
    return;
  }
  for (const key of ['items', 'collectionFormat', 'default', 'minItems', 'maxItems', 'uniqueItems', 'enum']) {
    delete parameter[key];
  }
  const text = typeof parameter.description === 'string' ? `${parameter.description}\n\n` : '';
  Object.assign(parameter, { type: 'string', description: `${text}Values separated by ${separator}.` });
}

function isBody(parameter: Members): boolean {
  return parameter.in === 'body' || parameter.in === 'formData';
}

function listOf(value: unknown): Members[] {
  return Array.isArray(value) ? value.filter(isMembers) : [];
}
