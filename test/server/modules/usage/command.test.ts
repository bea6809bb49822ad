import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MODULES } from '../../../../server/modules/index.ts';
import { createUsageCommand } from '../../../../server/modules/usage/command.ts';
import { addUsage, NO_PARTNERS, withPartner } from '../../../../server/modules/usage/tallies.ts';
import { USAGE_FILE } from '../../../../shared/usage-file.ts';
import { keyBytes } from '../../../support/keys.ts';
import { runInProcess } from '../../../support/run-command.ts';
import { describeStore } from '../../base/store/dialects.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 21, 12);
const TODAY = Date.UTC(2026, 10, 21);

const run = (...args: string[]) => runInProcess((output) => createUsageCommand(MODULES, output, () => NOW), args);

describeStore('usage export', (given) => {
  beforeEach(() => {
    vi.stubEnv('DATABASE_URL', given.url);
    vi.stubEnv('ENCRYPTION_KEYS', `test:${keyBytes(1).toString('base64')}`);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const count = async (place: string, facet: string, calls: number, partners = ['a'], day = TODAY) => {
    for (const [index, partner] of partners.entries()) {
      const key = [day, place, facet].join('\t');
      const own = index === 0 ? calls - partners.length + 1 : 1;
      const row = { key, day, tool: 'library_list', place, facet, calls: own };
      await addUsage(given.store.db, [{ ...row, partners: withPartner(NO_PARTNERS, partner) }]);
    }
  };

  test('adds up the days and omits small counts', async () => {
    await count('', 'calls', 30, ['a', 'b', 'c', 'd']);
    await count('', 'calls', 5, ['a'], TODAY - 29 * DAY_MS);
    await count('', 'calls', 100, ['a'], TODAY - 30 * DAY_MS);
    await count('', 'outcome:ok', 30);
    await count('', 'outcome:refused', 5);
    await count('status', 'calls', 20);
    await count('status', 'class:text', 20);
    await count('status', 'class:null', 9);
    await count('status', 'member:open', 12);
    await count('status', 'member:closed', 8);
    await count('other', 'calls', 9);
    const { code, out } = await run('export');
    expect(code).toBe(0);
    expect(USAGE_FILE.parse(JSON.parse(out))).toEqual({
      version: 1,
      from: '2026-10-23',
      to: '2026-11-21',
      days: 30,
      threshold: 10,
      depth: 3,
      tools: {
        library_list: {
          calls: 35,
          partners: 4,
          outcomes: { ok: { calls: 30, partners: null } },
          arguments: {
            status: {
              calls: 20,
              partners: null,
              classes: { text: { calls: 20, partners: null } },
              members: { open: { calls: 12, partners: null } },
            },
          },
        },
      },
    });
    expect(JSON.parse((await run('export', '--threshold', '1', '--days', '1')).out).tools.library_list).toMatchObject({
      calls: 30,
      arguments: { other: { calls: 9 }, status: { members: { closed: { calls: 8 } } } },
    });
  });

  test('says how to begin if nothing was counted', async () => {
    const { code, err } = await run('export');
    expect(code).toBe(1);
    expect(err).toContain('COUNT_USAGE=on');
  });
});

describe('usage', () => {
  test.each([
    ['--days', '41'],
    ['--threshold', '0'],
  ])('refuses %s %s', async (...args) => {
    expect((await run('export', ...args)).code).toBe(2);
  });
});
