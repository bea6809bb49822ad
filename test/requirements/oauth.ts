/**
 * All that the OAuth specifications and the MCP authorization pages require of this server and of its requests to
 * upstreams.
 */

import { AUTHORIZATION } from './oauth-authorization.ts';
import { DISCOVERY } from './oauth-discovery.ts';
import { ENTERPRISE } from './oauth-enterprise.ts';
import { CLIENT_DOCUMENTS, REGISTRATION } from './oauth-registration.ts';
import { TOKENS } from './oauth-tokens.ts';
import { UPSTREAMS } from './oauth-upstreams.ts';
import type { Requirement } from './requirement.ts';

/** Requirements under one heading. */
export interface RequirementGroup {
  readonly heading: string;
  readonly requirements: readonly Requirement[];
}

/** The requirements in the order in which a client meets them, under the headings of the documentation. */
export const OAUTH_REQUIREMENTS: readonly RequirementGroup[] = [
  { heading: 'Discovery and the resource server', requirements: DISCOVERY },
  { heading: 'Dynamic client registration', requirements: REGISTRATION },
  { heading: 'Client ID metadata documents', requirements: CLIENT_DOCUMENTS },
  { heading: 'The authorization endpoint and its consent page', requirements: AUTHORIZATION },
  { heading: 'The token endpoint and revocation', requirements: TOKENS },
  { heading: 'Enterprise-managed authorization', requirements: ENTERPRISE },
  { heading: 'The gateway as a client of upstreams', requirements: UPSTREAMS },
];

/** The id of one of them. */
export type RequirementId = (
  | typeof DISCOVERY
  | typeof REGISTRATION
  | typeof CLIENT_DOCUMENTS
  | typeof AUTHORIZATION
  | typeof TOKENS
  | typeof ENTERPRISE
  | typeof UPSTREAMS
)[number]['id'];
