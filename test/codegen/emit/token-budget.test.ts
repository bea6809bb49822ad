import { describe, expect, it } from 'vitest';
import { checkTokenBudget } from '../../../codegen/emit/token-budget.ts';
import { createToolSizer } from '../../../codegen/emit/tool-size.ts';
import { connectorConfigSchema } from '../../../codegen/load/connector-config.ts';
import { answer, build, operation, parameter, service } from '../tools/service.ts';

const MANY = Array.from({ length: 30 }, (_, index) => parameter(`filter_${index}`));
const { tools } = build(
  service([
    operation({ id: 'small', path: '/small', responses: [answer({ type: 'object', properties: { id: {} } })] }),
    operation({ id: 'large', path: '/large', parameters: MANY }),
  ]),
).connector;
const sizeOf = await createToolSizer();
const [large = 0, small = 0] = tools.map((tool) => sizeOf(tool));
const FILE = 'specs/shop/connector.yaml';

describe('a token budget', () => {
  it('that is met gives no problem', async () => {
    expect(await checkTokenBudget(tools, { service: large + small, tool: large }, FILE)).toEqual([]);
    expect(await checkTokenBudget(tools, undefined, FILE)).toEqual([]);
  });

  it('of the service names the largest tools', async () => {
    const [problem, ...others] = await checkTokenBudget(tools, { service: large }, FILE);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      code: 'token-budget-exceeded',
      file: FILE,
      pointer: '/budget/service',
      message: `All tools together cost ${large + small} tokens of at most ${large}.`,
    });
    expect(problem?.fix).toMatch(/^shop_large costs \d+; shop_small /);
  });

  it('of a tool names each tool that exceeds it', async () => {
    const problems = await checkTokenBudget(tools, { tool: large - 1 }, FILE);
    expect(problems.map(({ pointer, message }) => [pointer, message])).toEqual([
      ['/budget/tool', `shop_large costs ${large} tokens of at most ${large - 1}.`],
    ]);
  });

  it.each<[string, object]>([
    ['sets no limit', {}],
    ['is zero', { service: 0 }],
    ['allows a tool more than the service', { service: 10, tool: 11 }],
  ])('that %s is rejected', (_title, budget) => {
    expect(connectorConfigSchema.safeParse({ budget }).success).toBe(false);
  });
});
