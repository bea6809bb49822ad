/** Every file that `npm run docs` writes, and the function that returns its text. */

import { CONNECTOR_SCHEMA_FILE, emitConnectorSchema } from '../../codegen/load/connector-schema.ts';
import { findVerifications } from '../../test/requirements/find-verifications.ts';
import { OAUTH_REQUIREMENTS } from '../../test/requirements/oauth.ts';
import { toRequirementsPage } from '../../test/requirements/table.ts';
import { emitClientProfilesPage } from './client-profiles.ts';
import { emitCommandsPage } from './commands.ts';
import { CONNECTOR_REFERENCE_FILE, emitConnectorReference } from './connector-yaml.ts';
import { emitDiagnosticsPage } from './diagnostics.ts';
import { emitErrorsPage } from './errors.ts';
import { emitEventsPage } from './events.ts';
import { emitGatewayDescription } from './gateway-openapi.ts';
import { emitHttpApiPage } from './http-api.ts';
import { emitPartnerClient, PARTNER_CLIENT_FILE } from './partner-client.ts';
import { emitSettingsPage } from './settings.ts';
import { emitToolReportPage } from './tool-report.ts';

type Emit = () => string | Promise<string>;

/** By path from the project's root. */
export const PAGES: Readonly<Record<string, Emit>> = {
  [CONNECTOR_SCHEMA_FILE]: emitConnectorSchema,
  [PARTNER_CLIENT_FILE]: emitPartnerClient,
  [CONNECTOR_REFERENCE_FILE]: page('codegen/load/connector-config.ts', emitConnectorReference),
  'docs/reference/settings.md': page('server/config/', emitSettingsPage),
  'docs/reference/commands.md': page('the commands and package.json', emitCommandsPage),
  'docs/reference/errors.md': page(
    'server/base/http/error-codes.ts, server/call/mcp/json-rpc.ts and server/call/tools/results/',
    emitErrorsPage,
  ),
  'docs/reference/events.md': page('server/base/store/repositories/', emitEventsPage),
  'docs/reference/diagnostics.md': page(
    'codegen/diagnostics.ts and scripts/docs/diagnostic-examples.ts',
    emitDiagnosticsPage,
  ),
  'docs/reference/tool-report.md': page('codegen/report/rules.ts', emitToolReportPage),
  'docs/reference/client-profiles.md': page('codegen/tools/profiles/', emitClientProfilesPage),
  'docs/reference/gateway-openapi.yaml': emitGatewayDescription,
  'docs/reference/http-api.md': page('docs/reference/gateway-openapi.yaml', emitHttpApiPage),
  'docs/reference/oauth-requirements.md': page('test/requirements/ and the tests', () =>
    toRequirementsPage(OAUTH_REQUIREMENTS, findVerifications()),
  ),
};

/** A page that starts with a comment naming its source. */
function page(source: string, emit: Emit): Emit {
  return async () => `<!-- Written by \`npm run docs\` from ${source}. Do not edit. -->\n${await emit()}`;
}
