import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { buildEnvironment } from '../../../sandbox/connector-rules.ts';
import type { OpenSandbox } from '../../../sandbox/index.ts';
import { numRuns } from '../../support/num-runs.ts';
import { findFailure } from '../contract/failure.ts';
import { loadSentAs } from '../contract/sent-as.ts';
import { DESCRIPTOR, generateForms } from './forms.ts';
import { startFormsService } from './service.ts';

const seed = Number(process.env.CONTRACT_SEED ?? 2026);
const runs = Number(process.env.CONTRACT_RUNS ?? numRuns(25));

const service = await startFormsService(DESCRIPTOR);
const { forms, client } = service;
const sandbox: OpenSandbox = Object.assign(service.sandbox, {
  environment: { forms: buildEnvironment(forms.connector, service.sandbox.origin) },
});
const sentAs = loadSentAs(path.join(forms.root, 'generated'), 'forms');
afterAll(() => service.close());
const tools = forms.connector.tools.map((tool) => ({ name: tool.name, tool }));

describe('every form of parameter', () => {
  test('is generated, and compiles', () => {
    expect(forms.errors).toEqual([]);
    expect(tools).toHaveLength(48);
  });

  test('is generated alike from OpenAPI 3.0 and 3.1', async () => {
    const older = await generateForms(DESCRIPTOR, (text) => text.replace('openapi: 3.1.0', 'openapi: 3.0.3'));
    await older.close();
    expect(older.errors).toEqual([]);
    const withoutDigest = (files: typeof forms.files) =>
      files.map((file) => ({ ...file, text: file.text.replace(/^ {2}descriptor: .*$/m, '') }));
    expect(withoutDigest(older.files)).toEqual(withoutDigest(forms.files));
  });
});

describe('drawn arguments arrive as given', () => {
  test.each(tools)('$name', { timeout: 20_000 + runs * 1000 }, async ({ name, tool }) => {
    const failure = await findFailure({
      tool,
      service: 'forms',
      sentAs: sentAs.get(name)!,
      client,
      sandbox,
      seed,
      runs,
    });
    expect(failure).toBeNull();
  });
});

describe('the text of a request', () => {
  const LIST = ['blue', 'a,b c'];
  const MAP = { R: '100', 'é=': '&/' };
  test.each<[tool: string, args: Record<string, unknown>, url: string, headers?: Record<string, string>]>([
    ['path_label_exploded_array', { color: LIST }, '/pathLabelExplodedArray/.blue.a%2Cb%20c/end'],
    ['path_matrix_object', { color: MAP }, '/pathMatrixObject/;color=R,100,%C3%A9%3D,%26%2F/end'],
    ['query_form_array', { color: LIST, size: 1 }, '/queryFormArray?color=blue,a%2Cb%20c&size=1'],
    ['query_form_exploded_object', { color: MAP, size: 1 }, '/queryFormExplodedObject?R=100&%C3%A9%3D=%26%2F&size=1'],
    ['query_deep_object', { color: MAP }, '/queryDeepObject?color%5BR%5D=100&color%5B%C3%A9%3D%5D=%26%2F'],
    [
      'query_reserved',
      { color: "a/b?c:d@e!$'()*,;=&#[]+" },
      '/queryReserved?color=a/b?c:d@e!$%27()*,;=%26%23%5B%5D%2B',
    ],
    ['query_json', {}, '/queryJson'],
    ['header_array', { xColor: ['blue', 'a b%'] }, '/headerArray', { 'x-color': 'blue,a b%' }],
    ['cookie_exploded_array', { color: LIST }, '/cookieExplodedArray', { cookie: 'color=blue; color=a%2Cb%20c' }],
  ])('of %s with %j is %s', async (name, args, url, headers = {}) => {
    sandbox.clearRequests();
    await client.callTool({ name: `forms_${name}`, arguments: args });
    expect(sandbox.requests()).toMatchObject([{ url: `/forms${url}`, status: 204, headers }]);
  });
});

describe('a value that its parameter cannot carry', () => {
  test.each<[tool: string, args: Record<string, unknown>, want: string]>([
    ['header_text', { xColor: 'a\r\nX-Admin: 1' }, '"xColor" cannot be the header "X-Color": it holds a line break.'],
    ['header_text', { xColor: 'a\u0001' }, '"xColor" cannot be the header "X-Color": it holds a control character.'],
    ['header_array', { xColor: ['a\nb'] }, '"xColor" cannot be the header "X-Color": it holds a line break.'],
    [
      'header_array',
      { xColor: ['a,b'] },
      '"xColor" cannot be the header "X-Color": a comma would split an element in two.',
    ],
    [
      'header_plain_text',
      { xColor: '中' },
      '"xColor" cannot be the header "X-Color": it holds a character beyond Latin-1.',
    ],
    ['cookie_plain_text', { color: 'a; b=c' }, '"color" cannot be the cookie "color": it holds a semicolon,'],
    [
      'cookie_text',
      { color: '\ud800' },
      '"color" cannot be the cookie "color": it holds half of a surrogate pair, which is no text.',
    ],
    [
      'path_label_exploded_array',
      { color: ['', ''] },
      '"color" cannot be the path parameter "color": it would put ".." between two slashes of the path.',
    ],
    ['path_label_text', { color: '.' }, '"color" becomes part of a path and must not be ".".'],
    ['path_simple_object', { color: {} }, '"color" must have at least 1 members (it has 0).'],
    [
      'query_pipe_delimited_array',
      { color: ['a|b'] },
      '"color" cannot be the query parameter "color": a vertical bar would split an element in two.',
    ],
    [
      'query_form_exploded_object',
      { color: { size: '1' } },
      '"color" cannot be the query parameter "color": its member "size" would be sent as a part of "size".',
    ],
  ])('%s %j is an error that the model reads, and nothing is sent', async (name, args, want) => {
    sandbox.clearRequests();
    const { content, isError } = await client.callTool({ name: `forms_${name}`, arguments: args });
    expect(isError).toBe(true);
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    expect(text).toContain(want);
    expect(text).toContain('"code":"invalid_arguments"');
    expect(sandbox.requests()).toEqual([]);
  });
});
