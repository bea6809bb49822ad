/** Targets of the consent page's form, for the Content Security Policy. */

/** A host-source of a policy (CSP Level 3 §2.3.1): no IPv6 address, and nothing that could end a directive. */
const ORIGIN = /^https?:\/\/[a-z0-9.-]+(:\d+)?$/;

/** Tells whether a policy can name this origin. */
export function isHostSource(origin: string): boolean {
  return ORIGIN.test(origin);
}

/**
 * The source expressions that let the answer reach a redirect URI.
 *
 * Chromium checks every redirect that follows a form against `form-action`: the redirect to the client, and those of the
 * client's callback page. So the policy names the redirect URI's origin (its scheme if a policy cannot name the
 * origin), and https for callbacks that redirect to another page of the client.
 *
 * @param redirectUri verified.
 */
export function formTargetsOf(redirectUri: string): readonly string[] {
  const { origin, protocol } = new URL(redirectUri);
  const target = isHostSource(origin) ? origin : protocol;
  return target.startsWith('https:') ? ['https:'] : [target, 'https:'];
}
