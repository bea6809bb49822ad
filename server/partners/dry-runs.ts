/** Dry runs: a partner sees the request that a tool call of its user would send. */

import { z } from 'zod';
import { createFullAccessPrincipal } from '../call/tools/full-access-principal.ts';
import { InvalidCallError, UnknownToolError } from '../call/tools/provider.ts';
import { invalid, missing, type OwnUser, operation, type PartnerApi } from './operation.ts';
import { count } from './shapes.ts';

/** Files are arguments too. */
const MAX_CALL_BYTES = 1_048_576;

const call = z.strictObject({
  arguments: z.record(z.string(), z.unknown()).default({}).meta({ description: 'As an MCP client sends them.' }),
  grant: z.string().optional().meta({
    description: 'Id of a grant of the user, which calls as its client may. Absent: nothing is left out or fixed.',
  }),
});

const request = z.object({
  method: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z
    .object({
      media_type: z.string().nullable(),
      bytes: count,
      text: z.string().nullable().meta({ description: 'Null: it is binary, or has more than 64 KiB.' }),
    })
    .nullable(),
});

export const DRY_RUN_OPERATIONS = [
  operation(
    {
      method: 'post',
      path: '/users/:user_id/tools/:tool/dry-run',
      id: 'dryRunTool',
      summary: 'The request that a tool call of a user would send first, without the credential. Nothing is sent.',
      body: {
        schema: call,
        explain: () => '`arguments` must be an object and `grant` the id of a grant.',
        maxBytes: MAX_CALL_BYTES,
        isOptional: true,
      },
      answers: { 200: 'The request, or the result that the call would have without one.' },
      answer: z.object({
        request: request.nullable().meta({
          description:
            'With `(credential)` in place of the credential. HTTP adds `host`, `connection` and `content-length`. Null: the call would send none.',
        }),
        result: z
          .record(z.string(), z.unknown())
          .nullable()
          .meta({ description: 'What an MCP client would get instead, such as an error. Null: there is a request.' }),
      }),
      refusals: [404],
    },
    async (api, context) => {
      const user = await api.user();
      const { arguments: args, grant = null } = await api.body();
      const caller = await findCaller(user, grant, context);
      try {
        const { request, result } = await context.tools.dryRun(caller, api.param('tool'), args);
        return { request, result: result && { ...result } };
      } catch (error) {
        if (error instanceof UnknownToolError) throw missing(error.message);
        if (error instanceof InvalidCallError) throw invalid(error.message);
        throw error;
      }
    },
  ),
];

async function findCaller(user: OwnUser, grantId: string | null, { db, callerOf, resource, now }: PartnerApi) {
  const tokenId = 'dry-run';
  if (grantId === null) return createFullAccessPrincipal(db, user, { tokenId, expiresAt: now() + 60_000, resource });
  const caller = await callerOf({ userId: user.id, grantId, tokenId });
  if (caller === null) throw missing('There is no such grant of this user.');
  return caller;
}
