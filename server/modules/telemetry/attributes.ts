/** Values of attributes: only a few for each, whatever a caller sends. */

/** Stands for any other value (OpenTelemetry, semantic conventions). */
export const OTHER = '_OTHER';

const HTTP_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH', 'QUERY']);

/** Methods that the endpoint knows; all others are refused. */
const MCP_METHODS = new Set([
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'tools/call',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
]);

/** The method of an HTTP request. */
export function httpMethodOf(method: string | undefined): string {
  return method !== undefined && HTTP_METHODS.has(method) ? method : OTHER;
}

/** The method of a message. */
export function mcpMethodOf(method: string | null): string {
  return method !== null && MCP_METHODS.has(method) ? method : OTHER;
}

/** Address and port of a server, for `server.address` and `server.port`. */
export function toServer(origin: string): { readonly address: string; readonly port: number } {
  const { hostname: address, port, protocol } = new URL(origin);
  return { address, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) };
}
