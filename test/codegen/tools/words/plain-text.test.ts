import { describe, expect, it, test } from 'vitest';
import { findSuspiciousText } from '../../../../codegen/report/suspicious-text.ts';
import { toPlainText } from '../../../../codegen/tools/words/plain-text.ts';
import { toCleanText } from '../../../../codegen/tools/words/texts.ts';
import { startCpuClock } from '../../../support/cpu-clock.ts';

describe('plain text', () => {
  it.each([
    ['HTML tags', '<p>Lists <b>all</b> notes.</p><p>Newest first.</p>', 'Lists all notes.\n\nNewest first.'],
    ['HTML lists', '<ul><li>one</li><li>two</li></ul>', '- one\n\n- two'],
    ['HTML tables', '<table><tr><td>a</td><td>b</td></tr></table>', 'a | b'],
    ['comments', 'Lists notes.<!-- internal: do not show -->', 'Lists notes.'],
    ['an unclosed comment', 'Lists notes. <!-- internal', 'Lists notes.'],
    ['scripts', 'a<script>alert(1)</script>b', 'ab'],
    ['entities', 'a &lt; b &amp;&amp; c&nbsp;&#39;d&#x27;', "a < b && c 'd'"],
    ['links', 'A [note](https://docs.example.com/notes#a) has text.', 'A note has text.'],
    ['HTML links', 'A <a href="/notes">note</a> has text.', 'A note has text.'],
    ['images', 'Look: ![chart](https://x.test/a.png) done', 'Look: done'],
    [
      'sentences that only link to a page',
      'Lists notes. For more information, see "[Notes](https://docs.example.com/v1.2/notes)." Newest first.',
      'Lists notes. Newest first.',
    ],
    ['headings and rules', '## Notes ##\n---\nText', 'Notes\n\nText'],
    ['tables', '| a | b |\n|---|:--:|\n| 1 | 2 |', 'a | b\n1 | 2'],
    ['bold text', 'This is **very** new.', 'This is very new.'],
    ['fences', 'Send:\n```json\n{"a": "<b>"}\n```\nDone.', 'Send:\n{"a": "<b>"}\n\nDone.'],
    ['escaped underscores', 'created\\_at', 'created_at'],
  ])('loses %s', (_title, text, want) => {
    expect(toPlainText(text)).toBe(want);
  });

  it.each([
    ['placeholders', 'Send <your-token> as <id>.'],
    ['comparisons', 'Use a<b and c>d.'],
    ['code', 'Write `<b>` or `[a](b.c)` there.'],
    ['nested keys', 'Filter by filter[name][eq] or items[0](optional).'],
    ['lookups', 'Filter by order__id__lt or __init__.'],
    ['patterns', 'Matches ^\\d+\\.\\d+\\[a\\]$.'],
    ['unknown entities', 'Fish &chips; and R&D.'],
    ['products', 'Takes a*b*c.'],
  ])('keeps %s', (_title, text) => {
    expect(toPlainText(text)).toBe(text);
  });

  it('processes hostile text quickly', () => {
    for (const part of ['[', '<!--', '`', '<p ', '**', '[](', '| ', '-'.repeat(8), '&#', 'see also ']) {
      const cpuMs = startCpuClock();
      toPlainText(part.repeat(200_000 / part.length));
      expect(cpuMs()).toBeLessThan(1000);
    }
  });
});

test('keeps no character that the report calls hidden', () => {
  const hidden = [
    '\u00ad',
    '\u115f',
    '\u180e',
    '\u200b',
    '\u200d',
    '\u202e',
    '\u2066',
    '\u206a',
    '\u3164',
    '\ue000',
    '\ufeff',
  ];
  const more = ['\ufff9', '\ufffb', '\uffa0', '\u{e0041}', '\u{e0100}', '\u{e01ef}', '\u{f0000}', '\u{1d173}'];
  for (const character of [...hidden, ...more]) {
    const text = `Read${character} it.`;
    expect(findSuspiciousText(text).map(({ rule }) => rule)).toContain('introduces-hidden-characters');
    expect(toCleanText(text)).toBe('Read it.');
  }
});
