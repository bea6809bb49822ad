/** The gateway, the sandbox, and the partner of the gateway's user, who asks for dry runs. */

import { resolve } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { type OpenSandbox, openSandbox } from '../../../sandbox/index.ts';
import { findPartnerByClientId, insertPartner } from '../../../server/base/store/repositories/partners.ts';
import type { Connector } from '../../../server/contract/index.ts';
import { addPartnerSecret } from '../../../server/identity/partners/secrets.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { connectClient } from '../../support/mcp-client.ts';
import { uncapped } from '../uncapped.ts';

export interface ShownBody {
  readonly media_type: string | null;
  readonly bytes: number;
  readonly text: string | null;
}

export interface DryRunAnswer {
  readonly status: number;
  readonly text: string;
  readonly body: {
    readonly request: {
      readonly method: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: ShownBody | null;
    };
    readonly result: { readonly content: readonly { readonly text: string }[]; readonly isError: boolean } | null;
    readonly error?: string;
  };
}

export interface DryRunSetting {
  readonly client: Client;
  readonly sandbox: OpenSandbox;
  readonly gateway: RunningGateway;
  /** As the partner `test`, or another one, which is created. */
  dryRun(
    tool: string,
    body: unknown,
    as?: { readonly partner?: string; readonly user?: string; readonly secret?: string },
  ): Promise<DryRunAnswer>;
  close(): Promise<void>;
}

export const CREDENTIAL = 'sandbox-key';

export async function startDryRuns(connectors: readonly Connector[]): Promise<DryRunSetting> {
  const sandbox = await openSandbox({ root: resolve(import.meta.dirname, '../../..'), credential: CREDENTIAL });
  const gateway = await startGateway({
    connectors: uncapped(connectors),
    env: Object.assign({}, ...Object.values(sandbox.environment)),
    secretOf: () => CREDENTIAL,
  });
  const client = await connectClient(gateway);
  await client.listTools();
  const secrets = new Map<string, Promise<string>>();
  const addSecret = (clientId: string) =>
    gateway.store.db.transaction().execute(async (transaction) => {
      const now = Date.now();
      const found = await findPartnerByClientId(transaction, clientId);
      const { id } = found ?? (await insertPartner(transaction, { clientId, name: clientId, now }));
      return addPartnerSecret(transaction, { partnerId: id, now });
    });
  return {
    ...{ client, sandbox, gateway },
    async dryRun(tool, body, { partner = 'test', user = 'ada', secret } = {}) {
      const own = secrets.get(partner) ?? addSecret(partner);
      secrets.set(partner, own);
      const credentials = Buffer.from(`${partner}:${secret ?? (await own)}`).toString('base64');
      const path = `/api/partner/users/${encodeURIComponent(user)}/tools/${encodeURIComponent(tool)}/dry-run`;
      const answer = await fetch(gateway.listensAt + path, {
        method: 'POST',
        headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      return { status: answer.status, text, body: JSON.parse(text) as DryRunAnswer['body'] };
    },
    async close() {
      await client.close();
      await gateway.close();
      await sandbox.close();
    },
  };
}
