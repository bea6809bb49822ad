/** Reads the OpenID provider for operators from its settings. */

import type { OperatorProvider } from '../base/principal/operator-rules.ts';
import type { Settings } from './variables.ts';

/** Null: there is none. A missing setting of the provider, or a setting without a provider, is a problem. */
export function toProvider(
  settings: Settings,
  onProblem: (variable: keyof Settings, problem: string) => void,
): OperatorProvider | null {
  const { ADMIN_OPENID_ISSUER: issuer, ADMIN_OPENID_CLIENT_ID: clientId } = settings;
  const { ADMIN_OPENID_CLIENT_SECRET: clientSecret, ADMIN_OPENID_LOOK: look, ADMIN_OPENID_ACT: act } = settings;
  const isAnySet = clientId !== undefined || clientSecret !== undefined || look.length + act.length > 0;
  const missing = (name: keyof Settings, why: string) => onProblem(name, `must be set, because ${why}`);
  if (issuer === undefined) {
    if (isAnySet) missing('ADMIN_OPENID_ISSUER', 'other settings of the provider are');
    return null;
  }
  if (clientId === undefined) missing('ADMIN_OPENID_CLIENT_ID', 'ADMIN_OPENID_ISSUER is');
  if (clientSecret === undefined) missing('ADMIN_OPENID_CLIENT_SECRET', 'ADMIN_OPENID_ISSUER is');
  if (look.length + act.length === 0) missing('ADMIN_OPENID_ACT', 'no one could sign in otherwise');
  if (clientId === undefined || clientSecret === undefined) return null;
  return { issuer, clientId, clientSecret, scope: settings.ADMIN_OPENID_SCOPE, rules: { look, act } };
}
