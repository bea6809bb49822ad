/** What the handlers of requests work with. */

import type { ServerResponse } from 'node:http';
import type { PartnerClient, Schemas } from '../partner-client/index.ts';
import type { Session } from './sessions.ts';
import type { Webhooks } from './webhooks.ts';

export interface PartnerAppOptions {
  /** Origin of the gateway. */
  readonly gateway: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** On 127.0.0.1. `<origin>/connected` must be a redirect URI of the partner. */
  readonly port: number;
  /** Present where a sandbox stands in for the services: then the pages show its key and break credentials there. */
  readonly sandbox?: { readonly origin: string; readonly key: string };
}

export interface App extends Omit<PartnerAppOptions, 'port' | 'clientSecret'> {
  readonly origin: string;
  readonly partner: PartnerClient;
  readonly webhooks: Webhooks;
  /** What a service is called, such as `Affinity` for the id `crm`. */
  titleOf(service: string): string;
  /** What the application itself may do for each user. A real one keeps these tokens encrypted in its database. */
  readonly tokens: Map<string, { readonly tokens: Schemas['PartnerTokens']; readonly expiresAt: number }>;
}

/** One request of a user who is signed in. */
export interface Visit {
  readonly app: App;
  readonly session: Session;
  readonly url: URL;
  /** Of a POST; empty otherwise. */
  readonly form: URLSearchParams;
  readonly response: ServerResponse;
}
