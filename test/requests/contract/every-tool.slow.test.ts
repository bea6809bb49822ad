import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConnectors } from '../../../server/call/tools/catalogue/connectors.ts';
import { numRuns } from '../../support/num-runs.ts';
import { findFailure } from './failure.ts';
import { loadSentAs } from './sent-as.ts';
import { ROOT, type Setting, startSetting } from './setting.ts';

const seed = Number(process.env.CONTRACT_SEED ?? 2026);
const runs = Number(process.env.CONTRACT_RUNS ?? numRuns(12));
process.stdout.write(`contract tests: CONTRACT_SEED=${seed} CONTRACT_RUNS=${runs}\n`);

const connectors = await loadConnectors();
const services = connectors.map(({ name, tools }) => ({
  service: name,
  tools: tools.map((tool) => ({ name: tool.name, tool })),
  sentAs: loadSentAs(join(ROOT, 'generated'), name),
}));

let setting: Setting;
beforeAll(async () => {
  setting = await startSetting(connectors);
});
afterAll(async () => {
  await setting?.close();
});

describe.each(services)('$service sends the arguments of its tools', ({ service, tools, sentAs }) => {
  test('has a reviewed wire address for every argument', () => {
    const reviewed = [...sentAs].map(([name, { arguments: addresses }]) => [name, [...addresses.keys()]]);
    const published = tools.map(({ name, tool }) => [name, Object.keys(tool.inputSchema.properties ?? {})]);
    expect(reviewed).toEqual(published);
  });

  test.each(tools.filter(({ tool }) => tool.find === undefined))(
    '$name',
    { timeout: 20_000 + runs * 1000 },
    async ({ name, tool }) => {
      const { client, sandbox } = setting;
      const failure = await findFailure({ tool, service, sentAs: sentAs.get(name)!, client, sandbox, seed, runs });
      if (failure !== null) throw new Error(failure);
    },
  );
});
