/** Literal requests of the crm tools, written from the upstream's documents; longer than 300 lines because it is a table. */

import type { SentHeaders, WireCase } from './case.ts';

export const crmHeaders: SentHeaders = {
  headers: { authorization: 'Bearer test-crm-key', 'x-affinity-api-version': '2024-01-01' },
  absentHeaders: [],
};

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
    sends: 'GET /v2/persons?limit=100',
    answer: { data: [MAYA], pagination: LAST_PAGE },
    text: ['Looked at 1 items on 1 page: 1 match.'],
  },
  {
    tool: 'crm_find_company',
    title: 'reads the list of companies, and names what is near',
    arguments: { key: 'nordrobotic.example' },
    sends: 'GET /v2/companies?limit=100',
    answer: { data: [NORD], pagination: LAST_PAGE },
    result: { data: [], pagination: LAST_PAGE },
    text: ['No item is called "nordrobotic.example". Near: "nordrobotics.example"'],
  },
  {
    tool: 'crm_get_current_user',
    title: 'takes no argument',
    sends: 'GET /v2/auth/whoami',
    answer: {
      tenant: { id: 2711, name: 'Fjord Ventures', subdomain: 'fjord' },
      user: { id: 90114, firstName: 'Ingrid', lastName: null, emailAddress: 'ingrid@fjord.example' },
      grant: { type: 'api-key', scopes: ['api'], createdAt: '2025-03-11T08:20:14Z' },
    },
  },
  {
    tool: 'crm_get_current_user',
    title: 'reports the code and message of a refused key',
    sends: 'GET /v2/auth/whoami',
    status: 401,
    answer: { errors: [{ code: 'authentication', message: 'The key was revoked' }] },
    error: ['credential_refused', 'authentication', 'The key was revoked'],
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
    sends:
      'GET /v2/persons?cursor=Zmlyc3Q%3D&limit=2&ids=38706&ids=38711&fieldIds=field-4312&fieldIds=affinity-data-location&fieldTypes=enriched&fieldTypes=global&fieldTypes=relationship-intelligence',
    answer: {
      data: [{ ...MAYA, fields: [MET_AT] }],
      pagination: {
        nextUrl: 'https://api.affinity.co/v2/persons?limit=2&cursor=bmV4dA%3D%3D&ids=38706&ids=38711',
        prevUrl: 'https://api.affinity.co/v2/persons?limit=2&cursor=cHJldg',
      },
    },
    next: { cursor: 'bmV4dA==' },
  },
  {
    tool: 'crm_list_persons',
    title: 'sends no query without arguments and ends where nextUrl is null',
    sends: 'GET /v2/persons',
    answer: { data: [MAYA], pagination: LAST_PAGE },
    next: null,
  },
  {
    tool: 'crm_list_persons',
    title: 'reports the parameter that the upstream refuses',
    arguments: { fieldIds: ['nonsense'] },
    sends: 'GET /v2/persons?fieldIds=nonsense',
    status: 400,
    answer: { errors: [{ code: 'validation', message: 'No field has the id nonsense', param: 'fieldIds' }] },
    error: ['validation', 'No field has the id nonsense', 'fieldIds'],
  },

  {
    tool: 'crm_get_person',
    title: 'selects field data',
    arguments: { personId: 38706, fieldIds: ['field-4312'], fieldTypes: ['global'] },
    sends: 'GET /v2/persons/38706?fieldIds=field-4312&fieldTypes=global',
    answer: { ...MAYA, fields: [MET_AT] },
  },

  {
    tool: 'crm_list_person_fields',
    title: 'pages',
    arguments: { cursor: 'a', limit: 1 },
    sends: 'GET /v2/persons/fields?cursor=a&limit=1',
    answer: {
      data: [MET_AT_DEFINITION],
      pagination: { nextUrl: 'https://api.affinity.co/v2/persons/fields?cursor=b&limit=1', prevUrl: null },
    },
    next: { cursor: 'b' },
  },

  {
    tool: 'crm_list_person_lists',
    title: 'pages',
    arguments: { personId: 38706, cursor: 'a', limit: 100 },
    sends: 'GET /v2/persons/38706/lists?cursor=a&limit=100',
    answer: {
      data: [NETWORK],
      pagination: { nextUrl: 'https://api.affinity.co/v2/persons/38706/lists?cursor=b', prevUrl: null },
    },
    next: { cursor: 'b' },
  },

  {
    tool: 'crm_list_person_list_entries',
    title: 'pages',
    arguments: { personId: 38706, cursor: 'a', limit: 1 },
    sends: 'GET /v2/persons/38706/list-entries?cursor=a&limit=1',
    answer: {
      data: [ENTRY],
      pagination: { nextUrl: 'https://api.affinity.co/v2/persons/38706/list-entries?cursor=b', prevUrl: null },
    },
    next: { cursor: 'b' },
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
    sends:
      'GET /v2/companies?cursor=a&limit=1&ids=7133&ids=7140&fieldIds=affinity-data-number-of-employees&fieldTypes=enriched&fieldTypes=global',
    answer: {
      data: [{ ...NORD, fields: [EMPLOYEES] }],
      pagination: { nextUrl: 'https://api.affinity.co/v2/companies?cursor=b&limit=1', prevUrl: null },
    },
    next: { cursor: 'b' },
  },

  {
    tool: 'crm_get_company',
    title: 'selects field data',
    arguments: { companyId: 7133, fieldIds: ['a', 'b'], fieldTypes: ['relationship-intelligence'] },
    sends: 'GET /v2/companies/7133?fieldIds=a&fieldIds=b&fieldTypes=relationship-intelligence',
    answer: { ...NORD, fields: [EMPLOYEES] },
  },

  {
    tool: 'crm_list_company_fields',
    title: 'pages',
    arguments: { cursor: 'a', limit: 1 },
    sends: 'GET /v2/companies/fields?cursor=a&limit=1',
    answer: {
      data: [{ id: 'field-5201', name: 'Sector', type: 'global', enrichmentSource: null, valueType: 'text' }],
      pagination: { nextUrl: 'https://api.affinity.co/v2/companies/fields?cursor=b&limit=1', prevUrl: null },
    },
    next: { cursor: 'b' },
  },
  {
    tool: 'crm_list_company_fields',
    title: 'passes on a value type that the descriptor does not know',
    sends: 'GET /v2/companies/fields',
    answer: {
      data: [{ id: 'f', name: 'Notes', type: 'hidden', enrichmentSource: 'mailchimp', valueType: 'note', extra: 1 }],
      pagination: LAST_PAGE,
    },
    next: null,
  },

  {
    tool: 'crm_list_company_lists',
    title: 'pages',
    arguments: { companyId: 7133, cursor: 'a', limit: 1 },
    sends: 'GET /v2/companies/7133/lists?cursor=a&limit=1',
    answer: {
      data: [NETWORK],
      pagination: { nextUrl: 'https://api.affinity.co/v2/companies/7133/lists?cursor=b', prevUrl: null },
    },
    next: { cursor: 'b' },
  },

  {
    tool: 'crm_list_company_list_entries',
    title: 'pages',
    arguments: { companyId: 7133, cursor: 'a', limit: 1 },
    sends: 'GET /v2/companies/7133/list-entries?cursor=a&limit=1',
    answer: {
      data: [ENTRY],
      pagination: { nextUrl: 'https://api.affinity.co/v2/companies/7133/list-entries?cursor=b', prevUrl: null },
    },
    next: { cursor: 'b' },
  },

  {
    tool: 'crm_list_opportunities',
    title: 'repeats the key of ids',
    arguments: { cursor: 'a', limit: 3, ids: [61044, 61052, 61060] },
    sends: 'GET /v2/opportunities?cursor=a&limit=3&ids=61044&ids=61052&ids=61060',
    answer: {
      data: [SERIES_A],
      pagination: { nextUrl: 'https://api.affinity.co/v2/opportunities?cursor=b&limit=3', prevUrl: null },
    },
    next: { cursor: 'b' },
  },

  {
    tool: 'crm_get_opportunity',
    title: 'takes the id',
    arguments: { opportunityId: 61044 },
    sends: 'GET /v2/opportunities/61044',
    answer: SERIES_A,
  },

  {
    tool: 'crm_list_lists',
    title: 'pages',
    arguments: { cursor: 'a', limit: 1 },
    sends: 'GET /v2/lists?cursor=a&limit=1',
    answer: {
      data: [PIPELINE],
      pagination: { nextUrl: 'https://api.affinity.co/v2/lists?cursor=b&limit=1', prevUrl: null },
    },
    next: { cursor: 'b' },
  },

  {
    tool: 'crm_get_list',
    title: 'takes the id',
    arguments: { listId: 1801 },
    sends: 'GET /v2/lists/1801',
    answer: PIPELINE,
  },

  {
    tool: 'crm_list_list_fields',
    title: 'pages',
    arguments: { listId: 1801, cursor: 'a', limit: 1 },
    sends: 'GET /v2/lists/1801/fields?cursor=a&limit=1',
    answer: {
      data: [{ id: 'field-7009', name: 'Stage', type: 'list', enrichmentSource: null, valueType: 'ranked-dropdown' }],
      pagination: { nextUrl: 'https://api.affinity.co/v2/lists/1801/fields?cursor=b&limit=1', prevUrl: null },
    },
    next: { cursor: 'b' },
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
    sends:
      'GET /v2/lists/1801/list-entries?cursor=a&limit=1&fieldIds=field-7004&fieldIds=field-7009&fieldTypes=enriched&fieldTypes=global&fieldTypes=list&fieldTypes=relationship-intelligence',
    answer: {
      data: [ENTRY_WITH_ENTITY],
      pagination: { nextUrl: 'https://api.affinity.co/v2/lists/1801/list-entries?cursor=b&limit=1', prevUrl: null },
    },
    next: { cursor: 'b' },
  },
  {
    tool: 'crm_list_list_entries',
    title: 'takes the id alone and passes on data that is null',
    arguments: { listId: 1801 },
    sends: 'GET /v2/lists/1801/list-entries',
    answer: { data: null, pagination: LAST_PAGE },
    next: null,
  },

  {
    tool: 'crm_list_saved_views',
    title: 'pages',
    arguments: { listId: 1801, cursor: 'a', limit: 1 },
    sends: 'GET /v2/lists/1801/saved-views?cursor=a&limit=1',
    answer: {
      data: [ACTIVE],
      pagination: { nextUrl: 'https://api.affinity.co/v2/lists/1801/saved-views?cursor=b&limit=1', prevUrl: null },
    },
    next: { cursor: 'b' },
  },

  {
    tool: 'crm_get_saved_view',
    title: 'takes both ids',
    arguments: { listId: 1801, viewId: 3301 },
    sends: 'GET /v2/lists/1801/saved-views/3301',
    answer: ACTIVE,
  },

  {
    tool: 'crm_list_saved_view_list_entries',
    title: 'pages',
    arguments: { listId: 1801, viewId: 3301, cursor: 'a', limit: 1 },
    sends: 'GET /v2/lists/1801/saved-views/3301/list-entries?cursor=a&limit=1',
    answer: {
      data: [ENTRY_WITH_ENTITY],
      pagination: {
        nextUrl: 'https://api.affinity.co/v2/lists/1801/saved-views/3301/list-entries?cursor=b',
        prevUrl: null,
      },
    },
    next: { cursor: 'b' },
  },
];
