/** Answers "connected, but why no tools?": lists the causes, in the order in which they apply. */

import { clientNameText } from '../../../base/pages/client-name.ts';
import { readPermission, SCOPES, toScopes, WHOLE_PERMISSION } from '../../../base/principal/permission.ts';
import type { FoundUserToken } from '../../../base/store/repositories/access-tokens.ts';
import type { Connection } from '../../../base/store/repositories/connections.ts';
import { mayOffer, type Partner } from '../../../base/store/repositories/partners.ts';
import type { Catalogue } from '../../../call/tools/catalogue/catalogue.ts';

/** One fact. `bad`: it takes tools away. */
export interface Finding {
  readonly kind: 'good' | 'warn' | 'bad';
  readonly text: string;
}

/** What is known of one user. */
export interface Situation {
  readonly partner: Pick<Partner, 'services' | 'suspendedAt'>;
  readonly connections: readonly Connection[];
  /** Flows that the user completed and the partner has not redeemed, by service. */
  readonly unredeemed: readonly string[];
  readonly tokens: readonly FoundUserToken[];
  readonly catalogue: Catalogue;
  /** The gateway's resource indicator. */
  readonly resource: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The number of tools that a client with this token is listed now. */
export function countTools(token: FoundUserToken, { partner, connections, catalogue }: Situation): number {
  if (partner.suspendedAt !== null) return 0;
  const connected = connections.map(({ service }) => service).filter((service) => mayOffer(partner, service));
  const services = connected.filter((service) => token.services?.includes(service) ?? true);
  const permission = readPermission(token.permission);
  return catalogue.names({ clientId: null, services, scopes: toScopes(token.scopes), permission }).length;
}

/** True for a token that a client can use now. */
export function isLive(token: Pick<FoundUserToken, 'expiresAt' | 'revokedAt'>, now: number): boolean {
  return token.revokedAt === null && token.expiresAt > now;
}

/** The findings, the first cause first. At least one. */
export function findCauses(situation: Situation): Finding[] {
  return [...aboutPartner(situation), ...aboutConnections(situation), ...aboutTokens(situation)];
}

function aboutPartner({ partner }: Situation): Finding[] {
  if (partner.suspendedAt === null) return [];
  return [{ kind: 'bad', text: 'The partner is suspended: every request of its users is refused.' }];
}

function aboutConnections({ partner, connections, unredeemed, catalogue }: Situation): Finding[] {
  const findings: Finding[] = [];
  const titleOf = (service: string) => catalogue.findConnector(service)?.title ?? service;
  for (const service of unredeemed) {
    findings.push({
      kind: connections.some((connection) => connection.service === service) ? 'warn' : 'bad',
      text: `The user completed a connect flow for ${titleOf(service)}, but the partner has not exchanged its code at POST /api/oauth/token. Until it does, the connection is not used.`,
    });
  }
  if (connections.length === 0) {
    findings.push({ kind: 'bad', text: 'No service is connected, so every list of tools is empty.' });
  }
  for (const { service, status } of connections) {
    const connector = catalogue.findConnector(service);
    if (connector === undefined) {
      findings.push({ kind: 'bad', text: `${service} is connected, but this gateway has no connector of that name.` });
    } else if (!mayOffer(partner, service)) {
      findings.push({
        kind: 'bad',
        text: `${connector.title} is connected, but the partner may not offer it: its tools are not listed, and calls say so.`,
      });
    } else if (status === 'attention') {
      findings.push({
        kind: 'warn',
        text: `${connector.title} refused the credential: its tools are listed, and calls answer that the user must connect again.`,
      });
    } else {
      const tools = catalogue.names({
        clientId: null,
        services: [service],
        scopes: SCOPES,
        permission: WHOLE_PERMISSION,
      }).length;
      findings.push({ kind: tools === 0 ? 'bad' : 'good', text: `${connector.title} is connected: ${tools} tools.` });
    }
  }
  return findings;
}

function aboutTokens(situation: Situation): Finding[] {
  const { tokens, now, resource } = situation;
  const live = tokens.filter((token) => isLive(token, now));
  if (live.length === 0) {
    const [latest] = tokens;
    const how = latest === undefined ? null : latest.revokedAt === null ? 'expired' : 'was revoked';
    const text =
      how === null
        ? 'No client has an access token for this user: no one has completed the consent page or exchanged a code.'
        : `No access token is valid: the latest ${how}, and its client has not fetched another. Clients then get 401, and many show an empty list.`;
    return [{ kind: 'bad', text }];
  }
  return live.map((token) => aboutToken(token, situation, resource));
}

function aboutToken(token: FoundUserToken, situation: Situation, resource: string): Finding {
  const holder =
    token.grantId === null ? 'A token minted for testing' : clientNameText(token.clientName, 'A client of the partner');
  if (token.resource !== resource) {
    return { kind: 'bad', text: `${holder} has a token for ${token.resource}, which this gateway refuses.` };
  }
  const tools = countTools(token, situation);
  const limits = [
    token.services === null ? null : `narrowed to ${token.services.join(', ') || 'no service'}`,
    token.scopes.includes('tools:write') ? null : 'read-only',
  ].filter((limit) => limit !== null);
  const text = `${holder} sees ${tools} tools now${limits.length === 0 ? '' : ` (${limits.join(', ')})`}.`;
  if (tools > 0) return { kind: limits.length === 0 ? 'good' : 'warn', text };
  return {
    kind: 'bad',
    text: situation.partner.suspendedAt !== null ? text : `${text} ${whyNone(limits)}`,
  };
}

function whyNone(limits: readonly string[]): string {
  if (limits.length > 0) return 'Its limits exclude everything that is connected.';
  return 'Ask below why it lacks a tool.';
}
