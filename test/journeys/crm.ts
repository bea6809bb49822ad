/** Requests to a CRM that has no search. */

import { allItems, type Content, findBy, type Journey } from './journey.ts';

const next = (path: string) => ({ nextUrl: `https://api.affinity.co${path}`, prevUrl: null });
const end = { nextUrl: null, prevUrl: null };
const company = (id: number, name: string) => ({ id, name, domain: null, domains: [], isGlobal: true });
const field = (id: string, name: string, type: string, data: unknown) => ({
  id,
  name,
  type: 'list',
  enrichmentSource: null,
  value: { type, data },
});
const row = (id: number, name: string, companies: readonly object[], status: string) => ({
  id,
  type: 'opportunity',
  listId: 5,
  createdAt: '2026-01-02T00:00:00Z',
  creatorId: null,
  entity: {
    id: id + 1000,
    name,
    listId: 5,
    fields: [
      field('companies', 'Organizations', 'company-multi', companies),
      field('field-7', 'Status', 'ranked-dropdown', { dropdownOptionId: 1, text: status, rank: 1, color: 'blue' }),
    ],
  },
});

/** The data of the field of an entity that has this type of value, or this name. */
function dataOf(entity: Content, is: (field: Content) => boolean): unknown {
  const found = (entity.fields as Content[]).find(is);
  return (found?.value as Content | undefined)?.data;
}

export const crmJourneys: readonly Journey[] = [
  {
    request: 'Find Acme in the CRM and list its open opportunities.',
    words: {
      crm_list_companies: ['One is found by name or domain with where.'],
      crm_list_opportunities: ['read the lists of type opportunity', 'company-multi', 'fieldTypes ["list"]'],
      crm_list_list_entries: ['entity.fields', 'Rows are found with where'],
      crm_list_company_list_entries: ['Not its opportunities'],
    },
    answers: {
      'GET /v2/companies?limit=100': {
        data: [company(1, 'Zeta')],
        pagination: next('/v2/companies?cursor=c2&limit=100'),
      },
      'GET /v2/companies?cursor=c2&limit=100': { data: [company(2, 'Acme')], pagination: end },
      'GET /v2/lists': {
        data: [
          { id: 4, name: 'Customers', creatorId: 1, ownerId: 1, isPublic: true, type: 'company' },
          { id: 5, name: 'Deals', creatorId: 1, ownerId: 1, isPublic: true, type: 'opportunity' },
        ],
        pagination: end,
      },
      'GET /v2/lists/5/list-entries?fieldTypes=list': {
        data: [
          row(1, 'Acme renewal', [{ id: 2, name: 'Acme', domain: 'acme.com' }], 'In negotiation'),
          row(2, 'Acme pilot', [{ id: 2, name: 'Acme', domain: 'acme.com' }], 'Lost'),
          row(3, 'Zeta pilot', [{ id: 1, name: 'Zeta', domain: null }], 'New'),
        ],
        pagination: end,
      },
    },
    steps: async (call) => {
      const acme = findBy(await allItems(call, 'crm_list_companies', { limit: 100 }), 'name', 'Acme');
      const lists = await allItems(call, 'crm_list_lists', {});
      const deals = findBy(lists, 'type', 'opportunity');
      const rows = await allItems(call, 'crm_list_list_entries', { listId: deals.id, fieldTypes: ['list'] });
      return rows
        .map(({ entity }) => entity as Content)
        .filter((entity) => {
          const companies = dataOf(entity, ({ value }) => (value as Content).type === 'company-multi');
          return (companies as Content[]).some(({ id }) => id === acme.id);
        })
        .map((entity) => [entity.name, (dataOf(entity, ({ name }) => name === 'Status') as Content).text])
        .filter(([, status]) => status !== 'Lost');
    },
    outcome: [['Acme renewal', 'In negotiation']],
  },
  {
    request: 'What is the e-mail address of Grace Hopper?',
    words: { crm_list_persons: ['found by name or e-mail', 'e-mail addresses'] },
    answers: {
      'GET /v2/persons?limit=100': {
        data: [
          {
            id: 9,
            firstName: 'Grace',
            lastName: 'Hopper',
            primaryEmailAddress: 'grace@navy.example',
            emailAddresses: ['grace@navy.example'],
            type: 'external',
          },
        ],
        pagination: end,
      },
    },
    steps: async (call) =>
      findBy(await allItems(call, 'crm_list_persons', { limit: 100 }), 'lastName', 'Hopper').primaryEmailAddress,
    outcome: 'grace@navy.example',
  },
  {
    request: 'Read my saved view "Hot deals".',
    words: {
      crm_get_list: ['the names of its saved views'],
      crm_list_saved_views: ['Only views of type sheet', 'not their filters'],
      crm_list_saved_view_list_entries: ["pass a saved view's filters"],
    },
    answers: {
      'GET /v2/lists': {
        data: [{ id: 5, name: 'Deals', creatorId: 1, ownerId: 1, isPublic: true, type: 'opportunity' }],
        pagination: end,
      },
      'GET /v2/lists/5/saved-views': {
        data: [{ id: 70, name: 'Hot deals', type: 'sheet', createdAt: '2026-01-02T00:00:00Z' }],
        pagination: end,
      },
      'GET /v2/lists/5/saved-views/70/list-entries': { data: [row(1, 'Acme renewal', [], 'Open')], pagination: end },
    },
    steps: async (call) => {
      const names: unknown[] = [];
      for (const { id: listId } of await allItems(call, 'crm_list_lists', {})) {
        const views = await allItems(call, 'crm_list_saved_views', { listId });
        const { id: viewId } = findBy(views, 'name', 'Hot deals');
        const rows = await allItems(call, 'crm_list_saved_view_list_entries', { listId, viewId });
        names.push(...rows.map(({ entity }) => (entity as Content).name));
      }
      return names;
    },
    outcome: ['Acme renewal'],
  },
  {
    request: 'Get the companies 9007199254740993 and 2 at once.',
    words: { crm_list_companies: ['fetches those with given ids'] },
    answers: {
      'GET /v2/companies?ids=9007199254740993&ids=2': { data: [company(2, 'Acme')], pagination: end },
    },
    steps: async (call) => {
      const args = { cursor: '', ids: ['9007199254740993', 2], fieldIds: null };
      return (await allItems(call, 'crm_list_companies', args)).map(({ name }) => name);
    },
    outcome: ['Acme'],
  },
];
