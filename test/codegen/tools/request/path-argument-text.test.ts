import { expect, it } from 'vitest';
import { toIdText, toPathArgumentText } from '../../../../codegen/tools/request/path-argument-text.ts';
import { build, jsonBody, operation, parameter, service } from '../service.ts';

it.each([
  ['/customers/{id}', 'id', 'Id of the customer.'],
  ['/bank-accounts/{uuid}/close', 'uuid', 'Uuid of the bank account.'],
  ['/teams/{team}/members/{name}', 'name', 'Name of the member.'],
  ['/customers/{customer_id}', 'customer_id', ''],
  ['/search/{id}', 'id', ''],
  ['/{tenant}/{id}', 'id', ''],
  ['/customers', 'id', ''],
])('%s describes {%s} as: %s', (path, name, want) => {
  expect(toPathArgumentText(path, name)).toBe(want);
});

it.each([
  ['padId', 'Id of the pad.'],
  ['organization_uuid', 'Uuid of the organization.'],
  ['tagIds', 'Ids of the tags.'],
  ['externalId', ''],
  ['filter[customer_id]', ''],
  ['firstName', ''],
  ['id', ''],
])('%s is: %s', (name, want) => {
  expect(toIdText(name)).toBe(want);
});

const textsOf = (...operations: Parameters<typeof operation>[0][]) =>
  build(service(operations.map((one) => operation(one)))).connector.tools.map(({ arguments: args }) =>
    Object.fromEntries(args.map(({ name, schema }) => [name, schema.description])),
  );

it('takes the text of the same parameter elsewhere, if most of its texts agree', () => {
  const q = (description: string) => [parameter('q', { description })];
  const at = (path: string, description: string) => ({ id: path.slice(1), path, parameters: q(description) });
  expect(textsOf(at('/a', 'Words.'), at('/b', ''))[1]).toEqual({ q: 'Words.' });
  expect(textsOf(at('/a', 'Words.'), at('/b', ''), at('/c', 'A query.'))[1]).toEqual({ q: undefined });
});

it('says whose value a member of a new or changed thing is', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      isOpen: { type: 'boolean' },
      city: { type: 'string', description: 'Town.' },
    },
  };
  const body = jsonBody(schema);
  const texts = { name: 'Name of the sales office.', isOpen: undefined, city: 'Town.' };
  expect(textsOf({ method: 'POST', path: '/sales-offices', body })).toEqual([texts]);
  expect(textsOf({ method: 'POST', path: '/search', body })).toEqual([{ ...texts, name: undefined }]);
});
