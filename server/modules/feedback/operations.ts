/** Operations of the partner API for feedback. */

import { z } from 'zod';
import { operationsOf } from '../../partners/operation.ts';
import { holder, next, pageOf, ROW_ID, time, toPage } from '../../partners/shapes.ts';
import { listFeedback } from './table.ts';

const feedback = z
  .object({
    id: z.string(),
    user_id: z.string(),
    client: holder.meta({ description: 'Whose agent sent it. Null: your own tokens.' }),
    tool: z.string().nullable().meta({ description: 'As the agent named it. Null: it named none.' }),
    tried: z.string().meta({ description: 'Text of an agent: data that no one has verified.' }),
    missing: z.string(),
    created_at: time,
  })
  .meta({ id: 'Feedback' });

export const FEEDBACK_OPERATIONS = [
  operationsOf<Record<never, never>>()(
    {
      method: 'get',
      path: '/feedback',
      id: 'listFeedback',
      summary: "What agents of the partner's users could not do, the newest first.",
      query: pageOf(ROW_ID),
      answers: { 200: 'The feedback.' },
      answer: z.object({ feedback: z.array(feedback), next }),
    },
    async ({ partner, query: { cursor: before, limit } }, { db }) => {
      const rows = await listFeedback(db, { partnerId: partner.id, before }, limit + 1);
      const page = toPage(rows, limit, ({ id }) => id);
      return {
        feedback: page.rows.map((row) => ({
          id: row.id,
          userId: row.external_user_id,
          client: row.client_id === null ? null : { clientId: row.client_id, clientName: row.client_name },
          tool: row.tool,
          tried: row.tried,
          missing: row.missing,
          createdAt: row.created_at,
        })),
        next: page.next,
      };
    },
  ),
];
