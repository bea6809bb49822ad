import { describe, expect, test } from 'vitest';
import { withModules } from '../../../scripts/utg/commands.ts';
import { runTree } from '../../../scripts/utg/run.ts';
import { MODULES } from '../../../server/modules/index.ts';
import { commandsByName } from '../../../shared/cli/command.ts';

const namesWith = (modules: typeof MODULES) => [...commandsByName(withModules(modules)).keys()];
const OF_CORE = namesWith([]);

const commandsOf = (left: string) => {
  const others = namesWith(MODULES.filter(({ name }) => name !== left));
  return namesWith(MODULES).filter((name) => !others.includes(name));
};

async function help(modules: typeof MODULES): Promise<string> {
  let printed = '';
  const out = (text: string) => {
    printed += text;
  };
  const list = async () => withModules(modules);
  await runTree({ typed: 'utg', description: '', list, examples: {} }, ['--help'], { out, err: out });
  return printed;
}

describe('the commands of a module', () => {
  test.each([
    ['admin', ['operator']],
    ['audit', ['audit']],
    ['tallies', ['usage']],
    ['doctor', ['doctor']],
  ])('of %s go with it', async (module, commands) => {
    expect(commandsOf(module)).toEqual(commands);
    const without = await help(MODULES.filter(({ name }) => name !== module));
    for (const command of commands) {
      expect(await help(MODULES)).toMatch(new RegExp(`^  ${command} `, 'm'));
      expect(without).not.toMatch(new RegExp(`\\b${command}\\b`));
    }
  });

  test('are all that the core has not', () => {
    const ofModules = MODULES.flatMap(({ name }) => commandsOf(name));
    expect([...OF_CORE, ...ofModules].sort()).toEqual(namesWith(MODULES).sort());
  });

  test('follow the command that they name', () => {
    const names = namesWith(MODULES);
    expect(names[names.indexOf('operator') - 1]).toBe('partner');
  });

  test('that is not there is unknown', async () => {
    let printed = '';
    const err = (text: string) => {
      printed += text;
    };
    const tree = { typed: 'utg', description: '', list: async () => withModules([]), examples: {} };
    expect(await runTree(tree, ['audit', 'verify'], { out: err, err })).toBe(2);
    expect(printed).toContain("Unknown command 'audit'.");
  });
});
