import { describe, expect, test } from 'vitest';
import { readUsage, type UsageFile, UsageFileError } from '../../shared/usage-file.ts';

const file: UsageFile = {
  version: 2,
  from: '2026-10-23',
  to: '2026-11-21',
  days: 30,
  threshold: 5,
  depth: 1,
  tools: {
    notes_list: {
      calls: 40,
      outcomes: { ok: 35, refused: 5 },
      arguments: {
        status: { calls: 40, classes: { text: 40 }, members: { open: 40 } },
        other: { calls: 40, classes: { other: 40 } },
      },
    },
  },
};

describe('a usage file', () => {
  test('is read as it is written', () => {
    expect(readUsage(JSON.stringify(file))).toEqual(file);
  });

  test.each<[string, object | string, RegExp]>([
    ['that is not JSON', '{', /not JSON/],
    ['of another version', { ...file, version: 1 }, /version/],
    ['with a member that is not in the format', { ...file, partners: ['acme'] }, /partners/],
    ['with a count below zero', { ...file, tools: { a: { ...file.tools.notes_list, calls: -1 } } }, /tools\.a\.calls/],
    [
      'with a class that is a value',
      {
        ...file,
        tools: { a: { ...file.tools.notes_list, arguments: { b: { calls: 40, classes: { 'x@y.z': 40 } } } } },
      },
      /tools\.a\.arguments\.b\.classes/,
    ],
  ])('%s is rejected with the place of the problem', (_, given, message) => {
    const text = typeof given === 'string' ? given : JSON.stringify(given);
    expect(() => readUsage(text)).toThrow(UsageFileError);
    expect(() => readUsage(text)).toThrow(message);
  });
});
