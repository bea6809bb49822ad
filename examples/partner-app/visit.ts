/** The types that request handlers work with. */

import type { ServerResponse } from 'node:http';
import type { PartnerClient, Schemas } from '../../packages/partner/index.ts';
import type { Session } from './sessions.ts';
import type { Webhooks } from './webhooks.ts';

export interface PartnerAppOptions {
  /** The gateway's origin. */
  readonly gateway: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Port on 127.0.0.1. `<origin>/connected` must be a redirect URI of the partner. */
  readonly port: number;
  /** Set if a sandbox replaces the services: the pages then show its key and can break credentials. */
  readonly sandbox?: { readonly origin: string; readonly key: string };
}

export interface App extends Omit<PartnerAppOptions, 'port' | 'clientSecret'> {
  readonly origin: string;
  readonly partner: PartnerClient;
  readonly webhooks: Webhooks;
  /** The name of a service, such as `Affinity` for the id `crm`. */
  titleOf(service: string): string;
  /** The title of a tool, such as `Delete a contact list`. */
  toolTitleOf(tool: string): string;
  /** The application's own tokens, by user. A real application keeps them encrypted in its database. */
  readonly tokens: Map<string, { readonly tokens: Schemas['PartnerTokens']; readonly expiresAt: number }>;
}

/** URL of the gateway's MCP endpoint. */
export function endpointOf({ gateway }: App): string {
  return `${gateway}/api/mcp/unified`;
}

/** One request from a signed-in user. */
export interface Visit {
  readonly app: App;
  readonly session: Session;
  readonly url: URL;
  /** Fields of a POST; empty otherwise. */
  readonly form: URLSearchParams;
  readonly response: ServerResponse;
}
