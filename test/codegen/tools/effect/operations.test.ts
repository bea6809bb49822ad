import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { inferEffect } from '../../../../codegen/tools/effect/infer.ts';

const FILE = path.join(import.meta.dirname, 'operations.tsv');
const MAX_MISSED = 0.01;
const MAX_FALSE = 0.05;

const operations = readFileSync(FILE, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [want = '', method = '', path = '', id = '', summary = '', document = ''] = line.split('\t');
    return { want, method, path, id: id === '' ? null : id, summary, document };
  });

function judge(part: typeof operations) {
  const judged = part.map((one) => ({ ...one, effect: inferEffect(one).effect }));
  const destructive = judged.filter(({ want }) => want === 'destroys');
  const harmless = judged.filter(({ want }) => want !== 'destroys');
  const missed = destructive.filter(({ effect }) => effect !== 'destroys');
  const alarms = harmless.filter(({ effect }) => effect === 'destroys');
  return { destructive, harmless, missed, alarms };
}

describe('effects of operations of published documents', () => {
  it('are decided for at least 300 operations', () => {
    const { destructive, harmless } = judge(operations);
    expect(destructive.length).toBeGreaterThanOrEqual(150);
    expect(harmless.length).toBeGreaterThanOrEqual(150);
  });

  it('call at most 1 % of those that destroy harmless', () => {
    const { destructive, missed } = judge(operations);
    const names = missed.map(({ method, path }) => `${method} ${path}`);
    expect(names.length, names.join('\n')).toBeLessThanOrEqual(MAX_MISSED * destructive.length);
  });

  it('call at most 5 % of the harmless ones destructive', () => {
    const { harmless, alarms } = judge(operations);
    const names = alarms.map(({ method, path }) => `${method} ${path}`);
    expect(names.length, names.join('\n')).toBeLessThanOrEqual(MAX_FALSE * harmless.length);
  });
});
