import { describe, expect, it } from 'vitest';
import { decodeBody } from '../../../../../server/call/tools/results/decode.ts';
import { createCredentialWriter } from '../../../../../server/call/upstream/credential.ts';

const NO_JSON = { outputSchema: { type: 'object' } } as const;
const { redactor } = createCredentialWriter([{ id: 'key', type: 'bearer', label: 'Key' }], { key: 'top-secret-key' });

function read(text: string, contentType: string, isCut = false) {
  return decodeBody(Buffer.from(text), { contentType, tool: NO_JSON, requested: {}, isCut, redactor });
}

describe('records of a stream', () => {
  it.each<[string, string, string, boolean, unknown[]]>([
    [
      'events with their names and ids',
      'text/event-stream',
      ': hello\n\nevent: add\nid: 7\ndata: {"a":1}\n\ndata: one\ndata: two\n\ndata: [DONE]\r\n\r\ndata: half',
      true,
      [{ event: 'add', id: '7', data: { a: 1 } }, { data: 'one\ntwo' }, { data: '[DONE]' }],
    ],
    [
      'lines of JSON without an incomplete one',
      'application/x-ndjson',
      '{"a":1}\n{"a":2}\n{"a":',
      true,
      [{ a: 1 }, { a: 2 }],
    ],
    ['the last line of a finished stream', 'application/jsonl', '{"a":1}\n\nplain', false, [{ a: 1 }, 'plain']],
    ['a JSON text sequence', 'application/json-seq', '\x1e{"a":1}\n\x1e[2]\n', false, [{ a: 1 }, [2]]],
    ['nothing', 'text/event-stream', '', true, []],
  ])('are %s', (_title, mediaType, text, isCut, want) => {
    expect(read(text, mediaType, isCut)).toMatchObject({ kind: 'json', value: { items: want, streamEnded: !isCut } });
  });

  it('keep exact numbers', () => {
    const value = { items: ['12345678901234567890'], streamEnded: true };
    expect(read('12345678901234567890\n', 'application/x-ndjson')).toMatchObject({ kind: 'json', value });
  });
});

describe('a multipart/mixed answer', () => {
  const readLines = (lines: readonly string[], type = 'multipart/mixed; boundary="b c"') =>
    read(lines.join('\r\n'), type);
  const JSON_PART = ['--b c', 'Content-Type: application/json', 'X-Other: 1', '', '{"id":1,"key":"top-secret-key"}'];
  const END = ['--b c--', 'epilogue'];

  it('of JSON and text becomes a list, without the secret', () => {
    const lines = [
      'preamble',
      ...JSON_PART,
      '--b c',
      '',
      'a text',
      '--b c  ',
      'content-type: text/csv',
      '',
      'a,b',
      '1,é',
      ...END,
    ];
    const body = readLines(lines);
    expect(body).toMatchObject({
      kind: 'json',
      value: {
        items: [{ id: 1, key: expect.not.stringContaining('secret') }, 'a text', 'a,b\r\n1,é'],
        streamEnded: true,
      },
    });
  });

  it.each([
    ['with a part that is bytes', [...JSON_PART, '--b c', 'Content-Type: image/png', '', 'PNG', ...END], undefined],
    ['with a part that is encoded', ['--b c', 'Content-Transfer-Encoding: base64', '', 'YQ==', ...END], undefined],
    ['without an end', JSON_PART, undefined],
    ['without a boundary', [...JSON_PART, ...END], 'multipart/mixed'],
  ])('%s is kept as bytes', (_, lines, type) => {
    expect(readLines(lines, type).kind).toBe('bytes');
  });
});
