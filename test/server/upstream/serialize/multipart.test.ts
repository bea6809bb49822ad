import type { File } from 'node:buffer';
import fc from 'fast-check';
import { Response } from 'undici';
import { describe, expect, it } from 'vitest';
import type { PartEncoding } from '../../../../server/contract/index.ts';
import { createBodyWriters } from '../../../../server/upstream/serialize/bodies.ts';
import { textArbitrary } from '../../../support/schema-arbitrary.ts';

const writers = createBodyWriters(() => 'b0');

const ROWS: readonly [
  title: string,
  encodings: Readonly<Record<string, PartEncoding>>,
  body: () => unknown,
  parts: readonly string[],
][] = [
  ['text', {}, () => ({ a: 'x\ny"é' }), ['Content-Disposition: form-data; name="a"\r\n\r\nx\ny"é']],
  ['a number', {}, () => ({ a: 12.5 }), ['Content-Disposition: form-data; name="a"\r\n\r\n12.5']],
  [
    'text of a declared type',
    { a: { contentType: 'text/csv' } },
    () => ({ a: '1,2' }),
    ['Content-Disposition: form-data; name="a"\r\nContent-Type: text/csv\r\n\r\n1,2'],
  ],
  [
    'an object as a JSON part without a filename',
    {},
    () => ({ a: { b: [1, null] } }),
    ['Content-Disposition: form-data; name="a"\r\nContent-Type: application/json\r\n\r\n{"b":[1,null]}'],
  ],
  [
    'an object under its own JSON type',
    { a: { contentType: 'application/merge-patch+json' } },
    () => ({ a: { b: null } }),
    ['Content-Disposition: form-data; name="a"\r\nContent-Type: application/merge-patch+json\r\n\r\n{"b":null}'],
  ],
  [
    'an array as one part for each item',
    {},
    () => ({ a: ['x', 2, { b: 1 }, ['y']] }),
    [
      'Content-Disposition: form-data; name="a"\r\n\r\nx',
      'Content-Disposition: form-data; name="a"\r\n\r\n2',
      'Content-Disposition: form-data; name="a"\r\nContent-Type: application/json\r\n\r\n{"b":1}',
      'Content-Disposition: form-data; name="a"\r\nContent-Type: application/json\r\n\r\n["y"]',
    ],
  ],
  [
    'a joined array where that is declared',
    { a: { style: 'pipeDelimited', explode: false, allowReserved: false } },
    () => ({ a: ['x y', 'z,'] }),
    ['Content-Disposition: form-data; name="a"\r\n\r\nx y|z,'],
  ],
  [
    'a deep object where that is declared',
    { a: { style: 'deepObject', explode: true, allowReserved: false } },
    () => ({ a: { b: 1, c: ['d'] } }),
    ['Content-Disposition: form-data; name="a[b]"\r\n\r\n1', 'Content-Disposition: form-data; name="a[c][0]"\r\n\r\nd'],
  ],
  [
    'a file under its defaults',
    {},
    () => ({ a: writers.file({ data: 'aGk=' }, 'a') }),
    ['Content-Disposition: form-data; name="a"; filename="a"\r\nContent-Type: application/octet-stream\r\n\r\nhi'],
  ],
  [
    'a file under its own name and type',
    {},
    () => ({ a: writers.file({ data: 'aGk', name: 'né "1".txt', mimeType: 'text/plain; charset=utf-8' }, 'a') }),
    [
      'Content-Disposition: form-data; name="a"; filename="né %221%22.txt"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nhi',
    ],
  ],
  [
    'files in an array as one part each',
    {},
    () => ({ a: writers.file([{ data: 'aGk=' }, { data: '', name: 'b' }], 'a', ['image/*', 'image/png']) }),
    [
      'Content-Disposition: form-data; name="a"; filename="a"\r\nContent-Type: image/png\r\n\r\nhi',
      'Content-Disposition: form-data; name="a"; filename="b"\r\nContent-Type: image/png\r\n\r\n',
    ],
  ],
  [
    'the files of a whole body',
    {},
    () => writers.files({ a: { data: 'aGk=' }, b: { data: 'aGk=' } }, 'body', { a: ['image/png'] }),
    [
      'Content-Disposition: form-data; name="a"; filename="a"\r\nContent-Type: image/png\r\n\r\nhi',
      'Content-Disposition: form-data; name="b"\r\nContent-Type: application/json\r\n\r\n{"data":"aGk="}',
    ],
  ],
  [
    'a name that would break out of its header',
    {},
    () => ({ 'a"\r\nX: 1': 'x' }),
    ['Content-Disposition: form-data; name="a%22%0D%0AX: 1"\r\n\r\nx'],
  ],
  ['what is not given as nothing', {}, () => ({ a: undefined, b: null, c: [], d: writers.file(undefined, 'd') }), []],
];

describe('a multipart body (RFC 7578)', () => {
  it.each(ROWS)('has %s', async (_title, encodings, body, parts) => {
    const blob = writers.multipartBody(encodings)(body());
    expect(blob.type).toBe('multipart/form-data; boundary=b0');
    expect(await blob.text()).toBe(`${parts.map((part) => `--b0\r\n${part}\r\n`).join('')}--b0--\r\n`);
  });

  it('refuses an item that holds what separates items', () => {
    const encodings = { a: { style: 'form', explode: false, allowReserved: false } } as const;
    expect(() => writers.multipartBody(encodings)({ a: ['x,y'] })).toThrow('a "," would split an item in two');
  });

  it('refuses half of a surrogate pair', () => {
    expect(() => writers.multipartBody({})({ a: '\ud800' })).toThrow(URIError);
    expect(() => writers.multipartBody({})({ '\ud800': 'a' })).toThrow(URIError);
  });

  it('has a random boundary in lower case', () => {
    const types = [1, 2].map(() => createBodyWriters().multipartBody({})({}).type);
    expect(new Set(types).size).toBe(2);
    for (const type of types) expect(type).toMatch(/^multipart\/form-data; boundary=form-data-[0-9a-f]{32}$/);
  });

  it('is read back by a parser that is not ours', async () => {
    const { multipartBody, file } = createBodyWriters();
    const fileName = textArbitrary.filter(
      (name) => !['', '.', '..'].includes(name) && !/^\ufeff|[/\\\p{Cc}"%]/u.test(name),
    );
    const upload = fc.record({ data: fc.uint8Array({ maxLength: 300 }), name: fileName });
    const partName = textArbitrary.filter((name) => !/^\ufeff|[\r\n"%]/.test(name));
    const members = fc.array(fc.tuple(partName, fc.oneof(textArbitrary, upload)), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(members, async (drawn) => {
        const wanted = new Map(drawn);
        const body = [...wanted].map(([name, value]) => [name, typeof value === 'string' ? value : written(value)]);
        const blob = multipartBody({})(Object.fromEntries(body));
        const read = await new Response(await blob.arrayBuffer(), {
          headers: { 'content-type': blob.type },
        }).formData();
        const found = await Promise.all([...read].map(async ([name, value]) => [name, await unpack(value)] as const));
        expect(new Map(found)).toEqual(wanted);
      }),
    );

    function written({ data, name }: { data: Uint8Array; name: string }): unknown {
      return file({ data: Buffer.from(data).toString('base64'), name, mimeType: 'image/png' }, 'a');
    }
    async function unpack(value: string | File): Promise<unknown> {
      return typeof value === 'string' ? value : { data: new Uint8Array(await value.arrayBuffer()), name: value.name };
    }
  });
});
