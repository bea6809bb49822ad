import type { CompleteToolResult } from '../../../../../server/call/tools/provider.ts';
import type { ToolError } from '../../../../../server/call/tools/results/errors.ts';
import { addPartnerSecret } from '../../../../../server/identity/partners/secrets.ts';
import { fakeConnector, fakeTool } from '../../../../support/fake-connector.ts';
import type { RunningGateway } from '../../../../support/gateway.ts';
import { postRpc } from '../../../../support/post-rpc.ts';

const TEXT = { type: 'string' } as const;
const ALSO = { also: { type: 'array', items: TEXT }, count: { type: 'integer' } } as const;

export const LIBRARY = fakeConnector({
  tools: [
    fakeTool({ name: 'library_list' }),
    fakeTool({
      name: 'library_purge',
      method: 'DELETE',
      path: '/books/{id}',
      input: { properties: { id: TEXT, ...ALSO }, required: ['id'] },
      request: { path: { id: 'id' } },
      more: {
        annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
        gatewayArguments: ['also', 'count'],
        batch: ['id'],
      },
    }),
  ],
});

export type Answer = Pick<CompleteToolResult, 'content' | 'structuredContent'> & { readonly error: ToolError | null };

/** Calls a tool, and reads the error of a failed call. */
export async function callTool(
  gateway: RunningGateway,
  name: string,
  args: object = {},
  meta: object = {},
): Promise<Answer> {
  const response = await postRpc(gateway, 'tools/call', { name, arguments: args, _meta: meta });
  const { result } = (await response.json()) as { result: CompleteToolResult };
  const json = result.isError === true ? result.content[1]?.text : undefined;
  return { ...result, error: json === undefined ? null : (JSON.parse(String(json)) as ToolError) };
}

/** Sends a request of the partner `test` to the partner API. */
export async function asPartner(gateway: RunningGateway) {
  const { db } = gateway.store;
  const { id: partnerId } = await db.selectFrom('partners').select('id').executeTakeFirstOrThrow();
  const secret = await addPartnerSecret(db, { partnerId, now: Date.now() });
  return async (method: string, path: string, body?: object) => {
    const response = await fetch(`${gateway.listensAt}/api/partner${path}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`test:${secret}`).toString('base64')}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
}
