/** Literal requests of the crm tools, written from the upstream's documents; longer than 300 lines because it is a table. */

import type { WireCase } from './case.ts';

const HEADERS = { authorization: 'Bearer test-crm-key', 'x-affinity-api-version': '2024-01-01' };

const MAYA = {
  id: 38706,
  firstName: 'Maya',
  lastName: 'Lindqvist',
  primaryEmailAddress: 'maya@nordrobotics.example',
  emailAddresses: ['maya@nordrobotics.example'],
  type: 'external',
};
const MET_AT = {
  id: 'field-4312',
  name: 'Met at',
  type: 'global',
  enrichmentSource: null,
  value: { type: 'filterable-text', data: 'Robotics summit 2025' },
};
const NORD = {
  id: 7133,
  name: 'Nord Robotics',
  domain: 'nordrobotics.example',
  domains: ['nordrobotics.example'],
  isGlobal: false,
};
const EMPLOYEES = {
  id: 'affinity-data-number-of-employees',
  name: 'Number of Employees',
  type: 'enriched',
  enrichmentSource: 'affinity-data',
  value: { type: 'number', data: 84 },
};
const MET_AT_DEFINITION = {
  id: 'field-4312',
  name: 'Met at',
  type: 'global',
  enrichmentSource: null,
  valueType: 'filterable-text',
};
const NETWORK = { id: 1803, name: 'Founders network', creatorId: 90114, ownerId: 90114, isPublic: true };
const PIPELINE = {
  id: 1801,
  name: 'Seed pipeline',
  creatorId: 90114,
  ownerId: 90120,
  isPublic: false,
  type: 'company',
};
const ENTRY = { id: 550231, listId: 1803, createdAt: '2025-09-02T10:05:00Z', creatorId: null, fields: [MET_AT] };
const ENTRY_WITH_ENTITY = {
  id: 551902,
  type: 'company',
  listId: 1801,
  createdAt: '2025-10-20T09:12:33Z',
  creatorId: 90114,
  entity: { ...NORD, fields: [EMPLOYEES] },
};
const SERIES_A = { id: 61044, name: 'Nord Robotics Series A', listId: 1802 };
const ACTIVE = { id: 3301, name: 'Active deals', type: 'sheet', createdAt: '2025-04-02T07:45:00Z' };

const LAST_PAGE = { nextUrl: null, prevUrl: null };

export const crmCases: readonly WireCase[] = [
  {
    tool: 'crm_find_person',
    title: 'reads the list of people, and finds a name in any case',
    arguments: { key: ' maya  LINDQVIST' },
    request: { method: 'GET', url: '/v2/persons?limit=100', headers: HEADERS },
    reply: { status: 200, body: { data: [MAYA], pagination: { prevUrl: null, nextUrl: null } } },
    result: {
      structuredContent: { data: [MAYA], pagination: { prevUrl: null, nextUrl: null } },
      text: ['Looked at 1 items on 1 page: 1 match.'],
    },
  },
  {
    tool: 'crm_find_company',
    title: 'reads the list of companies, and names what is near',
    arguments: { key: 'nordrobotic.example' },
    request: { method: 'GET', url: '/v2/companies?limit=100', headers: HEADERS },
    reply: { status: 200, body: { data: [NORD], pagination: { prevUrl: null, nextUrl: null } } },
    result: {
      structuredContent: { data: [], pagination: { prevUrl: null, nextUrl: null } },
      text: ['No item is called "nordrobotic.example". Near: "nordrobotics.example"'],
    },
  },
  {
    tool: 'crm_get_current_user',
    title: 'takes no argument',
    arguments: {},
    request: { method: 'GET', url: '/v2/auth/whoami', headers: HEADERS },
    reply: {
      status: 200,
      body: {
        tenant: { id: 2711, name: 'Fjord Ventures', subdomain: 'fjord' },
        user: { id: 90114, firstName: 'Ingrid', lastName: null, emailAddress: 'ingrid@fjord.example' },
        grant: { type: 'api-key', scopes: ['api'], createdAt: '2025-03-11T08:20:14Z' },
      },
    },
    result: {
      structuredContent: {
        tenant: { id: 2711, name: 'Fjord Ventures', subdomain: 'fjord' },
        user: { id: 90114, firstName: 'Ingrid', lastName: null, emailAddress: 'ingrid@fjord.example' },
        grant: { type: 'api-key', scopes: ['api'], createdAt: '2025-03-11T08:20:14Z' },
      },
    },
  },
  {
    tool: 'crm_get_current_user',
    title: 'reports the code and message of a refused key',
    arguments: {},
    request: { method: 'GET', url: '/v2/auth/whoami', headers: HEADERS },
    reply: { status: 401, body: { errors: [{ code: 'authentication', message: 'The key was revoked' }] } },
    result: { isError: true, text: ['credential_refused', 'authentication', 'The key was revoked'] },
  },

  {
    tool: 'crm_list_persons',
    title: 'repeats the key of every array and follows the cursor inside nextUrl',
    arguments: {
      cursor: 'Zmlyc3Q=',
      limit: 2,
      ids: [38706, 38711],
      fieldIds: ['field-4312', 'affinity-data-location'],
      fieldTypes: ['enriched', 'global', 'relationship-intelligence'],
    },
    request: {
      method: 'GET',
      url:
        '/v2/persons?cursor=Zmlyc3Q%3D&limit=2&ids=38706&ids=38711&fieldIds=field-4312&fieldIds=affinity-data-location' +
        '&fieldTypes=enriched&fieldTypes=global&fieldTypes=relationship-intelligence',
      headers: HEADERS,
    },
    reply: {
      status: 200,
      body: {
        data: [{ ...MAYA, fields: [MET_AT] }],
        pagination: {
          nextUrl: 'https://api.affinity.co/v2/persons?limit=2&cursor=bmV4dA%3D%3D&ids=38706&ids=38711',
          prevUrl: 'https://api.affinity.co/v2/persons?limit=2&cursor=cHJldg',
        },
      },
    },
    result: {
      structuredContent: {
        data: [{ ...MAYA, fields: [MET_AT] }],
        pagination: {
          nextUrl: 'https://api.affinity.co/v2/persons?limit=2&cursor=bmV4dA%3D%3D&ids=38706&ids=38711',
          prevUrl: 'https://api.affinity.co/v2/persons?limit=2&cursor=cHJldg',
        },
        page: {
          nextArguments: {
            cursor: 'bmV4dA==',
            limit: 2,
            ids: [38706, 38711],
            fieldIds: ['field-4312', 'affinity-data-location'],
            fieldTypes: ['enriched', 'global', 'relationship-intelligence'],
          },
        },
      },
    },
  },
  {
    tool: 'crm_list_persons',
    title: 'sends no query without arguments and ends where nextUrl is null',
    arguments: {},
    request: { method: 'GET', url: '/v2/persons', headers: HEADERS },
    reply: { status: 200, body: { data: [MAYA], pagination: LAST_PAGE } },
    result: { structuredContent: { data: [MAYA], pagination: LAST_PAGE, page: { nextArguments: null } } },
  },
  {
    tool: 'crm_list_persons',
    title: 'sends one id as one key',
    arguments: { ids: [38706] },
    request: { method: 'GET', url: '/v2/persons?ids=38706', headers: HEADERS },
    reply: { status: 200, body: { data: [MAYA], pagination: LAST_PAGE } },
    result: { structuredContent: { data: [MAYA], pagination: LAST_PAGE, page: { nextArguments: null } } },
  },
  {
    tool: 'crm_list_persons',
    title: 'reports the parameter that the upstream refuses',
    arguments: { fieldIds: ['nonsense'] },
    request: { method: 'GET', url: '/v2/persons?fieldIds=nonsense', headers: HEADERS },
    reply: {
      status: 400,
      body: { errors: [{ code: 'validation', message: 'No field has the id nonsense', param: 'fieldIds' }] },
    },
    result: { isError: true, text: ['validation', 'No field has the id nonsense', 'fieldIds'] },
  },
  {
    tool: 'crm_list_persons',
    title: 'reports a rate limit',
    arguments: {},
    request: { method: 'GET', url: '/v2/persons', headers: HEADERS },
    reply: {
      status: 429,
      headers: { 'retry-after': '30' },
      body: { errors: [{ code: 'rate-limit', message: 'Too many requests in this minute' }] },
    },
    result: { isError: true, text: ['rate-limit', 'Too many requests in this minute', '30'] },
  },

  {
    tool: 'crm_get_person',
    title: 'selects field data',
    arguments: { personId: 38706, fieldIds: ['field-4312'], fieldTypes: ['global'] },
    request: { method: 'GET', url: '/v2/persons/38706?fieldIds=field-4312&fieldTypes=global', headers: HEADERS },
    reply: { status: 200, body: { ...MAYA, fields: [MET_AT] } },
    result: { structuredContent: { ...MAYA, fields: [MET_AT] } },
  },
  {
    tool: 'crm_get_person',
    title: 'takes the id alone',
    arguments: { personId: 38706 },
    request: { method: 'GET', url: '/v2/persons/38706', headers: HEADERS },
    reply: { status: 200, body: MAYA },
    result: { structuredContent: MAYA },
  },
  {
    tool: 'crm_get_person',
    title: 'reports a person that does not exist',
    arguments: { personId: 1 },
    request: { method: 'GET', url: '/v2/persons/1', headers: HEADERS },
    reply: { status: 404, body: { errors: [{ code: 'not-found', message: 'Person 1 was not found' }] } },
    result: { isError: true, text: ['not-found', 'Person 1 was not found'] },
  },

  {
    tool: 'crm_list_person_fields',
    title: 'pages',
    arguments: { cursor: 'a', limit: 1 },
    request: { method: 'GET', url: '/v2/persons/fields?cursor=a&limit=1', headers: HEADERS },
    reply: {
      status: 200,
      body: {
        data: [MET_AT_DEFINITION],
        pagination: { nextUrl: 'https://api.affinity.co/v2/persons/fields?cursor=b&limit=1', prevUrl: null },
      },
    },
    result: {
      structuredContent: {
        data: [MET_AT_DEFINITION],
        pagination: { nextUrl: 'https://api.affinity.co/v2/persons/fields?cursor=b&limit=1', prevUrl: null },
        page: { nextArguments: { cursor: 'b', limit: 1 } },
      },
    },
  },
  {
    tool: 'crm_list_person_fields',
    title: 'needs no argument',
    arguments: {},
    request: { method: 'GET', url: '/v2/persons/fields', headers: HEADERS },
    reply: { status: 200, body: { data: [MET_AT_DEFINITION], pagination: LAST_PAGE } },
    result: {
      structuredContent: { data: [MET_AT_DEFINITION], pagination: LAST_PAGE, page: { nextArguments: null } },
    },
  },

  {
    tool: 'crm_list_person_lists',
    title: 'pages',
    arguments: { personId: 38706, cursor: 'a', limit: 100 },
    request: { method: 'GET', url: '/v2/persons/38706/lists?cursor=a&limit=100', headers: HEADERS },
    reply: {
      status: 200,
      body: {
        data: [NETWORK],
        pagination: { nextUrl: 'https://api.affinity.co/v2/persons/38706/lists?cursor=b', prevUrl: null },
      },
    },
    result: {
      structuredContent: {
        data: [NETWORK],
        pagination: { nextUrl: 'https://api.affinity.co/v2/persons/38706/lists?cursor=b', prevUrl: null },
        page: { nextArguments: { personId: 38706, cursor: 'b', limit: 100 } },
      },
    },
  },
  {
    tool: 'crm_list_person_lists',
    title: 'takes the id alone and adds the cursor to the next arguments',
    arguments: { personId: 38706 },
    request: { method: 'GET', url: '/v2/persons/38706/lists', headers: HEADERS },
    reply: {
      status: 200,
      body: {
        data: [NETWORK],
        pagination: { nextUrl: 'https://api.affinity.co/v2/persons/38706/lists?cursor=b', prevUrl: null },
      },
    },
    result: {
      structuredContent: {
        data: [NETWORK],
        pagination: { nextUrl: 'https://api.affinity.co/v2/persons/38706/lists?cursor=b', prevUrl: null },
        page: { nextArguments: { personId: 38706, cursor: 'b' } },
      },
    },
  },

  {
    tool: 'crm_list_person_list_entries',
    title: 'pages',
    arguments: { personId: 38706, cursor: 'a', limit: 1 },
    request: { method: 'GET', url: '/v2/persons/38706/list-entries?cursor=a&limit=1', headers: HEADERS },
    reply: {
      status: 200,
      body: {
        data: [ENTRY],
        pagination: { nextUrl: 'https://api.affinity.co/v2/persons/38706/list-entries?cursor=b', prevUrl: null },
      },
    },
    result: {
      structuredContent: {
        data: [ENTRY],
        pagination: { nextUrl: 'https://api.affinity.co/v2/persons/38706/list-entries?cursor=b', prevUrl: null },
        page: { nextArguments: { personId: 38706, cursor: 'b', limit: 1 } },
      },
    },
  },
  {
    tool: 'crm_list_person_list_entries',
    title: 'takes the id alone',
    arguments: { personId: 38706 },
    request: { method: 'GET', url: '/v2/persons/38706/list-entries', headers: HEADERS },
    reply: { status: 200, body: { data: [ENTRY], pagination: LAST_PAGE } },
    result: { structuredContent: { data: [ENTRY], pagination: LAST_PAGE, page: { nextArguments: null } } },
  },

  {
    tool: 'crm_list_companies',
    title: 'repeats the key of every array',
    arguments: {
      cursor: 'a',
      limit: 1,
      ids: [7133, 7140],
      fieldIds: ['affinity-data-number-of-employees'],
      fieldTypes: ['enriched', 'global'],
    },
    request: {
      method: 'GET',
      url:
        '/v2/companies?cursor=a&limit=1&ids=7133&ids=7140&fieldIds=affinity-data-number-of-employees' +
        '&fieldTypes=enriched&fieldTypes=global',
      headers: HEADERS,
    },
    reply: {
      status: 200,
      body: {
        data: [{ ...NORD, fields: [EMPLOYEES] }],
        pagination: { nextUrl: 'https://api.affinity.co/v2/companies?cursor=b&limit=1', prevUrl: null },
      },
    },
    result: {
      structuredContent: {
        data: [{ ...NORD, fields: [EMPLOYEES] }],
        pagination: { nextUrl: 'https://api.affinity.co/v2/companies?cursor=b&limit=1', prevUrl: null },
        page: {
          nextArguments: {
            cursor: 'b',
            limit: 1,
            ids: [7133, 7140],
            fieldIds: ['affinity-data-number-of-employees'],
            fieldTypes: ['enriched', 'global'],
          },
        },
      },
    },
  },
  {
    tool: 'crm_list_companies',
    title: 'needs no argument',
    arguments: {},
    request: { method: 'GET', url: '/v2/companies', headers: HEADERS },
    reply: { status: 200, body: { data: [NORD], pagination: LAST_PAGE } },
    result: { structuredContent: { data: [NORD], pagination: LAST_PAGE, page: { nextArguments: null } } },
  },

  {
    tool: 'crm_get_company',
    title: 'selects field data',
    arguments: { companyId: 7133, fieldIds: ['a', 'b'], fieldTypes: ['relationship-intelligence'] },
    request: {
      method: 'GET',
      url: '/v2/companies/7133?fieldIds=a&fieldIds=b&fieldTypes=relationship-intelligence',
      headers: HEADERS,
    },
    reply: { status: 200, body: { ...NORD, fields: [EMPLOYEES] } },
    result: { structuredContent: { ...NORD, fields: [EMPLOYEES] } },
  },
  {
    tool: 'crm_get_company',
    title: 'takes the id alone',
    arguments: { companyId: 7133 },
    request: { method: 'GET', url: '/v2/companies/7133', headers: HEADERS },
    reply: { status: 200, body: NORD },
    result: { structuredContent: NORD },
  },
  {
    tool: 'crm_get_company',
    title: 'reports a missing permission',
    arguments: { companyId: 7133 },
    request: { method: 'GET', url: '/v2/companies/7133', headers: HEADERS },
    reply: { status: 403, body: { errors: [{ code: 'authorization', message: 'You may not read companies' }] } },
    result: { isError: true, text: ['authorization', 'You may not read companies'] },
  },

  {
    tool: 'crm_list_company_fields',
    title: 'pages',
    arguments: { cursor: 'a', limit: 1 },
    request: { method: 'GET', url: '/v2/companies/fields?cursor=a&limit=1', headers: HEADERS },
    reply: {
      status: 200,
      body: {
        data: [{ id: 'field-5201', name: 'Sector', type: 'global', enrichmentSource: null, valueType: 'text' }],
        pagination: { nextUrl: 'https://api.affinity.co/v2/companies/fields?cursor=b&limit=1', prevUrl: null },
      },
    },
    result: {
      structuredContent: {
        data: [{ id: 'field-5201', name: 'Sector', type: 'global', enrichmentSource: null, valueType: 'text' }],
        pagination: { nextUrl: 'https://api.affinity.co/v2/companies/fields?cursor=b&limit=1', prevUrl: null },
        page: { nextArguments: { cursor: 'b', limit: 1 } },
      },
    },
  },
  {
    tool: 'crm_list_company_fields',
    title: 'passes on a value type that the descriptor does not know',
    arguments: {},
    request: { method: 'GET', url: '/v2/companies/fields', headers: HEADERS },
    reply: {
      status: 200,
      body: {
        data: [{ id: 'f', name: 'Notes', type: 'hidden', enrichmentSource: 'mailchimp', valueType: 'note', extra: 1 }],
        pagination: LAST_PAGE,
      },
    },
    result: {
      structuredContent: {
        data: [{ id: 'f', name: 'Notes', type: 'hidden', enrichmentSource: 'mailchimp', valueType: 'note', extra: 1 }],
        pagination: LAST_PAGE,
        page: { nextArguments: null },
      },
    },
  },

  {
    tool: 'crm_list_company_lists',
    title: 'pages',
    arguments: { companyId: 7133, cursor: 'a', limit: 1 },
    request: { method: 'GET', url: '/v2/companies/7133/lists?cursor=a&limit=1', headers: HEADERS },
    reply: {
      status: 200,
      body: {
        data: [NETWORK],
        pagination: { nextUrl: 'https://api.affinity.co/v2/companies/7133/lists?cursor=b', prevUrl: null },
      },
    },
    result: {
      structuredContent: {
        data: [NETWORK],
        pagination: { nextUrl: 'https://api.affinity.co/v2/companies/7133/lists?cursor=b', prevUrl: null },
        page: { nextArguments: { companyId: 7133, cursor: 'b', limit: 1 } },
      },
    },
  },
  {
    tool: 'crm_list_company_lists',
    title: 'takes the id alone',
    arguments: { companyId: 7133 },
    request: { method: 'GET', url: '/v2/companies/7133/lists', headers: HEADERS },
    reply: { status: 200, body: { data: [], pagination: LAST_PAGE } },
    result: { structuredContent: { data: [], pagination: LAST_PAGE, page: { nextArguments: null } } },
  },

  {
    tool: 'crm_list_company_list_entries',
    title: 'pages',
    arguments: { companyId: 7133, cursor: 'a', limit: 1 },
    request: { method: 'GET', url: '/v2/companies/7133/list-entries?cursor=a&limit=1', headers: HEADERS },
    reply: {
      status: 200,
      body: {
        data: [ENTRY],
        pagination: { nextUrl: 'https://api.affinity.co/v2/companies/7133/list-entries?cursor=b', prevUrl: null },
      },
    },
    result: {
      structuredContent: {
        data: [ENTRY],
        pagination: { nextUrl: 'https://api.affinity.co/v2/companies/7133/list-entries?cursor=b', prevUrl: null },
        page: { nextArguments: { companyId: 7133, cursor: 'b', limit: 1 } },
      },
    },
  },
  {
    tool: 'crm_list_company_list_entries',
    title: 'takes the id alone',
    arguments: { companyId: 7133 },
    request: { method: 'GET', url: '/v2/companies/7133/list-entries', headers: HEADERS },
    reply: { status: 200, body: { data: [ENTRY], pagination: LAST_PAGE } },
    result: { structuredContent: { data: [ENTRY], pagination: LAST_PAGE, page: { nextArguments: null } } },
  },

  {
    tool: 'crm_list_opportunities',
    title: 'repeats the key of ids',
    arguments: { cursor: 'a', limit: 3, ids: [61044, 61052, 61060] },
    request: {
      method: 'GET',
      url: '/v2/opportunities?cursor=a&limit=3&ids=61044&ids=61052&ids=61060',
      headers: HEADERS,
    },
    reply: {
      status: 200,
      body: {
        data: [SERIES_A],
        pagination: { nextUrl: 'https://api.affinity.co/v2/opportunities?cursor=b&limit=3', prevUrl: null },
      },
    },
    result: {
      structuredContent: {
        data: [SERIES_A],
        pagination: { nextUrl: 'https://api.affinity.co/v2/opportunities?cursor=b&limit=3', prevUrl: null },
        page: { nextArguments: { cursor: 'b', limit: 3, ids: [61044, 61052, 61060] } },
      },
    },
  },
  {
    tool: 'crm_list_opportunities',
    title: 'needs no argument',
    arguments: {},
    request: { method: 'GET', url: '/v2/opportunities', headers: HEADERS },
    reply: { status: 200, body: { data: [SERIES_A], pagination: LAST_PAGE } },
    result: { structuredContent: { data: [SERIES_A], pagination: LAST_PAGE, page: { nextArguments: null } } },
  },

  {
    tool: 'crm_get_opportunity',
    title: 'takes the id',
    arguments: { opportunityId: 61044 },
    request: { method: 'GET', url: '/v2/opportunities/61044', headers: HEADERS },
    reply: { status: 200, body: SERIES_A },
    result: { structuredContent: SERIES_A },
  },

  {
    tool: 'crm_list_lists',
    title: 'pages',
    arguments: { cursor: 'a', limit: 1 },
    request: { method: 'GET', url: '/v2/lists?cursor=a&limit=1', headers: HEADERS },
    reply: {
      status: 200,
      body: {
        data: [PIPELINE],
        pagination: { nextUrl: 'https://api.affinity.co/v2/lists?cursor=b&limit=1', prevUrl: null },
      },
    },
    result: {
      structuredContent: {
        data: [PIPELINE],
        pagination: { nextUrl: 'https://api.affinity.co/v2/lists?cursor=b&limit=1', prevUrl: null },
        page: { nextArguments: { cursor: 'b', limit: 1 } },
      },
    },
  },
  {
    tool: 'crm_list_lists',
    title: 'needs no argument',
    arguments: {},
    request: { method: 'GET', url: '/v2/lists', headers: HEADERS },
    reply: { status: 200, body: { data: [PIPELINE], pagination: LAST_PAGE } },
    result: { structuredContent: { data: [PIPELINE], pagination: LAST_PAGE, page: { nextArguments: null } } },
  },

  {
    tool: 'crm_get_list',
    title: 'takes the id',
    arguments: { listId: 1801 },
    request: { method: 'GET', url: '/v2/lists/1801', headers: HEADERS },
    reply: { status: 200, body: PIPELINE },
    result: { structuredContent: PIPELINE },
  },

  {
    tool: 'crm_list_list_fields',
    title: 'pages',
    arguments: { listId: 1801, cursor: 'a', limit: 1 },
    request: { method: 'GET', url: '/v2/lists/1801/fields?cursor=a&limit=1', headers: HEADERS },
    reply: {
      status: 200,
      body: {
        data: [{ id: 'field-7009', name: 'Stage', type: 'list', enrichmentSource: null, valueType: 'ranked-dropdown' }],
        pagination: { nextUrl: 'https://api.affinity.co/v2/lists/1801/fields?cursor=b&limit=1', prevUrl: null },
      },
    },
    result: {
      structuredContent: {
        data: [{ id: 'field-7009', name: 'Stage', type: 'list', enrichmentSource: null, valueType: 'ranked-dropdown' }],
        pagination: { nextUrl: 'https://api.affinity.co/v2/lists/1801/fields?cursor=b&limit=1', prevUrl: null },
        page: { nextArguments: { listId: 1801, cursor: 'b', limit: 1 } },
      },
    },
  },
  {
    tool: 'crm_list_list_fields',
    title: 'takes the id alone',
    arguments: { listId: 1801 },
    request: { method: 'GET', url: '/v2/lists/1801/fields', headers: HEADERS },
    reply: { status: 200, body: { data: [], pagination: LAST_PAGE } },
    result: { structuredContent: { data: [], pagination: LAST_PAGE, page: { nextArguments: null } } },
  },

  {
    tool: 'crm_list_list_entries',
    title: 'also selects the fields of the list itself',
    arguments: {
      listId: 1801,
      cursor: 'a',
      limit: 1,
      fieldIds: ['field-7004', 'field-7009'],
      fieldTypes: ['enriched', 'global', 'list', 'relationship-intelligence'],
    },
    request: {
      method: 'GET',
      url:
        '/v2/lists/1801/list-entries?cursor=a&limit=1&fieldIds=field-7004&fieldIds=field-7009' +
        '&fieldTypes=enriched&fieldTypes=global&fieldTypes=list&fieldTypes=relationship-intelligence',
      headers: HEADERS,
    },
    reply: {
      status: 200,
      body: {
        data: [ENTRY_WITH_ENTITY],
        pagination: { nextUrl: 'https://api.affinity.co/v2/lists/1801/list-entries?cursor=b&limit=1', prevUrl: null },
      },
    },
    result: {
      structuredContent: {
        data: [ENTRY_WITH_ENTITY],
        pagination: { nextUrl: 'https://api.affinity.co/v2/lists/1801/list-entries?cursor=b&limit=1', prevUrl: null },
        page: {
          nextArguments: {
            listId: 1801,
            cursor: 'b',
            limit: 1,
            fieldIds: ['field-7004', 'field-7009'],
            fieldTypes: ['enriched', 'global', 'list', 'relationship-intelligence'],
          },
        },
      },
    },
  },
  {
    tool: 'crm_list_list_entries',
    title: 'takes the id alone and passes on data that is null',
    arguments: { listId: 1801 },
    request: { method: 'GET', url: '/v2/lists/1801/list-entries', headers: HEADERS },
    reply: { status: 200, body: { data: null, pagination: LAST_PAGE } },
    result: { structuredContent: { data: null, pagination: LAST_PAGE, page: { nextArguments: null } } },
  },

  {
    tool: 'crm_list_saved_views',
    title: 'pages',
    arguments: { listId: 1801, cursor: 'a', limit: 1 },
    request: { method: 'GET', url: '/v2/lists/1801/saved-views?cursor=a&limit=1', headers: HEADERS },
    reply: {
      status: 200,
      body: {
        data: [ACTIVE],
        pagination: { nextUrl: 'https://api.affinity.co/v2/lists/1801/saved-views?cursor=b&limit=1', prevUrl: null },
      },
    },
    result: {
      structuredContent: {
        data: [ACTIVE],
        pagination: { nextUrl: 'https://api.affinity.co/v2/lists/1801/saved-views?cursor=b&limit=1', prevUrl: null },
        page: { nextArguments: { listId: 1801, cursor: 'b', limit: 1 } },
      },
    },
  },
  {
    tool: 'crm_list_saved_views',
    title: 'takes the id alone',
    arguments: { listId: 1801 },
    request: { method: 'GET', url: '/v2/lists/1801/saved-views', headers: HEADERS },
    reply: { status: 200, body: { data: [ACTIVE], pagination: LAST_PAGE } },
    result: { structuredContent: { data: [ACTIVE], pagination: LAST_PAGE, page: { nextArguments: null } } },
  },

  {
    tool: 'crm_get_saved_view',
    title: 'takes both ids',
    arguments: { listId: 1801, viewId: 3301 },
    request: { method: 'GET', url: '/v2/lists/1801/saved-views/3301', headers: HEADERS },
    reply: { status: 200, body: ACTIVE },
    result: { structuredContent: ACTIVE },
  },

  {
    tool: 'crm_list_saved_view_list_entries',
    title: 'pages',
    arguments: { listId: 1801, viewId: 3301, cursor: 'a', limit: 1 },
    request: { method: 'GET', url: '/v2/lists/1801/saved-views/3301/list-entries?cursor=a&limit=1', headers: HEADERS },
    reply: {
      status: 200,
      body: {
        data: [ENTRY_WITH_ENTITY],
        pagination: {
          nextUrl: 'https://api.affinity.co/v2/lists/1801/saved-views/3301/list-entries?cursor=b',
          prevUrl: null,
        },
      },
    },
    result: {
      structuredContent: {
        data: [ENTRY_WITH_ENTITY],
        pagination: {
          nextUrl: 'https://api.affinity.co/v2/lists/1801/saved-views/3301/list-entries?cursor=b',
          prevUrl: null,
        },
        page: { nextArguments: { listId: 1801, viewId: 3301, cursor: 'b', limit: 1 } },
      },
    },
  },
  {
    tool: 'crm_list_saved_view_list_entries',
    title: 'takes both ids alone',
    arguments: { listId: 1801, viewId: 3301 },
    request: { method: 'GET', url: '/v2/lists/1801/saved-views/3301/list-entries', headers: HEADERS },
    reply: { status: 200, body: { data: [ENTRY_WITH_ENTITY], pagination: LAST_PAGE } },
    result: {
      structuredContent: { data: [ENTRY_WITH_ENTITY], pagination: LAST_PAGE, page: { nextArguments: null } },
    },
  },
];
