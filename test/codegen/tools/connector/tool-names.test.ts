import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameTools, operationKey, toToolPrefix } from '../../../../codegen/tools/connector/tool-names.ts';
import type { NamedOperation } from '../../../../codegen/tools/words/operation-words.ts';
import { numRuns } from '../../../support/num-runs.ts';
import { build, operation, service } from '../service.ts';

function nameOne(over: Partial<NamedOperation>, prefix = 'shop'): string | undefined {
  return [...nameTools(prefix, [operation(over)], new Set()).names.values()][0];
}

const COLLECTION = '/v1/customers';
const ITEM = '/v1/customers/{customer}';

describe('default names', () => {
  it.each<[string, Partial<NamedOperation>, string]>([
    ['the operationId in snake_case', { id: 'getDocumentChunks' }, 'shop_get_document_chunks'],
    ['an operationId with slashes and dashes', { id: 'repos/list-for-org' }, 'shop_repos_list_for_org'],
    ['the path where an operationId has no letter', { id: '名前', path: '/a' }, 'shop_get_a'],
    [
      'the path where an operationId is a number',
      { id: '5476364f031f5909e4fe3316', path: '/Stations' },
      'shop_list_stations',
    ],
    ['the root path', { id: null, path: '/' }, 'shop_get'],
    ['a collection that is read', { id: null, path: COLLECTION }, 'shop_list_customers'],
    ['a collection that is posted to', { id: null, method: 'POST', path: COLLECTION }, 'shop_create_customer'],
    ['an item that is read', { id: null, path: ITEM }, 'shop_get_customer'],
    ['an item that is posted to', { id: null, method: 'POST', path: ITEM }, 'shop_post_customer'],
    [
      'an action at the end of a path',
      { id: null, method: 'POST', path: '/x/{id}/sendDigits' },
      'shop_post_x_send_digits',
    ],
    ['an operationId that is the path', { id: 'GetCustomersCustomer', path: ITEM }, 'shop_get_customer'],
    ['one with the method at its end', { id: 'V1CustomersGet', path: COLLECTION }, 'shop_list_customers'],
    ["FastAPI's function name", { id: 'read_item_items__item_id__get', path: '/items/{item_id}' }, 'shop_read_item'],
    ["springdoc's function name", { id: 'findPetsUsingGET_1', path: '/pets' }, 'shop_find_pets'],
    ["NestJS's function name", { id: 'PetsController_findAll', path: '/pets' }, 'shop_pets_find_all'],
    ['a repeated tag once', { id: 'pets_listPets', path: '/pets' }, 'shop_list_pets'],
    [
      'a tag that is repeated only after for',
      { id: 'users_list_for_user', path: '/users' },
      'shop_users_list_for_user',
    ],
    ['the prefix once', { id: 'shop.orders.list', path: '/orders' }, 'shop_orders_list'],
    ['a repeated word once', { id: 'list_list_entries', path: '/lists/{id}/entries' }, 'shop_list_entries'],
  ])('use %s', (_title, over, want) => {
    expect(nameOne(over)).toBe(want);
  });

  it.each([
    [
      'fillers and words that are not in the path',
      {
        id: 'actions/add-custom-labels-to-self-hosted-runner-for-org',
        path: '/orgs/{org}/actions/runners/{id}/labels',
      },
      'github_actions_add_labels_runner_org',
    ],
    [
      'the context before the object of the action',
      { id: 'container.projects.locations.clusters.nodePools.setAutoscaling', path: '/v1/{name}:setAutoscaling' },
      'github_node_pools_set_autoscaling',
    ],
    [
      'no word for how many it acts on',
      {
        id: 'deleteCoreV1CollectionNamespacedPersistentVolumeClaim',
        path: '/api/v1/namespaces/{ns}/persistentvolumeclaims',
      },
      'github_delete_collection_volume_claim',
    ],
  ])('longer than 40 characters lose %s', (_title, over, want) => {
    expect(nameOne(over, 'github')).toBe(want);
  });

  it.each([
    ['words of the path', ['/teams/{id}/members', '/groups/{id}/members'], 'listMembers', ['team', 'group']],
    ['parameters', ['/users/{id}', '/users/{email}'], null, ['by_id', 'by_email']],
    ['versions', ['/v1/users', '/v2/users'], null, ['v1', 'v2']],
  ])('that collide are distinguished by %s', (_title, paths, id, want) => {
    const operations = paths.map((path, index) =>
      operation({ id: id === null ? null : `${id}${'_'.repeat(index)}`, path }),
    );
    const { names, unresolved } = nameTools('shop', operations, new Set());
    for (const [index, words] of want.entries()) expect(names.get(`GET ${paths[index]}`)).toContain(words);
    expect(unresolved).toEqual(new Map());
  });

  it('end in a digest where no words distinguish them', () => {
    const operations = ['/jobs', '/jobs/'].map((path) => operation({ id: null, path }));
    const { names, unresolved } = nameTools('shop', operations, new Set());
    for (const name of names.values()) expect(name).toMatch(/^shop_list_jobs_[0-9a-f]{6}$/);
    expect([...unresolved.keys()]).toEqual(['shop_list_jobs']);
  });

  it('never move from one operation to another when a third is added', () => {
    const before = ['/teams/{id}/members', '/teams'].map((path) => operation({ id: null, path }));
    const after = [
      ...before,
      operation({ id: null, path: '/groups/{id}/members' }),
      operation({ id: null, path: '/team' }),
    ];
    const old = nameTools('shop', before, new Set()).names;
    const now = nameTools('shop', after, new Set()).names;
    for (const [key, name] of old) expect(now.get(key)).toBe(name);
  });
});

describe('default tool names', () => {
  it.each([
    ['retrieval', 'retrieval'],
    ['usage-billing', 'usage_billing'],
    ['3scale', 'api_3scale'],
  ])('of the folder %s begin with %s', (folder, want) => {
    expect(toToolPrefix(folder)).toBe(want);
  });

  it('yield to a tool of connector.yaml', () => {
    const { names } = nameTools('shop', [operation()], new Set(['shop_list_things']));
    expect(names.get('GET /things')).toBe('shop_list_things_get');
  });

  it('are unique, valid and independent of order for any operations', () => {
    const anyOperation = fc.record({
      id: fc.option(
        fc.oneof(
          fc.constantFrom('listThings', 'list_things', 'LIST-THINGS', 'x'.repeat(70), `${'y_'.repeat(40)}a`, '名前'),
          fc.string({ maxLength: 120 }),
        ),
      ),
      method: fc.constantFrom('GET', 'POST', 'DELETE'),
      path: fc.array(fc.constantFrom('a', 'b', '{id}', 'long-segment'), { maxLength: 6 }).map((s) => `/${s.join('/')}`),
    });
    fc.assert(
      fc.property(fc.uniqueArray(anyOperation, { selector: (o) => `${o.method} ${o.path}` }), (list) => {
        const operations = list.map((over) => operation(over as Parameters<typeof operation>[0]));
        const taken = new Set(['shop_list_things']);
        const { names } = nameTools('shop', operations, taken);
        const values = [...names.values()];
        expect(new Set([...values, ...taken]).size).toBe(operations.length + 1);
        for (const name of values) expect(name).toMatch(/^[a-z][a-z0-9_]{0,57}$/);
        const again = nameTools('shop', operations.toReversed(), taken).names;
        for (const one of operations) expect(again.get(operationKey(one))).toBe(names.get(operationKey(one)));
      }),
      { numRuns: numRuns(500) },
    );
  });
});

describe('names in a connector', () => {
  it('do not change when a hidden operation is added', () => {
    const visible = operation({ id: 'a', path: '/a' });
    const before = build(service([visible]));
    const after = build(service([visible, operation({ id: 'b', path: '/b' })]), {
      notExposed: { b: 'Not for models.' },
    });
    expect(after.connector.tools.map(({ name }) => name)).toEqual(before.connector.tools.map(({ name }) => name));
  });

  it('take the prefix of connector.yaml', () => {
    expect(build(service([operation()]), { toolPrefix: 'store' }).tool.name).toBe('store_list_things');
  });
});
