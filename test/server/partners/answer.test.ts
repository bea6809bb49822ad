import { expect, test } from 'vitest';
import { z } from 'zod';
import { writeAnswer } from '../../../server/partners/answer.ts';
import { day, time } from '../../../server/partners/shapes.ts';

const schema = z.object({
  client_id: z.string(),
  created_at: time,
  first_day: day,
  ended_at: time.nullable(),
  account_name: z.string().optional(),
  secret: z.string().nullish(),
  by_user_id: z.record(z.string(), z.unknown()),
  list: z.array(z.object({ is_last: z.boolean() })),
});

const row = {
  list: [{ isLast: true, createdAt: 1 }],
  secretHash: 'h',
  clientId: 'c',
  createdAt: 1_700_000_000_000,
  firstDay: 1_700_000_000_000,
  endedAt: null,
  accountName: null,
  secret: null,
  byUserId: { some_user: { camelCase: 1 } },
};

test('an answer has the members of its schema, in their order, and no others', () => {
  expect(JSON.stringify(writeAnswer(schema, row))).toBe(
    JSON.stringify({
      client_id: 'c',
      created_at: '2023-11-14T22:13:20.000Z',
      first_day: '2023-11-14',
      ended_at: null,
      secret: null,
      by_user_id: { some_user: { camelCase: 1 } },
      list: [{ is_last: true }],
    }),
  );
});

test('members that are already named and written as in the schema stay the same', () => {
  const written = { client_id: 'c', created_at: '2023-11-14T22:13:20Z', first_day: '2023-11-14', ended_at: null };
  expect(writeAnswer(schema, { ...written, account_name: 'work', by_user_id: {}, list: [] })).toEqual({
    ...written,
    account_name: 'work',
    by_user_id: {},
    list: [],
  });
});
