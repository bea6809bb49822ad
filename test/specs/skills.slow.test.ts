import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenSandbox, openSandbox } from '../../sandbox/index.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { startGateway } from '../support/gateway.ts';

const connectors = await loadConnectors();
const skills = connectors.flatMap(({ name: service, skills: own = {} }) =>
  Object.entries(own).map(([name, skill]) => [`${service}/${name}`, service, skill] as const),
);
const CALL = /`([a-z]+(?:_[a-z]+)+)\s+(\{[^`]*\})`/g;
const callsIn = (text: string) => [...text.matchAll(CALL)].map(([, tool = '', args = '']) => ({ tool, args }));

// biome-ignore lint/suspicious/noExplicitAny: records and answers of five services.
type Json = any;

let sandbox: OpenSandbox;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  sandbox = await openSandbox({ root: resolve(import.meta.dirname, '../..'), world: 50 });
  const env = Object.assign({}, ...Object.values(sandbox.environment));
  gateway = await startGateway({ connectors, env, secretOf: () => 'key' });
}, 60_000);
afterAll(async () => {
  await gateway.close();
  await sandbox.close();
});

async function call(name: string, args: object): Promise<Json> {
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  return response.json();
}

/** What the placeholders of a service stand for, by name. */
function valuesOf(service: string): Record<string, unknown> {
  const first = (list: string): Json => sandbox.services.get(service)!.world!.records(list)[0];
  const shared = {
    from: '2025-12-01',
    to: '2025-12-31',
    now: '2026-06-01T00:00:00Z',
    date: '2026-01-01',
    question: 'What is it?',
  };
  const values: Record<string, () => object> = {
    crm: () => ({
      ...{ email: first('/v2/persons').emailAddresses[0], part: first('/v2/persons').lastName.slice(0, 3) },
      ...{
        personId: first('/v2/persons').id,
        companyId: first('/v2/companies').id,
        domain: first('/v2/companies').domain,
      },
      ...{
        listId: first('/v2/lists').id,
        stageFieldId: 'affinity-data-location',
        amountFieldId: 'affinity-data-location',
      },
    }),
    mailer: () => {
      const brandId = first('/v1/brands').id;
      const { email } = first('/v1/brands/{brand_id}/contacts');
      return { brandId, email, listId: first('/v1/brands/{brand_id}/lists').id, name: 'Friends' };
    },
    billing: () => {
      const { name, id } = first('/v1/customers');
      const invoiceId = first('/v1/customers/{customer_id}/invoices').id;
      return { name, part: name.slice(0, 3), customerId: id, invoiceId };
    },
    datatable: () => ({ ticker: 'AAPL', vendor: 'QUOTEMEDIA', table: 'PRICES', column: 'ticker', value: 'AAPL' }),
    retrieval: () => ({
      ...{
        documentId: first('/documents').id,
        name: first('/documents').name,
        url: 'https://example.com/a',
        text: 'x',
      },
      ...{ start: 0, end: 1 },
    }),
  };
  return { ...shared, ...values[service]!() };
}

test('two are shipped for each service', () => {
  const counts = connectors.map(({ name }) => [name, skills.filter(([, service]) => service === name).length]);
  expect(counts).toEqual(['billing', 'crm', 'datatable', 'mailer', 'retrieval'].map((name) => [name, 2]));
});

describe.each(skills)('the skill %s', (title, service, { tools, files }) => {
  const text = files['SKILL.md'] ?? '';

  test('shows a call of every tool that it needs', () => {
    expect([...new Set(callsIn(text).map(({ tool }) => tool))].sort()).toEqual(tools);
  });

  test('has steps that can be taken: each call has an answer', async () => {
    const values = valuesOf(service);
    for (const { tool, args } of callsIn(text)) {
      const filled = args.replace(/<(\w+)>/g, (whole, name) => {
        expect(values, `${title}: ${whole}`).toHaveProperty(name);
        return String(values[name]);
      });
      const { result, error } = await call(tool, JSON.parse(filled));
      expect([tool, filled, error?.message ?? null, result?.isError === true ? result.content : null]).toEqual([
        ...[tool, filled, null, null],
      ]);
    }
  });
});
