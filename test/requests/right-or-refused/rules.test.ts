import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFixture, errorOf, type Fixture } from '../../server/call/tools/support.ts';
import { fakeConnector } from '../../support/fake-connector.ts';
import { DONE, type Service, startService } from './service.ts';

const text = { type: 'string' };
const json = (schema: object, required = true, mediaType = 'application/json') => ({
  required,
  content: { [mediaType]: { schema } },
});
const write = (operationId: string, requestBody: object, method = 'post') => ({
  [method]: { operationId, requestBody, ...DONE },
});
const object = (names: string, rest: object = {}) => ({
  type: 'object',
  properties: Object.fromEntries(names.split(' ').map((name) => [name, text])),
  ...rest,
});
const oneOrMany = object('one many', { oneOf: [{ required: ['one'] }, { required: ['many'] }] });
const groups = object('a b c d', { required: ['d'], anyOf: [{ required: ['a', 'b'] }, { required: ['c', 'd'] }] });
const price = { type: 'number', multipleOf: 0.01 };
const steps = [price, { type: 'number', multipleOf: 0.25 }];
const nullable = { type: ['string', 'null'] };
const clearable = {
  type: 'object',
  properties: { title: nullable, note: nullable },
  anyOf: [{ required: ['title'] }, { required: ['note'] }],
};
/** Too long to be published as a whole: its deepest parts are left open. */
const fillers = Object.fromEntries(
  Array.from({ length: 120 }, (_, index) => [
    `part${index}`,
    {
      type: 'object',
      properties: { [`first${index}`]: { type: 'integer', maximum: index }, [`second${index}`]: price },
    },
  ]),
);
const deep = {
  type: 'object',
  properties: {
    ...fillers,
    strict: object('kind other extra more', {
      required: ['kind'],
      additionalProperties: false,
      minProperties: 2,
      dependentRequired: { extra: ['more'] },
      not: { properties: { kind: { const: 'none' } }, required: ['kind'] },
    }),
  },
};
const cut = { type: 'object', properties: { name: text, deep: { type: 'object', properties: { deep } } } };

let service: Service;
let fixture: Fixture;
beforeAll(async () => {
  service = await startService(
    {
      openapi: '3.1.0',
      paths: {
        '/gate': write('gate', json(oneOrMany)),
        '/omitted': write('omitted', json(oneOrMany)),
        '/fixed': write('fixed', json(oneOrMany)),
        '/groups': write('groups', json(groups)),
        '/form': write('form', json(groups, true, 'application/x-www-form-urlencoded')),
        '/any': write('any', json(object('a b', { minProperties: 1 }))),
        '/maybe': write('maybe', json(object('a b', { minProperties: 1 }), false)),
        '/clear': write('clear', json(clearable), 'patch'),
        '/price': write(
          'price',
          json({
            type: 'object',
            properties: { price, tenth: { ...price, multipleOf: 0.1 }, third: { ...price, multipleOf: 3 } },
          }),
        ),
        '/prices': write('prices', json({ type: 'object', properties: { of: { oneOf: [price, text] } } })),
        '/steps': write('steps', json({ type: 'object', properties: { of: { oneOf: steps } } })),
        '/cut': write('cut', json(cut)),
      },
    },
    'expose: all\ntools:\n  forms_omitted:\n    operation: omitted\n    omit: [body.many]\n' +
      '  forms_fixed:\n    operation: fixed\n    fixed: { body.many: x }\n',
  );
  const tools = service.connector.tools.map((tool) => ({
    ...tool,
    operation: { ...tool.operation, server: '{library_base_url}' },
  }));
  fixture = createFixture({ connectors: [fakeConnector({ tools })], origin: service.host.origin });
}, 60_000);
afterAll(async () => {
  await fixture.close();
  await service.close();
});

const inDeep = (value: object) => ({ deep: { deep: value } });

test('the generated files compile, and publish no rules', () => {
  expect(service.errors).toEqual([]);
  const published = JSON.stringify(service.connector.tools.map(({ inputSchema }) => inputSchema));
  expect(published).not.toMatch(/"oneOf":\[\{"required"|multipleOf":0|dependentRequired/);
  expect(service.connector.tools.filter(({ rules }) => rules === undefined).map(({ name }) => name)).toEqual([
    'forms_fixed',
    'forms_maybe',
  ]);
});

describe('arguments that the document allows', () => {
  test.each<[string, object]>([
    ['gate', { one: 'x' }],
    ['gate', { many: 'x' }],
    ['omitted', { one: 'x' }],
    ['fixed', {}],
    ['groups', { a: '1', b: '2', d: '3' }],
    ['groups', { d: '3', c: '4' }],
    ['form', { d: '3', c: '4' }],
    ['any', { b: 'x' }],
    ['maybe', {}],
    ['clear', { note: 'x' }],
    ['clear', { clear: ['note'] }],
    ['price', { price: 19.99, tenth: 1.1 }],
    ['price', { price: '0.07' }],
    ['price', { price: 123456789012.34 }],
    ['price', { third: '9007199254740993' }],
    ['price', { price: 0 }],
    ['prices', { of: '0.005' }],
    ['steps', { of: 0.03 }],
    ['cut', {}],
    ['cut', inDeep({ part7: { first7: 7, second7: 0.29 }, strict: { kind: 'a', other: 'b' } })],
    ['cut', inDeep({ part7: { first7: '7' } })],
  ])('are sent: %s %j', async (tool, args) => {
    const before = service.host.arrived.length;
    const result = await fixture.call(`forms_${tool}`, { ...args });
    expect(result.isError, JSON.stringify(result.structuredContent)).not.toBe(true);
    expect(service.host.arrived.length).toBe(before + 1);
  });

  test('are corrected inside a part that the published schema leaves open', async () => {
    await fixture.call('forms_cut', inDeep({ part7: { first7: '7' } }));
    expect(JSON.parse(String(service.host.arrived.at(-1)?.body))).toEqual(inDeep({ part7: { first7: 7 } }));
  });
});

describe('arguments that the document refuses', () => {
  test.each<[string, object, string]>([
    ['gate', {}, 'Give exactly one of: "one"; "many".'],
    ['gate', { one: 'x', many: 'y' }, 'Give only one of: "one"; "many".'],
    ['omitted', {}, '"one" is missing.'],
    ['groups', { a: '1', d: '3' }, 'Give at least one of: "a" and "b"; "c".'],
    ['form', { d: '1' }, 'Give at least one of: "a" and "b"; "c".'],
    ['any', {}, 'Give at least one of: "a"; "b".'],
    ['clear', {}, 'Give at least one of: "title"; "note"; "clear".'],
    ['price', { price: 0.005 }, '"price" must be a multiple of 0.01 (got 0.005).'],
    ['price', { tenth: -1.15 }, '"tenth" must be a multiple of 0.1 (got -1.15).'],
    ['prices', { of: 1e-7 }, '"of" must be a multiple of 0.01 (got 1e-7).'],
    ['steps', { of: 0.5 }, '"of" fits more than one of'],
    ['cut', inDeep({ part7: { first7: 8 } }), '"deep.deep.part7.first7" must be at most 7 (got 8).'],
    ['cut', inDeep({ part7: { second7: 0.001 } }), '"deep.deep.part7.second7" must be a multiple of 0.01 (got 0.001).'],
    ['cut', inDeep({ strict: { other: 'x', more: 'y' } }), '"deep.deep.strict.kind" is missing.'],
    ['cut', inDeep({ strict: { kind: 'x' } }), '"deep.deep.strict" must have at least 2 members (it has 1).'],
    ['cut', inDeep({ strict: { kind: 'x', otter: 'y' } }), 'Did you mean "other"?'],
    ['cut', inDeep({ strict: { kind: 'none', other: 'y' } }), '"deep.deep.strict" must not fit {"properties"'],
    [
      'cut',
      inDeep({ strict: { kind: 'x', extra: 'y' } }),
      '"deep.deep.strict.more" is missing: with "deep.deep.strict.extra"',
    ],
  ])('are not sent: %s %j', async (tool, args, sentence) => {
    const before = service.host.arrived.length;
    const result = await fixture.call(`forms_${tool}`, { ...args });
    expect(errorOf(result)).toMatchObject({ code: 'invalid_arguments' });
    expect(errorOf(result).message).toContain(sentence);
    expect(service.host.arrived.length).toBe(before);
  });
});
