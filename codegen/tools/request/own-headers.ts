/**
 * Headers that the gateway or HTTP itself fills: an argument for them would be overwritten or contradict the request.
 */

/**
 * Headers by lower-case name, with the source of the value as the end of "is sent as". Null for a header that is never sent, so that an operation
 * that needs it has no tool.
 */
const OWN_HEADERS: Readonly<Record<string, string | null>> = {
  'accept-encoding': 'the content codings that the gateway reads',
  connection: 'HTTP needs it',
  'content-encoding': null,
  'content-length': 'the size of the body',
  cookie: null,
  expect: null,
  host: 'the host of the base URL',
  'keep-alive': null,
  'proxy-authorization': null,
  'proxy-connection': null,
  te: null,
  trailer: null,
  'transfer-encoding': null,
  upgrade: null,
  'user-agent': 'the name and version of the gateway',
};

/** Returns words for the value of a header that the gateway fills, for messages; null if the header is never sent, and undefined if the caller fills it. */
export function ownHeader(name: string): string | null | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(OWN_HEADERS, key) ? OWN_HEADERS[key] : undefined;
}
