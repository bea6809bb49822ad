import { describe, expect, test } from 'vitest';
import { markdownCode, markdownTable, markdownText } from '../../../codegen/emit/markdown.ts';
import { firstSentence } from '../../../shared/search/compact.ts';

describe('untrusted text in Markdown', () => {
  test.each([
    ['HTML', '<img src=x onerror=alert(1)> & more', '&lt;img src=x onerror=alert(1)&gt; &amp; more'],
    ['links', '[click](https://evil.example)', '\\[click\\](https\\://evil.example)'],
    ['addresses', 'http://a.example, www.b.example', 'http\\://a.example, www\\.b.example'],
    ['table cells', 'a | b', 'a \\| b'],
    ['emphasis and code', '*a* _b_ `c`', '\\*a\\* \\_b\\_ \\`c\\`'],
    ['mentions', '@octocat', '\\@octocat'],
    ['headings', '# Title', '\\# Title'],
    ['list numbers', '1. First', '1\\. First'],
    ['rules', '---', '\\---'],
    ['rules with spaces', '-- -', '\\-- -'],
    ['line ends', 'a\r\n\nb\u2028c', 'a b c'],
    ['text direction', 'a\u202eb', 'a\\\\u202eb'],
    ['backslashes', 'a\\b', 'a\\\\b'],
  ])('shows %s as written', (_, text, want) => {
    expect(markdownText(text)).toBe(want);
  });

  test.each([
    ['plain names', 'page_size', '`page_size`'],
    ['backticks', 'a`b``c', '``` a`b``c ```'],
    ['table cells', `'a' | 'b'`, `\`'a' \\| 'b'\``],
    ['line ends', 'a\nb', '`a b`'],
  ])('keeps %s in a code span', (_, text, want) => {
    expect(markdownCode(text)).toBe(want);
  });
});

test('tables align figures to the right', () => {
  expect(markdownTable(['Tool', 'Tokens'], [['a', '1']])).toBe('| Tool | Tokens |\n| --- | ---: |\n| a | 1 |');
});

test.each([
  ['one sentence', 'Gets a note.', 'Gets a note.'],
  ['several', 'Gets a note. Then more.', 'Gets a note.'],
  ['an abbreviation inside a word', 'Uses v1.2 of it. More', 'Uses v1.2 of it.'],
  ['no full stop', 'Gets a note', 'Gets a note'],
  ['an abbreviation', 'A code, e.g. PRICES. Needed.', 'A code, e.g. PRICES.'],
])('the first sentence of %s', (_, text, want) => {
  expect(firstSentence(text)).toBe(want);
});
