/** The URL where a user allows a tool whose risk has increased: sealed, and valid for half an hour. */

import { z } from 'zod';
import type { EncryptionKey } from '../../../base/credentials/index.ts';
import { createValueSealer } from '../../../base/credentials/sealed-value.ts';

/** Path of the page. */
export const ALLOW_PATH = '/api/mcp/oauth/allow';

const SCHEMA = z.object({ grantId: z.string(), tool: z.string(), facts: z.string() });

/** The grant and the tool to allow, with the facts that the user sees. */
export type ApprovalRequest = Readonly<z.output<typeof SCHEMA>>;

/** Creates and opens the URLs. */
export interface ApprovalLinks {
  /** @param now milliseconds since 1970. */
  urlOf(request: ApprovalRequest, now: number): string;
  /** Opens the query's `request`. @returns null if it was not sealed by us or has expired. */
  open(sealed: string, now: number): ApprovalRequest | null;
}

const TTL_MS = 1_800_000;

/** Anyone may open the URL: the page asks for a connection code of the grant's user. */
const HOLDER = 'anybody';

/** @param options.publicUrl the gateway's origin. */
export function createApprovalLinks(options: { keys: readonly EncryptionKey[]; publicUrl: string }): ApprovalLinks {
  const sealer = createValueSealer({ keys: options.keys, purpose: 'tool approval' });
  return {
    urlOf(request, now) {
      const sealed = sealer.seal(request, { holder: HOLDER, expiresAt: now + TTL_MS });
      return `${options.publicUrl}${ALLOW_PATH}?request=${sealed}`;
    },
    open(sealed, now) {
      const opened = SCHEMA.safeParse(sealer.open(sealed, { holder: HOLDER, now }));
      return opened.success ? opened.data : null;
    },
  };
}
