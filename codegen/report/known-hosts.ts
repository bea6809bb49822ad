/** Hosts that a text of an upstream may name without a decision: the vendor's own, and those of specifications. */

import { getDomain } from 'tldts';
import { isRecord } from '../json.ts';
import { wordSet } from '../word-set.ts';
import type { ServiceSurface } from './types.ts';

/** Publishers of specifications and of general knowledge. They host no pages of other people. */
const DOCUMENTATION = wordSet(
  'asyncapi.com commonmark.org developer.mozilla.org iana.org ietf.org iso.org json-schema.org ' +
    'openapis.org rfc-editor.org schema.org semver.org unicode.org w3.org whatwg.org wikipedia.org',
);

/**
 * Registrable domains of the base URLs of a service, such as `example.co.uk` for `https://api.example.co.uk/v1`.
 *
 * Uses the Public Suffix List with its private part: on a shared host only the vendor's own name counts, such as
 * `notes.github.io`.
 */
export function vendorDomains({ members, tools }: ServiceSurface): ReadonlySet<string> {
  const servers = Array.isArray(members.servers) ? members.servers.filter(isRecord) : [];
  const variables = servers.flatMap((server) =>
    Array.isArray(server.variables) ? server.variables.filter(isRecord) : [],
  );
  const urls = [
    ...servers.map(({ url }) => url),
    ...variables.map((variable) => variable.default),
    ...tools.map(({ operation }) => operation?.server),
  ];
  return new Set(urls.flatMap((url) => domainOf(String(url)) ?? []));
}

/** True for a URL of the vendor or of a publisher of specifications: over HTTP or HTTPS, without a user or a port. */
export function isKnownUrl(text: string, vendor: ReadonlySet<string>): boolean {
  const url = URL.parse(/^www\./i.test(text) ? `https://${text}` : text);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  if (url.username !== '' || url.password !== '' || url.port !== '') return false;
  const domain = domainOf(url.href);
  return domain !== null && (vendor.has(domain) || DOCUMENTATION.has(domain) || DOCUMENTATION.has(url.hostname));
}

/** Variables of a template are in the first labels of the host; a variable that is the whole URL has no domain. */
function domainOf(url: string): string | null {
  return getDomain(url.replaceAll(/\{[^}]*\}/g, 'x'), { allowPrivateDomains: true, validateHostname: true });
}
