/** Adds up the invoices of a month, over all pages. */

import { type Calls, defineTool } from '../../../generated/office/define-tool.ts';

type Invoices = Calls['office_list_invoices'];

export const tool = defineTool({
  title: "Sum a month's invoices",
  description:
    'Adds up all invoices of a month, for each currency. isComplete false: there were more pages than one call may read, and the sums lack the oldest invoices.',
  uses: ['office_get_document', 'office_list_invoices'],
  inputSchema: {
    type: 'object',
    properties: { month: { type: 'string', pattern: '^\\d{4}-\\d{2}$', description: 'Month, such as 2026-04.' } },
    required: ['month'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      invoices: { type: 'integer', description: 'How many invoices were added up.' },
      totals: {
        type: 'array',
        items: { type: 'object', properties: { currency: { type: 'string' }, cents: { type: 'integer' } } },
      },
      isComplete: { type: 'boolean' },
    },
  },
  async run({ month }, { call, remainingCalls }) {
    const cents = new Map<string, number>();
    let count = 0;
    let next: Invoices['arguments'] | null = { month };
    while (next !== null && remainingCalls() > 0) {
      const { invoices, page }: Invoices['answer'] = await call('office_list_invoices', next);
      for (const { currency, total_cents: total } of invoices) cents.set(currency, (cents.get(currency) ?? 0) + total);
      count += invoices.length;
      next = page?.nextArguments ?? null;
    }
    const totals = [...cents].map(([currency, total]) => ({ currency, cents: total }));
    return { invoices: count, totals, isComplete: next === null };
  },
});
