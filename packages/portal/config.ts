/** The settings of the portal, as its parts get them. */

import type { EncryptionKey } from '../../server/base/credentials/index.ts';
import type { Rules } from './rules/access.ts';

/** One sample person of `--demo`. */
export interface SamplePerson {
  readonly userId: string;
  readonly name: string;
  readonly groups: readonly string[];
  /** One sentence for the sign-in page. */
  readonly about: string;
}

/** The people whom `--demo` offers. */
export const SAMPLE_PEOPLE: readonly SamplePerson[] = [
  { userId: 'maya', name: 'Maya', groups: ['sales'], about: 'Sales lead. Nothing is connected yet.' },
  { userId: 'noah', name: 'Noah', groups: ['support'], about: 'Support. Nothing is connected yet.' },
];

/** The company's OpenID provider, and the portal's registration at it. */
export interface ProviderSettings {
  /** As discovery names it (OpenID Connect Discovery 1.0 §4). */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Scopes, separated by spaces. `openid` is among them. */
  readonly scope: string;
  /** The claim that is the `user_id`. */
  readonly userClaim: string;
  /** The claim with the names of the person's groups. */
  readonly groupsClaim: string;
}

/** The portal's registration as a partner of the gateway. */
export interface GatewaySettings {
  /** The gateway's origin, for browsers and for the portal itself. */
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** All settings, validated. */
export interface PortalConfig {
  /** The portal's origin, as browsers reach it. */
  readonly publicUrl: string;
  readonly gateway: GatewaySettings;
  /** Null: the sign-in page offers the sample people instead. */
  readonly provider: ProviderSettings | null;
  /** Null: everyone who signs in may use everything. */
  readonly rules: Rules | null;
  /** `sqlite:<path>` or `postgres://...`. */
  readonly databaseUrl: string;
  /** The first key seals, all of them open. */
  readonly keys: readonly EncryptionKey[];
  /** Addresses and ranges of the proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** Addresses and ranges that the provider may be at, in addition to public addresses. */
  readonly networks: readonly string[];
  /** Time between two checks of a person at the provider. */
  readonly checkSeconds: number;
  /** Time for which access stays while the provider cannot be reached. */
  readonly graceSeconds: number;
}
