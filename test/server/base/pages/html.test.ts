import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type HtmlValue, html } from '../../../../server/base/pages/html.ts';
import { numRuns } from '../../../support/num-runs.ts';

describe('the template tag', () => {
  test.each<[string, HtmlValue, string]>([
    ['text', `<b> & "c" 'd'`, '&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;'],
    ['a number', 7, '7'],
    ['nothing', null, ''],
    ['markup of the tag', html`<b>${'<'}</b>`, '<b>&lt;</b>'],
    ['lists, in their order', [html`<i>`, ['a', '<'], null, 1], '<i>a&lt;1'],
  ])('inserts %s', (_title, value, want) => {
    expect(`${html`<p>${value}</p>`}`).toBe(`<p>${want}</p>`);
  });

  test('refuses a promise', () => {
    expect(() => html`<p>${Promise.resolve('x') as unknown as HtmlValue}</p>`).toThrow('a page waits for nothing');
  });

  test('keeps any text inside its element or attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const [, attribute, content] = /^<p title="([^"]*)">([^<]*)<\/p>$/.exec(
          `${html`<p title="${text}">${text}</p>`}`,
        )!;
        expect(attribute).not.toMatch(/[<>]/);
        expect(decode(content!)).toBe(text);
        expect(decode(attribute!)).toBe(text);
      }),
      { numRuns: numRuns(1000) },
    );
  });
});

function decode(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
