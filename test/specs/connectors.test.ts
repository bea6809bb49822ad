import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import type { Tool } from '../../server/contract/index.ts';

type Arguments = Readonly<Record<string, unknown>>;

interface Row {
  readonly with?: Arguments;
  readonly accepts?: readonly Arguments[];
  readonly refuses?: readonly Arguments[];
}

const ROWS = parse(readFileSync(path.join(import.meta.dirname, 'arguments.yaml'), 'utf8')) as Record<string, Row>;
const connectors = await loadConnectors();
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

function findTool(name: string): Tool {
  const tool = connectors.flatMap(({ tools }) => tools).find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool;
}

function accepts(name: string, args: Arguments): boolean {
  const ajv = new Ajv2020({ strict: false });
  addFormats(ajv);
  return ajv.validate(findTool(name).inputSchema, args);
}

test.each(Object.entries(ROWS))('the arguments of %s', (name, row) => {
  const take = (each: Arguments) => accepts(name, { ...row.with, ...each });
  expect(row.accepts?.filter((each) => !take(each)) ?? []).toEqual([]);
  expect(row.refuses?.filter(take) ?? []).toEqual([]);
});

test.each([
  ['billing_list_customers', 'customerIds', (at: number) => `id-${at}`, 100],
  ['billing_list_customers', 'crmAccountIds', (at: number) => `id-${at}`, 100],
  ['crm_list_persons', 'ids', (at: number) => at + 1, undefined],
  ['crm_list_companies', 'ids', (at: number) => at + 1, undefined],
  ['crm_list_opportunities', 'ids', (at: number) => at + 1, undefined],
])('%s takes from 1 %s', (name, argument, itemAt, most) => {
  const taken = [0, 1, 100, 101].map((length) =>
    accepts(name, { [argument]: Array.from({ length }, (_, at) => itemAt(at)) }),
  );
  expect(taken).toEqual([false, true, true, most === undefined]);
});

test.each([
  ...['crm_list_persons', 'crm_get_person', 'crm_list_companies', 'crm_get_company', 'crm_list_list_entries'].map(
    (name) => [name, /field values only if fieldIds or fieldTypes asks for them/] as const,
  ),
  ['mailer_update_contact', /^([^.]+\.\s+)?[^.]*REPLACE/] as const,
  ['datatable_get_real_time_quote', /^Returns end-of-day prices, never live ones/] as const,
  ['datatable_get_real_time_quote', /the same call as datatable_get_end_of_day_quote/] as const,
])('%s says %s', (name, text) => {
  expect(findTool(name).description).toMatch(text);
});

describe('datatable', () => {
  test.each(['datatable_get_datatable_metadata', 'datatable_get_datatable', 'datatable_get_table_row'])(
    '%s compares datatableCode with the codes',
    (name) => {
      expect(findTool(name).agreements).toEqual([{ argument: 'datatableCode', template: '{vendorCode}/{tableCode}' }]);
    },
  );
});
