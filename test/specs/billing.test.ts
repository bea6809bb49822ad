import { describe, expect, it } from 'vitest';
import { accepts, loadGenerated } from './generated-connector.ts';

const LISTS = ['billing_list_customers', 'billing_list_billable_metrics', 'billing_list_invoices'];
const ids = (count: number): string[] => Array.from({ length: count }, (_, at) => `id-${at}`);

const billing = await loadGenerated('billing');

describe('billing tools', () => {
  it('only read', () => {
    for (const { annotations } of billing.tools) {
      expect(annotations).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: true,
      });
    }
  });
});

describe('billing limits', () => {
  it.each(LISTS)('%s takes 1 to 100 items a page', (name) => {
    const needed = name === 'billing_list_invoices' ? { customerId: 'a' } : {};
    expect([0, 1, 100, 101].map((limit) => accepts(billing, name, { ...needed, limit }))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it.each(['customerIds', 'crmAccountIds'])('billing_list_customers takes 1 to 100 %s', (argument) => {
    expect([0, 1, 100, 101].map((count) => accepts(billing, LISTS[0] ?? '', { [argument]: ids(count) }))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it.each([
    ['with an offset', '2026-01-01T00:00:00+02:00', true],
    ['in UTC', '2026-01-01T00:00:00Z', true],
    ['without a zone', '2026-01-01T00:00:00', false],
    ['that is only a date', '2026-01-01', false],
  ])('a time %s', (_, startingOn, want) => {
    expect(accepts(billing, 'billing_list_invoices', { customerId: 'a', startingOn })).toBe(want);
  });
});
