/** Calls made in a user's name, in the sentences of the user's own page. */

import { z } from 'zod';
import { partnerNameOf } from '../base/pages/brand.ts';
import type { Effect } from '../call/tools/catalogue/facts.ts';
import { type Activity, CALLERS, callerName, deedOf, listActivity } from '../identity/grants/allowed/activity.ts';
import { CALL_KEY, toPlace } from './activity.ts';
import { operation } from './operation.ts';
import { clientName, count, next, outcome, pageOf, time, toCursor } from './shapes.ts';

const EFFECTS: Readonly<Record<Effect, 'reading' | 'writing' | 'destructive'>> = {
  reads: 'reading',
  writes: 'writing',
  destroys: 'destructive',
};

const activity = z
  .object({
    text: z.string().meta({ description: 'A sentence for the user, without the time. It has the name of the client.' }),
    caller: z.enum(CALLERS).meta({
      description: '`operator`: with an access token that an operator minted. `unknown`: its grant was deleted.',
    }),
    client: z
      .object({
        client_id: z.string(),
        client_name: clientName,
      })
      .nullable()
      .meta({ description: 'Null: the caller is not a client, or unknown.' }),
    service: z.string(),
    title: z.string(),
    account_name: z
      .string()
      .optional()
      .meta({ description: 'Of the account, where the user has several of the service.' }),
    effect: z
      .enum(['reading', 'writing', 'destructive'])
      .nullable()
      .meta({ description: 'Null: the gateway no longer has such a tool.' }),
    outcome,
    calls: count,
    continues: z.boolean().meta({ description: 'Whether more of its calls may be on the next page.' }),
    tools: z
      .array(z.object({ tool: z.string(), title: z.string(), calls: count }))
      .meta({ description: 'By the name that was called, the most recently used first.' }),
    first_at: time,
    last_at: time,
  })
  .meta({ id: 'Activity' });

export const USER_ACTIVITY_OPERATIONS = [
  operation(
    {
      method: 'get',
      path: '/users/:user_id/activity',
      id: 'listActivity',
      summary:
        'What was done in the name of a user, the latest first: calls of one client at one service within an hour are one member. A page may have fewer members than its limit, although `next` is there.',
      query: pageOf(CALL_KEY),
      answers: { 200: 'The activity.' },
      answer: z.object({ user_id: z.string(), activity: z.array(activity), next }),
      refusals: [404],
    },
    async (call, { db, catalogue }) => {
      const user = await call.user();
      const { cursor, limit } = call.query;
      const after = cursor === undefined ? undefined : toPlace(cursor);
      const page = await listActivity(db, user, { catalogue, limit, after });
      return {
        userId: user.externalUserId,
        activity: page.entries.map((entry) => describeActivity(entry, partnerNameOf(user.partner))),
        next: page.next && toCursor(`${page.next.createdAt} ${page.next.id}`),
      };
    },
  ),
];

function describeActivity(entry: Activity, partnerName: string) {
  return {
    ...entry,
    text: `${callerName(entry, partnerName)} ${deedOf(entry)}`,
    title: entry.serviceTitle,
    accountName: entry.account,
    effect: entry.effect && EFFECTS[entry.effect],
    outcome: entry.outcome as z.output<typeof outcome>,
    tools: entry.tools.map((tool) => ({ ...tool, tool: tool.name })),
  };
}
