import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toPlainText } from '../../../../server/base/pages/html.ts';
import { numRuns } from '../../../support/num-runs.ts';

const CHARACTERS = new Intl.Segmenter('en');

describe('untrusted texts', () => {
  test.each([
    ['stay unchanged', 'Claude Code', 'Claude Code'],
    ['stay unchanged in any script', 'Привет 世界 ‏שלום', 'Привет 世界 שלום'],
    ['keep their symbols', 'R&D <Lab> 100 % ✓', 'R&D <Lab> 100 % ✓'],
    ['lose spaces around and between', '  a \t\n b\u00a0\u2003c ', 'a b c'],
    ['lose line breaks of every kind', 'a\r\nb\u2028c\u2029d\u0085e', 'a b c de'],
    ['lose direction marks', 'Acme\u202egnp.exe\u2066x\u2069', 'Acmegnp.exex'],
    ['lose invisible characters', 'A\u200bc\u00adm\u2060e\u2063', 'Acme'],
    ['lose control characters', 'a\u0000b\u001bc', 'abc'],
    ['lose lone surrogates', 'a\ud800b', 'ab'],
    ['lose private-use characters', 'a\ue000b', 'ab'],
    ['lose stacked combining marks', `Z${'\u0300'.repeat(50)}`, `Z${'\u0300'.repeat(3)}`],
  ])('%s', (_title, text, want) => {
    expect(toPlainText(text, 60)).toBe(want);
  });

  test.each([
    ['cut if it is too long', 'abcdefghijkl', 'abcdefghi…'],
    ['cut between whole characters', 'ab👍🏽👍🏽👍🏽👍🏽👍🏽👍🏽👍🏽👍🏽👍🏽', 'ab👍🏽👍🏽👍🏽👍🏽👍🏽👍🏽👍🏽…'],
    ['cut before a space', 'abcdefgh ijkl', 'abcdefgh…'],
    ['kept if it is not too long', 'abcdefghij', 'abcdefghij'],
  ])('a text is %s', (_title, text, want) => {
    expect(toPlainText(text, 10)).toBe(want);
  });

  test.each(['', '   ', '\u200b\u2060', '\u202e', '\u0301', '\u3164'])('%j is empty', (text) => {
    expect(toPlainText(text, 10)).toBeNull();
  });

  test('are converted idempotently, within their length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 2, max: 20 }), (text, length) => {
        const once = toPlainText(text, length);
        if (once === null) return;
        expect(toPlainText(once, length)).toBe(once);
        expect([...CHARACTERS.segment(once)].length).toBeLessThanOrEqual(length);
        expect(once).not.toMatch(/[\p{C}\n]/u);
      }),
      { numRuns: numRuns(100) },
    );
  });
});
