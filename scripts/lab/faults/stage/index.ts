/** The environment of faults: nodes, their database, the network between them, and the upstreams behind them. */

import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createNode, type GatewayNode } from './gateway-node.ts';
import { mountDisk, type Network, openNetwork, type SmallDisk } from './machine.ts';
import { openNameServer } from './name-server.ts';
import { createPostgres, type PostgresServer } from './postgres.ts';
import { ROOT, run } from './programs.ts';
import { openRelay, type Relay } from './relay.ts';
import { type EchoingUpstream, openUpstream } from './upstream.ts';

/** A partner's own credentials, and the address that its users return to. */
export interface Partner {
  readonly clientId: string;
  readonly secret: string;
  readonly redirectUri: string;
}

/** Services that users are connected to: faults affect the first. */
export const SERVICES = ['mailer', 'retrieval'] as const;
export type Service = (typeof SERVICES)[number];

/** `standby`: PostgreSQL with a standby, and the relay between it and all nodes. */
export type StoreKind = 'postgres' | 'standby' | 'sqlite';

interface Database {
  /** For checks that read the store directly. */
  readonly databaseUrl: string;
  /** One per node. */
  readonly nodeUrls: readonly string[];
  /** The disk of the database. Undefined without namespaces and with a standby. */
  readonly disk?: SmallDisk | undefined;
  /** Undefined on SQLite. */
  readonly postgres?: PostgresServer;
  readonly standby?: PostgresServer | undefined;
  /** Undefined without namespaces, with a standby and on SQLite. */
  readonly network?: Network | undefined;
  /** Between the last node and PostgreSQL, or with a standby between it and all nodes. Undefined on SQLite. */
  readonly relay?: Relay;
  /** Names that the name server was silent about. Undefined where `network` is. */
  readonly unansweredNames?: ReadonlySet<string> | undefined;
}

export interface Stage extends Database {
  readonly nodes: readonly GatewayNode[];
  readonly upstreams: Readonly<Record<Service, EchoingUpstream>>;
  /** Several, because each partner's events have one order. */
  readonly partners: readonly Partner[];
  readonly encryptionKeys: string;
  /** A file from which a node's clock is read instead of the system's. */
  readonly clockFile: string;
  close(): Promise<void>;
}

interface StagePlan {
  readonly store: StoreKind;
  /** An existing folder for all files. */
  readonly folder: string;
  /** True if this process has its own namespaces. */
  readonly isIsolated: boolean;
}

const NODES = 3;
const PARTNERS = 4;
/** A longer timeout would exceed the time in which everything has to work again. */
const UPSTREAM_TIMEOUT_MS = 5_000;
const POSTGRES_MEGABYTES = 160;
const SQLITE_MEGABYTES = 12;
const REDIRECT_URI = 'https://partner.example/back';
/** The name that the name server knows, and the end of the names that it does not answer. */
export const KNOWN_NAME = 'upstream.example';
export const SILENT_SUFFIX = '.slow.example';

/** Starts everything. If something does not start, stops what was started before. */
export async function openStage(plan: StagePlan): Promise<Stage> {
  const stack = new AsyncDisposableStack();
  try {
    return { ...(await open(plan, stack)), close: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function open(plan: StagePlan, stack: AsyncDisposableStack): Promise<Omit<Stage, 'close'>> {
  const folder = path.join(plan.folder, plan.store);
  await mkdir(folder, { mode: 0o711 });
  const mailer = await openUpstream(
    ({ headers }) => String(headers['x-api-key']),
    (echo) => ({ data: [{ id: echo }], has_more: false, cursor: null, total: 1 }),
  );
  stack.defer(() => mailer.close());
  const retrieval = await openUpstream(
    ({ headers }) => (headers.authorization ?? '').replace('Bearer ', ''),
    (echo) => ({ pagination: { next_cursor: null, total_count: 1 }, partitions: [{ name: echo }] }),
  );
  stack.defer(() => retrieval.close());
  const openDatabase = plan.store === 'sqlite' ? openSqlite : openPostgres;
  const database = await openDatabase(plan, folder, stack);

  const encryptionKeys = `faults:${randomBytes(32).toString('base64')}`;
  const nodes: GatewayNode[] = [];
  for (const [index, url] of database.nodeUrls.entries()) {
    const settings = {
      PUBLIC_URL: 'http://127.0.0.1:3000',
      DATABASE_URL: url,
      ENCRYPTION_KEYS: encryptionKeys,
      MAILER_BASE_URL: mailer.origin,
      RETRIEVAL_BASE_URL: retrieval.origin,
      UPSTREAM_TIMEOUT_MS: String(UPSTREAM_TIMEOUT_MS),
      TOOL_CALLS_PER_MINUTE: '100000',
      // Otherwise, as documented, the oldest clients would be dropped.
      MAX_UNUSED_CLIENTS: '10000',
    };
    const node = await createNode(settings, path.join(plan.folder, `${plan.store}-node-${index + 1}.log`));
    stack.defer(() => node.stop('SIGKILL'));
    nodes.push(node);
  }
  await Promise.all(nodes.map((node) => node.start()));
  const partners: Partner[] = [];
  while (partners.length < PARTNERS)
    partners.push(
      await addPartner(`Partner ${partners.length + 1}`, {
        DATABASE_URL: database.databaseUrl,
        ENCRYPTION_KEYS: encryptionKeys,
      }),
    );
  const upstreams = { mailer, retrieval };
  return { ...database, nodes, upstreams, partners, encryptionKeys, clockFile: path.join(folder, 'clock') };
}

async function openPostgres(plan: StagePlan, folder: string, stack: AsyncDisposableStack): Promise<Database> {
  const hasStandby = plan.store === 'standby';
  const isIsolated = plan.isIsolated && !hasStandby;
  const network = isIsolated ? await openNetwork(NODES) : undefined;
  stack.defer(() => network?.close());
  const disk = isIsolated ? await mountDisk(path.join(folder, 'disk'), POSTGRES_MEGABYTES) : undefined;
  const databaseFolder = disk?.folder ?? folder;
  const logFile = path.join(plan.folder, `${plan.store}-primary.log`);
  const postgres = await createPostgres({ folder: databaseFolder, logFile, prefix: network?.prefix });
  stack.defer(() => postgres.stop('immediate'));
  const standby = hasStandby
    ? await createPostgres({ folder, logFile: path.join(plan.folder, 'standby.log'), primary: postgres })
    : undefined;
  stack.defer(() => standby?.stop('immediate'));

  const hostOf = (node: number): string => network?.addressOf(node) ?? '127.0.0.1';
  const relay = await openRelay({ host: hostOf(NODES - 1), port: postgres.port });
  stack.defer(() => relay.close());
  const relayUrl = `postgres://gateway@127.0.0.1:${relay.port}/gateway`;
  const nodeUrls = Array.from({ length: NODES }, (_, node) => {
    const isRelayed = hasStandby || node === NODES - 1;
    return isRelayed ? relayUrl : `postgres://gateway@${hostOf(node)}:${postgres.port}/gateway`;
  });
  return {
    databaseUrl: hasStandby ? relayUrl : postgres.socketUrl,
    nodeUrls,
    disk,
    postgres,
    standby,
    network,
    relay,
    unansweredNames: isIsolated ? await openNameServer(folder, KNOWN_NAME, SILENT_SUFFIX) : undefined,
  };
}

async function openSqlite({ isIsolated }: StagePlan, folder: string): Promise<Database> {
  const disk = isIsolated ? await mountDisk(path.join(folder, 'disk'), SQLITE_MEGABYTES) : undefined;
  const databaseUrl = `sqlite:${path.join(disk?.folder ?? folder, 'gateway.sqlite')}`;
  return { databaseUrl, nodeUrls: [databaseUrl], disk };
}

/** Adds a partner with the operator's command. */
async function addPartner(name: string, env: Readonly<Record<string, string>>): Promise<Partner> {
  const args = ['scripts/node.mjs', 'scripts/utg.ts', 'partner', 'add', '--name', name, '--redirect-uri', REDIRECT_URI];
  const { stdout } = await run(process.execPath, args, { cwd: ROOT, env: { ...process.env, ...env } });
  const read = (label: string): string => new RegExp(`^${label}:\\s+(\\S+)$`, 'm').exec(stdout)?.[1] ?? '';
  return { clientId: read('client_id'), secret: read('client_secret'), redirectUri: REDIRECT_URI };
}
