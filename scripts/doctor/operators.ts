/** Checks what operators use: the dashboard, its OpenID provider, the listener for metrics. */

import type { Store } from '../../server/base/store/index.ts';
import type { Config } from '../../server/config/index.ts';
import { settingsOf } from '../../server/module.ts';
import { admin } from '../../server/modules/admin/module.ts';
import { telemetry } from '../../server/modules/telemetry/module.ts';
import { error, ok, type Seen, skipped, warning } from './finding.ts';
import { ask, NoAnswerError, type Reach } from './network.ts';

/** @param store null: not readable. */
export async function checkSignIn(config: Config, store: Store | null): Promise<Seen[]> {
  const { secret: adminSecret = null, openId: adminOpenId = null } = settingsOf(config, admin) ?? {};
  const named = await store?.db
    .selectFrom('operators')
    .select(({ fn }) => fn.countAll<number>().as('number'))
    .executeTakeFirst();
  const number = Number(named?.number ?? 0);
  if (number === 0 && adminSecret === null && adminOpenId === null) {
    return [skipped('no one can sign in to the dashboard (utg operator add --name <name> --role act)')];
  }
  if (adminSecret !== null && (number > 0 || adminOpenId !== null)) {
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
export async function checkOpenId(config: Config, { guarded }: Reach, signal: AbortSignal): Promise<Seen[]> {
  const adminOpenId = settingsOf(config, admin)?.openId ?? null;
  if (adminOpenId === null) return [];
  const { issuer } = adminOpenId;
  const variable = 'ADMIN_OPENID_ISSUER';
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  try {
    const { status, json } = await ask(guarded, url, { signal });
    const found = (json ?? {}) as { issuer?: unknown; authorization_endpoint?: unknown; token_endpoint?: unknown };
    if (status !== 200) return [error(`the OpenID provider answers ${status} to discovery`, `correct ${variable}`)];
    if (found.issuer !== issuer) {
      return [
        error(
          'the OpenID provider names another issuer',
          `set ${variable} to what its discovery document says, character by character`,
        ),
      ];
    }
    if (typeof found.authorization_endpoint !== 'string' || typeof found.token_endpoint !== 'string') {
      return [error('the discovery document of the OpenID provider lacks endpoints', `correct ${variable}`)];
    }
    return [ok('the OpenID provider answers, and names the same issuer')];
  } catch (problem) {
    if (!(problem instanceof NoAnswerError)) throw problem;
    const fix = `correct ${variable}, DNS or OUTGOING_NETWORKS`;
    return [{ ...error(`the OpenID provider does not answer: ${problem.message}`, fix), names: [new URL(url).host] }];
  }
}

/** Checks from this machine, which may not be able to reach the listener. */
export async function checkMetrics(config: Config, { anywhere }: Reach, signal: AbortSignal): Promise<Seen[]> {
  const { metricsListen = null } = settingsOf(config, telemetry) ?? {};
  if (metricsListen === null) return [];
  const { host, port } = metricsListen;
  const here = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const url = `http://${here.includes(':') ? `[${here}]` : here}:${port}/metrics`;
  try {
    const { status, text } = await ask(anywhere, url, { signal });
    if (status === 200 && text.includes('process_uptime_seconds')) return [ok('/metrics answers at METRICS_LISTEN')];
    return [
      error(`what answers at METRICS_LISTEN is not the gateway (${status})`, 'set METRICS_LISTEN to a free port'),
    ];
  } catch (problem) {
    if (!(problem instanceof NoAnswerError)) throw problem;
    return [warning('nothing answers at METRICS_LISTEN', 'start the gateway, or run this on its machine')];
  }
}
