import { describe, expect, it } from 'vitest';
import type { ToolModel } from '../../../../codegen/tools/types.ts';
import { findHardest, formatHardest, type HardshipCode } from '../../../../codegen/tools/words/hardest.ts';
import { build, jsonBody, operation, parameter, service } from '../service.ts';

function toolsOf(...overs: readonly Parameters<typeof operation>[0][]): readonly ToolModel[] {
  return build(service(overs.map(operation))).connector.tools;
}

const codesOf = (tools: readonly ToolModel[], name?: string): readonly HardshipCode[] =>
  findHardest(tools)
    .filter((tool) => name === undefined || tool.name === name)
    .flatMap(({ hardships }) => hardships.map(({ code }) => code));

const anyObject = jsonBody({ type: 'object', properties: { meta: { type: 'object', description: 'More.' } } });

describe('the hardest tools', () => {
  it('do not include easy ones', () => {
    expect(findHardest(toolsOf({}))).toEqual([]);
    expect(formatHardest([])).toBe('');
  });

  it.each<[HardshipCode, Parameters<typeof operation>[0]]>([
    ['no-description', { summary: '', description: '' }],
    ['open-arguments', { method: 'POST', body: anyObject }],
    ['undescribed-arguments', { parameters: [parameter('page', { description: '' })] }],
    ['many-arguments', { parameters: Array.from({ length: 16 }, (_, index) => parameter(`p${index}`)) }],
  ])('include those with %s', (code, over) => {
    expect(codesOf(toolsOf(over))).toEqual([code]);
  });

  it('include those whose names or titles are almost the same', () => {
    const tools = toolsOf(
      { id: 'get_thing', path: '/a', summary: 'One' },
      { id: 'get_things', path: '/b', summary: 'Many' },
    );
    expect(codesOf(tools, 'shop_get_thing')).toEqual(['near-equal']);
    const same = toolsOf({ id: 'read', path: '/a' }, { id: 'see', path: '/b' });
    expect(findHardest(same)[0]?.hardships[0]?.reason).toBe('Its name or its title is almost that of shop_see.');
  });

  it('include those whose names end in a digest', () => {
    const tools = toolsOf({ id: null, path: '/jobs', summary: 'One' }, { id: null, path: '/jobs/', summary: 'Two' });
    expect(codesOf(tools)).toEqual(['digest-name', 'digest-name']);
  });

  it('are listed hardest first, with advice, and no more than requested', () => {
    const silent = { id: 'b', path: '/b', summary: '', parameters: [parameter('page', { description: '' })] };
    const tools = toolsOf({ id: 'a', path: '/a', summary: '' }, silent, { id: 'c', path: '/c' });
    expect(findHardest(tools, { count: 1 })).toEqual(findHardest(tools).slice(0, 1));
    expect(formatHardest(findHardest(tools))).toBe(
      [
        '1. shop_b (GET /b)',
        '   - The descriptor does not say what it does. Write tools.shop_b.description.',
        '   - No description for page: 1 of 1 arguments. Describe them under tools.shop_b.arguments, or under defaults.arguments where many tools have them.',
        '2. shop_a (GET /a)',
        '   - The descriptor does not say what it does. Write tools.shop_a.description.',
        '',
      ].join('\n'),
    );
  });

  it('use the token counts of the caller', () => {
    const [hard] = findHardest(toolsOf({}), { tokensOf: () => 3000 });
    expect(hard?.hardships[0]?.reason).toBe('It costs about 3000 tokens in every list.');
  });
});
