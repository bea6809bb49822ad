/** The form of a descriptor that the parser's JSON Schema of OpenAPI 3.1, an early draft, judges as the specification does. */

import { isRecord, toRecord } from '../json.ts';

type Json = Readonly<Record<string, unknown>>;

const METHODS = ['delete', 'get', 'head', 'options', 'patch', 'post', 'put', 'trace'];

/**
 * A copy along the places where the draft of 2021-04-15 is stricter than OpenAPI 3.1; everything else is shared, and
 * every pointer stays. OpenAPI 3.0 has a schema without such mistakes, so its descriptors are returned as they are.
 *
 * - A license may have neither `url` nor `identifier`, a server variable may have a `description`, a Link a `server`.
 * - A path item may be a `$ref` to another.
 * - The scheme `Bearer` is `bearer` (RFC 9110 §11.1).
 *
 * OpenAPI 3.2 is judged as 3.1, without what it added that no call depends on: names of servers, kinds of tags, and
 * responses without a description.
 */
export function toValidatable(document: unknown): unknown {
  const root = toRecord(document);
  const version = String(root.openapi);
  if (!/^3\.[12]\./.test(version)) return document;
  const is32 = version.startsWith('3.2.');
  const components = toRecord(root.components);
  return {
    ...root,
    ...(is32 ? { openapi: '3.1.2' } : {}),
    ...change(root, 'info', (info) => ({ ...info, ...change(info, 'license', toLicense) })),
    ...changeServers(root, is32),
    ...(is32 ? changeItems(root, 'tags', toTag) : {}),
    ...change(root, 'paths', (paths) => mapObject(paths, (item) => toPathItem(item, is32))),
    ...change(root, 'components', () => ({
      ...components,
      ...change(components, 'securitySchemes', (schemes) => mapObject(schemes, toSecurityScheme)),
      ...change(components, 'links', (links) => mapObject(links, toLink)),
      ...change(components, 'responses', (responses) => mapObject(responses, (one) => toResponse(one, is32))),
    })),
  };
}

function toLicense(license: Json): Json {
  return 'url' in license || 'identifier' in license ? license : { ...license, identifier: '' };
}

function toTag({ summary, parent, kind, ...tag }: Json): Json {
  return tag;
}

function toPathItem({ $ref, ...item }: Json, is32: boolean): Json {
  const operations = METHODS.map((method) => change(item, method, (operation) => toOperation(operation, is32)));
  return Object.assign({}, item, changeServers(item, is32), ...operations);
}

function toOperation(operation: Json, is32: boolean): Json {
  return {
    ...operation,
    ...changeServers(operation, is32),
    ...change(operation, 'responses', (responses) => mapObject(responses, (one) => toResponse(one, is32))),
  };
}

function toResponse(response: Json, is32: boolean): Json {
  const links = change(response, 'links', (all) => mapObject(all, toLink));
  if (!is32 || '$ref' in response) return { ...response, ...links };
  const { summary, ...rest } = response;
  return { description: '', ...rest, ...links };
}

function toLink({ server, ...link }: Json): Json {
  return link;
}

function toSecurityScheme(scheme: Json): Json {
  return typeof scheme.scheme === 'string' ? { ...scheme, scheme: scheme.scheme.toLowerCase() } : scheme;
}

function changeServers(owner: Json, is32: boolean): Json {
  return changeItems(owner, 'servers', ({ name, ...server }) => ({
    ...(is32 || name === undefined ? {} : { name }),
    ...server,
    ...change(server, 'variables', (variables) => mapObject(variables, ({ description, ...variable }) => variable)),
  }));
}

/** `{ key: changed }` where the member is an object; nothing where it is something else, which the schema judges. */
function change(owner: Json, key: string, by: (member: Json) => Json): Json {
  const member = owner[key];
  return isRecord(member) ? { [key]: by(member) } : {};
}

function changeItems(owner: Json, key: string, by: (item: Json) => Json): Json {
  const items = owner[key];
  return Array.isArray(items) ? { [key]: items.map((item) => (isRecord(item) ? by(item) : item)) } : {};
}

function mapObject(object: Json, by: (member: Json) => Json): Json {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, isRecord(value) ? by(value) : value]));
}
