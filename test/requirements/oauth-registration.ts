/** Dynamic client registration: what a client may declare, and what it gets. */

import type { Requirement } from './requirement.ts';

export const REGISTRATION = [
  {
    id: 'rfc7591-3.1-json',
    source: 'RFC 7591 §3.1',
    behaviour: 'A registration is a JSON object that is sent with POST.',
  },
  {
    id: 'rfc7591-2-redirect-uris',
    source: 'RFC 7591 §2',
    behaviour: 'A client registers its redirect URIs, at least one.',
  },
  { id: 'rfc7591-2-unknown', source: 'RFC 7591 §2', behaviour: 'Members that are not known are ignored.' },
  {
    id: 'rfc7591-3.2.1-default-method',
    source: 'RFC 7591 §3.2.1',
    behaviour: 'A client that names no authentication method is registered with `none`, and the answer says so.',
  },
  {
    id: 'rfc7591-2-consistent',
    source: 'RFC 7591 §2.1',
    behaviour: 'Grant types and response types without a code are refused.',
  },
  {
    id: 'rfc7591-3.2.1-answer',
    source: 'RFC 7591 §3.2.1',
    behaviour:
      'The answer is 201 with the client id and everything that was registered, including what was decided for the client.',
  },
  {
    id: 'rfc7591-3.2.1-unique',
    source: 'RFC 7591 §3.2.1',
    behaviour: 'Every registration gets a client id and a secret of its own.',
  },
  {
    id: 'rfc7591-3.2.1-secret',
    source: 'RFC 7591 §3.2.1',
    behaviour: 'A secret comes with the time of its end, which is 0 for none.',
  },
  { id: 'rfc7591-3.2.1-no-store', source: 'RFC 7591 §3.2.1', behaviour: 'The answer is kept by nobody.' },
  { id: 'rfc7591-3.2.1-no-null', source: 'RFC 7591 §3.2.1', behaviour: 'No member of the answer is null.' },
  {
    id: 'rfc7591-3.2.2-redirect-uri',
    source: 'RFC 7591 §3.2.2',
    behaviour:
      'A redirect URI that is broken, or of a scheme that no client may use, is 400 `invalid_redirect_uri` and registers nothing; so is a registration of which no redirect URI is accepted.',
  },
  {
    id: 'rfc7591-3.2.1-replaced',
    source: 'RFC 7591 §3.2.1',
    behaviour:
      'Of several redirect URIs those that are accepted are registered; the answer holds these, and names the others with a reason.',
  },
  {
    id: 'rfc7591-3.2.2-metadata',
    source: 'RFC 7591 §3.2.2',
    behaviour: 'Metadata that is not accepted is 400 `invalid_client_metadata`, and registers nothing.',
  },
  {
    id: 'rfc7591-5-limits',
    source: 'RFC 7591 §5',
    behaviour: 'Registrations are limited per address, over all addresses, and in size.',
  },
  {
    id: 'rfc7591-5-expiry',
    source: 'RFC 7591 §5',
    behaviour: 'Registrations that nobody used end after a day, or when there are too many; used ones never.',
  },
  {
    id: 'rfc8414-2-registration-off',
    source: 'RFC 8414 §2',
    behaviour: 'Where nobody may register, the metadata names no registration endpoint, and the endpoint refuses.',
  },
  {
    id: 'rfc7591-3.2.2-hosts',
    source: 'RFC 7591 §3.2.2',
    behaviour: 'Where the operator lists hosts, other redirect URIs are not registered.',
  },
  {
    id: 'rfc7591-5-shown',
    source: 'RFC 7591 §5',
    behaviour:
      'What a client calls itself cannot deceive: text that turns around, or breaks the page, is refused or escaped.',
  },
  { id: 'rfc7591-3-browser', source: 'RFC 7591 §3', behaviour: 'A client in a browser can register.' },
  {
    id: 'rfc6749-3.1.2-fragment',
    source: 'RFC 6749 §3.1.2',
    behaviour: 'A redirect URI is absolute and has no fragment.',
  },
  {
    id: 'rfc8252-8.4-public',
    source: 'RFC 8252 §8.4, §8.5',
    behaviour: 'A native client can register without a secret.',
  },
  {
    id: 'rfc8252-7.3-register',
    source: 'RFC 8252 §7.3',
    behaviour: 'A loopback redirect URI can be registered with any port, or none.',
  },
  {
    id: 'rfc8252-7.1-register',
    source: 'RFC 8252 §7.1',
    behaviour:
      'A private-use scheme can be registered where the operator allows it; known callbacks of real clients, character by character, everywhere.',
  },
  {
    id: 'mcp-redirect-https',
    source: 'MCP 2026-07-28, Communication Security',
    behaviour: 'A redirect URI is https, or http on this machine.',
  },
  {
    id: 'mcp-redirect-schemes',
    source: 'MCP Security Best Practices',
    behaviour: 'Schemes that run code or read files are refused, whatever the settings.',
  },
  {
    id: 'mcp-application-type',
    source: 'MCP 2026-07-28, Dynamic Client Registration',
    behaviour: '`application_type` is registered as the client says, or as its redirect URIs show.',
  },
  {
    id: 'rfc7591-2-jwks',
    source: 'RFC 7591 §2',
    behaviour: 'A client that authenticates with a key registers public keys, in one of two ways.',
  },
  {
    id: 'rfc7591-2-jwks-uri',
    source: 'RFC 7591 §2',
    behaviour: 'Keys at an address are fetched, kept for a while, and fetched again when an unknown one is used.',
  },
] as const satisfies readonly Requirement[];

/** Clients whose id is the URL of their metadata document. */
export const CLIENT_DOCUMENTS = [
  {
    id: 'cimd-advertised',
    source: 'CIMD (IETF draft), Authorization Server Metadata',
    behaviour: 'The metadata says whether documents are taken.',
  },
  {
    id: 'cimd-setting',
    source: 'CIMD (IETF draft), Authorization Server Metadata',
    behaviour: 'Where documents are not taken, none is fetched, and their clients are unknown.',
  },
  {
    id: 'cimd-client-id',
    source: 'CIMD (IETF draft), Client Identifier URL',
    behaviour:
      'A client id is an https URL with a path, without user, fragment and dot segments, written as URLs are when they are parsed.',
  },
  {
    id: 'cimd-fetch',
    source: 'CIMD (IETF draft), Client Information Discovery',
    behaviour: 'A client that nobody registered signs in with the URL of its document.',
  },
  {
    id: 'cimd-document',
    source: 'CIMD (IETF draft), Client ID Metadata Document',
    behaviour: 'A document names its own URL, byte for byte, and neither a secret nor a method that needs one.',
  },
  {
    id: 'cimd-redirect-uri',
    source: 'CIMD (IETF draft), Redirect URL Registration',
    behaviour: 'Only redirect URIs that the document names are accepted.',
  },
  {
    id: 'cimd-authentication',
    source: 'CIMD (IETF draft), Client Authentication',
    behaviour: 'A document with keys makes a client that must use them.',
  },
  {
    id: 'cimd-guard',
    source: 'CIMD (IETF draft), Server Side Request Forgery (SSRF) Attacks',
    behaviour: 'What is fetched is on a public address, small, in time, JSON, and without a redirect.',
  },
  {
    id: 'cimd-cache',
    source: 'CIMD (IETF draft), Metadata Caching',
    behaviour: 'A document is kept as its headers say, from a minute to a day; failures are not kept.',
  },
  {
    id: 'cimd-changed',
    source: 'CIMD (IETF draft), Changes in Client Metadata',
    behaviour: 'An address that a document no longer names gets no code, and what went there before ends.',
  },
  {
    id: 'cimd-outage',
    source: 'CIMD (IETF draft), Metadata Discovery Errors',
    behaviour: 'A document that cannot be read lets nobody sign in, and ends no session for a week.',
  },
  {
    id: 'cimd-shown-host',
    source: 'CIMD (IETF draft), OAuth Phishing Attacks',
    behaviour: 'The consent page shows the host of the client id as verified, and the name as not.',
  },
] as const satisfies readonly Requirement[];
