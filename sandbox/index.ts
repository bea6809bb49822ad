/**
 * The sandbox: serves descriptors as upstreams on this machine. This file opens it for the services of a `specs/` folder, with the rules of their
 * generated connectors.
 *
 * Its code for reading descriptors and decoding requests is separate from that of codegen and the gateway. If one of those misreads a descriptor and
 * sends a wrong request, the sandbox must not accept the request for the same reason. From a connector it takes only what no descriptor says: paging,
 * OAuth 2.0, where a credential goes, and base URLs.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadConnectors } from '../server/call/tools/catalogue/connectors.ts';
import type { Connector } from '../server/contract/index.ts';
import {
  buildConnectorCredential,
  buildConnectorOAuth,
  buildEnvironment,
  buildPageRules,
  buildServerVariables,
  oauthOriginVariable,
} from './connector-rules.ts';
import { findDescriptor, listDescribedServices, loadDescriptor, loadWorldRules } from './descriptor/load.ts';
import type { JsonObject } from './json.ts';
import { LOCK_FILE, type LockedServer, loadLock, toDocument } from './mcp/lock.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from './start.ts';

interface OpenSandboxOptions extends Omit<SandboxOptions, 'services'> {
  /** The folder that contains `specs/`. */
  readonly root: string;
  /** Default: every service in `specs/`. */
  readonly services?: readonly string[];
  /** Default: those in `generated/`. */
  readonly connectors?: readonly Connector[];
  /** Services that are in neither folder, with their descriptors. */
  readonly added?: readonly {
    readonly connector: Connector;
    /** Its OpenAPI document, or its `mcp.json`. */
    readonly document: JsonObject | LockedServer;
  }[];
  /** False: any text is accepted as a cursor, and lists are not paged. Default: true. */
  readonly paging?: boolean;
}

export interface OpenSandbox extends Sandbox {
  /** Environment variables for the gateway, such as `RETRIEVAL_BASE_URL`, by service. */
  readonly environment: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** @throws {Error} naming a service without a descriptor, or a descriptor that cannot be served. */
export async function openSandbox({
  root,
  services,
  paging = true,
  added = [],
  ...options
}: OpenSandboxOptions): Promise<OpenSandbox> {
  const specs = join(root, 'specs');
  const specServices = services ?? listDescribedServices(specs);
  const baseConnectors =
    options.connectors ?? (existsSync(join(root, 'generated/index.ts')) ? await loadConnectors(root) : []);
  const connectors = new Map(
    [...baseConnectors, ...added.map(({ connector }) => connector)].map((connector) => [connector.name, connector]),
  );
  const loaded = await Promise.all(
    specServices.map(async (name) => {
      const file = findDescriptor(specs, name);
      if (file === null) {
        const serviceList = listDescribedServices(specs).join(', ');
        throw new Error(`There is no descriptor in specs/${name}/. Services: ${serviceList || 'none'}.`);
      }
      const document = file.endsWith(LOCK_FILE) ? await loadLock(file) : await loadDescriptor(file);
      return { ...toService(name, document), worldRules: await loadWorldRules(file) };
    }),
  );
  const all = [...loaded, ...added.map(({ connector, document }) => toService(connector.name, document))];
  const names = all.map(({ name }) => name);
  const sandbox = await startSandbox({ ...options, services: all });
  const environment = names.map((name) => {
    const connector = connectors.get(name);
    const oauthOrigin = sandbox.oauthOrigins.get(name);
    const oauth = oauthOrigin === undefined ? {} : { [oauthOriginVariable(name)]: oauthOrigin };
    return [name, connector === undefined ? {} : { ...buildEnvironment(connector, sandbox.origin), ...oauth }];
  });
  return Object.assign(sandbox, { environment: Object.fromEntries(environment) });

  function toService(name: string, described: JsonObject | LockedServer): SandboxOptions['services'][number] {
    const connector = connectors.get(name);
    const lock = 'serverInfo' in described ? (described as LockedServer) : undefined;
    const document = lock === undefined ? (described as JsonObject) : toDocument(lock, connector?.credential);
    const mcp = lock === undefined ? {} : { mcp: lock };
    if (connector === undefined) return { name, document, ...mcp };
    return {
      name,
      ...mcp,
      title: connector.title,
      document,
      pages: paging ? buildPageRules(connector) : {},
      serverVariables: buildServerVariables(connector),
      oauth: buildConnectorOAuth(connector),
      connectorCredential: buildConnectorCredential(connector),
    };
  }
}
