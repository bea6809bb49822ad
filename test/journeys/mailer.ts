/** Requests about contacts, which belong to brands. */

import { allItems, type Content, findBy, type Journey, ToolRefusal } from './journey.ts';

const page = (data: readonly object[]) => ({ data, has_more: false, cursor: 'end', total: data.length });
const BOB = 'bob%40example.com';
const brands = {
  'GET /v1/brands?limit=100': page([
    { id: 'b1', name: 'Shoes' },
    { id: 'b2', name: 'Hats' },
  ]),
};

export const mailerJourneys: readonly Journey[] = [
  {
    request: 'Unsubscribe bob@example.com everywhere.',
    words: {
      mailer_update_contact: [
        'A contact belongs to one brand: to unsubscribe an address everywhere',
        'for each brand of mailer_list_brands',
        'that brand does not know it',
      ],
    },
    answers: {
      ...brands,
      [`POST /v1/brands/b2/contacts/${BOB} {"unsubscribe_all":true}`]: { id: 'c2' },
    },
    steps: async (call) => {
      const outcome: Record<string, string> = {};
      for (const { id: brandId, name } of await allItems(call, 'mailer_list_brands', { limit: 100 })) {
        const args = { brandId, contactId: 'bob@example.com', unsubscribeAll: true };
        outcome[String(name)] = await call('mailer_update_contact', args).then(
          () => 'unsubscribed',
          (error: unknown) =>
            error instanceof ToolRefusal && error.message.includes('not_found') ? 'not known' : 'failed',
        );
      }
      return outcome;
    },
    outcome: { Shoes: 'not known', Hats: 'unsubscribed' },
    sent: [
      'GET /v1/brands?limit=100',
      `POST /v1/brands/b1/contacts/${BOB} {"unsubscribe_all":true}`,
      `POST /v1/brands/b2/contacts/${BOB} {"unsubscribe_all":true}`,
    ],
  },
  {
    request: 'Put bob@example.com on the list VIP of the brand Hats, and leave his other lists.',
    words: { mailer_update_contact: ['to add one list, send listIdsOp "add"', 'REPLACE all stored ones'] },
    answers: {
      ...brands,
      'GET /v1/brands/b2/lists?limit=100': page([{ id: 'l7', name: 'VIP', all: false }]),
      [`POST /v1/brands/b2/contacts/${BOB}?list_ids_op=add {"list_ids":["l7"]}`]: { id: 'c2' },
    },
    steps: async (call) => {
      const { id: brandId } = findBy(await allItems(call, 'mailer_list_brands', { limit: 100 }), 'name', 'Hats');
      const { id } = findBy(await allItems(call, 'mailer_list_lists', { brandId, limit: 100 }), 'name', 'VIP');
      const args = { brandId, contactId: 'bob@example.com', listIds: id, listIdsOp: 'add' };
      return call('mailer_update_contact', args);
    },
    outcome: { id: 'c2' },
  },
  {
    request: 'Update the contact "upsert" of the brand Hats.',
    words: { mailer_update_contact: ["Contact id (UUID) or the contact's e-mail address"] },
    answers: {},
    steps: async (call) => {
      const args = { brandId: 'b2', contactId: 'upsert', email: 'bob@example.com' };
      const error = await call('mailer_update_contact', args).catch((reason: unknown) => reason as ToolRefusal);
      return (error as Content).message;
    },
    outcome: expectRefusal('"contactId" must not be "upsert": there it would call another operation of the service.'),
  },
];

/** A text of which only one line is compared. */
function expectRefusal(line: string): unknown {
  return { asymmetricMatch: (text: unknown) => typeof text === 'string' && text.includes(`- ${line}\n`) };
}
