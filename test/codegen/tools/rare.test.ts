import { describe, expect, test } from 'vitest';
import { build, operation, parameter, service } from './service.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => `filter${index}`);
const rareOf = (count: number, input: object = {}, schema: object = { type: 'string' }) => {
  const parameters = names(count).map((name) => parameter(name, { schema: { ...schema } }));
  const { connector } = build(service([operation({ id: 'find', parameters })]), { ...input });
  return connector.tools[0]?.rare;
};
const tools = (more: object) => ({ tools: { shop_find: { operation: 'find', ...more } } });

describe('rare arguments', () => {
  test('are none of a tool with up to 20 optional arguments', () => {
    expect(rareOf(20)).toBeUndefined();
  });

  test('are all but three of a tool with more', () => {
    expect(rareOf(21)).toEqual(names(21).slice(3));
  });

  test('are never those that connector.yaml describes', () => {
    expect(rareOf(21, tools({ arguments: { filter9: { description: 'The ninth.' } } }))).not.toContain('filter9');
  });

  test('are never those that connector.yaml describes for all tools', () => {
    const described = { defaults: { arguments: { filter9: { description: 'The ninth.' } } } };
    expect(rareOf(21, described)).not.toContain('filter9');
  });

  test('are optional ones with long schemas', () => {
    const values = Array.from({ length: 200 }, (_, index) => `a long value ${index}`);
    expect(rareOf(2, {}, { type: 'string', enum: values })).toEqual(['filter0', 'filter1']);
  });
});
