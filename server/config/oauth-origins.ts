/** Settings that replace the origins of upstreams' authorization servers: one for each connector that uses OAuth. */

import { takesUpstreamClient } from '../base/credentials/kinds.ts';
import type { Connector } from '../contract/index.ts';
import type { ConfigProblem } from './setting.ts';
import { parseOrigin } from './values.ts';

/** One setting. */
interface OAuthOriginVariable {
  readonly connector: Connector;
  /** Name of the variable, such as `GITHUB_OAUTH_ORIGIN`. */
  readonly name: string;
}

/** The settings of these connectors. */
export function oauthOriginVariables(connectors: readonly Connector[]): OAuthOriginVariable[] {
  return connectors
    .filter(({ credential }) => takesUpstreamClient(credential))
    .map((connector) => ({
      connector,
      name: `${connector.name.toUpperCase().replaceAll('-', '_')}_OAUTH_ORIGIN`,
    }));
}

/** The origins that are set, by connector name. @param onProblem called for each value that is not an origin. */
export function readOAuthOrigins(
  connectors: readonly Connector[],
  env: Readonly<Record<string, string | undefined>>,
  onProblem: (problem: ConfigProblem) => void,
): Map<string, string> {
  const origins = new Map<string, string>();
  for (const { connector, name: variable } of oauthOriginVariables(connectors)) {
    const text = env[variable];
    if (text === undefined) continue;
    try {
      origins.set(connector.name, parseOrigin(text));
    } catch (error) {
      onProblem({ variable, problem: (error as Error).message, example: 'https://login.example.com' });
    }
  }
  return origins;
}
