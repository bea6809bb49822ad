import { afterEach, expect, test } from 'vitest';
import { FULL_PERMISSION } from '../../../../../server/base/principal/permission.ts';
import type { Tool } from '../../../../../server/contract/index.ts';
import { fakeTool } from '../../../../support/fake-connector.ts';
import { createFixture, errorOf, type Fixture } from '../support.ts';

let fixture: Fixture | undefined;
afterEach(() => fixture?.close());

const PEOPLE = { data: { items: { properties: { id: {}, emailAddresses: { items: {} }, city: {} } } } };
const text = { type: 'string' };
const reading = (name: string, properties: object, more: Partial<Tool> = {}): Tool =>
  fakeTool({
    name,
    input: { properties, additionalProperties: false },
    output: { properties: PEOPLE },
    more: {
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
      ...more,
    },
  });
const LIST = reading(
  'library_list_people',
  { limit: { type: 'integer' }, where: { type: 'object' } },
  {
    gatewayArguments: ['where'],
  },
);
const TOOLS = [
  LIST,
  reading(
    'library_find_person',
    { key: text },
    {
      find: { list: 'library_list_people', by: [['emailAddresses'], ['firstName', 'lastName']] },
    },
  ),
  reading('library_get_person', { personId: { type: 'string', description: 'From library_list_people.' } }),
  reading('library_list_people_of_shelf', { shelfCode: text }),
  reading('library_status', { verbose: text }),
];

test.each([
  ['library_list_people', 'email', 'library_find_person finds items by emailAddresses: give it as "key".'],
  ['library_list_people', 'name', 'library_find_person finds items by firstName and lastName: give it as "key".'],
  ['library_get_person', 'email', 'library_find_person finds items by emailAddresses: give it as "key".'],
  ['library_list_people', 'city', 'Items are found by it with "where": {"city": ...}.'],
  ['library_list_people', 'shelfCode', 'library_list_people_of_shelf takes it.'],
])('%s says which tool takes %s', async (tool, name, way) => {
  fixture = createFixture({ tools: TOOLS });
  expect(errorOf(await fixture.call(tool, { [name]: 'a' })).message).toContain(way);
});

test('an argument of an unrelated tool, and a tool that the caller may not use, are not named', async () => {
  fixture = createFixture({ tools: TOOLS });
  const only = ['library_list_people'];
  const options = { principal: { permission: { ...FULL_PERMISSION, only } } };
  const messages = [
    errorOf(await fixture.call('library_list_people', { verbose: 'a' })).message,
    errorOf(await fixture.call('library_list_people', { email: 'a' }, options)).message,
  ];
  expect(messages.join()).not.toMatch(/library_(?:status|find)/);
});
