/** Words of names: those that say little, those that say what happens, and shorter forms. */

/** Left out of names that are too long. */
export const FILLERS = new Set([
  'a',
  'an',
  'the',
  'of',
  'for',
  'to',
  'in',
  'on',
  'by',
  'with',
  'from',
  'and',
  'or',
  'that',
]);

/** Put in place of long words in names that are too long. */
export const ABBREVIATIONS: ReadonlyMap<string, string> = new Map(
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

/** Say nothing of what a tool is about; left out of names that are too long. */
export const WEAK_WORDS = new Set(
  (
    'api apis call controller data details endpoint existing given handler info information method object ' +
    'operation operations particular request resource resources rest single specific specified value'
  ).split(' '),
);

/** Abbreviations of the first scheme that are other words, or no words. */
export const ODD_ABBREVIATIONS = new Set(
  'assignment assignments associated categories category protection quantity restriction restrictions'.split(' '),
);

/** To how many, and how surely. Without them, a name would promise less than the tool does. */
export const SCOPES = new Set(
  'all any batch bulk collection every force forever many multiple not permanently recursive'.split(' '),
);

/** What operations do. They stay in a name however short it gets. */
export const VERBS = new Set(
  (
    'accept acknowledge activate add adjust allow analyze append apply approve archive assign associate attach authorize ' +
    'block calculate cancel capture change check claim clear clone close complete compute configure confirm ' +
    'connect convert copy count create deactivate decline decrypt delete deny deploy describe detach detect disable ' +
    'disassociate disconnect dismiss download duplicate edit enable encrypt end enroll evaluate execute expire export fetch ' +
    'filter finalize find finish follow fork generate get grant head hide import init insert invite invoke issue join leave ' +
    'link list lock lookup mark merge modify move mute notify open patch pause pay pin ping post preview process promote ' +
    'publish purge push put query read rebuild receive recover redeem refresh refund register reject release reload remove ' +
    'rename renew reopen replace reply request requeue rerun resend reset resolve restart restore resume retrieve retry ' +
    'return reverse revert review revoke rotate run save scan schedule search select send set share show sign simulate skip ' +
    'snooze split star start stop submit subscribe suspend sync synchronize tag terminate test toggle track transfer ' +
    'translate trigger unarchive unassign unblock unfollow uninstall unlink unlock unmute unpin unpublish unstar ' +
    'unsubscribe update upgrade upload upsert validate verify view void vote watch write'
  ).split(' '),
);
