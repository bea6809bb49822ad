import { describe, expect, it } from 'vitest';
import { createNearNames, findNearest } from '../../../../../server/call/tools/nearest.ts';

const VERBS = ['list', 'get', 'create', 'update', 'delete', 'search', 'export'];
const NOUNS = ['invoice', 'customer', 'repository', 'issue', 'comment', 'webhook', 'deployment', 'runner', 'label'];
const PLACES = ['in_org', 'for_user', 'of_team', 'by_id', 'in_repo', 'of_account'];
const NAMES = VERBS.flatMap((verb) =>
  NOUNS.flatMap((noun) => PLACES.map((place) => `service_${verb}_${noun}s_${place}`)),
);
const anyone = () => true;

describe('createNearNames', () => {
  const findNear = createNearNames(NAMES);

  it.each([
    'service_list_invoice_in_org',
    'service_lst_invoices_in_org',
    'listInvoicesInOrg',
    'service_delete_webhooks_from_repo',
    'service_get_repositorys_by_id',
    'service_search_labels',
    'get_runners_of_team',
    'weather_today',
    '',
    'x',
  ])('finds what a comparison with every name finds for %j', (text) => {
    expect(findNear(text, anyone, 3)).toEqual(findNearest(text, NAMES, 3));
  });

  it('leaves out names that the caller may not see, and finds the next nearest', () => {
    const visible = NAMES.filter((name) => !name.includes('invoice'));
    const found = findNear('service_list_invoices_in_org', (name) => visible.includes(name), 3);
    expect(found).toEqual(findNearest('service_list_invoices_in_org', visible, 3));
  });

  it('compares only a few of many names', () => {
    let asked = 0;
    const isCounted = (): boolean => {
      asked += 1;
      return true;
    };
    findNear('service_list_invoice_in_org', isCounted, 3);
    expect(asked).toBeLessThan(NAMES.length / 4);
  });

  it.each(['a'.repeat(101), 'service_'.repeat(100_000)])('ignores text that is longer than any name', (text) => {
    expect(findNear(text, anyone, 3)).toEqual([]);
  });
});
