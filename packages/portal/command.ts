/** `utg portal`: reads the settings, listens, and stops gracefully. */

import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { Command } from 'commander';
import { createOutgoing } from '../../server/base/guarded-fetch/outgoing.ts';
import { createLog } from '../../server/base/http/log.ts';
import { addHelpTable, createCommand } from '../../shared/cli/command.ts';
import { type Output, PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { FailureError } from '../../shared/cli/run.ts';
import { createGatewayClient, openPortal, type Portal } from './index.ts';
import { readServices } from './pages/api.ts';
import {
  loadPortalSettings,
  PORTAL_SETTINGS,
  PORTAL_SETTINGS_TITLE,
  type PortalSettings,
  PortalSettingsError,
} from './settings.ts';
import { createProviderClient } from './sign-in/routes.ts';

/** Longer than the idle timeout of common load balancers, which might otherwise reuse a connection just closed. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** Longest time for a whole request to arrive. */
const REQUEST_TIMEOUT_MS = 60_000;

/** Time for open requests to end when the portal stops. */
const STOP_TIMEOUT_MS = 10_000;

interface PortalCommandOptions {
  readonly demo?: boolean;
  readonly check?: boolean;
}

export function createPortalCommand(output: Output = PROCESS_OUTPUT): Command {
  const command = createCommand('portal', output)
    .summary("run the portal, where a company's people sign in")
    .description(
      "Runs the portal next to a gateway: people sign in at their company's OpenID provider, connect services and get codes for " +
        'their AI clients. Its settings are environment variables.',
    )
    .option('--demo', 'offer two sample people instead of a provider, on this machine only')
    .option('--check', 'check the settings, the provider, the gateway and the store, and stop')
    .action(({ demo = false, check = false }: PortalCommandOptions) => run({ demo, check }, output));
  const rows = Object.values(PORTAL_SETTINGS).map(({ variable, meaning, defaultText }) => [
    variable,
    `${meaning} (default: ${defaultText})`,
  ]);
  return addHelpTable(command, PORTAL_SETTINGS_TITLE, Object.fromEntries(rows));
}

async function run({ demo, check }: Required<PortalCommandOptions>, output: Output): Promise<void> {
  try {
    const keys = [{ id: 'demo', key: randomBytes(32) }];
    const settings = loadPortalSettings(process.env, demo ? { keys } : null);
    await (check ? checkPortal(settings, output) : serve(settings));
  } catch (error) {
    const isExplained =
      error instanceof PortalSettingsError || (error instanceof Error && error.name === 'StoreUnavailableError');
    throw isExplained ? new FailureError((error as Error).message) : error;
  }
}

async function serve(settings: PortalSettings): Promise<void> {
  const log = createLog({ level: settings.logLevel });
  const portal = await openPortal({ config: settings, log });
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS },
    portal.handle,
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(settings.port, settings.host, resolve);
  }).catch(async (error: NodeJS.ErrnoException) => {
    await portal.close();
    throw new FailureError(
      `PORTAL_PORT names port ${settings.port}, on which the portal cannot listen (${error.code}): choose another.`,
    );
  });
  log.info({ address: settings.host, port: settings.port, portal: settings.publicUrl }, 'listening');
  const stop = (signal: NodeJS.Signals): void => {
    process.once(signal, () => process.exit(1));
    log.info({ signal }, 'stopping');
    close(server, portal).then(
      () => log.info('stopped'),
      (error: unknown) => {
        log.fatal({ err: error }, 'could not stop');
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

/** Answers requests that have begun, for a time, then closes the store. */
async function close(server: Server, portal: Portal): Promise<void> {
  portal.beginStop();
  const cutOff = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT_MS);
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  await closed;
  clearTimeout(cutOff);
  await portal.close();
}

/** Checks what the portal needs, prints a line for each, and fails if one does not work. */
async function checkPortal(settings: PortalSettings, { out }: Output): Promise<void> {
  const { publicUrl, provider, rules, gateway } = settings;
  out(`ok: the settings, for ${publicUrl}\n`);
  let failures = 0;
  const attempt = async (what: string, test: () => Promise<string>): Promise<void> => {
    try {
      out(`ok: ${what}: ${await test()}\n`);
    } catch (error) {
      failures += 1;
      out(`failed: ${what}: ${describe(error)}\n`);
    }
  };
  if (provider !== null) {
    const outgoing = createOutgoing({ networks: settings.networks });
    const client = createProviderClient(provider, { publicUrl, outgoing, now: Date.now });
    await attempt('the provider', async () => {
      const { issuer } = await client.signatures();
      return `${issuer}; its redirect URI is ${publicUrl}/sign-in/callback, its back-channel logout URI ${publicUrl}/back-channel-logout`;
    });
    await outgoing.destroy();
  }
  await attempt('the gateway', async () => {
    const services = await readServices(createGatewayClient(gateway));
    const served = services.map(({ service }) => service);
    const named = [...(rules?.groups.values() ?? []), ...(rules?.default ? [rules.default] : [])];
    const unknown = named
      .flatMap((rule) => [...(rule.services ?? []), ...Object.keys(rule.accounts)])
      .find((service) => !served.includes(service));
    if (unknown !== undefined)
      throw new Error(
        `PORTAL_RULES names the service "${unknown}", which it does not offer. It offers: ${served.join(', ')}`,
      );
    return `${gateway.url} accepts ${gateway.clientId} and offers ${served.length} services`;
  });
  await attempt('the store', async () => {
    const portal = await openPortal({ config: settings, log: createLog({ level: 'fatal' }) });
    await portal.close();
    return 'its tables are there';
  });
  if (failures > 0) throw new FailureError();
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? `${error.message} (${cause.message})` : error.message;
}
