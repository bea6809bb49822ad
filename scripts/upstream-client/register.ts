/** Finds out how the gateway becomes a client of a service's authorization server, and becomes one. */

import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import { findOAuth2Part } from '../../server/base/credentials/kinds.ts';
import { limitAnswers } from '../../server/base/guarded-fetch/limited-fetch.ts';
import type { Outgoing } from '../../server/base/guarded-fetch/outgoing.ts';
import { RegistrationError, registerClient } from '../../server/call/upstream/oauth/registration.ts';
import { CLIENT_METADATA_PATH, describeClientOf } from '../../server/connect/client-metadata.ts';
import type { Connector, OAuth2Rules } from '../../server/contract/index.ts';
import { UsageError } from '../../shared/cli/run.ts';

const MAX_DOCUMENT_BYTES = 256 * 1024;
const TIMEOUT_MS = 10_000;
const MAX_SHOWN_CHARS = 300;

interface ServiceToRegister {
  /** With the origin of its authorization server, if the settings name one. */
  readonly connector: Connector;
  /** Address of its MCP server. Undefined if it has none. */
  readonly mcpAddress: string | undefined;
  readonly publicUrl: string;
}

/** A client of the gateway, for `UpstreamClients.put`. */
export interface IssuedClient {
  readonly clientId: string;
  readonly clientSecret: string | null;
  /** Undefined for a client metadata document, which no one issues. */
  readonly registrationUrl?: string;
  readonly secretExpiresAt?: number | null;
}

/**
 * Uses the gateway's client metadata document where the authorization server reads such documents, and registers a client otherwise
 * (MCP 2026-07-28, Authorization, Client Registration Approaches).
 *
 * @throws {UsageError} if there is no way, or the server's metadata differ from the reviewed endpoints.
 */
export async function obtainClient(service: ServiceToRegister, outgoing: Outgoing): Promise<IssuedClient> {
  const { connector, publicUrl } = service;
  const rules = findOAuth2Part(connector.credential)?.oauth2;
  const self = describeClientOf(publicUrl, connector);
  if (rules === undefined || self === undefined) throw new UsageError(`${connector.name} uses no OAuth.`);
  const metadata = await discover(service, rules, outgoing);
  requireReviewed(metadata, rules, connector.name);
  if (readsDocuments(metadata) && publicUrl.startsWith('https://')) {
    return { clientId: publicUrl + CLIENT_METADATA_PATH, clientSecret: null };
  }
  const registrationUrl = metadata.registration_endpoint;
  if (registrationUrl === undefined) {
    throw new UsageError(
      `The authorization server of ${connector.name} registers no clients. ${byHand(connector.name)}`,
    );
  }
  requireSameServer(registrationUrl, rules, connector.name);
  try {
    return { registrationUrl, ...(await registerClient(registrationUrl, self, outgoing)) };
  } catch (error) {
    if (!(error instanceof RegistrationError)) throw error;
    throw new UsageError(`${show(registrationUrl)} registered no client: ${error.message}. ${byHand(connector.name)}`);
  }
}

function byHand(service: string): string {
  return `Register one there by hand: utg upstream-client set --service ${service} --client-id <id>`;
}

/** Reads the metadata of the authorization server: that of the MCP server, or that of the reviewed issuer. */
async function discover(
  { connector: { name }, mcpAddress }: ServiceToRegister,
  { issuer }: OAuth2Rules,
  outgoing: Outgoing,
): Promise<AuthorizationServerMetadata> {
  const limited = limitAnswers(outgoing, MAX_DOCUMENT_BYTES);
  const fetchFn = (url: string | URL, init: RequestInit = {}) =>
    limited(String(url), { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const sdk = await import('@modelcontextprotocol/client');
  try {
    if (issuer !== null) {
      const metadata = await sdk.discoverAuthorizationServerMetadata(issuer, { fetchFn });
      if (metadata !== undefined) return metadata;
    } else if (mcpAddress !== undefined) {
      const serverInfo = await sdk.discoverOAuthServerInfo(mcpAddress, { fetchFn });
      const configuredResource = serverInfo.resourceMetadata?.resource ?? mcpAddress;
      if (!sdk.checkResourceAllowed({ requestedResource: mcpAddress, configuredResource })) {
        throw new UsageError('they are of another resource');
      }
      const { authorizationServerMetadata } = serverInfo;
      if (authorizationServerMetadata !== undefined) return authorizationServerMetadata;
    }
  } catch (error) {
    let reason = 'they cannot be read';
    if (error instanceof sdk.IssuerMismatchError) reason = 'they name another issuer';
    if (error instanceof UsageError) reason = error.message;
    throw new UsageError(
      `The metadata of the authorization server of ${name} are not used: ${reason}. ${byHand(name)}`,
    );
  }
  throw new UsageError(`${name} does not say where its authorization server is described. ${byHand(name)}`);
}

/** What a server says of itself can change; where users sign in was reviewed, and stays. */
function requireReviewed(metadata: AuthorizationServerMetadata, rules: OAuth2Rules, service: string): void {
  const { authorization_endpoint: authorizationUrl, token_endpoint: tokenUrl } = metadata;
  const isAuthorizationSame = rules.authorizationUrl === null || authorizationUrl === rules.authorizationUrl;
  if (isAuthorizationSame && tokenUrl === rules.tokenUrl) return;
  throw new UsageError(
    `The authorization server of ${service} now names other endpoints than specs/${service}/connector.yaml: ${show(authorizationUrl)}, ${show(tokenUrl)}. Review them there first.`,
  );
}

/** Another server could answer with a client of its choice. */
function requireSameServer(registrationUrl: string, rules: OAuth2Rules, service: string): void {
  const origins = [rules.tokenUrl, rules.authorizationUrl].map((url) => url && URL.parse(url)?.origin);
  if (origins.includes(URL.parse(registrationUrl)?.origin)) return;
  throw new UsageError(
    `The registration endpoint of ${service} is at another server than its other endpoints: ${show(registrationUrl)}. ${byHand(service)}`,
  );
}

function readsDocuments(metadata: AuthorizationServerMetadata): boolean {
  const { token_endpoint_auth_methods_supported: methods } = metadata;
  const isSupported =
    'client_id_metadata_document_supported' in metadata && metadata.client_id_metadata_document_supported === true;
  return isSupported && (methods === undefined || methods.includes('none'));
}

/** An address that a server chose, for a terminal: URLs in their serialised form are ASCII. */
function show(url: string): string {
  return URL.parse(url)?.href.slice(0, MAX_SHOWN_CHARS) ?? 'no URL';
}
