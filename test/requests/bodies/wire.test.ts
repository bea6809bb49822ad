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

interface Row {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly request: string;
  readonly contentType: string | null;
  readonly body: string;
  /** The body as the platform's parser reads it. */
  readonly fields?: readonly (readonly [name: string, value: unknown])[];
}

const ROWS: readonly (readonly [title: string, row: Row])[] = [
  [
    'a form',
    {
      tool: 'forms_create_charge',
      args: {
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
      request: 'POST /charges',
      contentType: FORM,
      body: [
        'amount=5&capture=false&note=a%20b%26c%3Dd%2B%C3%A9&tags=x&tags=y%20z',
        'address=%7B%22city%22%3A%22K%C3%B6ln%22%2C%22lines%22%3A%5B%221%22%2C%222%22%5D%7D',
        'parties=%7B%22name%22%3A%22A%22%7D&parties=%7B%22name%22%3A%22B%22%7D&codes=p,q%2Cr',
        'expand%5B0%5D=customer&expand%5B1%5D=invoice&metadata%5Border%5D=7&from=1&to=2&url=https://a.example/b?c',
      ].join('&'),
      fields: [
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
    },
  ],
  [
    'a form without optional members',
    { tool: 'forms_create_charge', args: { amount: 1 }, request: 'POST /charges', contentType: FORM, body: 'amount=1' },
  ],
  [
    'a form as one argument',
    {
      tool: 'forms_replace_filters',
      args: { body: { 'a b': 'c', d: '' } },
      request: 'PUT /filters',
      contentType: FORM,
      body: 'a%20b=c&d=',
    },
  ],
  [
    'no form if it is not given',
    { tool: 'forms_replace_filters', args: {}, request: 'PUT /filters', contentType: null, body: '' },
  ],
  [
    'a multipart form',
    {
      tool: 'forms_create_document',
      args: {
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
      request: 'POST /documents',
      contentType: MULTIPART,
      body: [
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
      fields: [
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
    },
  ],
  [
    'files that connector.yaml fixes or makes of arguments',
    {
      tool: 'forms_create_letter',
      args: { title: 'T', previewData: 'aGk' },
      request: 'POST /documents',
      contentType: MULTIPART,
      body: [
        part('name="title"', 'T'),
        part('name="metadata"\r\nContent-Type: application/json', '{"kind":"letter"}'),
        part('name="tags"', 'letter'),
        part('name="file"; filename="letter.txt"\r\nContent-Type: text/plain', 'hi'),
        part('name="preview"; filename="preview"\r\nContent-Type: image/png', 'hi'),
        '--b0--\r\n',
      ].join(''),
    },
  ],
  [
    'no file if none of its arguments is given',
    {
      tool: 'forms_create_letter',
      args: { title: 'T' },
      request: 'POST /documents',
      contentType: MULTIPART,
      body: [
        part('name="title"', 'T'),
        part('name="metadata"\r\nContent-Type: application/json', '{"kind":"letter"}'),
        part('name="tags"', 'letter'),
        part('name="file"; filename="letter.txt"\r\nContent-Type: text/plain', 'hi'),
        '--b0--\r\n',
      ].join(''),
    },
  ],
  [
    'an optional multipart form',
    {
      tool: 'forms_change_profile',
      args: { profileId: 'p', avatar: { ...HI, mimeType: 'image/gif' } },
      request: 'PATCH /profiles/p',
      contentType: MULTIPART,
      body: `${part('name="avatar"; filename="avatar"\r\nContent-Type: image/gif', 'hi')}--b0--\r\n`,
    },
  ],
  [
    'no multipart form if none of its members is given',
    {
      tool: 'forms_change_profile',
      args: { profileId: 'p' },
      request: 'PATCH /profiles/p',
      contentType: null,
      body: '',
    },
  ],
  [
    'a multipart form as one argument',
    {
      tool: 'forms_create_import',
      args: { body: { file: { ...HI, name: 'a.csv', mimeType: 'text/csv' }, kind: 'k' } },
      request: 'POST /imports',
      contentType: MULTIPART,
      body: `${part('name="file"; filename="a.csv"\r\nContent-Type: text/csv', 'hi')}${part('name="kind"', 'k')}--b0--\r\n`,
    },
  ],
  [
    'a text',
    {
      tool: 'forms_render_note',
      args: { body: '# Né\n' },
      request: 'POST /notes.md',
      contentType: 'text/markdown',
      body: '# Né\n',
    },
  ],
  [
    'a text that is not JSON, though its schema is an object',
    {
      tool: 'forms_replace_feed',
      args: { body: '<feed/>' },
      request: 'PUT /feeds',
      contentType: 'application/atom+xml',
      body: '<feed/>',
    },
  ],
  [
    'no text if it is not given',
    { tool: 'forms_replace_feed', args: {}, request: 'PUT /feeds', contentType: null, body: '' },
  ],
  [
    'bytes',
    {
      tool: 'forms_replace_archive',
      args: { body: 'aGk' },
      request: 'PUT /archives',
      contentType: 'application/zip',
      body: 'hi',
    },
  ],
  [
    'bytes of a range of types',
    {
      tool: 'forms_add_picture',
      args: { body: { ...HI, mimeType: 'image/png' } },
      request: 'POST /pictures',
      contentType: 'image/png',
      body: 'hi',
    },
  ],
  [
    'JSON if any type is accepted and the schema is an object',
    {
      tool: 'forms_add_anything',
      args: { a: 'x' },
      request: 'POST /anything',
      contentType: 'application/json',
      body: '{"a":"x"}',
    },
  ],
];

describe('a generated tool sends', () => {
  test.each(ROWS)('%s', async (_title, { tool, args, request, contentType, body, fields }) => {
    const arrived = await host.call(tool, args);
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
