/** A generated connector between an official client and a sandbox that serves its descriptor. */

import type { Client } from '@modelcontextprotocol/client';
import { buildConnectorCredential, buildEnvironment, buildPageRules } from '../../../sandbox/connector-rules.ts';
import { loadDescriptor } from '../../../sandbox/descriptor/load.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/start.ts';
import { startGateway } from '../../support/gateway.ts';
import { connectClient } from '../../support/mcp-client.ts';
import { type Forms, generateForms } from './forms.ts';

const CREDENTIAL = 'sandbox-key';

export interface FormsService {
  readonly forms: Forms;
  readonly sandbox: Sandbox;
  /** It has listed the tools. */
  readonly client: Client;
  close(): Promise<void>;
}

/** @param config text of `connector.yaml`. Default: there is none. */
export async function startFormsService(descriptor: string, config?: string): Promise<FormsService> {
  const forms = await generateForms(descriptor, undefined, config);
  const service = { name: 'forms', document: await loadDescriptor(descriptor), pages: buildPageRules(forms.connector) };
  const sandbox = await startSandbox({ services: [service], credential: CREDENTIAL });
  const env = buildEnvironment(forms.connector, sandbox.origin);
  const gateway = await startGateway({ connectors: [forms.connector], env, secretOf: () => CREDENTIAL });
  const client = await connectClient(gateway);
  await client.listTools();
  return {
    forms,
    sandbox,
    client,
    async close() {
      await client.close();
      await gateway.close();
      await sandbox.close();
      await forms.close();
    },
  };
}

export interface CredentialService {
  readonly forms: Forms;
  readonly sandbox: Sandbox;
  /** Calls a tool with this credential. @returns the result as JSON. */
  call(secret: string, name: string, args?: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

/** Starts a sandbox that accepts one credential, for gateways with any. */
export async function startCredentialService(
  credential: string,
  descriptor: string,
  config?: string,
): Promise<CredentialService> {
  const forms = await generateForms(descriptor, undefined, config);
  const connectorCredential = buildConnectorCredential(forms.connector);
  const document = await loadDescriptor(descriptor);
  const sandbox = await startSandbox({ services: [{ name: 'forms', document, connectorCredential }], credential });
  return {
    forms,
    sandbox,
    async call(secret, name, args = {}) {
      const env = buildEnvironment(forms.connector, sandbox.origin);
      const gateway = await startGateway({ connectors: [forms.connector], env, secretOf: () => secret });
      const client = await connectClient(gateway);
      try {
        return JSON.stringify(await client.callTool({ name, arguments: args }));
      } finally {
        await client.close();
        await gateway.close();
      }
    },
    async close() {
      await sandbox.close();
      await forms.close();
    },
  };
}
