/** Repairs of whole objects, before their fields are read. */

import { isRecord, isSame } from '../../json.ts';
import { resolveObject } from './find-target.ts';
import { NAMES } from './objects.ts';
import { toOwnSchema } from './repairs.ts';
import { type Json, METHODS, type Reading, type Tokens } from './types.ts';

export function repairParameter(parameter: Json, tokens: Tokens, reading: Reading): void {
  if (parameter.in === 'path' && parameter.required !== true && parameter.required !== 'true') {
    reading.repair('path-required', tokens, { key: 'required', owner: NAMES.Parameter, value: parameter.required });
    parameter.required = true;
  }
  const schema = toOwnSchema(parameter);
  if (schema === null) return;
  reading.repair('parameter-type', tokens, { key: 'type', owner: NAMES.Parameter });
  for (const key of Object.keys(schema)) delete parameter[key];
  parameter.schema = schema;
}

/**
 * Standard methods belong under their own keys, and a name that is not an HTTP token (RFC 9110 §5.6.2) is no method.
 */
export function repairMethods({ additionalOperations: others }: Json, tokens: Tokens, reading: Reading): void {
  if (!isRecord(others) || typeof others.$ref === 'string') return;
  for (const name of Object.keys(others)) {
    if (name.startsWith('x-')) continue;
    if (/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && !METHODS.includes(name.toLowerCase())) continue;
    reading.repair('method-name', [...tokens, 'additionalOperations', name], { key: name, owner: NAMES.PathItem });
    delete (others as Json)[name];
  }
}

/** Parameters of a list that say the same, in other words: the first is read. Others with one name stay, and are refused later. */
export function repairRepeatedParameters(
  owner: Json,
  kind: 'PathItem' | 'Operation',
  tokens: Tokens,
  reading: Reading,
): void {
  const { parameters } = owner;
  if (!Array.isArray(parameters)) return;
  const firstByKey = new Map<string, unknown>();
  const distinct = parameters.filter((item) => {
    const { name, in: location, description, example, examples, ...rest } = resolveObject(reading.document, item);
    if (typeof name !== 'string' || typeof location !== 'string') return true;
    const key = `${location} ${location === 'header' ? name.toLowerCase() : name}`;
    if (firstByKey.has(key)) return !isSame(firstByKey.get(key), rest);
    firstByKey.set(key, rest);
    return true;
  });
  if (distinct.length === parameters.length) return;
  reading.repair('parameter-repeated', [...tokens, 'parameters'], { key: 'parameters', owner: NAMES[kind] });
  owner.parameters = distinct;
}

/** Repairs the keys of `paths`, and path parameters that are not declared. */
export function repairPaths(document: Json, reading: Reading): void {
  const { paths } = document;
  if (!isRecord(paths)) return;
  const rename = (path: string, plain: string, repair: 'path-dollar' | 'path-notation' | 'path-slash'): void => {
    if (plain === path || Object.hasOwn(paths, plain)) return;
    reading.repair(repair, ['paths', path], { key: path, owner: NAMES.Document, value: path });
    (paths as Json)[plain] = paths[path];
    delete (paths as Json)[path];
  };
  for (const path of Object.keys(paths)) rename(path, path.replaceAll('${', '{'), 'path-dollar');
  for (const path of Object.keys(paths)) {
    if (path !== '' && !path.startsWith('/') && !path.startsWith('x-') && path !== '$ref')
      rename(path, `/${path}`, 'path-slash');
  }
  for (const [path, item] of Object.entries(paths)) {
    rename(path, toBraces(path, namesOfPathParameters(reading.document, item)), 'path-notation');
  }
  for (const [path, item] of Object.entries(paths)) {
    const [doubtful] = DOUBTFUL_SEGMENT.exec(path) ?? [];
    if (doubtful !== undefined) {
      reading.repair('path-literal', ['paths', path], { key: path, owner: NAMES.Document, value: doubtful });
    }
    if (path.startsWith('/') && isRecord(item) && item.$ref === undefined) declarePathParameters(path, item, reading);
  }
}

const NAME = '[A-Za-z_][\\w.-]*';
/** Notations that stand for nothing else in a path: `{{id}}`, `<id>` and `<int:id>`, also percent-encoded. */
const CERTAIN_NOTATIONS = new RegExp(
  `\\{\\{(${NAME})\\}\\}|%7B(${NAME})%7D|(?:<|%3C)(?:\\w+:)?(${NAME}?)(?:>|%3E)`,
  'gi',
);
/** Notations with more than the name: `{+id}`, `{id*}`, `{id?}`, `{id:[0-9]+}`, `{ id }`. */
const EXTENDED_NOTATIONS = new RegExp(`\\{(?:\\+|\\s+)?(${NAME})(?:[*?]|\\s+|:(?:[^{}]|\\{[^{}]*\\})*)?\\}`, 'g');
/** Whole segments that can be a placeholder or a literal: `:id`, `$id`, `[id]`. */
const SEGMENT_NOTATIONS = new RegExp(`(?<=/)(?:[:$](${NAME})|\\[(${NAME})\\])(?=/|$)`, 'g');
/** Segments that are sent as they are, and that an author may have meant as a placeholder. */
const DOUBTFUL_SEGMENT = /(?<=\/)(?::[A-Za-z_]\w*|\[[^\]/]*\]|\*+)(?=\/|$)/;
/** Names that a literal segment does not have. */
const IDENTIFIES = /(?:^|[a-z_-])(?:id|Id|ID|uuid|Uuid|slug|Slug)$/;

/** Returns a path with its placeholders in braces. @param declared the names of its path parameters. */
function toBraces(path: string, declared: ReadonlySet<string>): string {
  return path
    .replaceAll(CERTAIN_NOTATIONS, (_match, ...names: (string | undefined)[]) => `{${firstOf(names)}}`)
    .replaceAll(EXTENDED_NOTATIONS, (match, name: string) => {
      return declared.has(match.slice(1, -1)) ? match : `{${name}}`;
    })
    .replaceAll(SEGMENT_NOTATIONS, (match, ...names: (string | undefined)[]) => {
      const name = firstOf(names);
      return declared.has(name) || IDENTIFIES.test(name) ? `{${name}}` : match;
    });
}

/** The group of a match that has a text. */
function firstOf(groups: readonly (string | undefined)[]): string {
  return groups.find((group) => typeof group === 'string') ?? '';
}

/**
 * Declares the placeholders that an operation does not: as text, or by the one path parameter of the operation whose name the path does not
 * have.
 */
function declarePathParameters(path: string, item: Readonly<Record<string, unknown>>, reading: Reading): void {
  // A placeholder in a query or fragment only shows where a parameter goes.
  const [template = ''] = path.split(/[?#](?![^{}]*\})/, 1);
  const placeholders = [...new Set([...template.matchAll(/\{([\w.~-]+)\}/g)].map(([, name = '']) => name))];
  if (placeholders.length === 0) return;
  for (const method of METHODS) {
    const operation = item[method];
    if (!isRecord(operation) || operation.$ref !== undefined) continue;
    const { parameters = [] } = operation;
    if (!Array.isArray(parameters)) continue;
    const all = [item.parameters ?? [], parameters]
      .flat()
      .map((parameter) => resolveObject(reading.document, parameter));
    if (!all.every((parameter) => typeof parameter.in === 'string')) continue;
    const declared = all.filter((parameter) => parameter.in === 'path');
    const missing = placeholders.filter((name) => !declared.some((parameter) => parameter.name === name));
    const unused = declared.filter(({ name }) => !placeholders.includes(String(name)) && !path.includes(`{${name}}`));
    const [name] = missing;
    const [renamed] = unused;
    const tokens = ['paths', path, method];
    if (name === undefined) continue;
    if (unused.length === 0) {
      for (const key of missing) reading.repair('path-parameter-missing', tokens, { key, owner: NAMES.Operation });
      const added = missing.map((key) => ({ name: key, in: 'path', required: true, schema: { type: 'string' } }));
      (operation as Json).parameters = [...parameters, ...added];
    } else if (missing.length === 1 && unused.length === 1 && renamed !== undefined && parameters.includes(renamed)) {
      reading.repair('path-parameter-renamed', tokens, { key: name, owner: NAMES.Operation, value: renamed.name });
      (renamed as Json).name = name;
    }
  }
}

/** The names of the path parameters of a path item and of its operations. */
function namesOfPathParameters(document: unknown, item: unknown): ReadonlySet<string> {
  const owners = isRecord(item) ? [item, ...METHODS.map((method) => item[method]).filter(isRecord)] : [];
  const parameters = owners
    .flatMap(({ parameters: list }) => (Array.isArray(list) ? list : []))
    .map((parameter) => resolveObject(document, parameter));
  return new Set(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => String(name)));
}
