import { expect, it } from 'vitest';
import { connectors } from '../../../../../generated/index.ts';
import { prepareArguments } from '../../../../../server/call/tools/call/arguments.ts';
import { completeConnector } from '../../../../../server/call/tools/catalogue/connectors.ts';
import { createValidators } from '../../../../../server/call/tools/validate.ts';
import { someOf } from '../../../../support/some-of.ts';

const tools = connectors.map(completeConnector).flatMap((connector) => connector.tools);

function exampleIn(name: string, args: Record<string, unknown>): unknown {
  const tool = tools.find((one) => one.name === name)!;
  const prepared = prepareArguments(tool, args, createValidators()(tool.inputSchema));
  if (prepared.ok) throw new Error(`${name} takes them`);
  return JSON.parse(/^Example: (.*)$/m.exec(prepared.text)?.[1] ?? 'null');
}

it('takes the values of an example from the descriptions', () => {
  expect(exampleIn('datatable_get_end_of_day_quote', { ticker: 'AAPL', perPage: 0 })).toMatchObject({
    vendorCode: 'QUOTEMEDIA',
    tableCode: 'PRICES',
    ticker: 'AAPL',
  });
});

it.each<[string, Record<string, unknown>]>([
  ['crm_list_persons', { email: 'ada@example.com' }],
  ['crm_get_list', { listId: 'first' }],
  ['crm_list_persons', { ids: ['Ada'] }],
])('has no example for %s where an id would be invented, or nothing is shown', (name, args) => {
  expect(exampleIn(name, args)).toBeNull();
});

it('has an end after the start', () => {
  const { startingOn, endingBefore } = exampleIn('billing_list_invoices', {
    customerId: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
    startingOn: 'x',
    endingBefore: 'y',
  }) as Record<string, string>;
  expect(Date.parse(endingBefore!)).toBeGreaterThan(Date.parse(startingOn!));
});

it('never invents a value for any tool', () => {
  for (const { name } of someOf(tools, 10))
    expect(JSON.stringify(exampleIn(name, { nonsense: 1 }))).not.toMatch(/"text"|^\{\}$/);
});

const textFor = (name: string, args: Record<string, unknown>): string => {
  const tool = tools.find((one) => one.name === name)!;
  const prepared = prepareArguments(tool, args, createValidators()(tool.inputSchema));
  return prepared.ok ? '' : prepared.text;
};

it.each<[string, Record<string, unknown>, string]>([
  ['crm_get_list', { listId: 'first' }, '"listId" must be a whole number (got "first"). Ids come from crm_list_lists.'],
  ['crm_get_list', {}, '"listId" is missing. Ids come from crm_list_lists.'],
  ['mailer_create_contact', { listIds: [7, {}] }, 'Ids come from mailer_list_lists.'],
  ['retrieval_get_document', {}, '"documentId" is missing. Ids come from retrieval_list_documents.'],
])('says for %s which tool lists the ids', (name, args, want) => {
  expect(textFor(name, args)).toContain(want);
});

it.each<[string, Record<string, unknown>]>([
  ['crm_list_persons', { fieldIds: 7 }],
  ['billing_get_invoice', { customerId: 'c1' }],
])('names no tool for %s where no argument has one list of its ids', (name, args) => {
  expect(textFor(name, args)).not.toContain('Ids come from');
});

it('says in words that an argument is an address', () => {
  expect(textFor('retrieval_create_document_from_url', { url: 'notes.txt' })).toContain(
    '"url" must be a public http(s) address (got "notes.txt").',
  );
});
