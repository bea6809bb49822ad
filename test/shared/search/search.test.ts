import { describe, expect, test } from 'vitest';
import { loadConnectors } from '../../../server/call/tools/catalogue/connectors.ts';
import type { SearchWords } from '../../../shared/search/index.ts';
import * as search from '../../../shared/search/index.ts';
import { toSearchWords } from '../../../shared/search/search-words.ts';
import { toJoinedPairs, toWords } from '../../../shared/search/words.ts';
import { startCpuClock } from '../../support/cpu-clock.ts';

const SERVICE = { name: 'shop', title: 'The Shop', synonyms: { order: ['purchase', 'sales slip'] } };

function wordsOf(title: string, more: { name?: string; description?: string; inputSchema?: object } = {}): SearchWords {
  const { name = `shop_${title.toLowerCase().replaceAll(' ', '_')}`, description = '', inputSchema = {} } = more;
  return toSearchWords({ name, title, description, inputSchema: { ...inputSchema } }, SERVICE);
}

function createToolIndex(tools: ReadonlyMap<string, SearchWords>) {
  const index = search.createToolIndex(tools);
  return {
    search: (...asked: Parameters<typeof index.search>) => index.search(...asked).names,
    fits: (typed: string) => index.search(typed, 5, everything).fits,
  };
}

function indexOf(...titles: string[]) {
  return createToolIndex(new Map(titles.map((title) => [title, wordsOf(title)])));
}

const everything = () => true;

describe('words', () => {
  test.each([
    ['names in parts', 'listId list_id HTTPServer', ['list', 'id', 'list', 'id', 'http', 'server']],
    ['without stop words', 'Please show me the invoices of a customer', ['show', 'invoices', 'customer']],
    ['hyphens after one or two letters', 'e-mail re-run self-hosted', ['email', 'rerun', 'self', 'hosted']],
    ['phrases and abbreviations as one form', 'look up a PR, who am I?', ['lookup', 'pull', 'request', 'whoami']],
    ['in other scripts', 'Größe 顧客', ['größe', '顧客']],
  ])('%s', (_title, text, words) => {
    expect(toWords(text)).toEqual(words);
  });

  test('in pairs are also joined', () => {
    expect(toJoinedPairs('pay out now')).toEqual(['payout', 'outnow']);
  });
});

describe('the words of a tool', () => {
  test('hold no markup, no address and no name of another tool', () => {
    const { summary, details } = wordsOf('List orders', {
      description: '<p>Lists orders.</p> See https://shop.example/docs or call shop_get_order, e.g. for one order.',
    });
    expect(`${summary} ${details}`).toBe('lists orders see call e g order');
  });

  test('take the second sentence if the first is the title', () => {
    expect(wordsOf('List orders', { description: 'List orders\n\nShows what was bought.' }).summary).toBe(
      'shows bought',
    );
  });

  test('hold arguments and their allowed values', () => {
    const properties = { orderState: { enum: ['paid', 'open'] }, tags: { items: { enum: ['new'] } }, any: true };
    expect(wordsOf('List orders', { inputSchema: { properties } }).arguments).toBe('order state paid open tags new');
  });

  test('hold the synonyms of words in the name or title, in any form', () => {
    expect(wordsOf('List orders').synonyms).toBe('purchase sales slip');
    expect(wordsOf('List goods').synonyms).toBe('');
  });

  test('hold the synonyms of adjacent words, only in that order', () => {
    const service = { ...SERVICE, synonyms: { 'order list': ['backlog'] } };
    const synonymsOf = (title: string) =>
      toSearchWords({ name: 'shop_tool', title, description: '', inputSchema: {} }, service).synonyms;
    expect(synonymsOf('Create an order list')).toBe('backlog');
    expect(synonymsOf('List orders')).toBe('');
  });
});

describe('a search', () => {
  test.each([
    ['other forms of a word', 'listing an order', 'List orders'],
    ['a synonym of the service', 'my purchases', 'List orders'],
    ['a verb that people use instead', 'erase an order', 'Delete an order'],
    ['a beginning', 'get shipp', 'Get shipping rates'],
    ['a mistyped word', 'delete ordrer', 'Delete an order'],
  ])('finds by %s', (_title, typed, first) => {
    expect(indexOf('List orders', 'Delete an order', 'Get shipping rates').search(typed, 1, everything)).toEqual([
      first,
    ]);
  });

  test.each([
    ['an everyday word', 'what do I owe', 'Get the balance'],
    ['an everyday verb', 'nuke the account', 'Delete an account'],
    ['a verb in two parts', 'turn the alerts off', 'Disable alerts'],
    ['a change without a verb for it', 'make the account private', 'Update an account'],
  ])('finds by %s', (_title, typed, first) => {
    const index = indexOf(
      'Get the balance',
      'List groups',
      'Delete a group',
      'Delete an account',
      'Create an account',
      'Update an account',
      'Enable alerts',
      'Disable alerts',
      'Get alerts',
    );
    expect(index.search(typed, 1, everything)).toEqual([first]);
  });

  test('ranks the tool first that has no words beyond the request', () => {
    const index = indexOf('List order comment reactions', 'List order comments', 'List orders');
    expect(index.search('list orders', 3, everything)[0]).toBe('List orders');
    expect(index.search('orders', 3, everything)[0]).toBe('List orders');
  });

  test.each([
    ['many by a plural', 'orders', 'List orders'],
    ['one by a singular', 'order', 'Get an order'],
    ['many by `every`', 'every single order', 'List orders'],
  ])('recognises %s', (_title, typed, first) => {
    expect(indexOf('Get an order', 'List orders').search(typed, 1, everything)).toEqual([first]);
  });

  test('treats spellings of a word as one word, however rare each is', () => {
    const index = indexOf('Get a repository', 'Get repo tags', 'Get repository keys', 'Get an order');
    expect(index.search('repo', 1, everything)).toEqual(['Get a repository']);
    expect(index.search('repo', 9, everything)).toHaveLength(3);
  });

  test('distinguishes a rule from a question', () => {
    const index = indexOf('Get guest payments', 'Set guest payments');
    expect(index.search('guests must leave payments', 1, everything)).toEqual(['Set guest payments']);
    expect(index.search('guests who must leave payments', 1, everything)).toEqual(['Get guest payments']);
    expect(index.search('may guests leave payments', 1, everything)).toEqual(['Get guest payments']);
  });

  test('keeps the person in a question about what someone thinks', () => {
    const index = indexOf('Get analyst ratings', 'List orders');
    expect(index.search('What do analysts think of Tesla?', 1, everything)).toEqual(['Get analyst ratings']);
  });

  test('ranks tools that read first if the request has no verb', () => {
    const index = indexOf('Set travel policy limits', 'Get the settings of the policy');
    expect(index.search('travel policy', 2, everything)).toEqual([
      'Get the settings of the policy',
      'Set travel policy limits',
    ]);
  });

  describe('with a name', () => {
    const index = indexOf(
      'List people',
      'Get a person',
      'Find a person',
      'Find a company',
      'Get an order',
      'Add a text',
      'Search the text of orders',
    );
    test.each([
      ['of a person', 'look up Ada Lovelace', 'Find a person'],
      ['of a person in lower case', 'who is ada lovelace', 'Find a person'],
      ['alone', 'Ada Lovelace', 'Find a person'],
      ['of a company by its form', 'what do we know about Acme Corp?', 'Find a company'],
      ['of a company by its domain', 'which company is hooli.com', 'Find a company'],
      ['next to what is asked for', 'open the order of Ada Lovelace', 'Get an order'],
      ['in a text to remember', 'remember that Ada Lovelace likes tea', 'Add a text'],
    ])('%s finds first what it is asked about', (_title, typed, first) => {
      expect(index.search(typed, 1, everything)).toEqual([first]);
      expect(index.fits(typed)).toBe(true);
    });

    test('does not fit if something unknown is asked about it', () => {
      expect(index.fits("what is Ada's blood pressure")).toBe(false);
    });
  });

  test.each([
    ['What do analysts think of Tesla?', 'datatable_get_analyst_ratings'],
    ['travel policy', 'retrieval_list_partitions'],
    ['delete document by name', 'retrieval_delete_document'],
    ['stop emailing omar', 'mailer_update_contact'],
    ['Tell me about Priya Raman', 'crm_find_person'],
    ['details on Stripe Inc', 'crm_find_company'],
    ['jot down these minutes', 'retrieval_create_document_raw'],
  ])('over the five connectors finds first for: %s', async (typed, first) => {
    const entries = (await loadConnectors()).flatMap((connector) =>
      connector.tools.map((tool) => [tool.name, toSearchWords(tool, connector)] as const),
    );
    expect(createToolIndex(new Map(entries)).search(typed, 1, everything)).toEqual([first]);
  });

  test('ranks a change of a contact before deletion for "stop emailing"', () => {
    const tools = new Map([
      ['remove', wordsOf('Delete a contact', { description: 'Deletes a contact. No more email is sent.' })],
      ['update', wordsOf('Update a contact', { description: 'Changes a contact, for example to unsubscribe it.' })],
    ]);
    expect(createToolIndex(tools).search('stop emailing omar', 2, everything)[0]).toBe('update');
  });

  test('does not find a tool whose texts only have a word that may mean the verb', () => {
    const index = createToolIndex(
      new Map([['create', wordsOf('Create a list', { description: 'Creates a list. It returns its id.' })]]),
    );
    expect(index.search('refund invoice', 5, everything)).toEqual([]);
  });

  describe('says that nothing fits', () => {
    const index = indexOf(
      'List orders',
      'Get an order',
      'Delete an order',
      'Move an order into a note',
      'Get the balance',
    );
    test.each([
      ['a verb that no tool has', 'translate the order'],
      ['an order for something that no tool has', 'delete the satellite'],
      ['nothing known', 'who won the match'],
    ])('to %s', (_title, typed) => {
      expect(index.fits(typed)).toBe(false);
    });

    test.each([
      ['other words for the same', 'erase my purchases'],
      ['a question', 'which orders are there'],
      ['no verb', 'orders of Globex'],
      ['an unknown verb with most words known', 'squash the order into the note'],
    ])('but not to %s', (_title, typed) => {
      expect(index.fits(typed)).toBe(true);
    });

    test('if only a tool that is not accepted fits', () => {
      const both = search.createToolIndex(
        new Map([wordsOf('Delete an order'), wordsOf('List notes')].map((of) => [of.title, of])),
      );
      expect(both.search('delete an order', 5, everything).fits).toBe(true);
      expect(both.search('delete an order', 5, (name) => name !== 'delete order').fits).toBe(false);
    });
  });

  test('takes a question about a change as a question, and one in plain words too', () => {
    const index = indexOf('Get the order limit', 'Set the order limit');
    expect(index.search('how big may the order get', 1, everything)).toEqual(['Get the order limit']);
  });

  test('weighs a filler word such as "certain" less than a noun', () => {
    const index = indexOf('Get certain keys', 'Get order keys', 'List orders');
    expect(index.search('certain order keys', 1, everything)).toEqual(['Get order keys']);
  });

  test('ranks the tools of a named service first', () => {
    const of = (name: string, title: string) =>
      [
        name,
        toSearchWords({ name, title, description: '', inputSchema: {} }, { name: 'depot', title: 'Depot' }),
      ] as const;
    const index = createToolIndex(new Map([['shop', wordsOf('List orders')], of('depot_list_orders', 'List orders')]));
    expect(index.search('orders in the depot', 1, everything)).toEqual(['depot_list_orders']);
    expect(index.search('orders in the shop', 1, everything)).toEqual(['shop']);
  });

  test('leaves out tools that are not accepted, and finds nothing for unknown words', () => {
    const index = indexOf('List orders', 'Get an order');
    expect(index.search('order', 5, (name) => name !== 'List orders')).toEqual(['Get an order']);
    expect(index.search('zeppelin', 5, everything)).toEqual([]);
    expect(index.search('the of a', 5, everything)).toEqual([]);
  });

  test('answers a request of any length quickly', () => {
    const index = indexOf('List orders');
    const cpuMs = startCpuClock();
    expect(index.search('order '.repeat(80).slice(0, 500), 5, everything)).toEqual(['List orders']);
    expect(index.search('x'.repeat(500), 5, everything)).toEqual([]);
    expect(cpuMs()).toBeLessThan(2_000);
  });
});

describe('what would remove the whole', () => {
  const titles = ['Delete contact', 'Delete contact list', 'Delete team', 'Remove team member'];
  test.each([
    ['remove the contact from the list', 'Delete contact'],
    ['take the contact off our list', 'Delete contact'],
    ['remove contact omar from the newsletter', 'Delete contact'],
    ['remove the member from the team', 'Remove team member'],
  ])('comes after what would remove a part of it: %s', (typed, wanted) => {
    expect(indexOf(...titles).search(typed, 1, everything)).toEqual([wanted]);
  });

  test.each([
    ['delete the contact list', 'Delete contact list'],
    ['delete the list from the shop', 'Delete contact list'],
  ])('comes first when it is what is to be removed: %s', (typed, wanted) => {
    expect(indexOf(...titles).search(typed, 1, everything)).toEqual([wanted]);
  });

  test('is not what people of our own connectors find first', async () => {
    const connectors = await loadConnectors();
    const words = connectors.flatMap((of) => of.tools.map((tool) => [tool.name, toSearchWords(tool, of)] as const));
    const index = createToolIndex(new Map(words));
    for (const typed of [
      'remove omar from the newsletter',
      'delete a person from the list',
      'take ada off the mailing list',
    ])
      expect([typed, index.search(typed, 1, everything)]).toEqual([typed, ['mailer_delete_contact']]);
    expect(index.search('drop a document from the partition', 1, everything)).toEqual(['retrieval_delete_document']);
    expect(index.search('delete the newsletter', 1, everything)).toEqual(['mailer_delete_list']);
  });
});
