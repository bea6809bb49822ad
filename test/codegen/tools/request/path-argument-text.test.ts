import { expect, it } from 'vitest';
import { build, jsonBody, operation, parameter, service } from '../service.ts';

const textsOf = (...operations: Parameters<typeof operation>[0][]) =>
  build(service(operations.map((one) => operation(one)))).connector.tools.map(({ arguments: args }) =>
    Object.fromEntries(args.map(({ name, schema }) => [name, schema.description])),
  );

it.each([
  ['/customers/{id}', 'id', 'Id of the customer.'],
  ['/bank-accounts/{uuid}/close', 'uuid', 'Uuid of the bank account.'],
  ['/members/{name}', 'name', 'Name of the member.'],
  ['/customers/{external_ref}', 'external_ref', undefined],
  ['/search/{id}', 'id', undefined],
])('%s describes {%s} as: %s', (path, name, want) => {
  const parameters = [parameter(name, { in: 'path', description: '' })];
  expect(Object.values(textsOf({ path, parameters })[0]!)).toEqual([want]);
});

it.each([
  ['padId', 'Id of the pad.'],
  ['organization_uuid', 'Uuid of the organization.'],
  ['tagIds', 'Ids of the tags.'],
  ['externalId', undefined],
  ['filter[customer_id]', undefined],
  ['firstName', undefined],
  ['id', undefined],
])('%s is: %s', (name, want) => {
  expect(Object.values(textsOf({ parameters: [parameter(name, { description: '' })] })[0]!)).toEqual([want]);
});

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
