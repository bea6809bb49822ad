/** The group of each setting, and what its text must be: for the page of settings. */

import type { Settings } from './variables.ts';

/** Headings of the page, in order. */
export const GROUPS = [
  'Address',
  'Store and keys',
  'Clients and grants',
  'Tools and results',
  'Upstreams',
  'Limits',
  'Dashboard',
  'Records and logs',
  'Metrics and traces',
] as const;
export type Group = (typeof GROUPS)[number];

/** Numbers and choices describe themselves; every other setting needs `type`. */
interface Place {
  readonly group: Group;
  readonly type?: string;
}

const place = (group: Group, type?: string): Place => ({ group, ...(type === undefined ? {} : { type }) });

const ORIGIN = 'origin';
const URL_TEXT = 'URL';
const LISTENER = 'address:port';
const NETWORKS = 'addresses and CIDR ranges';

/** By variable: a variable without an entry does not compile. */
export const PLACES: Readonly<Record<keyof Settings, Place>> = {
  PUBLIC_URL: place('Address', ORIGIN),
  PORT: place('Address'),
  HOST: place('Address', 'address'),
  TRUST_PROXY: place('Address', NETWORKS),
  ALLOWED_ORIGINS: place('Address', 'origins'),
  SECURITY_CONTACT: place('Address', 'URLs'),
  STOP_TIMEOUT_MS: place('Address'),
  DATABASE_URL: place('Store and keys', 'sqlite: or postgres: URL'),
  ENCRYPTION_KEYS: place('Store and keys', 'id:base64, ...'),
  LIMITS_REDIS_URL: place('Store and keys', 'redis: or rediss: URL'),
  CLIENT_REGISTRATION: place('Clients and grants', 'open, off or hosts'),
  CLIENT_ID_METADATA_DOCUMENTS: place('Clients and grants'),
  PRIVATE_USE_REDIRECT_SCHEMES: place('Clients and grants', 'schemes'),
  MAX_UNUSED_CLIENTS: place('Clients and grants'),
  MAX_GRANT_DAYS: place('Clients and grants'),
  REFRESH_HOLD_MS: place('Clients and grants'),
  REFRESH_RETRY_SECONDS: place('Clients and grants'),
  CATALOGUE_MODE: place('Tools and results'),
  LIST_PAGE_TOOLS: place('Tools and results'),
  TOOL_PAGES: place('Tools and results'),
  REQUIRE_REVIEWED: place('Tools and results', 'file or git revision'),
  RESULT_TOKENS: place('Tools and results'),
  MAX_RESULT_BYTES: place('Tools and results'),
  MAX_BODY_BYTES: place('Tools and results'),
  UPSTREAM_TIMEOUT_MS: place('Upstreams'),
  UPSTREAM_CONCURRENCY: place('Upstreams'),
  PLAIN_HTTP_UPSTREAMS: place('Upstreams', 'hosts'),
  OUTGOING_NETWORKS: place('Upstreams', NETWORKS),
  OUTGOING_PROXY: place('Upstreams', URL_TEXT),
  OUTGOING_NO_PROXY: place('Upstreams', 'hosts, addresses and CIDR ranges'),
  TOOL_CALLS_PER_MINUTE: place('Limits'),
  REGISTRATIONS_PER_MINUTE: place('Limits'),
  REFUSED_REQUESTS_PER_MINUTE: place('Limits'),
  PARTNER_REQUESTS_PER_MINUTE: place('Limits'),
  ADMIN_LISTEN: place('Dashboard', LISTENER),
  ADMIN_URL: place('Dashboard', ORIGIN),
  ADMIN_IDLE_MINUTES: place('Dashboard'),
  ADMIN_SESSION_HOURS: place('Dashboard'),
  ADMIN_SECRET: place('Dashboard', 'text'),
  ADMIN_OPENID_ISSUER: place('Dashboard', URL_TEXT),
  ADMIN_OPENID_CLIENT_ID: place('Dashboard', 'text'),
  ADMIN_OPENID_CLIENT_SECRET: place('Dashboard', 'text'),
  ADMIN_OPENID_SCOPE: place('Dashboard', 'scopes'),
  ADMIN_OPENID_LOOK: place('Dashboard', 'rules'),
  ADMIN_OPENID_ACT: place('Dashboard', 'rules'),
  LOG_LEVEL: place('Records and logs'),
  CALL_RECORD_RETENTION_DAYS: place('Records and logs'),
  ANONYMOUS_EVENT_RETENTION_DAYS: place('Records and logs'),
  COUNT_USAGE: place('Records and logs'),
  METRICS_LISTEN: place('Metrics and traces', LISTENER),
  TRACEPARENT_SERVICES: place('Metrics and traces', 'names of services'),
  OTEL_SDK_DISABLED: place('Metrics and traces'),
  OTEL_SERVICE_NAME: place('Metrics and traces', 'text'),
  OTEL_RESOURCE_ATTRIBUTES: place('Metrics and traces', 'key=value, ...'),
  OTEL_EXPORTER_OTLP_ENDPOINT: place('Metrics and traces', URL_TEXT),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: place('Metrics and traces', URL_TEXT),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: place('Metrics and traces', URL_TEXT),
  OTEL_EXPORTER_OTLP_HEADERS: place('Metrics and traces', 'key=value, ...'),
  OTEL_EXPORTER_OTLP_PROTOCOL: place('Metrics and traces'),
  OTEL_EXPORTER_OTLP_COMPRESSION: place('Metrics and traces'),
  OTEL_EXPORTER_OTLP_TIMEOUT: place('Metrics and traces'),
  OTEL_TRACES_EXPORTER: place('Metrics and traces'),
  OTEL_METRICS_EXPORTER: place('Metrics and traces'),
  OTEL_METRIC_EXPORT_INTERVAL: place('Metrics and traces'),
  OTEL_TRACES_SAMPLER: place('Metrics and traces'),
  OTEL_TRACES_SAMPLER_ARG: place('Metrics and traces', 'number from 0 to 1'),
  OTEL_PROPAGATORS: place('Metrics and traces', 'names'),
};
