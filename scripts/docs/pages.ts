/** Every page and file of the documentation that is made from code. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { parse } from 'yaml';
import { DIAGNOSTICS, type DiagnosticCode } from '../../codegen/diagnostics.ts';
import { CONNECTOR_SCHEMA_FILE, emitConnectorSchema } from '../../codegen/load/connector-schema.ts';
import { LEVEL_TITLES } from '../../codegen/report/format/words.ts';
import { isGated, LEVEL_TEXTS, LEVELS, RULES } from '../../codegen/report/rules.ts';
import { PORTAL_SETTINGS } from '../../packages/portal/settings.ts';
import { retentionRules } from '../../server/base/store/retention.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { describeSetting } from '../../server/config/describe.ts';
import { GROUPS, type Setting } from '../../server/config/setting.ts';
import { describeVariables } from '../../server/index.ts';
import { defaultRetentionOf } from '../../server/module.ts';
import { MODULES } from '../../server/modules/index.ts';
import { toFamilyName } from '../../server/modules/telemetry/exposition.ts';
import { INSTRUMENTS, type Instrument } from '../../server/modules/telemetry/instruments.ts';
import { buildConnectScript } from '../package/kit.ts';
import { emitClientProfilesPage } from './client-profiles.ts';
import { emitCommandsPage } from './commands.ts';
import { CONNECTOR_REFERENCE_FILE, emitConnectorReference } from './connector-yaml.ts';
import { emitErrorsPage } from './errors.ts';
import { emitEventData, emitEventsPage } from './events.ts';
import { emitGatewayDescription } from './gateway-openapi.ts';
import { emitHttpApiPage } from './http-api.ts';
import { cell, code, table } from './markdown.ts';

const PARTNER_CLIENT_FILE = 'packages/partner/api.d.ts';
const CONNECT_SCRIPT_FILE = 'server/connect/connect-script.ts';

type Emit = () => string | Promise<string>;

/** By path from the project's root. */
export const PAGES: Readonly<Record<string, Emit>> = {
  [CONNECTOR_SCHEMA_FILE]: emitConnectorSchema,
  [PARTNER_CLIENT_FILE]: emitPartnerClient,
  [CONNECT_SCRIPT_FILE]: emitConnectScript,
  [CONNECTOR_REFERENCE_FILE]: page('codegen/load/connector-config.ts', emitConnectorReference),
  'docs/reference/settings.md': page('server/config/', emitSettingsPage),
  'docs/reference/commands.md': page('the commands and package.json', emitCommandsPage),
  'docs/reference/errors.md': page(
    'server/base/http/error-codes.ts, server/call/mcp/json-rpc.ts and server/call/tools/results/',
    emitErrorsPage,
  ),
  'docs/reference/events.md': page('server/base/store/repositories/', emitEventsPage),
  'docs/reference/metrics.md': page('server/modules/telemetry/instruments.ts', emitMetricsPage),
  'docs/reference/retention.md': page('server/base/store/retention.ts and server/modules/', emitRetentionPage),
  'docs/reference/diagnostics.md': page(
    'codegen/diagnostics.ts and scripts/docs/diagnostic-examples.yaml',
    emitDiagnosticsPage,
  ),
  'docs/reference/tool-report.md': page('codegen/report/rules.ts', emitToolReportPage),
  'docs/reference/client-profiles.md': page('codegen/tools/profiles/', emitClientProfilesPage),
  'docs/reference/gateway-openapi.yaml': emitGatewayDescription,
  'docs/reference/http-api.md': page('docs/reference/gateway-openapi.yaml', emitHttpApiPage),
};

/** Returns a page that starts with a comment naming its source. */
function page(source: string, emit: Emit): Emit {
  return async () => `<!-- Written by \`npm run docs\` from ${source}. Do not edit. -->\n${await emit()}`;
}

const DESCRIPTION = 'docs/reference/gateway-openapi.yaml';

async function emitPartnerClient(): Promise<string> {
  const types = await openapiTS(await emitGatewayDescription(), { alphabetize: true, silent: true });
  return `// Written by \`npm run docs\` from ${DESCRIPTION}. Do not edit.\n${astToString(types)}${emitEventData()}`;
}

async function emitConnectScript(): Promise<string> {
  const text = await buildConnectScript(path.join(import.meta.dirname, '../..'));
  return `// Written by \`npm run docs\` from packages/connect. Do not edit.\nexport const CONNECT_SCRIPT = ${JSON.stringify(text)};\n`;
}

const SETTINGS_HEAD = `# Settings

Settings are environment variables of the gateway; one that is empty counts as not set. The gateway reports all problems with them at once, and does not start with any.
[Running the gateway](../guides/running.md) explains them; \`npm start -- --help\` prints them.

Each setting is also a flag of \`npm start\`, which goes before the variable: \`--public-url https://tools.example.com\` for \`PUBLIC_URL\`. Secrets are no flags, because other
users of the machine see command lines. They may come from files: \`ENCRYPTION_KEYS_FILE\` names the file that holds \`ENCRYPTION_KEYS\`.

Those of [the portal](../guides/portal.md) are read by \`utg portal\`, and are no flags.
`;

/** Every setting, including those of this project's connectors. */
async function emitSettingsPage(): Promise<string> {
  const portal = Object.values<Setting>(PORTAL_SETTINGS).map(describeSetting);
  const variables = [...describeVariables(await loadConnectors()), ...portal];
  const used = GROUPS.filter((group) => variables.some((variable) => variable.group === group));
  const sections = used.map((group) => {
    const groupVariables = variables.filter((variable) => variable.group === group);
    const rows = groupVariables.map(({ name, type, default: otherwise, meaning }) => [
      code(name),
      type,
      otherwise,
      meaning,
    ]);
    return `## ${group}\n\n${table(['Setting', 'Value', 'Default', 'Meaning'], rows)}`;
  });
  return [SETTINGS_HEAD, ...sections].join('\n');
}

const TOOL_REPORT_HEAD = `# Rules of the tool report

\`npm run tools:diff\` says what a change of \`generated/\` means for agents ([reviewing tool changes](../guides/reviewing-tool-changes.md)). Each change falls under one rule. A rule whose level
must be acknowledged stops the pull request until \`acknowledged\` in \`connector.yaml\` says why the change is right.
`;

/** Every rule by level, from the most severe to the least. */
function emitToolReportPage(): string {
  const levels = LEVELS.map((level) => {
    const { meaning, toDo } = LEVEL_TEXTS[level];
    const title = LEVEL_TITLES[level];
    return [`[${title}](#${title.toLowerCase()})`, meaning, isGated(level) ? 'yes' : 'no', toDo];
  });
  const sections = LEVELS.map((level) => {
    const rules = Object.entries(RULES).filter(([, rule]) => rule.level === level);
    const rows = rules.map(([id, { title, why }]) => [code(id), title, why]);
    return `## ${LEVEL_TITLES[level]}\n\n${table(['Rule', 'What changed', 'Why it matters'], rows)}`;
  });
  return [TOOL_REPORT_HEAD, table(['Level', 'Meaning', 'Acknowledge', 'To do'], levels), ...sections].join('\n');
}

const DIAGNOSTICS_HEAD = `# Diagnostics of codegen

\`npm run codegen\` prints each with file, line and column, a message and a fix. An *error* stops the service that it is in: nothing of it is written. A *warning* lets it
pass, and often means that an operation becomes no tool. A *note* (\`info\`) tells what was done; \`--verbose\` prints all of them.
`;

const SEVERITIES = { error: 'Errors', warning: 'Warnings', info: 'Notes' } as const;

/** By code: what codegen prints about a sample service. */
const DIAGNOSTIC_EXAMPLES = parse(
  readFileSync(path.join(import.meta.dirname, 'diagnostic-examples.yaml'), 'utf8'),
) as Readonly<Record<string, string>>;

/** Every diagnostic, by severity and then in catalogue order. @throws {Error} for a code without an example. */
function emitDiagnosticsPage(): string {
  const codes = Object.keys(DIAGNOSTICS) as DiagnosticCode[];
  const sections = Object.entries(SEVERITIES).map(([severity, title]) => {
    const severityCodes = codes.filter((code) => DIAGNOSTICS[code].severity === severity);
    return `## ${title}\n\n${severityCodes.map(emitDiagnostic).join('\n')}`;
  });
  return [DIAGNOSTICS_HEAD, ...sections].join('\n');
}

function emitDiagnostic(code: DiagnosticCode): string {
  const { title, cause, fix } = DIAGNOSTICS[code];
  const example = DIAGNOSTIC_EXAMPLES[code];
  if (example === undefined) throw new Error(`${code} has no example in scripts/docs/diagnostic-examples.yaml`);
  return `### ${code}\n\n${cell(`${title}. ${cause}`)}\n\n- Fix: ${cell(fix)}\n- Example: ${cell(example)}\n`;
}

const RETENTION_HEAD = `# What is kept how long

The gateway removes older rows every 15 minutes, in batches of 500. Tables that are not here hold what someone set up, such as partners, users, connections and
webhook endpoints, until someone removes it. [Running the gateway](../guides/running.md#what-is-kept-how-long) says what removal reaches.
`;

const DAY_MS = 86_400_000;
const CALL_RECORD_DAYS = 90;

/** Every rule of retention, by table. */
function emitRetentionPage(): string {
  const rules = [...retentionRules({ callRecordDays: CALL_RECORD_DAYS }), ...defaultRetentionOf(MODULES)];
  const rows = rules
    .toSorted((a, b) => (a.table < b.table ? -1 : 1))
    .map(({ table: name, column, keepMs, whereNull, clears, why }) => [
      code(name) + (whereNull === undefined ? '' : `, where ${code(whereNull)} is empty`),
      `${clears === undefined ? '' : `only ${code(clears)}, `}${toTime(keepMs)} after ${code(column)}`,
      why,
    ]);
  return [RETENTION_HEAD, table(['Rows', 'Removed', 'Why then'], rows)].join('\n');
}

function toTime(ms: number): string {
  if (ms === 0) return 'at once';
  if (ms >= DAY_MS) return ms === DAY_MS ? 'a day' : `${ms / DAY_MS} days`;
  return `${ms / 60_000} minutes`;
}

const METRICS_HEAD = `# Metrics

What a gateway counts once [metrics are on](../guides/monitoring.md#metrics-traces-and-logs). Times are histograms. The endpoint keeps no MCP sessions, so there is no metric for them;
\`http.server.active_requests\` counts streams while they are open.
`;

/** Every metric with its names and labels. */
function emitMetricsPage(): string {
  const rows = Object.values<Instrument>(INSTRUMENTS).map((instrument) => [
    code(instrument.name),
    code(nameInPrometheus(instrument)),
    instrument.attributes.map(code).join(', '),
    instrument.description,
  ]);
  return [METRICS_HEAD, table(['OpenTelemetry', 'Prometheus', 'Labels', 'Meaning'], rows)].join('\n');
}

function nameInPrometheus(instrument: Instrument): string {
  const isCounter = instrument.kind === 'counter' || instrument.kind === 'observed counter';
  return isCounter ? `${toFamilyName(instrument)}_total` : toFamilyName(instrument);
}
