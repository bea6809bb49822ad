/** Metrics, traces and logs. */

import { loadWithPeers } from '../../base/optional-packages.ts';
import { defineModule } from '../../module.ts';
import { TELEMETRY_ROWS, toTelemetry } from './settings.ts';

export const telemetry = defineModule({
  name: 'telemetry',
  summary:
    'Metrics for Prometheus and OpenTelemetry, traces, and audit events as logs. It is loaded only where the settings ask for it.',
  settings: TELEMETRY_ROWS,
  configure: toTelemetry,
  checks: async (context, settings) => (await import('./checks.ts')).checksOfTelemetry(context, settings),
  async watch({ config: { publicUrl }, log, product, workers }, settings) {
    if (settings === null) return null;
    const needs = { setting: 'A setting of metrics, traces or logs', scope: '@opentelemetry/' };
    const { createTelemetry } = await loadWithPeers(needs, () => import('./index.ts'));
    return createTelemetry({ settings, product, publicUrl, log, workers });
  },
});
