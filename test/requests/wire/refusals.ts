/** Errors and dubious successes of the services, as their vendors send them, and the result for each. */

import type { WireCase } from './case.ts';

const persons = { tool: 'crm_list_persons', sends: 'GET /v2/persons' } as const;
const metadata = {
  tool: 'datatable_get_datatable_metadata',
  arguments: { vendorCode: 'ZACKS', tableCode: 'FC', datatableCode: 'ZACKS/FC' },
  sends: 'GET /api/v3/datatables/ZACKS/FC/metadata.json',
} as const;
const brands = { tool: 'mailer_list_brands', sends: 'GET /v1/brands' } as const;
const tooMany = { errors: [{ code: 'rate-limit', message: 'Too many requests' }] };

export const crmRefusals: readonly WireCase[] = [
  {
    ...persons,
    title: 'waits for the limit of the user',
    status: 429,
    answerHeaders: {
      'x-ratelimit-limit-user-remaining': '0',
      'x-ratelimit-limit-user-reset': '37',
      'x-ratelimit-limit-org-remaining': '70000',
      'x-ratelimit-limit-org-reset': '777600',
    },
    answer: tooMany,
    error: ['Wait 37 seconds, then call again.', '"retryAfterSeconds":37', '"rate_limited"'],
  },
  {
    ...persons,
    title: 'does not wait for the quota of the month',
    status: 429,
    answerHeaders: { 'x-ratelimit-limit-org-remaining': '0', 'x-ratelimit-limit-org-reset': '777600' },
    answer: tooMany,
    error: ['"quota_exhausted"', '"retryable":false', 'waiting does not help', 'It starts again in 9 days.'],
  },
  {
    ...persons,
    title: 'calls a refused version a fault of the gateway',
    status: 400,
    answer: { errors: [{ code: 'bad-request', message: 'Invalid value for the header X-Affinity-Api-Version' }] },
    error: ['"connector_outdated"', 'X-Affinity-Api-Version: 2024-01-01', 'the operator'],
  },
  {
    ...persons,
    title: 'does not take a next page without a cursor for the last page',
    answer: { data: [], pagination: { prevUrl: null, nextUrl: 'https://api.affinity.co/v2/persons?page=2' } },
    error: ['"upstream_invalid_answer"', 'they are not all', '"nextUrl"'],
  },
];

export const datatableRefusals: readonly WireCase[] = [
  {
    ...metadata,
    title: 'does not wait for the limit of the day',
    status: 429,
    answer: { quandl_error: { code: 'QELx02', message: 'The daily limit is reached' } },
    error: ['"quota_exhausted"', '"retryable":false', 'QELx02'],
  },
  {
    ...metadata,
    title: 'waits for the limit of speed, also inside a 200',
    answer: { quandl_error: { code: 'QELx04', message: 'The speed limit is reached' } },
    error: ['"rate_limited"', '"retryable":true'],
  },
  {
    ...metadata,
    title: 'reports a missing subscription, also inside a 200',
    answer: { quandl_error: { code: 'QEPx04', message: 'This table needs a subscription' } },
    error: ['"payment_required"', 'tell the user'],
  },
  {
    ...metadata,
    title: 'says that a firewall answered',
    status: 403,
    answerHeaders: { 'content-type': 'text/html' },
    answer: '<html><head><title>Request rejected</title></head></html>',
    error: ['with a web page instead of an answer of its API', 'firewall'],
  },
];

export const mailerRefusals: readonly WireCase[] = [
  {
    ...brands,
    title: "says that an empty list is JSON's null",
    answer: null,
    result: { data: [] },
    next: null,
    text: ['answered 200 without content: the list is empty.'],
  },
  {
    tool: 'mailer_create_contact',
    title: 'names the tools that change a contact that exists',
    arguments: { brandId: 'b-1', email: 'ann@example.com' },
    sends: 'POST /v1/brands/b-1/contacts',
    body: { email: 'ann@example.com' },
    status: 422,
    answer: { type: 'invalid_request_error', code: 'resource_already_exists', message: 'Exists' },
    error: ['It already exists: call mailer_upsert_contact or mailer_update_contact to change it.'],
  },
];
