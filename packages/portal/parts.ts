/** The open parts of a portal, which its routes and checks share. */

import type { Outgoing } from '../../server/base/guarded-fetch/outgoing.ts';
import type { OpenIdClient } from '../../server/base/http/openid-client.ts';
import type { GatewayContext } from '../../server/base/http/state.ts';
import type { PartnerClient } from '../partner/index.ts';
import type { PortalConfig } from './config.ts';
import type { Person } from './request.ts';
import type { People, SignedInPerson } from './store/people.ts';

/** A session of a request. */
export interface Session {
  readonly person: Person;
  /** See `csrfOf`. */
  readonly csrf: string;
}

export interface Sessions {
  find(ctx: GatewayContext): Promise<Session | null>;
  /** Begins a session under a new random name, and ends the session of the request. */
  begin(
    ctx: GatewayContext,
    person: SignedInPerson,
    of: { readonly providerSession: string | null; readonly nextCheckAt: number | null },
  ): Promise<void>;
  /** Ends the session of the request, and deletes its cookie. */
  end(ctx: GatewayContext): Promise<void>;
}

export interface PortalParts {
  readonly config: PortalConfig;
  readonly people: People;
  readonly sessions: Sessions;
  readonly partner: PartnerClient;
  /** Null without a provider. */
  readonly client: OpenIdClient | null;
  /** Sends requests to the provider. */
  readonly outgoing: Outgoing;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
