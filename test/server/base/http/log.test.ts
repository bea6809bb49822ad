import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createLog } from '../../../../server/base/http/log.ts';

function logged(fields: object, message = 'said'): Record<string, unknown> {
  const lines: string[] = [];
  createLog({ level: 'info', destination: { write: (line) => lines.push(line) } }).info(fields, message);
  const { level, time, ...line } = JSON.parse(lines.join('')) as Record<string, unknown>;
  return line;
}

const CENSORED = '[redacted]';

describe('the log', () => {
  test.each([
    ['a secret field', { password: 'x', user: 'ada' }, { password: CENSORED, user: 'ada' }],
    ['a secret field one level down', { body: { code: 'x', a: 1 } }, { body: { code: CENSORED, a: 1 } }],
    ['a secret field in a list', { list: [{ token: 'x' }] }, { list: [{ token: 'x' }] }],
    ['a whole object under a secret name', { token: { a: 1 } }, { token: CENSORED }],
    ['a name that only contains a secret one', { tokenId: 'x', codes: 1 }, { tokenId: 'x', codes: 1 }],
    ['null', { a: null }, { a: null }],
    ['the shape of a secret', { text: 'got utg_at_abc_DEF-1' }, { text: `got ${CENSORED}` }],
    ['a bearer token', { text: 'Bearer abcdefgh.ijk' }, { text: `Bearer ${CENSORED}` }],
    ['a database password', { text: 'postgres://me:pw@host/db' }, { text: `postgres://me:${CENSORED}@host/db` }],
  ])('writes %s safely', (_title, given, want) => {
    expect(logged(given)).toEqual({ ...want, msg: 'said' });
  });

  test('keeps the stack of an error with a secret field, and does not change the error', () => {
    const error = Object.assign(new TypeError('gone'), { credential: 'planted', kind: 'planned' });
    expect(logged({ err: error })).toMatchObject({
      err: {
        type: 'TypeError',
        message: 'gone',
        stack: expect.stringContaining('log.test.ts'),
        kind: 'planned',
      },
    });
    expect(error.credential).toBe('planted');
  });

  test.each([
    ['exits by itself', ''],
    ['calls process.exit', 'process.exit(0);'],
    ['exits after a fatal line', 'log.fatal("the last"); process.exit(1);'],
    ['crashes', 'setTimeout(() => { throw new Error("planted"); });'],
  ])('loses no line when the process %s', async (_title, end) => {
    const log = resolve(import.meta.dirname, '../../../../server/base/http/log.ts');
    const code = `import { createLog } from ${JSON.stringify(log)};
      const log = createLog({ level: 'info' });
      for (let index = 0; index < 500; index += 1) log.info({ index }, 'line');
      ${end}`;
    const args = ['--input-type=module', '--eval', code];
    const options = { cwd: join(log, '..') };
    const { stdout } = await promisify(execFile)(process.execPath, args, options).catch((error) => error);
    const lines = String(stdout).trim().split('\n');
    expect(lines.filter((line) => line.includes('"msg":"line"'))).toHaveLength(500);
    expect(lines.some((line) => line.includes('the last'))).toBe(end.includes('fatal'));
  });
});
