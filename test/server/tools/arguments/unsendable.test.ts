import { describe, expect, it } from 'vitest';
import { explainUnsendable } from '../../../../server/tools/arguments/unsendable.ts';
import { UnsendableError } from '../../../../server/upstream/index.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';

const tool = fakeTool({ name: 'library_find' });
const connector = fakeConnector({ tools: [tool] });

function explain(args: Record<string, unknown>, error: unknown): string {
  const { error: explained, advice } = explainUnsendable({ connector, tool, args }, error);
  expect({ code: explained.code, retryable: explained.retryable }).toEqual({
    code: 'invalid_arguments',
    retryable: false,
  });
  expect(advice).toBe('Correct the arguments, then call again.');
  return explained.message.replace('The arguments of library_find cannot be sent. ', '');
}

const ofHeader = (value: unknown) => new UnsendableError('header', 'X-Tag', 'it holds a line break', value);
const list = ['a\nb'];

describe('arguments that cannot be sent are explained', () => {
  it.each<[title: string, args: Record<string, unknown>, error: unknown, want: string]>([
    [
      'by the argument that has the value',
      { tag: 'a\nb', note: 'x' },
      ofHeader('a\nb'),
      '"tag" cannot be the header "X-Tag": it holds a line break.',
    ],
    ['by an array', { tags: list }, ofHeader(list), '"tags" cannot be the header "X-Tag": it holds a line break.'],
    [
      'by the parameter where two arguments have the value',
      { tag: 'a\nb', note: 'a\nb' },
      ofHeader('a\nb'),
      'It cannot be the header "X-Tag": it holds a line break.',
    ],
    [
      'by the parameter where no argument is its value',
      { from: 'a' },
      new UnsendableError('cookie', 'sid', 'it is wrong', { from: 'a' }),
      'It cannot be the cookie "sid": it is wrong.',
    ],
    [
      'by half of a surrogate pair, wherever it is',
      { note: 'ok', filter: { deep: [{ 'a\ud800': 1 }] } },
      new URIError('URI malformed'),
      '"filter" holds half of a surrogate pair, which is no text.',
    ],
    [
      'by the arguments that no header carries',
      { partition: '中', note: 'a\nb', size: 1 },
      new TypeError('Cannot convert argument to a ByteString'),
      'One of "partition", "note" is sent in a header, which can hold no line break, no control character and nothing beyond Latin-1.',
    ],
    [
      'in general where nothing is known',
      { size: 1 },
      new TypeError('?'),
      'One of them holds a text that no URL and no header can carry.',
    ],
  ])('%s', (_, args, error, want) => {
    expect(explain(args, error)).toBe(want);
  });
});
