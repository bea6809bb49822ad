/** How the consent page describes a client: its name, and where the response goes. */

import { isLoopbackHostname } from '../../../base/http/loopback.ts';
import { caution, type Fact, foreign } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { shownName } from '../../../base/pages/plain-text.ts';
import type { OAuthClient } from '../../../base/store/repositories/oauth-clients.ts';
import { findKnownCallback, isKnownWebCallback } from '../../protocol/known-callbacks.ts';

/** A client, described for a person. */
interface ClientDescription {
  /** The client's own name, made safe to show, or a phrase when it has none. */
  readonly name: string;
  readonly isNamed: boolean;
  /** The host of the metadata document, which was verified; null: the client registered itself. */
  readonly verifiedHost: string | null;
  /** The host that the response goes to, with its port; for a private-use scheme, the scheme with its colon. */
  readonly destination: string;
  /** The response goes to a program on the user's own computer. */
  readonly isLoopback: boolean;
  /** The response goes to any program that registered the scheme. */
  readonly isPrivateScheme: boolean;
  /** The response goes to an unknown website: it belongs to no known client, and no user of this gateway allowed it before. */
  readonly isUnknownSite: boolean;
  /** The known application that the redirect URI belongs to; null: unknown. */
  readonly knownApplication: string | null;
}

/** @param redirectUri verified. @param wasSentTo whether a code was sent there before. Default: true. */
export function describeClient(
  { clientId, clientName, document }: Pick<OAuthClient, 'clientId' | 'clientName' | 'document'>,
  redirectUri: string,
  wasSentTo = true,
): ClientDescription {
  const { protocol, host, hostname } = new URL(redirectUri);
  const isPrivateScheme = protocol !== 'http:' && protocol !== 'https:';
  const name = shownName(clientName);
  return {
    name: name ?? 'this application',
    isNamed: name !== null,
    verifiedHost: document === null ? null : new URL(clientId).host,
    destination: isPrivateScheme ? protocol : host,
    isLoopback: !isPrivateScheme && isLoopbackHostname(hostname),
    isPrivateScheme,
    isUnknownSite: protocol === 'https:' && !wasSentTo && !isKnownWebCallback(redirectUri),
    knownApplication: findKnownCallback(redirectUri)?.application ?? null,
  };
}

/** Who asks, and where the response goes. */
export function clientFacts(client: ClientDescription): readonly Fact[] {
  return [
    ...(client.verifiedHost === null ? [] : [hostFact(client.verifiedHost)]),
    client.isNamed
      ? {
          term: 'Application',
          value: foreign(client.name),
          remark: 'It gave itself this name; no one has verified it.',
        }
      : { term: 'Application', value: 'Without a name', remark: 'It did not give a name.' },
    {
      term: 'Sends you back to',
      value: foreign(client.destination),
      ...(client.isLoopback
        ? { remark: 'A program on this computer.' }
        : client.isPrivateScheme
          ? { remark: privateSchemeRemark(client) }
          : {}),
    },
  ];
}

/** Any program can register a scheme, so a known redirect URI only says for which application it is meant. */
function privateSchemeRemark({ knownApplication }: ClientDescription): string {
  const opener = 'The program on this device that opens addresses of this kind';
  return knownApplication === null ? `${opener}.` : `${opener}. This address belongs to ${knownApplication}.`;
}

/** What a metadata document proves: the host's owner controls the client. Its name and logo are its own choice. */
function hostFact(host: string): Fact {
  return {
    term: 'Verified website',
    value: foreign(host),
    remark: 'The application identifies itself through this host.',
  };
}

/** For clients on the user's own computer, where any program can pretend to be another. */
export function loopbackCaution(): Html {
  return caution(
    'A program on this computer asks',
    'Any program on this computer can use any name. Continue only if you have just started this yourself.',
  );
}

/** For websites that no user of this gateway has sent a response to before. */
export function unknownSiteCaution({ destination }: ClientDescription): Html {
  return caution(
    'No one here has used this website',
    html`What you allow goes to ${foreign(destination)}, for the first time on this gateway. Continue only if you know this website and have just started this there.`,
  );
}
