import { describe, expect, test } from 'vitest';
import { readUsage, type UsageFile, UsageFileError } from '../../shared/usage-file.ts';

const count = { calls: 40, partners: 3 };
const file: UsageFile = {
  version: 1,
  from: '2026-10-23',
  to: '2026-11-21',
  days: 30,
  threshold: 5,
  depth: 1,
  tools: {
    notes_list: {
      ...count,
      outcomes: { ok: { calls: 35, partners: 3 }, refused: { calls: 5, partners: null } },
      arguments: {
        status: { ...count, classes: { text: count }, members: { open: count } },
        other: { ...count, classes: { other: count } },
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
    ['of another version', { ...file, version: 2 }, /version/],
    ['with a member that is not in the format', { ...file, partners: ['acme'] }, /partners/],
    ['with a count below zero', { ...file, tools: { a: { ...file.tools.notes_list, calls: -1 } } }, /tools\.a\.calls/],
    [
      'with a class that is a value',
      {
        ...file,
        tools: { a: { ...file.tools.notes_list, arguments: { b: { ...count, classes: { 'x@y.z': count } } } } },
      },
      /tools\.a\.arguments\.b\.classes/,
    ],
  ])('%s is rejected with the place of the problem', (_, given, message) => {
    const text = typeof given === 'string' ? given : JSON.stringify(given);
    expect(() => readUsage(text)).toThrow(UsageFileError);
    expect(() => readUsage(text)).toThrow(message);
  });
});
