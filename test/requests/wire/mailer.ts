/** Literal requests of the mailer tools, written from the upstream's documents; longer than 300 lines because it is a table. */

import type { SentHeaders, WireCase } from './case.ts';

export const mailerHeaders: SentHeaders = {
  headers: { 'x-api-key': 'test-mailer-key' },
  absentHeaders: ['authorization'],
};

const BRAND = {
  id: '5f0c1f6e-3d0b-4c57-9a4e-0d6a3a1c7b21',
  name: 'Harbor Coffee',
  from_name: 'Harbor Coffee Roasters',
  from_email: 'hello@harborcoffee.example',
  filter_soft_bounces: true,
  max_soft_bounces: 5,
  bounce_danger_percent: 5,
  unsubscribe_text: 'Unsubscribe',
  connection_id: '0f5d7f3c-6a88-4a29-8f0e-1c2b9d4e6f70',
  contact_limit: null,
  num_contacts: 1842,
  url: 'https://harborcoffee.example',
  engagement: { num_opened: 1210, percent_opened: 65.7, num_clicked: 402, percent_clicked: 21.8 },
  created: 1719830400,
};
const NEWSLETTER = {
  id: '3b9f6c7d-5e20-4d1a-97c8-b4a1e0f2d386',
  name: 'Newsletter',
  all: false,
  num_contacts: 1204,
  engagement: { num_opened: 870, percent_opened: 72.3, num_clicked: 301, percent_clicked: 25 },
  created: 1720435200,
};
const ANN = {
  id: '71c5e0b9-4a2d-4f83-b6e1-9d8c3f7a2054',
  brand_id: '5f0c1f6e-3d0b-4c57-9a4e-0d6a3a1c7b21',
  email: 'ann+tag@example.com',
  field_values: [{ name: 'FIRST_NAME', string: 'Ann' }],
  list_ids: ['3b9f6c7d-5e20-4d1a-97c8-b4a1e0f2d386'],
  unsubscribe_all: false,
  unsubscribe_ids: [],
  num_soft_bounces: 0,
  num_hard_bounces: 0,
  num_complaints: 0,
  created: 1720521600,
};

export const mailerCases: readonly WireCase[] = [
  {
    tool: 'mailer_list_brands',
    title: 'pages while has_more is true',
    arguments: { limit: 1, cursor: 'a+/=' },
    sends: 'GET /v1/brands?limit=1&cursor=a%2B%2F%3D',
    answer: { data: [BRAND], has_more: true, cursor: 'b', total: 2 },
    next: { cursor: 'b' },
  },
  {
    tool: 'mailer_list_brands',
    title: 'ends where has_more is false although a cursor comes back',
    sends: 'GET /v1/brands',
    answer: { data: [BRAND], has_more: false, cursor: 'b', total: 1 },
    next: null,
  },
  {
    tool: 'mailer_list_brands',
    title: 'recognizes a refused key in a 400 answer',
    sends: 'GET /v1/brands',
    status: 400,
    answer: { type: 'invalid_request_error', message: 'Invalid api key' },
    error: ['credential_refused', 'Invalid api key'],
  },

  {
    tool: 'mailer_get_brand',
    title: 'takes the id',
    arguments: { brandId: '5f0c1f6e-3d0b-4c57-9a4e-0d6a3a1c7b21' },
    sends: 'GET /v1/brands/5f0c1f6e-3d0b-4c57-9a4e-0d6a3a1c7b21',
    answer: BRAND,
  },
  {
    tool: 'mailer_get_brand',
    title: 'encodes an id that is not one',
    arguments: { brandId: 'a/b?c' },
    sends: 'GET /v1/brands/a%2Fb%3Fc',
    status: 404,
    answer: { type: 'invalid_request_error', message: 'Brand not found' },
    error: ['invalid_request_error', 'Brand not found'],
  },

  {
    tool: 'mailer_list_lists',
    title: 'pages',
    arguments: { brandId: 'b-1', limit: 100, cursor: 'a' },
    sends: 'GET /v1/brands/b-1/lists?limit=100&cursor=a',
    answer: { data: [NEWSLETTER], has_more: true, cursor: 'b', total: 101 },
    next: { cursor: 'b' },
  },

  {
    tool: 'mailer_create_list',
    title: 'posts the name',
    arguments: { brandId: 'b-1', name: 'Spring' },
    sends: 'POST /v1/brands/b-1/lists',
    body: { name: 'Spring' },
    answer: { id: 'd60a2f85-9c14-4e7b-a2d3-71f8b5c0e946' },
  },

  {
    tool: 'mailer_get_list',
    title: 'takes both ids',
    arguments: { brandId: 'b-1', listId: 'l-1' },
    sends: 'GET /v1/brands/b-1/lists/l-1',
    answer: NEWSLETTER,
  },

  {
    tool: 'mailer_update_list',
    title: 'posts the new name',
    arguments: { brandId: 'b-1', listId: 'l-1', name: 'Monthly newsletter' },
    sends: 'POST /v1/brands/b-1/lists/l-1',
    body: { name: 'Monthly newsletter' },
    answer: { id: 'l-1' },
  },

  {
    tool: 'mailer_delete_list',
    title: 'sends no body',
    arguments: { brandId: 'b-1', listId: 'l-1' },
    sends: 'DELETE /v1/brands/b-1/lists/l-1',
    answer: { id: 'l-1' },
  },

  {
    tool: 'mailer_list_contacts',
    title: 'narrows to one list',
    arguments: { brandId: 'b-1', limit: 50, cursor: 'a', listId: 'l-1' },
    sends: 'GET /v1/brands/b-1/contacts?limit=50&cursor=a&list_id=l-1',
    answer: { data: [ANN], has_more: true, cursor: 'b', total: 1842 },
    next: { cursor: 'b' },
  },

  {
    tool: 'mailer_create_contact',
    title: 'sends validate in the query and the rest in the body under wire names',
    arguments: {
      brandId: 'b-1',
      email: 'ann+tag@example.com',
      validate: true,
      fieldValues: [
        { name: 'FIRST_NAME', string: 'Ann' },
        { name: 'CUPS_A_DAY', integer: 0 },
        { name: 'MEMBER_SINCE', date: '2026-01-31' },
      ],
      listIds: ['l-1', 'l-2'],
      unsubscribeAll: false,
      unsubscribeIds: ['m-1'],
    },
    sends: 'POST /v1/brands/b-1/contacts?validate=true',
    body: {
      email: 'ann+tag@example.com',
      field_values: [
        { name: 'FIRST_NAME', string: 'Ann' },
        { name: 'CUPS_A_DAY', integer: 0 },
        { name: 'MEMBER_SINCE', date: '2026-01-31' },
      ],
      list_ids: ['l-1', 'l-2'],
      unsubscribe_all: false,
      unsubscribe_ids: ['m-1'],
    },
    answer: { id: '71c5e0b9-4a2d-4f83-b6e1-9d8c3f7a2054' },
  },
  {
    tool: 'mailer_create_contact',
    title: 'reports the member that the upstream refuses',
    arguments: { brandId: 'b-1', email: 'ann@example.com', fieldValues: [{ name: 'NOPE', string: 'x' }] },
    sends: 'POST /v1/brands/b-1/contacts',
    body: { email: 'ann@example.com', field_values: [{ name: 'NOPE', string: 'x' }] },
    status: 400,
    answer: {
      type: 'invalid_request_error',
      code: 'unknown_field',
      message: 'No field is named NOPE',
      param: 'field_values',
    },
    error: ['unknown_field', 'No field is named NOPE', 'field_values'],
  },

  {
    tool: 'mailer_get_contact',
    title: 'encodes an e-mail address in the path',
    arguments: { brandId: 'b-1', contactId: 'ann+tag@example.com' },
    sends: 'GET /v1/brands/b-1/contacts/ann%2Btag%40example.com',
    answer: ANN,
  },

  {
    tool: 'mailer_update_contact',
    title: 'sends how values apply in the query and the values in the body',
    arguments: {
      brandId: 'b-1',
      contactId: 'ann+tag@example.com',
      fieldValuesOp: 'add',
      listIdsOp: 'remove',
      unsubscribeIdsOp: 'replace',
      email: 'ann@example.org',
      fieldValues: [{ name: 'CUPS_A_DAY', integer: 4 }],
      listIds: ['l-1'],
      unsubscribeAll: true,
      unsubscribeIds: [],
    },
    sends:
      'POST /v1/brands/b-1/contacts/ann%2Btag%40example.com?field_values_op=add&list_ids_op=remove&unsubscribe_ids_op=replace',
    body: {
      email: 'ann@example.org',
      field_values: [{ name: 'CUPS_A_DAY', integer: 4 }],
      list_ids: ['l-1'],
      unsubscribe_all: true,
      unsubscribe_ids: [],
    },
    answer: { id: 'c-1' },
  },
  {
    tool: 'mailer_update_contact',
    title: 'leaves everything out that is not given',
    arguments: { brandId: 'b-1', contactId: 'c-1' },
    sends: 'POST /v1/brands/b-1/contacts/c-1',
    body: {},
    answer: { id: 'c-1' },
  },

  {
    tool: 'mailer_upsert_contact',
    title: 'sends validate in the query and the rest in the body',
    arguments: {
      brandId: 'b-1',
      email: 'ann@example.com',
      validate: false,
      fieldValues: [{ name: 'MEMBER_SINCE', date: '2026-01-31' }],
      listIds: ['l-1'],
      unsubscribeAll: true,
      unsubscribeIds: ['m-1', 'm-2'],
    },
    sends: 'POST /v1/brands/b-1/contacts/upsert?validate=false',
    body: {
      email: 'ann@example.com',
      field_values: [{ name: 'MEMBER_SINCE', date: '2026-01-31' }],
      list_ids: ['l-1'],
      unsubscribe_all: true,
      unsubscribe_ids: ['m-1', 'm-2'],
    },
    answer: { id: 'c-1' },
  },

  {
    tool: 'mailer_delete_contact',
    title: 'encodes an e-mail address in the path and sends no body',
    arguments: { brandId: 'b-1', contactId: 'ann+tag@example.com' },
    sends: 'DELETE /v1/brands/b-1/contacts/ann%2Btag%40example.com',
    answer: { id: 'c-1' },
  },
];
