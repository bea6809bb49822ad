/** Descriptions of clients on the consent page: the name, and the destination of the response. */

import { isLoopbackHostname } from '../../../base/http/loopback.ts';
import { readClientName } from '../../../base/pages/client-name.ts';
import { caution, foreign } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import type { OAuthClient } from '../../../base/store/repositories/oauth-clients.ts';
import { findKnownCallback, isKnownWebCallback } from '../../protocol/known-callbacks.ts';

/** A client, described for a person. */
interface ClientDescription {
  /** The client's own name, made safe to show, or a phrase when it has none. */
  readonly name: string;
  /** `misleading`: its own name is not shown, because it imitates the gateway or the partner. */
  readonly naming: 'self-given' | 'misleading' | 'none';
  /** The host of the metadata document, which was verified. Null if the client registered itself. */
  readonly verifiedHost: string | null;
  /** The host that the response goes to, with its port; for a private-use scheme, the scheme with its colon. */
  readonly destination: string;
  /** True if the response goes to a program on the user's own computer. */
  readonly isLoopback: boolean;
  /** True if the response goes to any program that registered the scheme. */
  readonly isPrivateScheme: boolean;
  /** True if the response goes to an unknown website: it belongs to no known client, and no user of this gateway allowed it before. */
  readonly isUnknownSite: boolean;
  /** The known application that the redirect URI belongs to. Null if it is unknown. */
  readonly knownApplication: string | null;
}

/**
 * Describes a client.
 *
 * @param redirectUri verified.
 * @param options.wasSentTo true if a code was sent there before. Default: true.
 * @param options.partnerName of the partner that the page is about, whose name the client must not use. By default it is not known yet.
 */
export function describeClient(
  { clientId, clientName, document }: Pick<OAuthClient, 'clientId' | 'clientName' | 'document'>,
  redirectUri: string,
  { wasSentTo = true, partnerName }: { readonly wasSentTo?: boolean; readonly partnerName?: string } = {},
): ClientDescription {
  const { protocol, host, hostname } = new URL(redirectUri);
  const isPrivateScheme = protocol !== 'http:' && protocol !== 'https:';
  const name = readClientName(clientName, partnerName);
  return {
    name: name?.text ?? 'this application',
    naming: name?.kind ?? 'none',
    verifiedHost: document === null ? null : new URL(clientId).host,
    destination: isPrivateScheme ? protocol : host,
    isLoopback: !isPrivateScheme && isLoopbackHostname(hostname),
    isPrivateScheme,
    isUnknownSite: protocol === 'https:' && !wasSentTo && !isKnownWebCallback(redirectUri),
    knownApplication: findKnownCallback(redirectUri)?.application ?? null,
  };
}

const NAMING_REMARKS: Readonly<Record<ClientDescription['naming'], string>> = {
  'self-given': 'Unverified name.',
  misleading: 'Its own name is not shown, because it looks like that of someone else.',
  none: 'It did not give a name.',
};

/** Line with the identity of the client and the destination of the response. It protects the user, so it is never folded away. */
export function clientLine(client: ClientDescription): Html {
  const where = client.isLoopback ? ', a program on this computer' : '';
  return html`<p class="asker">${identityOf(client, where)}</p>`;
}

/** @param where follows the destination. Default: nothing. */
function identityOf(client: ClientDescription, where = ''): Html {
  const { verifiedHost, naming, destination, isPrivateScheme } = client;
  const host = verifiedHost === null ? null : html`Verified website: <strong>${foreign(verifiedHost)}</strong>. `;
  return html`${host}${NAMING_REMARKS[naming]} Sends you back to <strong>${foreign(destination)}</strong>${where}.${isPrivateScheme ? ` ${privateSchemeRemark(client)}` : null}`;
}

/** Any program can register a scheme, so a known redirect URI only says for which application it is meant. */
function privateSchemeRemark({ knownApplication }: ClientDescription): string {
  const opener = 'The program on this device that opens such addresses receives it.';
  return knownApplication === null ? opener : `${opener} This address belongs to ${knownApplication}.`;
}

/**
 * Line with the identity of the client, as a warning for a client on the user's own computer, where any program can pretend to be another, and for a
 * website that no user of this gateway has sent a response to before.
 */
export function clientLineOrWarning(client: ClientDescription): Html {
  if (client.isLoopback) {
    const advice = 'Continue only if you have just started it yourself.';
    return caution('A program on this computer asks', html`${identityOf(client)} ${advice}`);
  }
  if (!client.isUnknownSite) return clientLine(client);
  return caution(
    'No one here has used this website',
    html`${identityOf(client)} Continue only if you know this website, and have just started this there.`,
  );
}
