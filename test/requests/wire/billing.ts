/**
 * The billing tools on the wire, one literal row per call.
 *
 * Longer than most files because nothing in it is derived: every path, query and answer is written out.
 */

import type { SentHeaders, WireCase } from './case.ts';

const customerId = 'd7abd0cd-4ae9-4db7-8676-e986a4ebd8dc';
export const billingHeaders: SentHeaders = {
  headers: { authorization: 'Bearer test-billing-key' },
  absentHeaders: ['x-api-key'],
};

const customer = {
  id: customerId,
  external_id: 'team@acme.example',
  ingest_aliases: ['team@acme.example', 'acme-prod'],
  name: 'Acme Robotics',
  customer_config: { salesforce_account_id: '0015500001WO1ZiABL' },
  custom_fields: { segment: 'enterprise' },
  created_at: '2025-11-04T09:30:00+00:00',
  updated_at: '2026-02-17T12:05:41+00:00',
  archived_at: null,
  current_billable_status: { value: 'billable', effective_at: null },
};
const metric = {
  id: '13117714-3f05-48e5-a6e9-a66093f13b4d',
  name: 'CPU hours',
  event_type_filter: { in_values: ['cpu_usage'] },
  property_filters: [{ name: 'region', exists: true, in_values: ['EU', 'NA'] }],
  aggregation_type: 'sum',
  aggregation_key: 'cpu_hours',
  group_keys: [['region'], ['machine_type']],
  custom_fields: {},
};
const creditType = { id: '2714e483-4ff1-48e4-9e25-ac732e8f24f2', name: 'USD (cents)' };
const invoice = {
  id: '6a37bb88-8538-48c5-b37b-a41c836328bd',
  customer_id: customerId,
  type: 'USAGE',
  status: 'FINALIZED',
  credit_type: creditType,
  start_timestamp: '2026-02-01T00:00:00+00:00',
  end_timestamp: '2026-03-01T00:00:00+00:00',
  total: 14392,
  line_items: [
    { name: 'CPU hours', type: 'usage', quantity: 1488, unit_price: 9.672, total: 14392, credit_type: creditType },
  ],
  external_invoice: null,
};

/** Every billing tool with all of its arguments, and one row for each kind of request and of error that the service has. */
export const billingCases: readonly WireCase[] = [
  {
    tool: 'billing_find_customer',
    title: 'asks the service for an ingest alias first',
    arguments: { key: 'team@acme.example' },
    sends: 'GET /v1/customers?limit=100&ingest_alias=team%40acme.example',
    answer: { data: [customer], next_page: null },
    text: ['Asked the service for ingestAlias='],
  },
  {
    tool: 'billing_list_customers',
    title: 'joins lists by commas and sends CRM account ids as salesforce_account_ids',
    arguments: {
      limit: 2,
      nextPage: 'ZDdh+YmQw/Y2Q=',
      ingestAlias: 'team+eu@acme.example',
      customerIds: [customerId, '0b4c2a7e-6d15-4f36-9a5c-2f8e71d3b640'],
      onlyArchived: true,
      crmAccountIds: ['0015500001WO1ZiABL', 'a,b'],
    },
    sends:
      'GET /v1/customers?limit=2&next_page=ZDdh%2BYmQw%2FY2Q%3D&ingest_alias=team%2Beu%40acme.example&customer_ids=d7abd0cd-4ae9-4db7-8676-e986a4ebd8dc,0b4c2a7e-6d15-4f36-9a5c-2f8e71d3b640&only_archived=true&salesforce_account_ids=0015500001WO1ZiABL,a%2Cb',
    answer: { data: [customer], next_page: 'MGI0YzJh' },
    next: { nextPage: 'MGI0YzJh' },
  },
  {
    tool: 'billing_list_customers',
    title: 'sends nothing when nothing is given and ends on null',
    sends: 'GET /v1/customers',
    answer: { data: [customer], next_page: null },
    next: null,
  },
  {
    tool: 'billing_list_customers',
    title: 'leaves out empty texts and nulls',
    arguments: { limit: null, nextPage: '', ingestAlias: '', customerIds: null },
    sends: 'GET /v1/customers',
    answer: { data: [], next_page: null },
    next: null,
  },
  {
    tool: 'billing_list_customers',
    title: 'keeps false and sends one id once',
    arguments: { customerIds: [customerId], onlyArchived: false },
    sends: 'GET /v1/customers?customer_ids=d7abd0cd-4ae9-4db7-8676-e986a4ebd8dc&only_archived=false',
    answer: { data: [], next_page: null },
    next: null,
  },
  {
    tool: 'billing_list_customers',
    title: 'reports a refused token',
    sends: 'GET /v1/customers',
    status: 401,
    answer: { message: 'Unauthorized' },
    error: ['401', 'Unauthorized'],
  },
  {
    tool: 'billing_get_customer',
    title: 'puts the id in the path',
    arguments: { customerId },
    sends: 'GET /v1/customers/d7abd0cd-4ae9-4db7-8676-e986a4ebd8dc',
    answer: { data: customer },
  },
  {
    tool: 'billing_get_customer',
    title: 'encodes an id that is not path-safe',
    arguments: { customerId: '../acme & co/100%' },
    sends: 'GET /v1/customers/..%2Facme%20%26%20co%2F100%25',
    status: 404,
    answer: { message: 'Customer not found' },
    error: ['404', 'Customer not found'],
  },
  {
    tool: 'billing_list_billable_metrics',
    title: 'sends every argument in the query',
    arguments: { limit: 100, nextPage: 'MTMx', includeArchived: true },
    sends: 'GET /v1/billable-metrics?limit=100&next_page=MTMx&include_archived=true',
    answer: { data: [metric], next_page: 'MTMy' },
    next: { nextPage: 'MTMy' },
  },
  {
    tool: 'billing_list_billable_metrics',
    title: 'sends nothing when nothing is given',
    sends: 'GET /v1/billable-metrics',
    answer: { data: [metric], next_page: null },
    next: null,
  },
  {
    tool: 'billing_list_invoices',
    title: 'sends every argument in the query, times with their offset encoded',
    arguments: {
      customerId,
      limit: 1,
      nextPage: 'NmEz',
      status: 'FINALIZED',
      type: 'USAGE_CONSOLIDATED',
      sort: 'date_desc',
      skipZeroQtyLineItems: true,
      creditTypeId: '2714e483-4ff1-48e4-9e25-ac732e8f24f2',
      contractId: '9de042a1-b955-43ce-9ab4-e3c2004570d1',
      startingOn: '2026-01-01T00:00:00+02:00',
      endingBefore: '2026-04-01T00:00:00Z',
    },
    sends:
      'GET /v1/customers/d7abd0cd-4ae9-4db7-8676-e986a4ebd8dc/invoices?limit=1&next_page=NmEz&status=FINALIZED&type=USAGE_CONSOLIDATED&sort=date_desc&skip_zero_qty_line_items=true&credit_type_id=2714e483-4ff1-48e4-9e25-ac732e8f24f2&contract_id=9de042a1-b955-43ce-9ab4-e3c2004570d1&starting_on=2026-01-01T00%3A00%3A00%2B02%3A00&ending_before=2026-04-01T00%3A00%3A00Z',
    answer: { data: [invoice], next_page: 'NmE0' },
    next: { nextPage: 'NmE0' },
  },
  {
    tool: 'billing_get_invoice',
    title: 'puts both ids in the path and the choice of line items in the query',
    arguments: { customerId, invoiceId: '6a37bb88-8538-48c5-b37b-a41c836328bd', skipZeroQtyLineItems: true },
    sends:
      'GET /v1/customers/d7abd0cd-4ae9-4db7-8676-e986a4ebd8dc/invoices/6a37bb88-8538-48c5-b37b-a41c836328bd?skip_zero_qty_line_items=true',
    answer: { data: invoice },
  },
];
