import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenSandbox, openSandbox } from '../../sandbox/index.ts';
import { FORMS_ROOT } from '../requests/bodies/forms.ts';

let sandbox: OpenSandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ root: FORMS_ROOT, services: ['forms'], credential: 'key' });
});
afterAll(() => sandbox.close());

const FORM = 'application/x-www-form-urlencoded';

async function send(path: string, body: FormData | string | Uint8Array<ArrayBuffer>, contentType?: string) {
  const headers = {
    authorization: 'Bearer key',
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
  };
  const [method = '', target = ''] = path.split(' ');
  const response = await fetch(`${sandbox.origin}/forms${target}`, { method, headers, body });
  const text = await response.text();
  return { status: response.status, violations: text === '' ? [] : JSON.parse(text).violations };
}

function form(...fields: readonly (readonly [name: string, value: string | File])[]): FormData {
  const data = new FormData();
  for (const [name, value] of fields) data.append(name, value);
  return data;
}

const file = (type = '') => new File(['hi'], 'a', { type });
const title = ['title', 'T'] as const;

describe('a body that the descriptor allows', () => {
  test.each<
    [title: string, path: string, body: () => FormData | string | Uint8Array<ArrayBuffer>, contentType?: string]
  >([
    [
      'a form',
      'POST /charges',
      () => 'amount=1&tags=a&tags=b&expand%5B0%5D=c&metadata%5Bk%5D=v&codes=a,b&from=1',
      FORM,
    ],
    ['a form that writes a space as +', 'POST /charges', () => 'amount=1&note=a+b', FORM],
    [
      'a multipart form',
      'POST /documents',
      () => form(title, ['file', file()], ['pages', '3'], ['metadata', '{"a":"b"}']),
    ],
    [
      'several files',
      'POST /documents',
      () => form(title, ['file', file()], ['attachments', file()], ['attachments', file()]),
    ],
    ['a text', 'POST /notes.md', () => '# é', 'text/markdown; charset=utf-8'],
    ['bytes', 'PUT /archives', () => new Uint8Array([255, 0]), 'application/zip'],
    ['bytes of a range', 'POST /pictures', () => new Uint8Array([255, 0]), 'image/webp'],
  ])('%s is accepted', async (_title, path, body, contentType) => {
    expect(await send(path, body(), contentType)).toEqual({ status: 204, violations: [] });
  });
});

describe('a body that the descriptor does not allow', () => {
  test.each<
    [
      title: string,
      path: string,
      body: () => FormData | string | Uint8Array<ArrayBuffer>,
      contentType: string | undefined,
      violations: readonly [name: string, message: string][],
    ]
  >([
    ['text for a number', 'POST /charges', () => 'amount=x', FORM, [['/amount', 'must be integer']]],
    ['a member that is missing', 'POST /charges', () => 'note=x', FORM, [['/amount', 'is required']]],
    ['text for an object', 'POST /charges', () => 'amount=1&address=x', FORM, [['/address', 'must be object']]],
    [
      'an item that is too long',
      'POST /charges',
      () => `amount=1&expand%5B0%5D=${'x'.repeat(51)}`,
      FORM,
      [['/expand/0', 'must NOT have more than 50 characters']],
    ],
    ['text for a file', 'POST /documents', () => form(title, ['file', 'hi']), undefined, [['/file', 'must be a file']]],
    [
      'a file for text',
      'POST /documents',
      () => form(['title', file()], ['file', file()]),
      undefined,
      [['/title', 'must not be a file']],
    ],
    [
      'a file of another type',
      'POST /documents',
      () => form(title, ['file', file()], ['preview', file('text/csv')]),
      undefined,
      [['/preview', 'must be of image/png, image/jpeg']],
    ],
    [
      'more files than allowed',
      'POST /documents',
      () => form(title, ['file', file()], ...[1, 2, 3, 4].map(() => ['attachments', file()] as const)),
      undefined,
      [['/attachments', 'must NOT have more than 3 items']],
    ],
    [
      'a member that the form does not declare',
      'POST /imports',
      () => form(['other', 'x']),
      undefined,
      [
        ['/file', 'is required'],
        ['/other', 'is not declared by the descriptor'],
        ['/url', 'is required'],
        ['', 'must match exactly one schema in oneOf'],
      ],
    ],
    [
      'a body that is not multipart',
      'POST /documents',
      () => 'x',
      'multipart/form-data; boundary=b',
      [['', 'the body is not multipart/form-data']],
    ],
    ['a broken escape', 'POST /charges', () => 'amount=%zz', FORM, [['', `the body is not ${FORM}`]]],
    ['bytes for text', 'POST /notes.md', () => new Uint8Array([255]), 'text/markdown', [['', 'the body is not UTF-8']]],
  ])('%s is refused', async (_title, path, body, contentType, violations) => {
    const answer = await send(path, body(), contentType);
    expect(answer.status).toBe(400);
    expect(answer.violations).toEqual(violations.map(([name, message]) => ({ in: 'body', name, message })));
  });

  test('of another media type is refused with 415', async () => {
    expect((await send('POST /pictures', 'x', 'text/plain')).status).toBe(415);
    expect((await send('POST /notes.md', 'x', 'text/plain')).status).toBe(415);
  });
});

describe('the list of requests', () => {
  test('has the bytes of a body, but not under /__sandbox/requests', async () => {
    sandbox.clearRequests();
    await send('PUT /archives', new Uint8Array([255, 0]), 'application/zip');
    expect(sandbox.requests().map(({ bytes }) => [...bytes])).toEqual([[255, 0]]);
    const [request] = (await (await fetch(`${sandbox.origin}/__sandbox/requests`)).json()) as object[];
    expect(Object.keys(request ?? {})).not.toContain('bytes');
  });
});
