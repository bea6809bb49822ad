import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addHelpTable, createCommand, namesIn, requireOption, wholeNumber } from '../../../shared/cli/command.ts';
import type { Output } from '../../../shared/cli/output.ts';
import { FailureError, runCommand, UsageError } from '../../../shared/cli/run.ts';
import { runInProcess } from '../../support/run-command.ts';

const failWith = (error: Error | null) => (output: Output) =>
  createCommand('work', output).action(() => {
    if (error !== null) throw error;
  });

const createShop = (output: Output): Command => {
  const command = createCommand('shop', output);
  const selling = command.command('sell').argument('<what>');
  requireOption(selling, '--price <n>', 'in cents')
    .option('--count <n>', 'how many', wholeNumber(1, 9))
    .action((what: string, options: object) => output.out(`${what} ${JSON.stringify(options)}\n`));
  return addHelpTable(command, 'Examples', { 'utg shop sell tea': 'a cup' });
};

describe('the exit code of a command', () => {
  test.each([
    ['that succeeds is 0', null, { code: 0, err: '' }],
    ['that fails is 1, and the reason is printed', new FailureError('It broke.'), { code: 1, err: 'It broke.\n' }],
    ['that fails after it printed why is 1', new FailureError(), { code: 1, err: '' }],
    [
      'with wrong usage is 2, and the help is named',
      new UsageError('No.'),
      { code: 2, err: 'No.\nTry: npm run utg -- work --help\n' },
    ],
  ])('%s', async (_, error, want) => {
    expect(await runInProcess(failWith(error), [])).toEqual({ ...want, out: '' });
  });

  test('an unexpected error is thrown', async () => {
    await expect(runInProcess(failWith(new TypeError('defect')), [])).rejects.toThrow('defect');
  });
});

describe('a command line', () => {
  test('is parsed for the action', async () => {
    const { code, out } = await runInProcess(createShop, ['sell', 'tea', '--price', '3', '--count', '2']);
    expect([code, out]).toEqual([0, 'tea {"price":"3","count":2}\n']);
  });

  test.each([
    [['sel'], "Unknown command 'sel'\n(Did you mean sell?)\nTry: npm run utg -- shop --help\n"],
    [['sell', '--price', '3'], "Missing required argument 'what'\nTry: npm run utg -- shop sell --help\n"],
    [['sell', 'tea'], "Required option '--price <n>' not specified\nTry: npm run utg -- shop sell --help\n"],
    [
      ['sell', 'tea', '--prise', '3'],
      "Unknown option '--prise'\n(Did you mean --price?)\nTry: npm run utg -- shop sell --help\n",
    ],
    [
      ['sell', 'tea', '--price', '3', '--count', '10'],
      "Option '--count <n>' argument '10' is invalid. Use a whole number from 1 to 9.\nTry: npm run utg -- shop sell --help\n",
    ],
  ])('%j is wrong usage', async (argv, err) => {
    expect(await runInProcess(createShop, argv)).toEqual({ code: 2, out: '', err });
  });

  test.each(['-1', '1.5', '1e1', '', 'two', ' 3'])('%j is not a whole number from 1', (text) => {
    expect(() => wholeNumber(1)(text)).toThrow('Use a whole number from 1 on.');
  });

  test('names are separated by commas', () => {
    expect(namesIn('crm, billing')).toEqual(['crm', 'billing']);
  });
});

describe('the help', () => {
  test('is printed by a command with subcommands if none is named', async () => {
    const { code, out, err } = await runInProcess(createShop, []);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^Usage: npm run utg -- shop /);
    expect(out).toContain('\nExamples:\n  utg shop sell tea  a cup\n');
  });

  test('lists required options first', async () => {
    const { out } = await runInProcess(createShop, ['sell', '--help']);
    expect(out).toContain('Usage: npm run utg -- shop sell --price <n> [options] <what>\n');
    expect(out).toContain('in cents (required)');
  });

  test.each([
    ['on a terminal that supports them', true],
    ['nowhere else', false],
  ])('has colours %s', async (_, hasColors) => {
    let text = '';
    const out = (part: string) => {
      text += part;
    };
    await runCommand(createShop({ out, err: out, hasColors }), ['--help']);
    expect(text.includes('\u001b[1mUsage:\u001b[22m')).toBe(hasColors);
    expect(text.includes('\u001b[1mExamples:\u001b[22m')).toBe(hasColors);
  });
});
