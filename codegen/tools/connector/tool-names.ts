/** Names tools: the default name of an operation, short enough, unique, and the same in any order of the descriptor. */

import { byCodeUnit } from '../../json.ts';
import type { OperationModel } from '../../model/types.ts';
import { toOperationWords } from '../words/texts.ts';
import { toDigest, toSnakeCase } from '../words/words.ts';

/** Clients put a prefix of their own before a tool's name: what is longer than this gets a warning. */
const TOOL_NAME_AIM = 40;
/** Longest name that no known client refuses, whatever a user calls this server: see `profiles/cursor.ts`. */
const MAX_TOOL_NAME_LENGTH = 58;

const DIGEST_LENGTH = 6;

/** Left out of names that are too long. */
const FILLERS = new Set(['a', 'an', 'the', 'of', 'for', 'to', 'in', 'on', 'by', 'with', 'from', 'and', 'or', 'that']);

/** Put in place of long words in names that are too long. */
const ABBREVIATIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    account: 'acct',
    accounts: 'accts',
    address: 'addr',
    addresses: 'addrs',
    administrator: 'admin',
    administrators: 'admins',
    application: 'app',
    applications: 'apps',
    assignment: 'assign',
    assignments: 'assigns',
    associated: 'assoc',
    association: 'assoc',
    associations: 'assocs',
    attribute: 'attr',
    attributes: 'attrs',
    authenticated: 'authed',
    authentication: 'auth',
    authorization: 'authz',
    authorizations: 'authzs',
    categories: 'cats',
    category: 'cat',
    certificate: 'cert',
    certificates: 'certs',
    collaborator: 'collab',
    collaborators: 'collabs',
    configuration: 'config',
    configurations: 'configs',
    credential: 'cred',
    credentials: 'creds',
    database: 'db',
    databases: 'dbs',
    definition: 'def',
    definitions: 'defs',
    dependencies: 'deps',
    dependency: 'dep',
    deployment: 'deploy',
    deployments: 'deploys',
    description: 'desc',
    destination: 'dest',
    development: 'dev',
    directory: 'dir',
    document: 'doc',
    documents: 'docs',
    enterprise: 'ent',
    environment: 'env',
    environments: 'envs',
    identifier: 'id',
    identifiers: 'ids',
    information: 'info',
    installation: 'install',
    installations: 'installs',
    invitation: 'invite',
    invitations: 'invites',
    language: 'lang',
    languages: 'langs',
    management: 'mgmt',
    maximum: 'max',
    message: 'msg',
    messages: 'msgs',
    minimum: 'min',
    notification: 'notif',
    notifications: 'notifs',
    number: 'num',
    organization: 'org',
    organizations: 'orgs',
    package: 'pkg',
    packages: 'pkgs',
    parameter: 'param',
    parameters: 'params',
    password: 'pwd',
    permission: 'perm',
    permissions: 'perms',
    preference: 'pref',
    preferences: 'prefs',
    previous: 'prev',
    production: 'prod',
    properties: 'props',
    property: 'prop',
    protection: 'protect',
    quantity: 'qty',
    reference: 'ref',
    references: 'refs',
    registration: 'reg',
    registrations: 'regs',
    repositories: 'repos',
    repository: 'repo',
    request: 'req',
    requests: 'reqs',
    response: 'resp',
    responses: 'resps',
    restriction: 'restrict',
    restrictions: 'restricts',
    specification: 'spec',
    statistics: 'stats',
    subscription: 'sub',
    subscriptions: 'subs',
    template: 'tmpl',
    templates: 'tmpls',
    temporary: 'temp',
    transaction: 'txn',
    transactions: 'txns',
    variable: 'var',
    variables: 'vars',
    version: 'ver',
    versions: 'vers',
    vulnerabilities: 'vulns',
    vulnerability: 'vuln',
  }),
);

/** `GET /documents/{document_id}`: names an operation whatever its position or `operationId`. */
export function operationKey(operation: Pick<OperationModel, 'method' | 'path'>): string {
  return `${operation.method} ${operation.path}`;
}

/** Prefix of default names: the folder's name in `[a-z][a-z0-9_]*`. */
export function toToolPrefix(service: string): string {
  const prefix = service
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return /^[a-z]/.test(prefix) ? prefix : `api_${prefix}`.replace(/_$/, '');
}

/** The name that an operation would like to have: at most 58 characters, not yet unique. */
export function toDefaultToolName(prefix: string, operation: OperationModel): string {
  const words = toOperationWords(operation);
  const full = toSnakeCase([prefix, ...words]);
  if (full.length <= TOOL_NAME_AIM) return full;
  const kept = words.filter((word, index) => !FILLERS.has(word) && words.indexOf(word) === index && word !== prefix);
  const short = toSnakeCase([prefix, ...kept.map((word) => ABBREVIATIONS.get(word) ?? word)]);
  return short.length <= MAX_TOOL_NAME_LENGTH ? short : withDigest(short, operation, DIGEST_LENGTH);
}

interface ToolNames {
  /** By operation key. */
  readonly names: ReadonlyMap<string, string>;
  /** Operations that wanted one name, by that name; all of them carry a digest of their own key now. */
  readonly collisions: ReadonlyMap<string, readonly OperationModel[]>;
}

/**
 * Default names of operations, unique among themselves and against `taken`.
 *
 * Where several want one name, each gets a digest of its method and path: none depends on who comes first.
 */
export function nameTools(
  prefix: string,
  operations: readonly OperationModel[],
  taken: ReadonlySet<string>,
): ToolNames {
  const wanted = Map.groupBy(operations, (operation) => toDefaultToolName(prefix, operation));
  const isFree = (name: string) => !taken.has(name) && (wanted.get(name)?.length ?? 0) < 2;
  const names = new Map<string, string>();
  const used = new Set([...taken, ...[...wanted.keys()].filter(isFree)]);
  const collisions = new Map<string, readonly OperationModel[]>();
  for (const [name, group] of [...wanted].sort(([a], [b]) => byCodeUnit(a, b))) {
    if (isFree(name)) {
      for (const operation of group) names.set(operationKey(operation), name);
      continue;
    }
    collisions.set(name, group);
    for (const operation of group.toSorted((a, b) => byCodeUnit(operationKey(a), operationKey(b)))) {
      const unique = [DIGEST_LENGTH, 32].map((length) => withDigest(name, operation, length)).find((n) => !used.has(n));
      const chosen = unique ?? withDigest(name, operation, 48);
      used.add(chosen);
      names.set(operationKey(operation), chosen);
    }
  }
  return { names, collisions };
}

function withDigest(name: string, operation: OperationModel, length: number): string {
  const digest = toDigest(operationKey(operation), length);
  const room = MAX_TOOL_NAME_LENGTH - length - 1;
  const head =
    name.length <= room
      ? name
      : name
          .slice(0, room + 1)
          .replace(/_[^_]*$/, '')
          .slice(0, room);
  return `${head.replace(/_+$/, '')}_${digest}`;
}
