import { describe, expect, it } from 'vitest';
import { explainUnsendable } from '../../../../../server/call/tools/call/sending.ts';
import { createValidators } from '../../../../../server/call/tools/validate.ts';
import { CannotSendError } from '../../../../../server/call/upstream/index.ts';
import { compileRequest } from '../../../../../server/call/upstream/serialize.ts';
import type { ToolRequest } from '../../../../../server/contract/index.ts';
import { fakeConnector, fakeTool } from '../../../../support/fake-connector.ts';

const text = { type: 'string' };
const properties = { tag: text, tags: { type: 'array', items: text }, note: text, filter: { type: 'object' } };

/** What a model reads of a call of these arguments that cannot be sent. */
function explain(request: ToolRequest, args: Record<string, unknown>): string[] {
  const tool = fakeTool({ name: 'library_find', method: 'POST', input: { properties }, request });
  const connector = fakeConnector({ tools: [tool] });
  try {
    compileRequest(tool)(args);
  } catch (error) {
    if (!(error instanceof CannotSendError)) throw error;
    const validator = createValidators()(tool.inputSchema);
    const { error: explained, advice } = explainUnsendable({ connector, tool, args }, error, validator);
    expect(explained).toMatchObject({ code: 'invalid_arguments', retryable: false });
    return [...explained.message.split('\n'), ...(advice === '' ? [] : [advice])];
  }
  return ['sent'];
}

const FORM = { mediaType: 'application/x-www-form-urlencoded', as: 'form' } as const;

describe('arguments that cannot be sent are explained', () => {
  it.each<[title: string, request: ToolRequest, args: Record<string, unknown>, want: string]>([
    [
      'by the argument of a header',
      { header: { 'X-Tag': 'tag' } },
      { tag: 'a\nb', note: 'x' },
      '"tag" cannot be the header "X-Tag": it holds a line break.',
    ],
    [
      'by an array',
      { header: { 'X-Tag': 'tags' } },
      { tags: ['a\nb'] },
      '"tags" cannot be the header "X-Tag": it holds a line break.',
    ],
    [
      'by the argument of the header where another has the same value',
      { query: { note: 'note' }, header: { 'X-Tag': 'tag' } },
      { tag: 'a\nb', note: 'a\nb' },
      '"tag" cannot be the header "X-Tag": it holds a line break.',
    ],
    [
      'by the only argument of an object',
      { query: { filter: { entries: { text: 'note' }, style: 'form', explode: true } } },
      { note: '\ud800' },
      '"note" cannot be the query parameter "filter": it holds half of a surrogate pair, which is no text.',
    ],
    [
      'by a lone surrogate where it is invalid, and not where it is valid',
      { query: { filter: { argument: 'filter', content: 'application/json' }, tag: 'tag' } },
      { filter: { a: '\ud800' }, tag: '\udc00' },
      '"tag" cannot be the query parameter "tag": it holds half of a surrogate pair, which is no text.',
    ],
    [
      'by a member of a form',
      { body: { ...FORM, argument: 'filter' } },
      { filter: { a: '\ud800' } },
      '"filter" cannot be the part "a": it holds half of a surrogate pair, which is no text.',
    ],
    [
      'by the body where it is one string',
      { body: { mediaType: 'text/plain', as: 'text', argument: 'note' } },
      { note: '\ud800' },
      '"note" cannot be the body: it holds half of a surrogate pair, which is no text.',
    ],
  ])('%s', (_, request, args, want) => {
    expect(explain(request, args).slice(0, 2)).toEqual(['The arguments of library_find are not valid:', `- ${want}`]);
  });

  it('without an example that would invent a value', () => {
    const request = { header: { 'X-Tag': 'tag' } };
    expect(explain(request, { tag: 'a\nb', note: 'x' }).at(-1)).toMatch(/^- "tag" cannot be the header/);
  });

  it('by the parameter where several arguments form its value', () => {
    const entries = { '{tag}': 'note' };
    expect(explain({ cookie: { sid: { entries } } }, { tag: '', note: 'a' })).toEqual([
      'The arguments of library_find cannot be sent. It cannot be the cookie "sid": a member without a name would be a cookie without one.',
      'Correct the arguments, then call again.',
    ]);
  });
});
