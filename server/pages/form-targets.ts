/** Where the consent page's form may lead, for its Content Security Policy. */

/** What a host-source of a policy can hold (CSP Level 3 §2.3.1): no IPv6 address, and nothing that ends a directive. */
const ORIGIN = /^https?:\/\/[a-z0-9.-]+(:\d+)?$/;

/**
 * The source expressions that let the answer reach a redirect URI.
 *
 * Chromium holds every redirect that follows a form against `form-action`: the one to the client, and those that the
 * client's callback page answers with. So the redirect URI's origin is named (its scheme where a policy cannot name the
 * origin), and https for callbacks that lead on to a page of the client's.
 *
 * @param redirectUri verified.
 */
export function formTargetsOf(redirectUri: string): readonly string[] {
  const { origin, protocol } = new URL(redirectUri);
  const target = ORIGIN.test(origin) ? origin : protocol;
  return target.startsWith('https:') ? ['https:'] : [target, 'https:'];
}
