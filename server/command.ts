/** `npm start`: reads the settings, listens, and stops gracefully. */

import type { Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Command, Option } from 'commander';
import type { Logger } from 'pino';
import { addHelpTable, createCommand } from '../shared/cli/command.ts';
import { findFreePort } from '../shared/cli/free-port.ts';
import { PROCESS_OUTPUT } from '../shared/cli/output.ts';
import { FailureError, UTG } from '../shared/cli/run.ts';
import { LOCAL_KEY_RING_FILE, loadLocalKeyRing } from './base/credentials/key-ring.ts';
import { loadSender } from './base/guarded-fetch/outgoing.ts';
import type { RequestHandler } from './base/http/front.ts';
import { createLog } from './base/http/log.ts';
import { MissingPackagesError } from './base/optional-packages.ts';
import { holdStore, StoreUnavailableError } from './base/store/index.ts';
import { listPartners } from './base/store/repositories/partners.ts';
import type { Workers } from './base/workers/worker.ts';
import { ReviewedError } from './call/tools/catalogue/reviewed.ts';
import { createValidators } from './call/tools/validate.ts';
import { describeVariables } from './config/describe.ts';
import { type Config, ConfigError, type ConfigSource, loadConfig, passToLibraries } from './config/index.ts';
import type { ListenAddress } from './config/values.ts';
import type { Connector } from './contract/index.ts';
import type { Gateway } from './gateway.ts';
import { MCP_PATH } from './gateway-paths.ts';
import type { AnyModule } from './module.ts';
import { loadModules } from './modules/index.ts';
import { describeOldNode } from './node-version.ts';
import { SERVER_INFO } from './product.ts';

/** Longer than the idle timeout of common load balancers, which might otherwise reuse a connection just closed. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** Importing `node:http` would load everything it exports, such as another undici: a tenth of the start time (measured). */
const { createServer } = process.getBuiltinModule('node:http');

/** Longest time for a whole request to arrive. */
const REQUEST_TIMEOUT_MS = 60_000;

/** Interval at which connections that have become idle are closed while the gateway stops. */
const IDLE_SWEEP_INTERVAL_MS = 50;

/** Services that a start names on a terminal. */
const SHOWN_SERVICES = 6;

/** Errors whose message tells the operator what to do. */
const EXPLAINED_ERRORS = [ConfigError, ReviewedError, StoreUnavailableError, MissingPackagesError];

/** Title of the settings table in `--help`. */
export const SETTINGS_TITLE = 'Settings (environment variables; one that is empty counts as not set)';

/**
 * @param connectors the connectors to serve.
 * @param modules Default: those that ship with the gateway, and those of the project.
 */
export function createStartCommand(
  connectors: readonly Connector[],
  output = PROCESS_OUTPUT,
  modules: readonly AnyModule[] = loadModules(),
): Command {
  const command = createCommand('start', output)
    .summary('run the gateway')
    .description(
      'Serves the tools of the connected services to MCP clients.\n\n' +
        `Each setting except the secrets is also a flag: ${flagOf('PUBLIC_URL')} <value> overrides PUBLIC_URL.`,
    )
    .action((options: Readonly<Record<string, string>>) => {
      const entries = Object.entries(options).map(([key, value]) => [variableOf.get(key) ?? key, value] as const);
      const flags = Object.fromEntries(entries);
      passToLibraries(flags);
      return start({ connectors, modules, flags }).catch(fail);
    });
  const variables = describeVariables(connectors, modules);
  const variableOf = new Map<string, string>();
  for (const { name } of variables.filter(({ secret }) => !secret)) {
    const option = new Option(`${flagOf(name)} <value>`).hideHelp();
    variableOf.set(option.attributeName(), name);
    command.addOption(option);
  }
  const settings = variables.map(({ name, default: value, meaning }) => [name, `${meaning} (default: ${value})`]);
  return addHelpTable(command, SETTINGS_TITLE, Object.fromEntries(settings));
}

function flagOf(variable: string): string {
  return `--${variable.toLowerCase().replaceAll('_', '-')}`;
}

async function start(source: ConfigSource): Promise<void> {
  const oldNode = describeOldNode(process.versions.node);
  if (oldNode !== null) throw new FailureError(oldNode);
  const config = loadConfig(source);
  if (config.workers === 1) return serve(config, source.connectors);
  const { default: cluster } = await import('node:cluster');
  if (cluster.isPrimary) return startWorkers(config);
  const { joinWorkers } = await import('./base/workers/worker.ts');
  const workers = await joinWorkers().catch((error: Error) => {
    throw new FailureError(error.message);
  });
  return serve(workers.isFirst ? config : withoutWarnings(config), source.connectors, workers);
}

/** Returns the settings of a worker that is not the first one: it does not repeat the warnings. */
function withoutWarnings(config: Config): Config {
  return {
    ...config,
    warnings: [],
    encryptionKeys: config.encryptionKeys ?? loadLocalKeyRing(LOCAL_KEY_RING_FILE).keys,
  };
}

/** Runs the workers, and ends with the last of them. */
async function startWorkers(config: Config): Promise<void> {
  const release = await holdStore(config.databaseUrl);
  const log = openLog(config);
  const { Primary } = await import('./base/workers/primary.ts');
  const primary = new Primary({ count: config.workers, log, stopTimeoutMs: config.stopDelayMs + config.stopTimeoutMs });
  onSignals((signal) => {
    log.info({ signal }, 'stopping');
    primary.stop();
  }, primary.kill.bind(primary));
  const exitCode = await primary.run();
  release();
  process.exit(exitCode);
}

function openLog({ logLevel: level }: Config, worker?: number): Logger {
  const log = isOnTerminal() ? createLog({ level, worker, destination: TERMINAL }) : createLog({ level, worker });
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught error');
    process.exit(1);
  });
  return log;
}

function isOnTerminal(): boolean {
  return process.stdout.isTTY === true;
}

async function serve(config: Config, connectors: readonly Connector[], workers?: Workers): Promise<void> {
  const log = openLog(config, workers?.number);
  // The primary process of several workers does without what serves requests.
  const { createGateway } = await import('./gateway.ts');
  const gateway = await createGateway({ config, connectors, log, workers });
  const servers: Server[] = [];
  try {
    for (const { setting, handle, address } of gateway.listeners) servers.push(await listen(setting, handle, address));
    servers.push(await listen('PORT', gateway.handle, config));
  } catch (error) {
    for (const server of servers) server.close();
    await gateway.close();
    throw error;
  }
  for (const { line, facts } of gateway.listeners.flatMap(({ startupLog }) => startupLog)) log.info(facts, line);
  log.info({ address: config.host, port: config.port, endpoint: config.publicUrl + MCP_PATH }, 'listening');
  stopOnSignal(servers, gateway, config, { log, workers });
  workers?.ready();
  setImmediate(loadForCalls);
  if (workers?.isFirst === false) return;
  const [partner] = await listPartners(gateway.store.db, 1);
  if (isOnTerminal()) process.stdout.write(describeStart(config, gateway, partner === undefined));
  else if (partner === undefined)
    log.info('no user can connect yet: register an application with utg partner add --name <name>');
}

/** Loads the libraries that calls need: the first call would wait for them, and a start must not. */
async function loadForCalls(): Promise<void> {
  createValidators()({ type: 'object' }).accepts({});
  await loadSender();
}

/** The log for people: its warnings and errors, one line each. Values are JSON, so that none moves the cursor. */
const TERMINAL = {
  write(line: string): void {
    const { level, msg, time: _, ...members } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    if (level === 'info') return;
    const details = Object.entries(members).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
    process.stdout.write(`${level}: ${msg}${details.join('')}\n`);
  },
};

/** Returns the address, the services and the next step, for a terminal. @param isNew true if no application is registered. */
function describeStart(
  { host, port, publicUrl }: Config,
  { catalogue: { connectors, toolsOf }, startLines }: Gateway,
  isNew: boolean,
): string {
  const tools = connectors.flatMap(toolsOf).length;
  const titles = connectors.slice(0, SHOWN_SERVICES).map(({ title }) => title);
  if (connectors.length > SHOWN_SERVICES) titles.push(`${connectors.length - SHOWN_SERVICES} more`);
  const lines = [['MCP endpoint', publicUrl + MCP_PATH]];
  for (const { label, url, signInCommand } of startLines)
    lines.push([label, `${url} (to sign in: ${UTG} ${signInCommand})`]);
  lines.push(['Serves', `${tools} tools of ${titles.join(', ')}`]);
  const firstPartner = `${UTG} partner add --name <name>: registers an application, whose users can then connect`;
  lines.push(['Next', isNew ? firstPartner : 'add the MCP endpoint to a client']);
  const rows = lines.map(([name = '', text]) => `  ${name.padEnd(12)}  ${text}\n`);
  return `${SERVER_INFO.title} ${SERVER_INFO.version} listens on ${host}, port ${port}. Ctrl-C stops it.\n${rows.join('')}`;
}

/** @throws {FailureError} naming the setting whose address cannot be bound. */
function listen(variable: string, handle: RequestHandler, { host, port }: ListenAddress): Promise<Server> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS }, handle);
  return new Promise((resolve, reject) => {
    server.once('error', (error) => explainListenError(variable, { host, port }, error).then(reject, reject));
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve(server);
    });
  });
}

/** Stops gracefully after the first signal, and immediately after a second one. */
function stopOnSignal(
  servers: readonly Server[],
  gateway: Gateway,
  config: Config,
  { log, workers }: { readonly log: Logger; readonly workers: Workers | undefined },
): void {
  const begin = onSignals((signal) => {
    log.info({ signal }, 'stopping');
    stop(servers, gateway, config, log).then(
      () => process.exit(0),
      (error: unknown) => {
        log.fatal({ err: error }, 'could not stop');
        process.exit(1);
      },
    );
  });
  // A signal to the whole process group has begun it already.
  workers?.stopping.then(() => begin('SIGTERM'));
}

/**
 * Calls `stop` with the first signal, and ends the process with the second, after `kill`.
 *
 * @returns does what the first signal does, once.
 */
function onSignals(stop: (signal: NodeJS.Signals) => void, kill = () => {}): (signal: NodeJS.Signals) => void {
  let isStopping = false;
  const begin = (signal: NodeJS.Signals): void => {
    if (isStopping) return;
    isStopping = true;
    stop(signal);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isStopping) {
      kill();
      process.exit(1);
    }
    begin(signal);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return begin;
}

/**
 * Reports not ready, answers each further request as the last one of its connection, closes listeners, lets open requests end or aborts them
 * after a time, writes queues, closes the store.
 */
async function stop(
  servers: readonly Server[],
  gateway: Gateway,
  { stopDelayMs, stopTimeoutMs }: Config,
  log: Logger,
): Promise<void> {
  gateway.beginStop();
  if (await hasConnections(servers)) await wait(stopDelayMs);
  const closed = Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  // Connections that were busy at `close` stay open after their request.
  const sweep = setInterval(() => {
    for (const server of servers) server.closeIdleConnections();
  }, IDLE_SWEEP_INTERVAL_MS);
  const cutOff = setTimeout(() => {
    log.warn('closing requests that are still open');
    void gateway.cutOff().finally(() => {
      for (const server of servers) server.closeAllConnections();
    });
  }, stopTimeoutMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cutOff);
  await gateway.close();
  log.info('stopped');
}

async function hasConnections(servers: readonly Server[]): Promise<boolean> {
  const counts = await Promise.all(servers.map((server) => promisify(server.getConnections.bind(server))()));
  return counts.some((count) => count > 0);
}

/** Returns an error whose sentence says why a listener cannot be opened, or the error itself if its code is not known. */
async function explainListenError(
  variable: string,
  { host, port }: ListenAddress,
  error: NodeJS.ErrnoException,
): Promise<Error> {
  const at = (free: number) => (variable === 'PORT' ? `${free}` : `${host.includes(':') ? `[${host}]` : host}:${free}`);
  switch (error.code) {
    case 'EADDRINUSE': {
      const free = await findFreePort(port + 1, host);
      const way = free === null ? 'Stop it' : `Stop it, or choose a free port: ${variable}=${at(free)}`;
      return new FailureError(`Another program listens on port ${port}, which ${variable} names. ${way}.`);
    }
    case 'EACCES':
      return new FailureError(
        `${variable} names port ${port}, which this account may not listen on: choose one above 1023, or grant it the right.`,
      );
    case 'EADDRNOTAVAIL':
      return new FailureError(
        `${variable === 'PORT' ? 'HOST' : variable} names ${host}, which is not an address of this machine.`,
      );
    default:
      return error;
  }
}

/** Throws errors that the operator can fix as a sentence, without a stack. */
function fail(error: Error): never {
  // A worker that cannot start must be able to end.
  process.channel?.unref();
  const isExplained = EXPLAINED_ERRORS.some((kind) => error instanceof kind);
  throw isExplained ? new FailureError(error.message) : error;
}
