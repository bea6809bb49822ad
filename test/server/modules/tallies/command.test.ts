import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MODULES } from '../../../../server/modules/index.ts';
import { createUsageCommand } from '../../../../server/modules/tallies/command.ts';
import { addTallies } from '../../../../server/modules/tallies/table.ts';
import { USAGE_FILE } from '../../../../shared/usage-file.ts';
import { keyBytes } from '../../../support/keys.ts';
import { runInProcess } from '../../../support/run-command.ts';
import { describeStore } from '../../base/store/dialects.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 21, 12);
const TODAY = Date.UTC(2026, 10, 21);

const run = (...args: string[]) => runInProcess((output) => createUsageCommand(MODULES, output, () => NOW), args);

describeStore('the usage command', (given) => {
  beforeEach(() => {
    vi.stubEnv('DATABASE_URL', given.url);
    vi.stubEnv('ENCRYPTION_KEYS', `test:${keyBytes(1).toString('base64')}`);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const count = (place: string, facet: string, calls: number, day = TODAY) =>
    addTallies(given.store.db, [{ day, kind: 'usage', key: ['library_list', place, facet].join('\t'), count: calls }]);

  test('adds up the days and omits small counts', async () => {
    await count('', 'calls', 30);
    await count('', 'calls', 5, TODAY - 29 * DAY_MS);
    await count('', 'calls', 100, TODAY - 30 * DAY_MS);
    await count('', 'outcome:ok', 30);
    await count('', 'outcome:refused', 5);
    await count('status', 'calls', 20);
    await count('status', 'class:text', 20);
    await count('status', 'class:null', 9);
    await count('status', 'member:open', 12);
    await count('status', 'member:closed', 8);
    await count('other', 'calls', 9);
    const { code, out } = await run('--json');
    expect(code).toBe(0);
    expect(USAGE_FILE.parse(JSON.parse(out))).toEqual({
      version: 2,
      from: '2026-10-23',
      to: '2026-11-21',
      days: 30,
      threshold: 10,
      depth: 3,
      tools: {
        library_list: {
          calls: 35,
          outcomes: { ok: 30 },
          arguments: {
            status: {
              calls: 20,
              classes: { text: 20 },
              members: { open: 12 },
            },
          },
        },
      },
    });
    expect(JSON.parse((await run('--json', '--threshold', '1', '--days', '1')).out).tools.library_list).toMatchObject({
      calls: 30,
      arguments: { other: { calls: 9 }, status: { members: { closed: 8 } } },
    });
  });

  test('prints where answers differed, or that none did', async () => {
    expect((await run()).out).toBe(
      'No calls were counted in these days. Start the gateway with COUNT_USAGE=on.\nEvery answer matched its descriptor.\n',
    );
    await count('', 'calls', 12);
    await count('', 'outcome:ok', 12);
    const drift = (place: string, day: number, answers: number) =>
      addTallies(given.store.db, [{ day, kind: 'drift', key: `library_get\t${place}\tstring`, count: answers }]);
    await drift('/id', TODAY, 4);
    await drift('', TODAY - 6 * DAY_MS, 7);
    await drift('/gone', TODAY - 7 * DAY_MS, 9);
    expect(await run('--days', '7')).toMatchObject({
      code: 0,
      out:
        'Calls from 2026-11-15 to 2026-11-21, of tools with at least 10:\n' +
        'library_list  12 calls: 12 ok\n' +
        'Answers that differ:\n' +
        'library_get  the whole answer  string  7 answers, last on 2026-11-15\n' +
        'library_get  /id  string  4 answers, last on 2026-11-21\n',
    });
  });

  test('says how to begin if nothing was counted', async () => {
    const { code, err } = await run('--json');
    expect(code).toBe(1);
    expect(err).toContain('COUNT_USAGE=on');
  });
});

describe('usage', () => {
  test.each([
    ['--days', '41'],
    ['--threshold', '0'],
  ])('refuses %s %s', async (...args) => {
    expect((await run(...args)).code).toBe(2);
  });
});
