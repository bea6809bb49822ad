import type { File } from 'node:buffer';
import fc from 'fast-check';
import { Response } from 'undici';
import { describe, expect, it } from 'vitest';
import { compileRequest } from '../../../../../server/call/upstream/serialize.ts';
import type { PartStyle } from '../../../../../server/contract/index.ts';
import { textArbitrary } from '../../../../support/schema-arbitrary.ts';
import { writeMultipart, writeRequest } from './written.ts';

const ROWS: readonly [
  title: string,
  styles: Readonly<Record<string, PartStyle>>,
  values: Readonly<Record<string, unknown>>,
  parts: readonly string[],
][] = [
  ['a string', {}, { a: 'x\ny"é' }, ['Content-Disposition: form-data; name="a"\r\n\r\nx\ny"é']],
  ['a number', {}, { a: 12.5 }, ['Content-Disposition: form-data; name="a"\r\n\r\n12.5']],
  [
    'text of a declared type',
    { a: { contentType: 'text/csv' } },
    { a: '1,2' },
    ['Content-Disposition: form-data; name="a"\r\nContent-Type: text/csv\r\n\r\n1,2'],
  ],
  [
    'an object as a JSON part without a filename',
    {},
    { a: { b: [1, null] } },
    ['Content-Disposition: form-data; name="a"\r\nContent-Type: application/json\r\n\r\n{"b":[1,null]}'],
  ],
  [
    'an object under its own JSON type',
    { a: { contentType: 'application/merge-patch+json' } },
    { a: { b: null } },
    ['Content-Disposition: form-data; name="a"\r\nContent-Type: application/merge-patch+json\r\n\r\n{"b":null}'],
  ],
  [
    'an array as one part for each item',
    {},
    { a: ['x', 2, { b: 1 }, ['y']] },
    [
      'Content-Disposition: form-data; name="a"\r\n\r\nx',
      'Content-Disposition: form-data; name="a"\r\n\r\n2',
      'Content-Disposition: form-data; name="a"\r\nContent-Type: application/json\r\n\r\n{"b":1}',
      'Content-Disposition: form-data; name="a"\r\nContent-Type: application/json\r\n\r\n["y"]',
    ],
  ],
  [
    'a joined array where it is declared',
    { a: { style: 'pipeDelimited', explode: false, allowReserved: false } },
    { a: ['x y', 'z,'] },
    ['Content-Disposition: form-data; name="a"\r\n\r\nx y|z,'],
  ],
  [
    'a deep object where it is declared',
    { a: { style: 'deepObject', explode: true, allowReserved: false } },
    { a: { b: 1, c: ['d'] } },
    ['Content-Disposition: form-data; name="a[b]"\r\n\r\n1', 'Content-Disposition: form-data; name="a[c][0]"\r\n\r\nd'],
  ],
  [
    'a file under its defaults',
    { a: { file: [] } },
    { a: { data: 'aGk=' } },
    ['Content-Disposition: form-data; name="a"; filename="a"\r\nContent-Type: application/octet-stream\r\n\r\nhi'],
  ],
  [
    'a file under its own name and type',
    { a: { file: [] } },
    { a: { data: 'aGk', name: 'né "1".txt', mimeType: 'text/plain; charset=utf-8' } },
    [
      'Content-Disposition: form-data; name="a"; filename="né %221%22.txt"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nhi',
    ],
  ],
  [
    'files in an array as one part each',
    { a: { file: ['image/*', 'image/png'] } },
    { a: [{ data: 'aGk=' }, { data: '', name: 'b' }] },
    [
      'Content-Disposition: form-data; name="a"; filename="a"\r\nContent-Type: image/png\r\n\r\nhi',
      'Content-Disposition: form-data; name="a"; filename="b"\r\nContent-Type: image/png\r\n\r\n',
    ],
  ],
  [
    'a name that would break out of its header',
    {},
    { 'a"\r\nX: 1': 'x' },
    ['Content-Disposition: form-data; name="a%22%0D%0AX: 1"\r\n\r\nx'],
  ],
  ['no part for a missing argument', { d: { file: [] } }, { a: undefined, b: null, c: [], d: undefined }, []],
];

describe('a multipart body (RFC 7578)', () => {
  it.each(ROWS)('has %s', (_title, styles, values, parts) => {
    const { contentType, body } = writeMultipart(styles, values);
    expect(contentType).toBe('multipart/form-data; boundary=b0');
    expect(String(body)).toBe(`${parts.map((part) => `--b0\r\n${part}\r\n`).join('')}--b0--\r\n`);
  });

  it('has the files of an argument that contains the whole body', () => {
    const parts = { a: { file: ['image/png'] } };
    const request = { body: { mediaType: 'multipart/form-data', as: 'multipart', argument: 'body', parts } } as const;
    const body = { a: { data: 'aGk=' }, b: { data: 'aGk=' } };
    expect(String(writeRequest(request, { body }).body).split('--b0\r\n').slice(1)).toEqual([
      'Content-Disposition: form-data; name="a"; filename="a"\r\nContent-Type: image/png\r\n\r\nhi\r\n',
      'Content-Disposition: form-data; name="b"\r\nContent-Type: application/json\r\n\r\n{"data":"aGk="}\r\n--b0--\r\n',
    ]);
    expect(() => writeRequest(request, { body: { a: { data: '*' } } })).toThrow('"body.a.data" is not base64');
  });

  it('rejects an item that contains the separator', () => {
    const styles = { a: { style: 'form', explode: false } } as const;
    expect(() => writeMultipart(styles, { a: ['x,y'] })).toThrow('a comma would split an element in two');
  });

  it('rejects a lone surrogate', () => {
    const problem = '"a" cannot be the part "a": it holds half of a surrogate pair, which is no text.';
    expect(() => writeMultipart({}, { a: '\ud800' })).toThrow(problem);
    expect(() => writeMultipart({}, { '\ud800': 'a' })).toThrow('it holds half of a surrogate pair');
  });

  it('has a random boundary in lower case', () => {
    const operation = { id: null, method: 'POST', path: '/x', server: '' } as const;
    const body = { mediaType: 'multipart/form-data', as: 'multipart', members: {} } as const;
    const write = compileRequest({ operation, request: { body } });
    const types = [1, 2].map(() => write({}).contentType);
    expect(new Set(types).size).toBe(2);
    for (const type of types) expect(type).toMatch(/^multipart\/form-data; boundary=form-data-[0-9a-f]{32}$/);
  });

  it('is read back by an independent parser', async () => {
    const fileName = textArbitrary.filter(
      (name) => !['', '.', '..'].includes(name) && !/^\ufeff|[/\\\p{Cc}"%]/u.test(name),
    );
    const withoutBoundary = fc.uint8Array({ maxLength: 300 }).filter((bytes) => !Buffer.from(bytes).includes('b0'));
    const upload = fc.record({ data: withoutBoundary, name: fileName });
    const text = textArbitrary.filter((drawn) => !drawn.includes('b0'));
    const partName = textArbitrary.filter((name) => !/^\ufeff|[\r\n"%]/.test(name));
    const members = fc.array(fc.tuple(partName, fc.oneof(text, upload)), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(members, async (drawn) => {
        const wanted = new Map(drawn);
        const isFile = ([, value]: readonly [string, unknown]) => typeof value !== 'string';
        const styles = [...wanted].filter(isFile).map(([name]) => [name, { file: [] }] as const);
        const values = [...wanted].map(([name, value]) => [name, typeof value === 'string' ? value : written(value)]);
        const { body, contentType } = writeMultipart(Object.fromEntries(styles), Object.fromEntries(values));
        const headers = { 'content-type': contentType ?? '' };
        const read = await new Response(new Uint8Array(body as Buffer), { headers }).formData();
        const found = await Promise.all([...read].map(async ([name, value]) => [name, await unpack(value)] as const));
        expect(new Map(found)).toEqual(wanted);
      }),
    );

    function written({ data, name }: { data: Uint8Array; name: string }): unknown {
      return { data: Buffer.from(data).toString('base64'), name, mimeType: 'image/png' };
    }
    async function unpack(value: string | File): Promise<unknown> {
      return typeof value === 'string' ? value : { data: new Uint8Array(await value.arrayBuffer()), name: value.name };
    }
  });
});
