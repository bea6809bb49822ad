/** Values of attributes, limited to a few for each attribute, whatever a caller sends. */

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

/** Returns the method of an HTTP request, or `_OTHER`. */
export function httpMethodOf(method: string | undefined): string {
  return method !== undefined && HTTP_METHODS.has(method) ? method : OTHER;
}

/** Returns the method of a message, or `_OTHER`. */
export function mcpMethodOf(method: string | null): string {
  return method !== null && MCP_METHODS.has(method) ? method : OTHER;
}

/** Returns address and port of a server, for `server.address` and `server.port`. */
export function toServer(origin: string): { readonly address: string; readonly port: number } {
  const { hostname: address, port, protocol } = new URL(origin);
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return { address, port: port === '' ? defaultPort : Number(port) };
}
