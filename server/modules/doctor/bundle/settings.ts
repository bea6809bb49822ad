/**
 * Settings as a support bundle shows them: only values of listed names, so that a new setting is never shown by accident.
 */

import { ConfigError, loadConfig } from '../../../config/index.ts';
import { type SettingsHere, variablesOf } from '../settings.ts';

/** Their values are numbers, words of a closed list, or addresses that clients and networks know anyway. */
const SHOWN: ReadonlySet<string> = new Set([
  'PUBLIC_URL',
  'PORT',
  'HOST',
  'TRUST_PROXY',
  'ALLOWED_ORIGINS',
  'PRIVATE_USE_REDIRECT_SCHEMES',
  'CLIENT_REGISTRATION',
  'MAX_UNUSED_CLIENTS',
  'REGISTRATIONS_PER_MINUTE',
  'REFUSED_REQUESTS_PER_MINUTE',
  'PARTNER_REQUESTS_PER_MINUTE',
  'CONSENT',
  'MAX_GRANT_DAYS',
  'REFRESH_HOLD_MS',
  'REFRESH_RETRY_SECONDS',
  'CLIENT_ID_METADATA_DOCUMENTS',
  'LOG_LEVEL',
  'MAX_BODY_BYTES',
  'MAX_RESULT_BYTES',
  'RESULT_TOKENS',
  'CATALOGUE_MODE',
  'LIST_PAGE_TOOLS',
  'TOOL_PAGES',
  'UPSTREAM_TIMEOUT_MS',
  'UPSTREAM_CONCURRENCY',
  'PLAIN_HTTP_UPSTREAMS',
  'OUTGOING_NETWORKS',
  'TOOL_CALLS_PER_MINUTE',
  'CALL_RECORD_RETENTION_DAYS',
  'COUNT_USAGE',
  'ANONYMOUS_EVENT_RETENTION_DAYS',
  'STOP_TIMEOUT_MS',
  'ADMIN_LISTEN',
  'ADMIN_URL',
  'ADMIN_IDLE_MINUTES',
  'ADMIN_SESSION_HOURS',
  'METRICS_LISTEN',
  'TRACEPARENT_SERVICES',
  'OTEL_SDK_DISABLED',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_COMPRESSION',
  'OTEL_EXPORTER_OTLP_TIMEOUT',
  'OTEL_TRACES_EXPORTER',
  'OTEL_METRICS_EXPORTER',
  'OTEL_METRIC_EXPORT_INTERVAL',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_PROPAGATORS',
]);

const HIDDEN = '(set)';
const FAULTY = '(set, cannot be used)';

/** Values that are set, by name; variables that the gateway does not read are left out. */
export function toShownSettings(here: SettingsHere): Record<string, string> {
  const faulty = findFaulty(here);
  return Object.fromEntries(
    variablesOf(here).flatMap((name) => {
      const value = here.env[name];
      if (value === undefined || value === '') return [];
      return [[name, faulty.has(name) ? FAULTY : SHOWN.has(name) ? value : HIDDEN]];
    }),
  );
}

/** An invalid setting may contain any text. */
function findFaulty(here: SettingsHere): ReadonlySet<string> {
  try {
    loadConfig(here);
    return new Set();
  } catch (problem) {
    if (!(problem instanceof ConfigError)) throw problem;
    return new Set(problem.problems.map(({ variable }) => variable));
  }
}
