/** The settings of the dashboard. */

import { z } from 'zod';
import { isLoopbackOrigin } from '../../base/http/loopback.ts';
import { type ConfigureContext, settingIn, type ValuesOf } from '../../config/setting.ts';
import {
  type ListenAddress,
  originAt,
  parseAdminSecret,
  parsedBy,
  parseListenAddress,
  parseOpenIdScope,
  parseProviderUrl,
  parsePublicUrl,
  wholeNumber,
} from '../../config/values.ts';
import { type OperatorProvider, parseOperatorRules } from './operator-rules.ts';

const row = settingIn('Dashboard');

/** The settings, by the name under which `toAdminSettings` reads the value. */
export const ADMIN_ROWS = {
  listen: row({
    variable: 'ADMIN_LISTEN',
    read: parsedBy(parseListenAddress),
    defaultText: 'none: the dashboard is at PUBLIC_URL/admin',
    type: 'address:port',
    meaning: 'Address and port of a listener for the dashboard alone; /admin is then served only there.',
    example: '127.0.0.1:3001',
  }),
  url: row({
    variable: 'ADMIN_URL',
    read: parsedBy(parsePublicUrl),
    defaultText: 'http://127.0.0.1 at its port, when it listens on this machine only',
    type: 'origin',
    meaning: 'Origin under which browsers reach the listener of ADMIN_LISTEN.',
    example: 'https://admin.example.com',
  }),
  idleSeconds: row({
    variable: 'ADMIN_IDLE_MINUTES',
    read: wholeNumber(1, 1_440).transform((minutes) => minutes * 60),
    default: 60 * 60,
    defaultText: '60',
    meaning: "Minutes without a request after which an operator's session expires.",
    example: '15',
  }),
  issuer: row({
    variable: 'ADMIN_OPENID_ISSUER',
    read: parsedBy(parseProviderUrl),
    defaultText: 'none: operators sign in with secrets',
    type: 'URL',
    meaning: "Issuer of the company's OpenID provider, through which operators sign in to the dashboard.",
    example: 'https://login.example.com',
  }),
  clientId: row({
    variable: 'ADMIN_OPENID_CLIENT_ID',
    read: z.string(),
    type: 'text',
    meaning: 'The client_id of this gateway at the provider.',
    example: 'tool-gateway',
  }),
  clientSecret: row({
    variable: 'ADMIN_OPENID_CLIENT_SECRET',
    read: z.string(),
    type: 'text',
    meaning: 'The client secret of this gateway at the provider.',
    example: '"$(cat client-secret)"',
    secret: true,
  }),
  scope: row({
    variable: 'ADMIN_OPENID_SCOPE',
    read: parsedBy(parseOpenIdScope),
    default: 'openid email profile',
    type: 'scopes',
    meaning: 'Scopes to request, separated by spaces.',
    example: '"openid email groups"',
  }),
  look: row({
    variable: 'ADMIN_OPENID_LOOK',
    read: parsedBy(parseOperatorRules),
    default: [],
    defaultText: 'nobody',
    type: 'rules',
    meaning: 'Who may see the dashboard: verified e-mail addresses, @domains, or claim=value, separated by commas.',
    example: '@example.com',
  }),
  act: row({
    variable: 'ADMIN_OPENID_ACT',
    read: parsedBy(parseOperatorRules),
    default: [],
    defaultText: 'nobody',
    type: 'rules',
    meaning: 'Who may also act there, in the same form.',
    example: 'ada@example.com,groups=gateway-operators',
  }),
  secret: row({
    variable: 'ADMIN_SECRET',
    read: parsedBy(parseAdminSecret),
    defaultText: 'none: operators are added with utg operator, or come from ADMIN_OPENID_ISSUER',
    type: 'text',
    meaning:
      'The secret with which the operator "admin" signs in to the dashboard at /admin, for a first sign-in or in an emergency.',
    example: '"$(openssl rand -base64 24)"',
    secret: true,
  }),
} as const;

/** The settings that decide who may sign in, and for how long. */
export interface SignInSettings {
  /** Secret of the operator `admin`. Null if there is no such operator. */
  readonly secret: string | null;
  /** OpenID provider for operators. Null if there is no provider. */
  readonly openId: OperatorProvider | null;
  /** Time that an operator's session lasts without a request. */
  readonly idleSeconds: number;
}

/** The settings of the dashboard with all derived values. */
export interface AdminSettings extends SignInSettings {
  /** Address of its listener. Null if it has no listener. */
  readonly listen: ListenAddress | null;
  /** Its origin as browsers see it, without a final slash. */
  readonly url: string;
}

/** Resolves the settings that depend on others. */
export function toAdminSettings(values: ValuesOf<typeof ADMIN_ROWS>, context: ConfigureContext): AdminSettings {
  const { listen, url, secret, idleSeconds } = values;
  if (listen !== null && url === null && !isLoopbackOrigin(originAt(listen))) {
    context.onProblem('ADMIN_URL', 'must be set, because other machines can reach ADMIN_LISTEN');
  }
  if (listen === null && url !== null) {
    context.onProblem('ADMIN_LISTEN', 'must be set, because ADMIN_URL is the origin of its listener');
  }
  return {
    listen,
    url: url ?? (listen === null ? context.publicUrl : originAt(listen)),
    secret,
    openId: toProvider(values, context),
    idleSeconds,
  };
}

/** Returns the provider, or null if none is set. Reports a missing setting of the provider, and a setting without a provider. */
function toProvider(
  { issuer, clientId, clientSecret, scope, look, act }: ValuesOf<typeof ADMIN_ROWS>,
  { isInvalid, onProblem }: ConfigureContext,
): OperatorProvider | null {
  if (Object.values(ADMIN_ROWS).some(({ variable }) => variable.startsWith('ADMIN_OPENID_') && isInvalid(variable))) {
    return null;
  }
  const isAnySet = clientId !== null || clientSecret !== null || look.length + act.length > 0;
  const missing = (variable: string, why: string) => onProblem(variable, `must be set, because ${why}`);
  if (issuer === null) {
    if (isAnySet) missing('ADMIN_OPENID_ISSUER', 'other settings of the provider are');
    return null;
  }
  if (clientId === null) missing('ADMIN_OPENID_CLIENT_ID', 'ADMIN_OPENID_ISSUER is');
  if (clientSecret === null) missing('ADMIN_OPENID_CLIENT_SECRET', 'ADMIN_OPENID_ISSUER is');
  if (look.length + act.length === 0) missing('ADMIN_OPENID_ACT', 'no one could sign in otherwise');
  if (clientId === null || clientSecret === null) return null;
  return { issuer, clientId, clientSecret, scope, rules: { look, act } };
}
