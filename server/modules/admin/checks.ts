/** Checks of the ways in which operators sign in. */

import { type Check, type CheckResult, error, ok, skipped, warning } from '../../base/checks.ts';
import { ask, NoAnswerError, type Reach } from '../../base/guarded-fetch/reach.ts';
import type { Store } from '../../base/store/index.ts';
import type { CheckContext } from '../../module.ts';
import type { AdminSettings } from './settings.ts';

/** Returns the checks of the dashboard for `utg doctor`. */
export function checksOfAdmin({ store, reach }: CheckContext, settings: AdminSettings): Check[] {
  return [
    { name: 'dashboard', run: () => checkSignIn(settings, store) },
    { name: 'OpenID provider', run: (signal) => checkOpenId(settings, reach, signal) },
  ];
}

async function checkSignIn(
  { secret: adminSecret, openId: adminOpenId }: AdminSettings,
  store: Store | null,
): Promise<CheckResult[]> {
  const countRow = await store?.db
    .selectFrom('operators')
    .select(({ fn }) => fn.countAll<number>().as('number'))
    .executeTakeFirst();
  const operatorCount = Number(countRow?.number ?? 0);
  if (operatorCount === 0 && adminSecret === null && adminOpenId === null) {
    return [skipped('no one can sign in to the dashboard (utg operator add --name <name> --role act)')];
  }
  if (adminSecret !== null && (operatorCount > 0 || adminOpenId !== null)) {
    return [
      warning(
        'ADMIN_SECRET is set although operators have their own sign-in',
        'remove it, so that the audit trail names people',
      ),
    ];
  }
  return [ok('operators can sign in to the dashboard')];
}

/** OpenID Connect Discovery §4.3. */
async function checkOpenId({ openId }: AdminSettings, { guarded }: Reach, signal: AbortSignal): Promise<CheckResult[]> {
  if (openId === null) return [];
  const { issuer } = openId;
  const variable = 'ADMIN_OPENID_ISSUER';
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  try {
    const { status, json } = await ask(guarded, url, { signal });
    const metadata = (json ?? {}) as { issuer?: unknown; authorization_endpoint?: unknown; token_endpoint?: unknown };
    if (status !== 200) return [error(`the OpenID provider answers ${status} to discovery`, `correct ${variable}`)];
    if (metadata.issuer !== issuer) {
      return [
        error(
          'the OpenID provider names another issuer',
          `set ${variable} to what its discovery document says, character by character`,
        ),
      ];
    }
    if (typeof metadata.authorization_endpoint !== 'string' || typeof metadata.token_endpoint !== 'string') {
      return [error('the discovery document of the OpenID provider lacks endpoints', `correct ${variable}`)];
    }
    return [ok('the OpenID provider answers, and names the same issuer')];
  } catch (problem) {
    if (!(problem instanceof NoAnswerError)) throw problem;
    const fix = `correct ${variable}, DNS or OUTGOING_NETWORKS`;
    return [{ ...error(`the OpenID provider does not answer: ${problem.message}`, fix), names: [new URL(url).host] }];
  }
}
