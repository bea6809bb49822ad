import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../codegen/diagnostics.ts';
import { formatDiagnostics } from '../../codegen/print.ts';

const warning = (pointer: string, message = 'It has no `description`.'): Diagnostic => ({
  code: 'argument-undescribed',
  severity: 'warning',
  file: 'specs/notes/openapi.yaml',
  position: { line: 7, column: 3 },
  pointer,
  message,
  fix: 'Describe it.',
});

describe('a diagnostic of several places', () => {
  test('is printed once, with the first places', () => {
    expect(
      formatDiagnostics(
        ['/a', '/b', '/c', '/d', '/e'].map((pointer) => warning(pointer)),
        false,
      ),
    ).toBe(
      [
        'specs/notes/openapi.yaml:7:3 warning argument-undescribed It has no `description`.',
        '  at /a',
        '  at /b',
        '  at /c',
        '  and at 2 other places',
        '  fix: Describe it.',
        '0 errors, 5 warnings, 0 notes',
        '',
      ].join('\n'),
    );
  });

  test('is printed at each of them with --verbose', () => {
    const text = formatDiagnostics([warning('/a'), warning('/b')], true);
    expect(text.split('\n').filter((line) => line.includes('argument-undescribed'))).toHaveLength(2);
  });

  test('counts once where it is left out', () => {
    const messages = ['one', 'two', 'three', 'four'].flatMap((message) => [
      warning('/a', message),
      warning('/b', message),
    ]);
    expect(formatDiagnostics(messages, false)).toContain(
      '2 more: warning argument-undescribed (--verbose prints them)',
    );
  });
});
