import { expect, it } from 'vitest';
import { toPathArgumentText } from '../../../../codegen/tools/words/path-argument-text.ts';

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
