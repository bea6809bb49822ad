import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadDescriptor } from '../../../sandbox/descriptor/load.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/start.ts';
import { CannotSendError, type Upstream } from '../../../server/call/upstream/index.ts';
import { type Host, startHost } from '../../server/call/upstream/support.ts';
import { createLocalUpstream } from '../../support/outgoing.ts';
import { DESCRIPTOR, type Forms, generateForms } from './forms.ts';

let forms: Forms;
let host: Host;
let sandbox: Sandbox;
let received: { url: string; headers: Record<string, unknown> }[] = [];

beforeAll(async () => {
  forms = await generateForms();
  host = await startHost((request, response) => {
    const { 'x-color': color, 'x-tags': tags, cookie } = request.headers;
    const headers = Object.entries({ 'x-color': color, 'x-tags': tags, cookie });
    const sent = Object.fromEntries(headers.filter(([, value]) => value !== undefined));
    received.push({ url: request.url ?? '', headers: sent });
    response.writeHead(204).end();
  });
  sandbox = await startSandbox({ services: [{ name: 'forms', document: await loadDescriptor(DESCRIPTOR) }] });
});
afterAll(async () => {
  await host?.close();
  await sandbox?.close();
  await forms?.close();
});

async function withUpstream<Result>(base: string, use: (upstream: Upstream) => Promise<Result>): Promise<Result> {
  const [server] = forms.connector.servers;
  const upstream = createLocalUpstream({
    baseUrls: new Map([['forms', new Map([[server?.url ?? '', base]])]]),
    timeoutMs: 5000,
    maxResultBytes: 1024,
    userAgent: 'test',
  });
  try {
    return await use(upstream);
  } finally {
    await upstream.close();
  }
}

async function call(base: string, name: string, args: Record<string, unknown>): Promise<number> {
  const tool = forms.connector.tools.find((one) => one.name === `forms_${name}`);
  if (tool === undefined) throw new Error(`There is no forms_${name}.`);
  return withUpstream(base, async (upstream) => {
    const signal = new AbortController().signal;
    const { connector } = forms;
    const request = upstream.prepare({ connector, tool, args, fields: { key: 'secret' } });
    return (await upstream.send(request, { signal })).status;
  });
}

const LIST = ['blue', 'a,b c'];
const MAP = { R: '100', 'é=': '&/' };
const DOCUMENT = { r: 1, tags: ['ä', ';,'] };

type Row = [tool: string, args: Record<string, unknown>, url: string, headers?: Record<string, string>];

const ROWS: readonly Row[] = [
  ['path_simple_array', { color: LIST }, '/pathSimpleArray/blue,a%2Cb%20c/end'],
  ['path_simple_exploded_array', { color: LIST }, '/pathSimpleExplodedArray/blue,a%2Cb%20c/end'],
  ['path_simple_object', { color: MAP }, '/pathSimpleObject/R,100,%C3%A9%3D,%26%2F/end'],
  ['path_simple_exploded_object', { color: MAP }, '/pathSimpleExplodedObject/R=100,%C3%A9%3D=%26%2F/end'],
  ['path_label_text', { color: 'a.b/c' }, '/pathLabelText/.a.b%2Fc/end'],
  ['path_label_array', { color: LIST }, '/pathLabelArray/.blue,a%2Cb%20c/end'],
  ['path_label_exploded_array', { color: LIST }, '/pathLabelExplodedArray/.blue.a%2Cb%20c/end'],
  ['path_label_object', { color: MAP }, '/pathLabelObject/.R,100,%C3%A9%3D,%26%2F/end'],
  ['path_label_exploded_object', { color: MAP }, '/pathLabelExplodedObject/.R=100.%C3%A9%3D=%26%2F/end'],
  ['path_matrix_text', { color: 'a;b' }, '/pathMatrixText/;color=a%3Bb/end'],
  ['path_matrix_text', { color: '' }, '/pathMatrixText/;color/end'],
  ['path_matrix_array', { color: LIST }, '/pathMatrixArray/;color=blue,a%2Cb%20c/end'],
  ['path_matrix_exploded_array', { color: LIST }, '/pathMatrixExplodedArray/;color=blue;color=a%2Cb%20c/end'],
  ['path_matrix_object', { color: MAP }, '/pathMatrixObject/;color=R,100,%C3%A9%3D,%26%2F/end'],
  ['path_matrix_exploded_object', { color: MAP }, '/pathMatrixExplodedObject/;R=100;%C3%A9%3D=%26%2F/end'],
  [
    'path_json',
    { color: DOCUMENT },
    '/pathJson/%7B%22r%22%3A1%2C%22tags%22%3A%5B%22%C3%A4%22%2C%22%3B%2C%22%5D%7D/end',
  ],
  ['path_plain_text', { color: 'a,b/c' }, '/pathPlainText/a%2Cb%2Fc/end'],
  ['path_nested', { color: [{ r: 1 }, {}] }, '/pathNested/%7B%22r%22%3A1%7D,%7B%7D/end'],
  ['path_several', { id: 7, version: '1.5', format: 'json' }, '/pathSeveral/7;version=1.5.json'],
  ['query_form_array', { color: LIST, size: 1 }, '/queryFormArray?color=blue,a%2Cb%20c&size=1'],
  ['query_form_exploded_array', { color: LIST }, '/queryFormExplodedArray?color=blue&color=a%2Cb%20c'],
  ['query_form_object', { color: MAP }, '/queryFormObject?color=R,100,%C3%A9%3D,%26%2F'],
  ['query_form_exploded_object', { color: MAP, size: 1 }, '/queryFormExplodedObject?R=100&%C3%A9%3D=%26%2F&size=1'],
  ['query_space_delimited_array', { color: ['a', 'b,|'] }, '/querySpaceDelimitedArray?color=a%20b%2C%7C'],
  ['query_space_delimited_object', { color: { R: '1' } }, '/querySpaceDelimitedObject?color=R%201'],
  ['query_pipe_delimited_array', { color: ['a', 'b, '] }, '/queryPipeDelimitedArray?color=a%7Cb%2C%20'],
  ['query_pipe_delimited_object', { color: { R: '1' } }, '/queryPipeDelimitedObject?color=R%7C1'],
  ['query_deep_object', { color: MAP }, '/queryDeepObject?color%5BR%5D=100&color%5B%C3%A9%3D%5D=%26%2F'],
  ['query_reserved', { color: "a/b?c:d@e!$'()*,;=&#[]+" }, '/queryReserved?color=a/b?c:d@e!$%27()*,;=%26%23%5B%5D%2B'],
  [
    'query_json',
    { color: DOCUMENT },
    '/queryJson?color=%7B%22r%22%3A1%2C%22tags%22%3A%5B%22%C3%A4%22%2C%22%3B%2C%22%5D%7D',
  ],
  ['query_plain_text', { color: 'a&b' }, '/queryPlainText?color=a%26b'],
  ['query_nested', { color: [{ r: 1 }] }, '/queryNested?color=%7B%22r%22%3A1%7D'],
  [
    'query_deep_nested',
    { color: { r: { min: 1, max: 2 }, tags: ['a', 'b'] } },
    '/queryDeepNested?color%5Br%5D%5Bmin%5D=1&color%5Br%5D%5Bmax%5D=2&color%5Btags%5D=a&color%5Btags%5D=b',
  ],
  ['header_text', { xColor: 'a, b; %20' }, '/headerText', { 'x-color': 'a, b; %20' }],
  ['header_array', { xColor: ['blue', 'a b%'] }, '/headerArray', { 'x-color': 'blue,a b%' }],
  ['header_exploded_array', { xColor: ['blue', 'a b'] }, '/headerExplodedArray', { 'x-color': 'blue,a b' }],
  ['header_object', { xColor: { R: '1', G: 'a=b' } }, '/headerObject', { 'x-color': 'R,1,G,a=b' }],
  ['header_exploded_object', { xColor: { R: '1', G: 'a=b' } }, '/headerExplodedObject', { 'x-color': 'R=1,G=a=b' }],
  ['header_json', { xColor: DOCUMENT }, '/headerJson', { 'x-color': '{"r":1,"tags":["\\u00e4",";,"]}' }],
  ['header_plain_text', { xColor: 'a, b' }, '/headerPlainText', { 'x-color': 'a, b' }],
  [
    'cookie_text',
    { color: 'a;b,c "d" é\r\n', size: 5 },
    '/cookieText',
    { cookie: 'color=a%3Bb%2Cc%20%22d%22%20%C3%A9%0D%0A; size=5' },
  ],
  ['cookie_array', { color: LIST }, '/cookieArray', { cookie: 'color=blue,a%2Cb%20c' }],
  ['cookie_exploded_array', { color: LIST }, '/cookieExplodedArray', { cookie: 'color=blue; color=a%2Cb%20c' }],
  ['cookie_object', { color: MAP }, '/cookieObject', { cookie: 'color=R,100,%C3%A9%3D,%26%2F' }],
  [
    'cookie_exploded_object',
    { color: MAP, size: 1 },
    '/cookieExplodedObject',
    { cookie: 'R=100; %C3%A9%3D=%26%2F; size=1' },
  ],
  [
    'cookie_json',
    { color: DOCUMENT },
    '/cookieJson',
    { cookie: 'color=%7B%22r%22%3A1%2C%22tags%22%3A%5B%22%C3%A4%22%2C%22%3B%2C%22%5D%7D' },
  ],
  ['cookie_plain_text', { color: 'a=1&b="2, 3"' }, '/cookiePlainText', { cookie: 'color=a=1&b="2, 3"' }],
  ['cookie_nested', { color: [{ r: 1 }, {}] }, '/cookieNested', { cookie: 'color=%7B%22r%22%3A1%7D,%7B%7D' }],
  [
    'every_place',
    { id: 'x', session: 's', filter: { a: [1] }, xTags: ['t', 'u'] },
    '/everyPlace/.x?filter=%7B%22a%22%3A%5B1%5D%7D',
    { 'x-tags': 't,u', cookie: 'session=s' },
  ],
];

describe('every form of parameter', () => {
  test('is generated, and compiles', () => {
    expect(forms.errors).toEqual([]);
    expect(new Set(ROWS.map(([name]) => `forms_${name}`))).toEqual(
      new Set(forms.connector.tools.map(({ name }) => name)),
    );
  });

  test('is generated alike from OpenAPI 3.0 and 3.1', async () => {
    const older = await generateForms(DESCRIPTOR, (text) => text.replace('openapi: 3.1.0', 'openapi: 3.0.3'));
    await older.close();
    expect(older.errors).toEqual([]);
    const withoutDigest = (files: typeof forms.files) =>
      files.map((file) => ({ ...file, text: file.text.replace(/^ {2}descriptor: .*$/m, '') }));
    expect(withoutDigest(older.files)).toEqual(withoutDigest(forms.files));
  });

  test.each(ROWS)('%s %j is sent as %s', async (name, args, url, headers = {}) => {
    received = [];
    expect(await call(host.origin, name, args)).toBe(204);
    expect(received).toEqual([{ url, headers }]);
  });

  test.each(ROWS)('%s %j is allowed by the descriptor', async (name, args) => {
    sandbox.clearRequests();
    expect(await call(`${sandbox.origin}/forms`, name, args)).toBe(204);
    expect(sandbox.requests()).toMatchObject([{ status: 204 }]);
  });

  test.each<[title: string, tool: string, args: Record<string, unknown>, url: string]>([
    ['a query', 'query_form_exploded_array', {}, '/queryFormExplodedArray'],
    ['a query document', 'query_json', {}, '/queryJson'],
    ['the headers', 'header_array', {}, '/headerArray'],
    ['a header document', 'header_json', {}, '/headerJson'],
    ['the cookies', 'cookie_json', {}, '/cookieJson'],
  ])('sends nothing in %s if no argument is given', async (_, name, args, url) => {
    received = [];
    expect(await call(host.origin, name, args)).toBe(204);
    expect(received).toEqual([{ url, headers: {} }]);
  });

  test.each<[tool: string, args: Record<string, unknown>]>([
    ['path_label_text', { color: '.' }],
    ['path_label_text', { color: '' }],
    ['path_label_exploded_array', { color: ['', ''] }],
    ['path_label_array', { color: [''] }],
    ['path_simple_array', { color: ['..'] }],
    ['path_simple_array', { color: [] }],
    ['path_simple_object', { color: {} }],
    ['path_matrix_exploded_array', { color: [] }],
    ['path_plain_text', { color: '..' }],
    ['header_array', { xColor: ['a\r\nX-Admin: 1'] }],
    ['header_plain_text', { xColor: 'a\0' }],
    ['header_plain_text', { xColor: '中' }],
    ['cookie_plain_text', { color: 'a; admin=1' }],
    ['cookie_exploded_object', { color: { '': 'x' } }],
  ])('%s %j is refused, and nothing is sent', async (name, args) => {
    received = [];
    await expect(call(host.origin, name, args)).rejects.toThrow(CannotSendError);
    expect(received).toEqual([]);
  });
});
