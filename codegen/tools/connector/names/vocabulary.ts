/** Word lists for names: fillers, verbs and scopes, and abbreviations. */

import { wordSet } from '../../../word-set.ts';

/** Left out of names that are too long. */
export const FILLERS = wordSet('a an the of for to in on by with from and or that');

/** Abbreviations of words whose plural is abbreviated alike: `accounts` is `accts`. */
const WITH_PLURAL = {
  account: 'acct',
  administrator: 'admin',
  application: 'app',
  association: 'assoc',
  attribute: 'attr',
  authorization: 'authz',
  certificate: 'cert',
  collaborator: 'collab',
  configuration: 'config',
  credential: 'cred',
  database: 'db',
  definition: 'def',
  deployment: 'deploy',
  document: 'doc',
  environment: 'env',
  identifier: 'id',
  installation: 'install',
  invitation: 'invite',
  language: 'lang',
  message: 'msg',
  notification: 'notif',
  organization: 'org',
  package: 'pkg',
  parameter: 'param',
  permission: 'perm',
  preference: 'pref',
  reference: 'ref',
  registration: 'reg',
  request: 'req',
  response: 'resp',
  subscription: 'sub',
  template: 'tmpl',
  transaction: 'txn',
  variable: 'var',
  version: 'ver',
};

/** Put in place of long words in names that are too long. */
export const ABBREVIATIONS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(WITH_PLURAL),
  ...Object.entries(WITH_PLURAL).map(([word, short]) => [`${word}s`, `${short}s`] as const),
  ...Object.entries({
    address: 'addr',
    addresses: 'addrs',
    authenticated: 'authed',
    authentication: 'auth',
    dependencies: 'deps',
    dependency: 'dep',
    description: 'desc',
    destination: 'dest',
    development: 'dev',
    directory: 'dir',
    enterprise: 'ent',
    information: 'info',
    management: 'mgmt',
    maximum: 'max',
    minimum: 'min',
    number: 'num',
    password: 'pwd',
    previous: 'prev',
    production: 'prod',
    properties: 'props',
    property: 'prop',
    repositories: 'repos',
    repository: 'repo',
    specification: 'spec',
    statistics: 'stats',
    temporary: 'temp',
    vulnerabilities: 'vulns',
    vulnerability: 'vuln',
  }),
]);

/** Words that do not describe what a tool is about; left out of names that are too long. */
export const WEAK_WORDS = wordSet(
  'api apis call controller data details endpoint existing given handler info information method object ' +
    'operation operations particular request resource resources rest single specific specified value',
);

/** Words of quantity and certainty. Without them, a name would promise less than the tool does. */
export const SCOPES = wordSet(
  'all any batch bulk collection every force forever many multiple not permanently recursive',
);
