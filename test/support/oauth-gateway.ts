/** A complete gateway for the sandbox's services, whose user signs in with connection codes that a partner creates. */

import { resolve } from 'node:path';
import { answerOf, createPartnerClient, type Schemas } from '../../packages/partner/index.ts';
import { openSandbox } from '../../sandbox/index.ts';
import type { GuardedFetch } from '../../server/base/guarded-fetch/index.ts';
import { findPartnerByClientId } from '../../server/base/store/repositories/partners.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { addPartnerSecret } from '../../server/identity/partners/secrets.ts';
import { type RunningGateway, startGateway } from './gateway.ts';

export interface OAuthGateway {
  /** URL of the MCP endpoint, all that a client knows. */
  readonly url: string;
  /** The authorization server's address in the metadata. */
  readonly issuer: string;
  readonly store: RunningGateway['store'];
  /** An access token of `ada`, created outside OAuth. */
  readonly token: string;
  /** Client secret of the partner `test`. */
  readonly partnerSecret: string;
  /** Creates a code, as the partner does, for its user `ada`, who is connected to every service. */
  connectionCode(limits?: Partial<Schemas['SessionRequest']>): Promise<string>;
  close(): Promise<void>;
}

const SECRET = 'sandbox-key';

/** A call of a read-only tool. */
export const READING_CALL = { name: 'retrieval_retrieve', arguments: { query: 'parental leave in Berlin', topK: 2 } };

/** A call of a tool that writes. */
export const WRITING_CALL = {
  name: 'retrieval_create_document_raw',
  arguments: { data: 'The canteen opens at noon.' },
};

/**
 * @param env settings, such as `TOOL_CALLS_PER_MINUTE`.
 * @param documents fetches documents of clients. Default: the gateway's own.
 * @param now milliseconds since 1970. Default: the system's clock.
 */
export async function startOAuthGateway(
  env: Readonly<Record<string, string>> = {},
  documents?: GuardedFetch,
  now?: () => number,
): Promise<OAuthGateway> {
  const sandbox = await openSandbox({ root: resolve(import.meta.dirname, '../..'), credential: SECRET });
  const gateway = await startGateway({
    connectors: await loadConnectors(),
    env: Object.assign({}, ...Object.values(sandbox.environment), env),
    secretOf: () => SECRET,
    ...(documents === undefined ? {} : { documents }),
    ...(now === undefined ? {} : { now }),
  });
  const row = await findPartnerByClientId(gateway.store.db, 'test');
  if (row === undefined) throw new Error('the partner is missing');
  const partnerSecret = await gateway.store.db
    .transaction()
    .execute((transaction) => addPartnerSecret(transaction, { partnerId: row.id, now: Date.now() }));
  const issuer = new URL(gateway.url).origin;
  const partner = createPartnerClient(issuer, { clientId: 'test', clientSecret: partnerSecret });
  return {
    url: gateway.url,
    issuer,
    store: gateway.store,
    token: gateway.token,
    partnerSecret,
    async connectionCode(limits = {}) {
      const body = { user_id: 'ada', ...limits };
      return (await answerOf(partner.POST('/api/mcp/oauth/sessions', { body }))).session_token;
    },
    async close() {
      await gateway.close();
      await sandbox.close();
    },
  };
}
