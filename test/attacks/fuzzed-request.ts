/** Requests drawn from an OpenAPI document and from nonsense, as bytes to send. */

import fc from 'fast-check';

/** The parts of a document that requests are drawn from. */
export interface FuzzedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, FuzzedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Fuzzed {
  /** One byte per character. */
  readonly text: string;
}

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

interface FuzzedOperation {
  readonly parameters?: readonly { readonly name?: string; readonly in?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface FuzzOptions {
  readonly document: FuzzedDocument;
  readonly host: string;
  /** Values that mean something: tokens, codes, names. */
  readonly secrets: readonly string[];
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'BREW'];
const PAGES = [
  '/',
  '/admin',
  '/admin/users',
  '/admin/partners',
  '/admin/clients',
  '/admin/audit',
  '/admin/sign-in',
  '/me',
  '/tools',
  '/tools?q=book&service=library&page=2',
  '/tools/library',
  '/favicon.ico',
];
const TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  '',
];
const VALUES = [
  ...[
    '',
    '0',
    '-1',
    '1e999',
    'null',
    'true',
    '[]',
    '{}',
    '__proto__',
    'constructor',
    '\u0000',
    '%00',
    '%',
    '%zz',
    '../..',
    '//',
    "' or 1=1 --",
  ],
  ...[
    '\ud800',
    '\u{1f600}',
    '\u202e',
    '\u{e0041}',
    'x'.repeat(3000),
    '9'.repeat(400),
    'http://[',
    'javascript:alert(1)',
    'https://liar.example/cb',
  ],
  ...[
    'http://127.0.0.1:7000/callback',
    'authorization_code',
    'refresh_token',
    'client_credentials',
    'code',
    'S256',
    'none',
    'ada',
    'crm',
    'tools:read',
  ],
  ...['tools/list', 'tools/call', 'initialize', 'ping', '2.0', '2025-11-25', '2026-07-28', 'allow', 'deny', 'continue'],
];
const NAMES = [
  'jsonrpc',
  'id',
  'method',
  'params',
  'page_state',
  'decision',
  'connection_code',
  'client_id',
  'client_secret',
  'user_id',
  'grant_type',
  'code',
  '__proto__',
  'toString',
];
const MAX_PROPERTIES = 24;

/** An arbitrary of requests: mostly of the document's operations, also of pages and of nonsense. */
export function fuzzedRequest({ document, host, secrets }: FuzzOptions): fc.Arbitrary<Fuzzed> {
  const value = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...VALUES, ...secrets) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  );
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method.toUpperCase()))
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});

  const ofDocument = fc.constantFrom(...operations).chain(({ path, method, operation }) => {
    const bodies = Object.entries(operation.requestBody?.content ?? {});
    const properties = bodies.flatMap(([, { schema }]) => Object.entries(resolve(schema).properties ?? {}));
    const queries = (operation.parameters ?? []).flatMap(({ name, in: place }) =>
      place === 'query' && name ? [name] : [],
    );
    return fc.record({
      method: mostly(fc.constant(method), fc.constantFrom(...METHODS)),
      path: fillPath(path, value),
      query: fieldsOf(queries, value),
      type: mostly(
        fc.constantFrom(...(bodies.length === 0 ? [''] : bodies.map(([type]) => type))),
        fc.constantFrom(...TYPES),
      ),
      fields: jsonOf(properties.map(([name, schema]) => [name, allowedOf(schema, value)])),
    });
  });
  const ofNonsense = fc.record({
    method: fc.constantFrom(...METHODS),
    path: mostly(
      fc.constantFrom(...PAGES),
      value.map((text) => `/${encodeURI(text.toWellFormed())}`),
    ),
    query: fieldsOf(NAMES, value),
    type: fc.constantFrom(...TYPES),
    fields: jsonOf(NAMES.map((name) => [name, value])),
  });
  const common = fc.record({
    authorization: fc.oneof(
      fc.constant(null),
      fc.constantFrom(...secrets, 'x').map((secret) => `Bearer ${secret}`),
      fc.constantFrom(...secrets).map((secret) => `Basic ${btoa(`test:${secret}`)}`),
      value,
    ),
    extra: fc.array(fc.constantFrom(...EXTRA_HEADERS), { maxLength: 3 }),
    cut: mostly(fc.constant(0), fc.integer({ min: 1, max: 40 })),
    host: mostly(fc.constant(host), fc.constantFrom('liar.example', '')),
  });
  return fc
    .tuple(fc.oneof({ weight: 4, arbitrary: ofDocument }, { weight: 1, arbitrary: ofNonsense }), common)
    .map(([request, more]) => ({ text: toBytes({ ...request, ...more }) }));
}

const EXTRA_HEADERS = [
  'accept: text/html',
  'accept: text/event-stream',
  'accept: application/json, text/event-stream',
  'accept-encoding: br;q=x, gzip',
  'cookie: a=b; __Host-admin=x; utg_page=%00',
  'origin: https://liar.example',
  'origin: null',
  'sec-fetch-site: cross-site',
  'mcp-protocol-version: 2026-07-28',
  'mcp-protocol-version: 1900-01-01',
  'mcp-method: tools/call',
  'mcp-session-id: x',
  'x-forwarded-for: 1.2.3.4, , ::1',
  'x-forwarded-host: liar.example',
  'x-request-id: a b',
  'content-encoding: gzip',
  'expect: 100-continue',
  'transfer-encoding: chunked',
  'connection: upgrade\r\nupgrade: websocket',
];

interface Parts {
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly type: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly authorization: string | null;
  readonly extra: readonly string[];
  /** How many characters are cut from the end of the body. */
  readonly cut: number;
  readonly host: string;
}

function toBytes({ method, path, query, type, fields, authorization, extra, cut, host }: Parts): string {
  const body = Buffer.from(method === 'GET' || method === 'HEAD' ? '' : toBody(type, fields)).toString('latin1');
  const sent = cut === 0 ? body : body.slice(0, -cut);
  const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();
  const headers = [
    `${method} ${path}${search === '' ? '' : `?${search}`} HTTP/1.1`,
    `host: ${host}`,
    'connection: close',
    ...(authorization === null ? [] : [`authorization: ${oneLine(authorization)}`]),
    ...(type === '' ? [] : [`content-type: ${type}`]),
    ...(body === '' ? [] : [`content-length: ${sent.length}`]),
    ...extra,
  ];
  return `${headers.join('\r\n')}\r\n\r\n${sent}`;
}

function toBody(type: string, fields: Readonly<Record<string, unknown>>): string {
  if (!type.includes('urlencoded')) return JSON.stringify(fields);
  const pairs = Object.entries(fields).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return new URLSearchParams(pairs).toString();
}

function oneLine(text: string): string {
  return Buffer.from(text.replaceAll(/[\r\n]/g, ' ')).toString('latin1');
}

function fillPath(path: string, value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const names = path.match(/\{\w+\}/g) ?? [];
  return fc
    .array(value, { minLength: names.length, maxLength: names.length })
    .map((values) =>
      values.reduce((filled, text) => filled.replace(/\{\w+\}/, encodeURIComponent(text.toWellFormed())), path),
    );
}

function fieldsOf(names: readonly string[], value: fc.Arbitrary<string>): fc.Arbitrary<[string, string][]> {
  if (names.length === 0) return fc.constant([]);
  return fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: names.length + 2 });
}

/** Objects with some of the properties, each allowed, nonsense or of another type. */
function jsonOf(
  properties: readonly (readonly [string, fc.Arbitrary<unknown>])[],
): fc.Arbitrary<Record<string, unknown>> {
  const entry = fc
    .constantFrom(...properties, ['x', fc.constant(1)] as const)
    .chain(([name, value]) => fc.tuple(fc.constant(name), mostly<unknown>(value, fc.jsonValue({ maxDepth: 3 }))));
  return fc.array(entry, { maxLength: MAX_PROPERTIES }).map((entries) => Object.fromEntries(entries));
}

function allowedOf(schema: Schema, value: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return mostly<unknown>(fc.constant(schema.const), value);
  return schema.enum === undefined ? value : mostly<unknown>(fc.constantFrom(...schema.enum), value);
}

function mostly<Value>(usual: fc.Arbitrary<Value>, other: fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  return fc.oneof({ weight: 7, arbitrary: usual }, { weight: 1, arbitrary: other });
}
