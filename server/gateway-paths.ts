/** The paths that the gateway answers, for an application that embeds it. */

/** Path of the MCP endpoint; the resource indicator is the public origin plus this path. */
export const MCP_PATH = '/api/mcp/unified';

/** First segments, or whole paths, of everything but `/`, `/tools` and `/llms.txt`, which an application keeps for itself. */
export const GATEWAY_PATHS = [
  '/.well-known',
  '/admin',
  '/api/events',
  '/api/mcp',
  '/api/oauth',
  '/api/openapi.yaml',
  '/api/partner',
  '/api/uploads',
  '/brand',
  '/connect',
  '/connect.js',
  '/docs/api',
  '/healthz',
  '/me',
  '/readyz',
  '/services',
] as const;

const OWN = new RegExp(`^(?:${GATEWAY_PATHS.map((path) => path.replaceAll('.', '\\.')).join('|')})(?:[/?#]|$)`, 'i');

/** @param target `request.url` as Node gives it, such as `/connect/crm?state=1`. */
export function isGatewayPath(target: string): boolean {
  return OWN.test(target);
}
