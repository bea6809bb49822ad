/** The environment of faults: nodes, their database, the network between them, and the upstreams behind them. */

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { mountDisk, type SmallDisk } from './disk.ts';
import { createNode, type GatewayNode } from './gateway-node.ts';
import { type Network, openLoopback, openNetwork } from './network.ts';
import { createPostgres, findPostgres, type PostgresServer } from './postgres.ts';
import { ROOT } from './program.ts';
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

export interface Stage {
  readonly nodes: readonly GatewayNode[];
  readonly upstreams: Readonly<Record<Service, EchoingUpstream>>;
  /** Several, because each partner's events have one order. */
  readonly partners: readonly Partner[];
  /** For checks that read the store directly. */
  readonly databaseUrl: string;
  readonly encryptionKeys: string;
  /** A file from which a node's clock is read instead of the system's. */
  readonly clockFile: string;
  /** Null on SQLite. */
  readonly postgres: PostgresServer | null;
  /** Follows `postgres`, with the store `standby`. */
  readonly standby?: PostgresServer;
  /** Null if namespaces cannot be created. */
  readonly network: Network | null;
  /** Between the last node and PostgreSQL, or with a standby between it and all nodes; null on SQLite. */
  readonly relay: Relay | null;
  /** The disk of the database; null if none can be mounted. */
  readonly disk: SmallDisk | null;
  close(): Promise<void>;
}

const NODES = 3;
const PARTNERS = 4;
/** A longer timeout would exceed the time in which everything has to work again. */
const UPSTREAM_TIMEOUT_MS = 5_000;
const POSTGRES_MEGABYTES = 160;
const SQLITE_MEGABYTES = 12;
const REDIRECT_URI = 'https://partner.example/back';

export const STORES = ['postgres', 'standby', 'sqlite'] as const;

interface StagePlan {
  readonly store: (typeof STORES)[number];
  /** An existing folder for all files. */
  readonly folder: string;
  /** Whether this process has its own namespaces and mounts, and may create more. */
  readonly isolated: boolean;
}

/** Starts everything. If something does not start, stops what was started before. */
export async function openStage(plan: StagePlan): Promise<Stage> {
  const endings: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let end = endings.pop(); end !== undefined; end = endings.pop()) await end();
  };
  try {
    return { ...(await open(plan, endings)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(plan: StagePlan, endings: (() => Promise<void>)[]): Promise<Omit<Stage, 'close'>> {
  const folder = path.join(plan.folder, plan.store);
  await mkdir(folder, { mode: 0o711 });
  if (plan.isolated) await openLoopback();
  const mailer = await openUpstream(
    ({ headers }) => String(headers['x-api-key']),
    (echo) => ({ data: [{ id: echo }], has_more: false, cursor: null, total: 1 }),
  );
  endings.push(() => mailer.close());
  const retrieval = await openUpstream(
    ({ headers }) => (headers.authorization ?? '').replace('Bearer ', ''),
    (echo) => ({ pagination: { next_cursor: null, total_count: 1 }, partitions: [{ name: echo }] }),
  );
  endings.push(() => retrieval.close());
  const encryptionKeys = `faults:${randomBytes(32).toString('base64')}`;
  const database = await OPEN[plan.store](plan, folder, endings);
  const { urls, ...parts } = database;
  const nodes: GatewayNode[] = [];
  for (const [index, url] of urls.entries()) {
    const env = {
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
    const node = await createNode({ env, logFile: path.join(plan.folder, `${plan.store}-node-${index + 1}.log`) });
    endings.push(() => node.stop('SIGKILL'));
    nodes.push(node);
  }
  await Promise.all(nodes.map((node) => node.start()));
  const partners: Partner[] = [];
  while (partners.length < PARTNERS) {
    const name = `Partner ${partners.length + 1}`;
    partners.push(await addPartner(name, { DATABASE_URL: parts.databaseUrl, ENCRYPTION_KEYS: encryptionKeys }));
  }
  const own = { encryptionKeys, clockFile: path.join(folder, 'clock') };
  return { nodes, upstreams: { mailer, retrieval }, partners, ...own, ...parts };
}

type OpenedDatabase = Pick<Stage, 'databaseUrl' | 'postgres' | 'standby' | 'network' | 'relay' | 'disk'> & {
  /** One per node. */
  readonly urls: readonly string[];
};

async function openPostgres(
  { isolated, folder: top }: StagePlan,
  folder: string,
  endings: (() => Promise<void>)[],
): Promise<OpenedDatabase> {
  const binaries = await findPostgres();
  if (binaries === null) throw new Error('There is no PostgreSQL.');
  const network = isolated ? await openNetwork(NODES) : null;
  if (network !== null) endings.push(() => network.close());
  const disk = isolated ? await mountDisk(path.join(folder, 'disk'), POSTGRES_MEGABYTES) : null;
  if (disk !== null) endings.push(() => disk.close());
  const postgres = await createPostgres({
    binaries,
    folder: disk?.folder ?? folder,
    prefix: network?.prefix ?? [],
    addresses: network === null ? '127.0.0.1' : '*',
    logFile: path.join(top, 'postgres.log'),
  });
  endings.push(() => postgres.stop('immediate'));
  const hostOf = (node: number): string => network?.addressOf(node) ?? '127.0.0.1';
  const relay = await openRelay({ host: hostOf(NODES - 1), port: postgres.port });
  endings.push(() => relay.close());
  const urls = Array.from({ length: NODES }, (_, node) => {
    const place = node === NODES - 1 ? `127.0.0.1:${relay.port}` : `${hostOf(node)}:${postgres.port}`;
    return `postgres://gateway@${place}/gateway`;
  });
  return { urls, databaseUrl: postgres.ownUrl, postgres, network, relay, disk };
}

/** Everything reaches the database through the relay, which leads to another server after a switch. */
async function openPair(
  { folder: top }: StagePlan,
  folder: string,
  endings: (() => Promise<void>)[],
): Promise<OpenedDatabase> {
  const binaries = await findPostgres();
  if (binaries === null) throw new Error('There is no PostgreSQL.');
  const both = { binaries, folder, prefix: [], addresses: '127.0.0.1' };
  const postgres = await createPostgres({ ...both, logFile: path.join(top, 'primary.log') });
  endings.push(() => postgres.stop('immediate'));
  const standby = await createPostgres({ ...both, logFile: path.join(top, 'standby.log'), primary: postgres });
  endings.push(() => standby.stop('immediate'));
  const relay = await openRelay({ host: '127.0.0.1', port: postgres.port });
  endings.push(() => relay.close());
  const databaseUrl = `postgres://gateway@127.0.0.1:${relay.port}/gateway`;
  const urls = Array.from({ length: NODES }, () => databaseUrl);
  return { urls, databaseUrl, postgres, standby, network: null, relay, disk: null };
}

async function openSqlite(
  { isolated }: StagePlan,
  folder: string,
  endings: (() => Promise<void>)[],
): Promise<OpenedDatabase> {
  const disk = isolated ? await mountDisk(path.join(folder, 'disk'), SQLITE_MEGABYTES) : null;
  if (disk !== null) endings.push(() => disk.close());
  const databaseUrl = `sqlite:${path.join(disk?.folder ?? folder, 'gateway.sqlite')}`;
  return { urls: [databaseUrl], databaseUrl, postgres: null, network: null, relay: null, disk };
}

const OPEN = { postgres: openPostgres, standby: openPair, sqlite: openSqlite } as const;

/** Adds a partner with the operator's command. */
async function addPartner(name: string, env: Readonly<Record<string, string>>): Promise<Partner> {
  const args = ['scripts/node.mjs', 'scripts/utg.ts', 'partner', 'add', '--name', name, '--redirect-uri', REDIRECT_URI];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env: { ...process.env, ...env } });
  const read = (what: string): string => new RegExp(`^${what}:\\s+(\\S+)$`, 'm').exec(stdout)?.[1] ?? '';
  return { clientId: read('client_id'), secret: read('client_secret'), redirectUri: REDIRECT_URI };
}
