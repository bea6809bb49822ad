/** Which paths the gateway answers, for an application that embeds it. */

/** First segments, or whole paths, of everything but `/`, `/tools` and `/llms.txt`, which an application keeps for itself. */
export const GATEWAY_PATHS = [
  '/.well-known',
  '/admin',
  '/api/mcp',
  '/api/oauth',
  '/api/openapi.yaml',
  '/api/partner',
  '/brand',
  '/connect',
  '/connect.js',
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
