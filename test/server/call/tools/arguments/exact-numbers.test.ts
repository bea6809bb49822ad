import { describe, expect, test, vi } from 'vitest';
import { prepareArguments } from '../../../../../server/call/tools/call/arguments.ts';
import { createValidators } from '../../../../../server/call/tools/validate.ts';
import type { Arguments } from '../../../../../server/call/upstream/index.ts';
import type { ObjectSchema } from '../../../../../server/contract/index.ts';
import { parseRawNumbers } from '../../../../../shared/exact-json.ts';
import { fakeTool } from '../../../../support/fake-connector.ts';
import { numRuns } from '../../../../support/num-runs.ts';

function prepare(schema: object, json: string) {
  const tool = fakeTool({
    name: 'library_ask',
    input: { properties: { value: schema } } as Partial<ObjectSchema>,
  });
  const prepared = prepareArguments(
    tool,
    parseRawNumbers(`{"value": ${json}}`) as Arguments,
    createValidators()(tool.inputSchema),
  );
  return prepared.ok ? JSON.stringify(prepared.args.value) : prepared.text;
}

const LIST = { type: 'array', uniqueItems: true };

describe('a number that JavaScript would round is checked by its digits', () => {
  test.each([
    [LIST, '[18014398509481983,18014398509481985]'],
    [LIST, '[{"id":18014398509481983},{"id":18014398509481985}]'],
    [LIST, '[725653563933458433,"725653563933458433"]'],
    [{ type: 'integer', exclusiveMinimum: 9007199254740991 }, '9007199254740993'],
    [{ type: 'integer', maximum: 2 ** 63 }, '9223372036854775807'],
    [{ type: 'integer', minimum: -(2 ** 63) }, '-9223372036854775807'],
    [{ type: 'integer', maximum: 2 ** 64 }, '18446744073709551615'],
    [{ type: 'number', exclusiveMinimum: 0.1 }, '0.10000000000000000001'],
    [{ type: 'integer', multipleOf: 3 }, '9007199254740993'],
    [{ type: 'integer', multipleOf: 5 }, '725653563933458435'],
    [{ type: ['integer', 'null'], minimum: 1 }, '725653563933458433'],
  ])('%j accepts %s', (schema, json) => {
    expect(prepare(schema, json)).toBe(json);
  });

  test.each([
    [LIST, '[9007199254740993,9007199254740993]', 'must not repeat an element'],
    [LIST, '[{"id":9007199254740993,"a":[1]},{"a":[1],"id":9007199254740993}]', 'must not repeat an element'],
    [LIST, '[10000000000000000000001,1.0000000000000000000001e22]', 'must not repeat an element'],
    [{ type: 'integer', maximum: 2 ** 63 }, '9223372036854775808', 'must be'],
    [{ type: 'integer', maximum: 2 ** 64 }, '18446744073709551616', 'must be'],
    [{ type: 'integer', exclusiveMaximum: 2 ** 63 }, '9223372036854775809', 'must be'],
    [{ type: 'number', maximum: 0.1 }, '0.10000000000000000001', 'must be'],
    [{ type: 'integer', multipleOf: 2 }, '9007199254740993', 'must be a multiple of 2'],
    [{ type: 'integer', multipleOf: 5 }, '725653563933458433', 'must be a multiple of 5'],
  ])('%j refuses %s', (schema, json, problem) => {
    expect(prepare(schema, json)).toContain(problem);
  });

  test('of which a text is read gets its digits too', () => {
    const schema = { type: 'array', items: { type: 'integer' }, uniqueItems: true };
    expect(prepare(schema, '"[18014398509481983,18014398509481985]"')).toBe('[18014398509481983,18014398509481985]');
    expect(prepare(schema, '"[9007199254740993,9007199254740993]"')).toContain('must not repeat');
  });

  test('with a huge exponent or many digits takes no time to divide', () => {
    const schema = { type: 'number', multipleOf: 0.01 };
    expect(prepare(schema, '1e-999999999')).toBe('1e-999999999');
    expect(prepare(schema, `0.${'3'.repeat(100_000)}`)).toContain('must be a multiple of 0.01');
  });
});

describe('elements differ', () => {
  test.each(['[1,"1",true,null,[1],{"a":1}]', '[[1,2],[2,1]]', '[{"a":1},{"a":1,"b":null}]', '[0,0.5]'])(
    'in %s',
    (json) => {
      expect(prepare(LIST, json)).toBe(json);
    },
  );

  test.each(['[1,1.0]', '[0,-0]', '["a","a"]', '[{"a":1,"b":2},{"b":2,"a":1}]', '[[],[]]'])('not in %s', (json) => {
    expect(prepare(LIST, json)).toContain('must not repeat an element');
  });
});

describe('multiples of fractions', () => {
  test.each([
    [0.1, '1.1'],
    [0.01, '19.99'],
    [0.01, '999999999999.99'],
    [0.025, '0.075'],
    [1e-9, '0.000000003'],
    [2.5, '7.5'],
    [0.5, '-1.5'],
    [1e-30, '3e-30'],
    [1000, '1e15'],
  ])('of %s: %s', (multipleOf, json) => {
    expect(prepare({ type: 'number', multipleOf }, json)).toBe(JSON.stringify(JSON.parse(json)));
  });

  test.each([
    [0.1, '1.15'],
    [0.01, '19.999'],
    [0.01, '999999999999.995'],
    [0.025, '0.08'],
    [3, '0.1'],
    [1e-30, '3.5e-30'],
    [0.7, '1e15'],
  ])('not of %s: %s', (multipleOf, json) => {
    expect(prepare({ type: 'number', multipleOf }, json)).toContain(`must be a multiple of ${multipleOf}`);
  });

  test('a random decimal agrees with arithmetic of integers', () => {
    for (let index = 0; index < numRuns(500); index += 1) {
      const step = 1 + ((index * 7919) % 500);
      const units = (index * 1_000_003) % 10_000_000_000;
      const text = `${Math.floor(units / 1000)}.${String(units % 1000).padStart(3, '0')}`;
      const answer = prepare({ type: 'number', multipleOf: step / 1000 }, text);
      expect([text, step, answer === String(units / 1000)]).toEqual([text, step, units % step === 0]);
    }
  });

  test('15,000 of them are checked, and a wrong one is named', async () => {
    const schema = { type: 'array', items: { type: 'number', multipleOf: 0.01 } };
    const values = Array.from({ length: 15_000 }, (_, index) => index / 100);
    const wrong = JSON.stringify([...values, 0.001]);
    await vi.waitFor(() => expect(prepare(schema, JSON.stringify(values))).toBe(JSON.stringify(values)));
    await vi.waitFor(() => expect(prepare(schema, wrong)).toContain('"value[15000]" must be a multiple of 0.01'));
  });
});
