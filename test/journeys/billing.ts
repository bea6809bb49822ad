/** Requests about money. */

import { allItems, type Content, findBy, type Journey } from './journey.ts';

const ACME = 'd7abd0cd-4ae9-4db7-8676-e986a4ebd8dc';
const cents = { id: '2714e483-4ff1-48e4-9e25-ac732e8f24f2', name: 'USD (cents)' };
const customer = (id: string, name: string) => ({
  id,
  external_id: name,
  ingest_aliases: [],
  name,
  customer_config: { salesforce_account_id: null },
  custom_fields: {},
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
});
const invoice = (id: string, status: string, total: number, credit_type: object = cents) => ({
  id,
  customer_id: ACME,
  type: 'USAGE',
  status,
  credit_type,
  total,
  line_items: [],
});
const customers = {
  'GET /v1/customers?limit=100': { data: [customer('c1', 'Zeta')], next_page: 'p2' },
  'GET /v1/customers?limit=100&next_page=p2': { data: [customer(ACME, 'Acme')], next_page: null },
};

export const billingJourneys: readonly Journey[] = [
  {
    request: 'How much did Acme spend this month (November 2026)?',
    words: {
      billing_list_customers: ['One is found by name with where.'],
      billing_list_invoices: [
        'it answers "how much this month"',
        'VOID (cancelled) ones are listed too: leave them out of a sum',
        'already in total',
        'never add up different units',
        'With the present time the running DRAFT is missing',
      ],
    },
    answers: {
      ...customers,
      [`GET /v1/customers/${ACME}/invoices?starting_on=2026-11-01T00%3A00%3A00Z`]: {
        data: [
          invoice('i1', 'DRAFT', 14392),
          invoice('i2', 'VOID', 99999),
          invoice('i3', 'FINALIZED', 608),
          invoice('i4', 'DRAFT', 5, { id: 'tokens', name: 'Tokens' }),
        ],
        next_page: null,
      },
    },
    steps: async (call) => {
      const acme = findBy(await allItems(call, 'billing_list_customers', { limit: 100 }), 'name', 'Acme');
      const args = { customerId: acme.id, startingOn: '2026-11-01T00:00:00Z' };
      const invoices = await allItems(call, 'billing_list_invoices', args);
      const sums: Record<string, number> = {};
      for (const { status, total, credit_type } of invoices) {
        if (status === 'VOID') continue;
        const unit = String((credit_type as Content).name);
        sums[unit] = (sums[unit] ?? 0) + Number(total);
      }
      return sums;
    },
    outcome: { 'USD (cents)': 15000, Tokens: 5 },
  },
  {
    request: 'What is on the last final invoice of Acme in detail?',
    words: {
      billing_list_invoices: [
        'a summary of the line items; for all details use billing_get_invoice',
        'Set it if order matters',
      ],
      billing_get_invoice: ['all line items in detail'],
    },
    answers: {
      ...customers,
      [`GET /v1/customers/${ACME}/invoices?limit=1&status=FINALIZED&sort=date_desc`]: {
        data: [invoice('i3', 'FINALIZED', 608)],
        next_page: null,
      },
      [`GET /v1/customers/${ACME}/invoices/i3`]: {
        data: {
          ...invoice('i3', 'FINALIZED', 608),
          line_items: [
            { name: 'CPU hours', type: 'usage', quantity: 62, unit_price: 10, total: 620, credit_type: cents },
            { name: 'Credit', type: 'applied_commit_or_credit', total: -12, credit_type: cents },
          ],
        },
      },
    },
    steps: async (call) => {
      const { id: customerId } = findBy(await allItems(call, 'billing_list_customers', { limit: 100 }), 'name', 'Acme');
      const args = { customerId, status: 'FINALIZED', sort: 'date_desc', limit: 1 };
      const { data } = await call('billing_list_invoices', args);
      const [{ id: invoiceId } = {}] = data as Content[];
      const { data: full } = await call('billing_get_invoice', { customerId, invoiceId });
      return ((full as Content).line_items as Content[]).map(({ name, total }) => [name, total]);
    },
    outcome: [
      ['CPU hours', 620],
      ['Credit', -12],
    ],
  },
  {
    request: 'Which of these two accounts of Salesforce are customers: 001A and 001B?',
    words: { billing_list_customers: ['CRM (Salesforce) account ids'] },
    answers: {
      'GET /v1/customers?salesforce_account_ids=001A,001B': { data: [customer(ACME, 'Acme')], next_page: null },
    },
    steps: async (call) => {
      const args = { nextPage: '', ingestAlias: '', crmAccountIds: ['001A', '001B'] };
      return (await allItems(call, 'billing_list_customers', args)).map(({ name }) => name);
    },
    outcome: ['Acme'],
  },
];
