/** Checks the listener for metrics. */

import { type Check, type CheckResult, error, ok, warning } from '../../base/checks.ts';
import { ask, NoAnswerError, type Reach } from '../../base/guarded-fetch/reach.ts';
import { type ListenAddress, originAt } from '../../config/values.ts';
import type { CheckContext } from '../../module.ts';
import type { TelemetrySettings } from './settings.ts';

/** Addresses of this machine, by the address that stands for all of them. */
const LOOPBACK_OF_ANY: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Returns the checks of `utg doctor`. @param settings null if telemetry is switched off. */
export function checksOfTelemetry({ reach }: CheckContext, settings: TelemetrySettings | null): Check[] {
  const listen = settings?.metricsListen ?? null;
  return listen === null ? [] : [{ name: 'metrics', run: (signal) => checkMetrics(listen, reach, signal) }];
}

/** Checks from this machine, which may not be able to reach the listener. */
async function checkMetrics(
  { host, port }: ListenAddress,
  { anywhere }: Reach,
  signal: AbortSignal,
): Promise<CheckResult[]> {
  const localHost = LOOPBACK_OF_ANY[host] ?? host;
  const url = `${originAt({ host: localHost, port })}/metrics`;
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
