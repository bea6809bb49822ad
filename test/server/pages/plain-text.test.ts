import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toPlainText } from '../../../server/pages/plain-text.ts';

const CHARACTERS = new Intl.Segmenter('en');

describe('untrusted texts', () => {
  test.each([
    ['stay as they are', 'Claude Code', 'Claude Code'],
    ['stay as they are in any script', 'Привет 世界 ‏שלום', 'Привет 世界 שלום'],
    ['keep their signs', 'R&D <Lab> 100 % ✓', 'R&D <Lab> 100 % ✓'],
    ['lose spaces around and between', '  a \t\n b\u00a0\u2003c ', 'a b c'],
    ['lose line breaks of every kind', 'a\r\nb\u2028c\u2029d\u0085e', 'a b c de'],
    ['lose directions', 'Acme\u202egnp.exe\u2066x\u2069', 'Acmegnp.exex'],
    ['lose what is invisible', 'A\u200bc\u00adm\u2060e\u2063', 'Acme'],
    ['lose control characters', 'a\u0000b\u001bc', 'abc'],
    ['lose halves of characters', 'a\ud800b', 'ab'],
    ['lose private-use characters', 'a\ue000b', 'ab'],
    ['lose heaps of marks', `Z${'\u0300'.repeat(50)}`, `Z${'\u0300'.repeat(3)}`],
  ])('%s', (_title, text, want) => {
    expect(toPlainText(text, 60)).toBe(want);
  });

  test.each([
    ['longer than it may be', 'abcdefghijkl', 'abcdefghi…'],
    [
      'longer than it may be, between whole characters',
      'ab👍🏽👍🏽👍🏽👍🏽👍🏽👍🏽👍🏽👍🏽👍🏽',
      'ab👍🏽👍🏽👍🏽👍🏽👍🏽👍🏽👍🏽…',
    ],
    ['longer than it may be, not behind a space', 'abcdefgh ijkl', 'abcdefgh…'],
    ['no longer than it may be', 'abcdefghij', 'abcdefghij'],
  ])('a text is cut where it is %s', (_title, text, want) => {
    expect(toPlainText(text, 10)).toBe(want);
  });

  test.each(['', '   ', '\u200b\u2060', '\u202e', '\u0301', '\u3164'])('%j says nothing', (text) => {
    expect(toPlainText(text, 10)).toBeNull();
  });

  test('come out the same when they come again, and within their length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 2, max: 20 }), (text, length) => {
        const once = toPlainText(text, length);
        if (once === null) return;
        expect(toPlainText(once, length)).toBe(once);
        expect([...CHARACTERS.segment(once)].length).toBeLessThanOrEqual(length);
        expect(once).not.toMatch(/[\p{C}\n]/u);
      }),
      { numRuns: 100 },
    );
  });
});
