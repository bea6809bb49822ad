/** Rules for who may sign in to the dashboard, by the claims of the company's OpenID provider. */

import type { OperatorRole } from '../../base/dashboard/pages.ts';
import type { OpenIdClaims, OpenIdProvider } from '../../base/http/openid-client.ts';

/** Matches a person by verified e-mail address, by its domain, or by the value of a claim. */
export type OperatorRule =
  | { readonly kind: 'email' | 'domain'; readonly value: string }
  | { readonly kind: 'claim'; readonly claim: string; readonly value: string };

/** The rules of each role. */
type OperatorRules = Readonly<Record<OperatorRole, readonly OperatorRule[]>>;

/** The company's OpenID provider, and the rules for who may sign in. */
export interface OperatorProvider extends OpenIdProvider {
  readonly rules: OperatorRules;
}

/**
 * Reads rules, separated by commas: `ada@example.com`, `@example.com`, `groups=gateway-operators`.
 *
 * @throws {Error} whose message follows the setting's name.
 */
export function parseOperatorRules(text: string): OperatorRule[] {
  return text.split(',').map((ruleText): OperatorRule => {
    const rule = ruleText.trim();
    const [, claim = '', value = ''] = /^([^=@\s]+)=(\S.*)$/.exec(rule) ?? [];
    if (claim !== '' && !/^email/.test(claim)) return { kind: 'claim', claim, value };
    if (/^@[^@\s]+$/.test(rule)) return { kind: 'domain', value: rule.slice(1).toLowerCase() };
    if (/^[^@=\s]+@[^@\s]+$/.test(rule)) return { kind: 'email', value: rule.toLowerCase() };
    throw new Error(
      'must be e-mail addresses, @domains, or claim=value of another claim than email, separated by commas',
    );
  });
}

/** Returns the widest role whose rules let the person in, or null. */
export function operatorRoleOf(claims: OpenIdClaims, rules: OperatorRules): OperatorRole | null {
  const matches = (rule: OperatorRule) => isMatch(claims, rule);
  if (rules.act.some(matches)) return 'act';
  return rules.look.some(matches) ? 'look' : null;
}

/**
 * Returns the e-mail address in lower case if the provider verified it, or else null. An address that is not verified proves nothing, because its
 * holder may have typed any.
 */
export function verifiedEmailOf({ email, email_verified: isVerified }: OpenIdClaims): string | null {
  return typeof email === 'string' && isVerified === true ? email.toLowerCase() : null;
}

function isMatch(claims: OpenIdClaims, rule: OperatorRule): boolean {
  if (rule.kind === 'claim') {
    const claimValue = Object.hasOwn(claims, rule.claim) ? claims[rule.claim] : undefined;
    return Array.isArray(claimValue) ? claimValue.includes(rule.value) : claimValue === rule.value;
  }
  const email = verifiedEmailOf(claims);
  return email !== null && (rule.kind === 'email' ? email : email.slice(email.lastIndexOf('@') + 1)) === rule.value;
}
