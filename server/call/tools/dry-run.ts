/** The dry run of a call: the request that it would send first, without the credential. Nothing is sent, recorded, approved or renewed. */

import { isUtf8 } from 'node:buffer';
import { type PreparedRequest, type Redactor, UpstreamFailure, withCredentialQuery } from '../upstream/index.ts';
import type { CallDependencies } from './call/dependencies.ts';
import { runCall } from './call/pipeline.ts';
import type { Call } from './call/state.ts';
import type { DryRun, ShownRequest } from './provider.ts';

/** Longer bodies are shown by their length. */
const MAX_BODY_BYTES = 64 * 1024;

/**
 * Passes the stages of a call up to its first request, which is caught where a call would send it. A caught request looks like a cancelled request,
 * so that the code of a hand-written tool cannot continue.
 */
export async function dryRun(call: Call, deps: CallDependencies): Promise<DryRun> {
  const { approvals: _, upstreamSlots: __, readLists: ___, aroundStages: ____, ...otherDeps } = deps;
  const { upstream, leases } = deps;
  let request: ShownRequest | null = null;
  const outcome = await runCall(call, {
    ...otherDeps,
    leases: {
      open(...connection) {
        const { fields, token } = leases.open(...connection);
        return { fields, token: token && { ...token, renewIfExpired: () => null, renewAfterRefusal: null } };
      },
    },
    upstream: {
      ...upstream,
      check() {},
      prepare: (use) => upstream.prepare({ ...use, isShown: true }),
      async send(prepared) {
        request ??= toShownRequest(prepared);
        throw new UpstreamFailure('cancelled');
      },
    },
  });
  return request === null ? { request, result: outcome.result } : { request, result: null };
}

function toShownRequest({ outgoing, credential, mcp }: PreparedRequest): ShownRequest {
  const { method, origin, target, headers } = outgoing;
  const body = mcp === undefined ? outgoing.body : toCallMessage(mcp.tool, outgoing.body);
  const { redactor } = credential;
  const redactedHeaders = Object.entries(headers).map(([name, value]) => [name, redactor.text(value)]);
  const mediaType = headers['content-type'] ?? null;
  return {
    method,
    url: redactor.text(origin + withCredentialQuery(target, credential.query)),
    headers: Object.fromEntries(redactedHeaders),
    body: body === null ? null : { mediaType, bytes: Buffer.byteLength(body), text: toText(body, redactor) },
  };
}

/** Returns the message that calls a tool at an MCP server, without its id. */
function toCallMessage(name: string, args: Uint8Array | string | null): string {
  const text = args === null ? '{}' : Buffer.from(args).toString();
  return `{"jsonrpc":"2.0","method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${text}}}`;
}

/** Returns the body as text, or null if it is no text or too long. */
function toText(body: Uint8Array | string, redactor: Redactor): string | null {
  const bytes = Buffer.from(body);
  return bytes.byteLength <= MAX_BODY_BYTES && isUtf8(bytes) ? redactor.text(bytes.toString()) : null;
}
