import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileGenerated } from '../../codegen/compile.ts';
import { type FormsHost, generateForms, importForms, readForm, startFormsHost } from './forms.ts';

let host: FormsHost;
let remove = async (): Promise<void> => undefined;
beforeAll(async () => {
  const files = await generateForms();
  expect(compileGenerated(files)).toEqual([]);
  const imported = await importForms(files);
  remove = imported.remove;
  host = await startFormsHost(imported.connector, { createBoundary: () => 'b0' });
}, 120_000);
afterAll(async () => {
  await host?.close();
  await remove();
});

const part = (headers: string, content: string): string =>
  `--b0\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${content}\r\n`;

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=b0';
const HI = { data: 'aGk=' };

/** The last member is the body as the platform's parser reads it. */
type Row = [
  title: string,
  tool: string,
  args: Readonly<Record<string, unknown>>,
  request: string,
  contentType: string | null,
  body: string,
  fields?: readonly (readonly [name: string, value: unknown])[],
];

const ROWS: Row[] = [
  [
    'a form',
    'create_charge',
    {
      amount: 5,
      capture: false,
      note: 'a b&c=d+é',
      tags: ['x', 'y z'],
      address: { city: 'Köln', lines: ['1', '2'] },
      parties: [{ name: 'A' }, { name: 'B' }],
      codes: ['p', 'q,r'],
      expand: ['customer', 'invoice'],
      metadata: { order: '7' },
      range: { from: '1', to: '2' },
      url: 'https://a.example/b?c',
    },
    'POST /charges',
    FORM,
    [
      'amount=5&capture=false&note=a%20b%26c%3Dd%2B%C3%A9&tags=x&tags=y%20z',
      'address=%7B%22city%22%3A%22K%C3%B6ln%22%2C%22lines%22%3A%5B%221%22%2C%222%22%5D%7D',
      'parties=%7B%22name%22%3A%22A%22%7D&parties=%7B%22name%22%3A%22B%22%7D&codes=p,q%2Cr',
      'expand%5B0%5D=customer&expand%5B1%5D=invoice&metadata%5Border%5D=7&from=1&to=2&url=https://a.example/b?c',
    ].join('&'),
    [
      ['amount', '5'],
      ['capture', 'false'],
      ['note', 'a b&c=d+é'],
      ['tags', 'x'],
      ['tags', 'y z'],
      ['address', '{"city":"Köln","lines":["1","2"]}'],
      ['parties', '{"name":"A"}'],
      ['parties', '{"name":"B"}'],
      ['codes', 'p,q,r'],
      ['expand[0]', 'customer'],
      ['expand[1]', 'invoice'],
      ['metadata[order]', '7'],
      ['from', '1'],
      ['to', '2'],
      ['url', 'https://a.example/b?c'],
    ],
  ],
  ['a form without optional members', 'create_charge', { amount: 1 }, 'POST /charges', FORM, 'amount=1'],
  ['a form as one argument', 'replace_filters', { body: { 'a b': 'c', d: '' } }, 'PUT /filters', FORM, 'a%20b=c&d='],
  ['no form if it is not given', 'replace_filters', {}, 'PUT /filters', null, ''],
  [
    'a multipart form',
    'create_document',
    {
      title: 'T\n"é"',
      pages: 3,
      draft: true,
      metadata: { a: 'b' },
      tags: ['x', 'y'],
      owners: [{ name: 'A' }],
      keywords: ['k', 'l'],
      file: { ...HI, name: 'né.txt', mimeType: 'text/plain' },
      preview: HI,
      cover: { ...HI, mimeType: 'image/webp' },
      attachments: [HI, { data: '', name: 'b' }],
      signature: 'AAA=',
      table: '1,2',
      patch: { a: 1 },
    },
    'POST /documents',
    MULTIPART,
    [
      part('name="title"', 'T\n"é"'),
      part('name="pages"', '3'),
      part('name="draft"', 'true'),
      part('name="metadata"\r\nContent-Type: application/json', '{"a":"b"}'),
      part('name="tags"', 'x'),
      part('name="tags"', 'y'),
      part('name="owners"\r\nContent-Type: application/json', '{"name":"A"}'),
      part('name="keywords"', 'k,l'),
      part('name="file"; filename="né.txt"\r\nContent-Type: text/plain', 'hi'),
      part('name="preview"; filename="preview"\r\nContent-Type: image/png', 'hi'),
      part('name="cover"; filename="cover"\r\nContent-Type: image/webp', 'hi'),
      part('name="attachments"; filename="attachments"\r\nContent-Type: application/octet-stream', 'hi'),
      part('name="attachments"; filename="b"\r\nContent-Type: application/octet-stream', ''),
      part('name="signature"', 'AAA='),
      part('name="table"\r\nContent-Type: text/csv', '1,2'),
      part('name="patch"\r\nContent-Type: application/merge-patch+json', '{"a":1}'),
      '--b0--\r\n',
    ].join(''),
    [
      ['title', 'T\n"é"'],
      ['pages', '3'],
      ['draft', 'true'],
      ['metadata', '{"a":"b"}'],
      ['tags', 'x'],
      ['tags', 'y'],
      ['owners', '{"name":"A"}'],
      ['keywords', 'k,l'],
      ['file', { data: 'aGk=', name: 'né.txt', mimeType: 'text/plain' }],
      ['preview', { data: 'aGk=', name: 'preview', mimeType: 'image/png' }],
      ['cover', { data: 'aGk=', name: 'cover', mimeType: 'image/webp' }],
      ['attachments', { data: 'aGk=', name: 'attachments', mimeType: 'application/octet-stream' }],
      ['attachments', { data: '', name: 'b', mimeType: 'application/octet-stream' }],
      ['signature', 'AAA='],
      ['table', '1,2'],
      ['patch', '{"a":1}'],
    ],
  ],
  [
    'files that connector.yaml fixes or makes of arguments',
    'create_letter',
    { title: 'T', previewData: 'aGk' },
    'POST /documents',
    MULTIPART,
    [
      part('name="title"', 'T'),
      part('name="metadata"\r\nContent-Type: application/json', '{"kind":"letter"}'),
      part('name="tags"', 'letter'),
      part('name="file"; filename="letter.txt"\r\nContent-Type: text/plain', 'hi'),
      part('name="preview"; filename="preview"\r\nContent-Type: image/png', 'hi'),
      '--b0--\r\n',
    ].join(''),
  ],
  [
    'no file if none of its arguments is given',
    'create_letter',
    { title: 'T' },
    'POST /documents',
    MULTIPART,
    [
      part('name="title"', 'T'),
      part('name="metadata"\r\nContent-Type: application/json', '{"kind":"letter"}'),
      part('name="tags"', 'letter'),
      part('name="file"; filename="letter.txt"\r\nContent-Type: text/plain', 'hi'),
      '--b0--\r\n',
    ].join(''),
  ],
  [
    'an optional multipart form',
    'change_profile',
    { profileId: 'p', avatar: { ...HI, mimeType: 'image/gif' } },
    'PATCH /profiles/p',
    MULTIPART,
    `${part('name="avatar"; filename="avatar"\r\nContent-Type: image/gif', 'hi')}--b0--\r\n`,
  ],
  [
    'no multipart form if none of its members is given',
    'change_profile',
    { profileId: 'p' },
    'PATCH /profiles/p',
    null,
    '',
  ],
  [
    'a multipart form as one argument',
    'create_import',
    { body: { file: { ...HI, name: 'a.csv', mimeType: 'text/csv' }, kind: 'k' } },
    'POST /imports',
    MULTIPART,
    `${part('name="file"; filename="a.csv"\r\nContent-Type: text/csv', 'hi')}${part('name="kind"', 'k')}--b0--\r\n`,
  ],
  ['a text', 'render_note', { body: '# Né\n' }, 'POST /notes.md', 'text/markdown', '# Né\n'],
  [
    'a text that is not JSON, though its schema is an object',
    'replace_feed',
    { body: '<feed/>' },
    'PUT /feeds',
    'application/atom+xml',
    '<feed/>',
  ],
  ['no text if it is not given', 'replace_feed', {}, 'PUT /feeds', null, ''],
  ['bytes', 'replace_archive', { body: 'aGk' }, 'PUT /archives', 'application/zip', 'hi'],
  [
    'bytes of a range of types',
    'add_picture',
    { body: { ...HI, mimeType: 'image/png' } },
    'POST /pictures',
    'image/png',
    'hi',
  ],
  [
    'JSON if any type is accepted and the schema is an object',
    'add_anything',
    { a: 'x' },
    'POST /anything',
    'application/json',
    '{"a":"x"}',
  ],
];

describe('a generated tool sends', () => {
  test.each<Row>(ROWS)('%s', async (_title, tool, args, request, contentType, body, fields) => {
    const arrived = await host.call(`forms_${tool}`, args);
    expect(`${arrived.method} ${arrived.url}`).toBe(request);
    expect(arrived.contentType).toBe(contentType);
    expect(arrived.body.toString('utf8')).toBe(body);
    if (fields !== undefined) expect(await readForm(arrived)).toEqual(fields);
  });

  test.each<[title: string, tool: string, args: Record<string, unknown>, problem: string]>([
    [
      'a file of another type',
      'forms_add_picture',
      { body: { ...HI, mimeType: 'text/csv' } },
      '"body.mimeType" must be of',
    ],
    ['text that is not base64', 'forms_replace_archive', { body: '*' }, '"body" is not base64'],
    [
      'a path for a file name',
      'forms_create_document',
      { title: 'T', file: { ...HI, name: 'a/b' } },
      '"file.name" must be',
    ],
    [
      'a wrong file in a list',
      'forms_create_document',
      { title: 'T', file: HI, attachments: [{ data: '*' }] },
      '"attachments[0].data" is',
    ],
    ['a wrong file in a whole body', 'forms_create_import', { body: { file: { data: '*' } } }, '"body.file.data" is'],
    ['half of a surrogate pair', 'forms_render_note', { body: '\ud800' }, 'surrogate'],
  ])('nothing for %s', async (_title, tool, args, problem) => {
    await expect(host.call(tool, args)).rejects.toThrow(problem);
  });
});
