import { describe, expect, it } from 'vitest';
import { recordsOf } from '../../../../server/tools/results/stream.ts';

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
      'lines of JSON without half of one',
      'application/x-ndjson',
      '{"a":1}\n{"a":2}\n{"a":',
      true,
      [{ a: 1 }, { a: 2 }],
    ],
    ['the last line of an ended stream', 'application/jsonl', '{"a":1}\n\nplain', false, [{ a: 1 }, 'plain']],
    ['a JSON text sequence', 'application/json-seq', '\x1e{"a":1}\n\x1e[2]\n', false, [{ a: 1 }, [2]]],
    ['nothing', 'text/event-stream', '', true, []],
  ])('are %s', (_title, mediaType, text, isCut, want) => {
    expect(JSON.parse(recordsOf(text, mediaType, isCut))).toEqual(want);
  });

  it('are as exact as they were written', () => {
    expect(recordsOf('12345678901234567890\n', 'application/ndjson', false)).toBe('[12345678901234567890]');
  });
});
