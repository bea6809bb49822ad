/** Metrics and traces. */

import { defineModule } from '../../module.ts';
import { TELEMETRY_ROWS, toTelemetry } from './settings.ts';

export const telemetry = defineModule({
  name: 'telemetry',
  summary: 'Metrics for Prometheus and OpenTelemetry, and traces. It is loaded only where the settings ask for it.',
  settings: TELEMETRY_ROWS,
  configure: toTelemetry,
  checks: async (context, settings) => (await import('./checks.ts')).checksOfTelemetry(context, settings),
  async watch({ config: { publicUrl }, log, product, workers }, settings) {
    if (settings === null) return null;
    const { createTelemetry } = await import('./index.ts');
    return createTelemetry({ settings, product, publicUrl, log, workers });
  },
});
