/** Requests of a typed client in a hand-written tool: finds their operation, and builds what is sent. */

import type { Connector, Tool } from '../../../contract/index.ts';
import type { RawRequest, UpstreamAnswer } from '../../upstream/index.ts';

/** Headers that the gateway sets; values from the tool's code are not sent. */
const OWN_HEADERS = new Set([
  ...['authorization', 'cookie', 'host', 'user-agent', 'accept-encoding', 'content-length'],
  ...['connection', 'transfer-encoding', 'keep-alive', 'te', 'trailer', 'upgrade', 'expect', 'proxy-authorization'],
]);

/** Statuses whose responses have no body (Fetch, "null body status"). */
const BODILESS = new Set([204, 205, 304]);

/**
 * Finds the generated tool whose operation a request calls; of several, the one with the most literal segments.
 *
 * Null if there is none, if query or headers select another operation of the same path, or if a segment is a literal of
 * an operation without a tool.
 */
export function findCalled({ tools }: Connector, method: string, pathname: string): Tool | null {
  const given = pathname.split('/');
  const fitting = tools.filter(
    ({ operation }) => operation.method === method && fits(pathOf(operation).split('/'), given),
  );
  const [tool] = fitting.sort((a, b) => literals(b) - literals(a));
  if (tool === undefined) return null;
  const isAmong = ({ operation }: Tool) =>
    operation.target !== undefined && pathOf(operation) === pathOf(tool.operation);
  if (fitting.some(isAmong)) return null;
  const reserved = new Set(Object.values(tool.reservedSegments ?? {}).flatMap((words) => words.map(lowerCase)));
  const template = pathOf(tool.operation).split('/');
  const isReserved = given.some((segment, at) => isVariable(template[at]) && reserved.has(lowerCase(decoded(segment))));
  return isReserved ? null : tool;
}

/** The parts of a request that are sent: path, query, body, and headers that the gateway does not set. */
export async function toRawRequest(request: Request): Promise<RawRequest> {
  const { pathname, search } = new URL(request.url);
  const headers = [...request.headers].filter(([name]) => !OWN_HEADERS.has(name));
  const body = request.body === null ? null : Buffer.from(await request.arrayBuffer());
  return { target: pathname + search, headers: Object.fromEntries(headers), body };
}

/** The answer with only its content type: other upstream headers may hold data that the tool's code must not see. */
export function toResponse({ status, body, header }: UpstreamAnswer): Response {
  const contentType = header('content-type');
  const headers = contentType === null ? {} : { 'content-type': contentType };
  return new Response(BODILESS.has(status) ? null : new Uint8Array(body), { status, headers });
}

function fits(template: readonly string[], given: readonly string[]): boolean {
  return (
    template.length === given.length &&
    template.every((segment, at) => (isVariable(segment) ? given[at] !== '' : segment === given[at]))
  );
}

function pathOf({ path, target }: Tool['operation']): string {
  return target?.path ?? path;
}

function literals({ operation }: Tool): number {
  return pathOf(operation)
    .split('/')
    .filter((segment) => !isVariable(segment)).length;
}

function isVariable(segment: string | undefined): boolean {
  return segment?.includes('{') === true;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}
