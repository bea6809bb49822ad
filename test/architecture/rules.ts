/** The import rules, as data: which folder must not import what. */

import { CONTRACT_MODULE } from '../../codegen/contract-module.ts';

/** One import, as written in one file. Paths are relative to the project's root, with `/`. */
export interface ImportArrow {
  readonly from: string;
  /** A project path such as `server/base/store/index.ts`, or a package name such as `yaml`. */
  readonly to: string;
  readonly line: number;
  readonly typeOnly: boolean;
}

export interface ImportRule {
  readonly title: string;
  /** True if the import is forbidden. */
  forbids(arrow: ImportArrow): boolean;
}

const within = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);
const isProjectPath = (path: string): boolean =>
  /^(codegen|examples|generated|packages|sandbox|server|shared|scripts|test|specs)\//.test(path);
const folderOf = (path: string, root: string): string | undefined =>
  within(path, root) ? path.slice(root.length + 1).split('/')[0] : undefined;

const CODEGEN_STAGES = ['load', 'model', 'tools', 'emit', 'report'];
const SANDBOX_ROOMS = ['descriptor', 'oauth', 'decode', 'check', 'answer'];
const CODEGEN_ROOMS = ['words', 'schema', 'profiles', 'body', 'budget', 'request', 'answers', 'connector'];
const REPORT_MAY_IMPORT = [
  'select-scopes.ts',
  'emit/figures.ts',
  'json.ts',
  'json-pointer.ts',
  'remember.ts',
  'word-set.ts',
  'typescript-literal.ts',
  'emit/markdown.ts',
  'emit/literal.ts',
  'emit/tool-size.ts',
].map((file) => `codegen/${file}`);

/** The rest of `server/base/store` reads the gateway's tables, which the portal reaches by the partner API alone. */
const PORTAL_MAY_IMPORT = [
  'packages/connect',
  'packages/partner',
  'packages/portal',
  'shared',
  'package.json',
  'server/app.ts',
  'server/closing.ts',
  'server/gateway-paths.ts',
  'server/modules/landing/clients.ts',
  'server/config/secret-files.ts',
  'server/config/setting.ts',
  'server/config/values.ts',
  'server/base/credentials/index.ts',
  'server/base/credentials/key-ring.ts',
  'server/base/credentials/sealed-value.ts',
  'server/base/guarded-fetch',
  'server/base/http',
  'server/base/limits',
  'server/base/pages',
  'server/base/store/conflicts.ts',
  'server/base/store/migrate.ts',
  'server/base/store/postgres.ts',
  'server/base/store/sqlite.ts',
  'server/base/store/tables',
  'server/base/store/unavailable.ts',
  'server/base/with-timeout.ts',
];

/**
 * Every folder and root file of `server/`, lowest layer first. Folders of one layer never import each other.
 *
 * `base`, `call`, `identity`, `connect` and `partners` are the core; `config` reads the settings; `modules` is what the core can do without.
 */
export const SERVER_FLOORS: readonly (readonly string[])[] = [
  ['contract', 'node-version.ts', 'gateway-paths.ts'],
  ['base'],
  ['call'],
  ['identity'],
  ['connect'],
  ['partners'],
  ['config'],
  ['module.ts', 'product.ts', 'closing.ts'],
  ['cli'],
  ['modules'],
  ['koa.ts', 'listeners.ts'],
  ['app.ts'],
  ['upstreams.ts'],
  ['open-modules.ts'],
  ['core.ts'],
  ['routes.ts'],
  ['gateway.ts'],
  ['index.ts', 'command.ts', 'own-module.ts'],
  ['main.ts'],
];

/** The layer of a path in `server/`, or -1 if `SERVER_FLOORS` does not name it. */
export function serverFloorOf(path: string): number {
  return SERVER_FLOORS.findIndex((rooms) => rooms.includes(folderOf(path, 'server') ?? ''));
}

/** The folders and files of `server/call/tools`, lowest layer first. What one layer holds never imports a later one. */
const TOOL_LAYERS: readonly (readonly string[])[] = [
  ['json.ts', 'argument-numbers.ts', 'validate.ts', 'nearest.ts', 'provider.ts', 'call-records.ts'],
  ['catalogue'],
  ['results', 'tool-consent.ts'],
  ['approvals', 'selection', 'files'],
  ['call', 'ask-user.ts', 'questions'],
  ['large'],
  [
    'accounts.ts',
    'call-limits.ts',
    'verify-credential.ts',
    'ended-calls.ts',
    'finder.ts',
    'dry-run.ts',
    'ask-for-server.ts',
    'user-tools.ts',
    'why.ts',
  ],
];

const toolLayerOf = (path: string): number => {
  const part = folderOf(path, 'server/call/tools');
  return part === undefined ? -1 : TOOL_LAYERS.findIndex((parts) => parts.includes(part));
};

const onlyFrom = (title: string, packages: readonly string[], allowed: (from: string) => boolean): ImportRule => ({
  title,
  forbids: ({ from, to }) =>
    packages.some((name) => to === name || to.startsWith(`${name}/`)) &&
    (within(from, 'codegen') || within(from, 'server')) &&
    !allowed(from),
});

export const IMPORT_RULES: readonly ImportRule[] = [
  {
    title:
      'shared/cli/ imports nothing of the project, and only commands import commander and shared/cli/, but for types',
    forbids: ({ from, to, typeOnly }) => {
      if (within(from, 'shared/cli')) return isProjectPath(to) && !within(to, 'shared/cli');
      return (
        !typeOnly &&
        (to === 'commander' || within(to, 'shared/cli')) &&
        !within(from, 'scripts') &&
        !within(from, 'server/cli') &&
        !within(from, 'server/modules/doctor') &&
        !/\/(command|main)\.ts$/.test(from)
      );
    },
  },
  {
    title: 'shared/patterns/ imports nothing of the project, and only shared/patterns/ knows RE2',
    forbids: ({ from, to }) =>
      within(from, 'shared/patterns') ? isProjectPath(to) && !within(to, 'shared/patterns') : to === 're2js',
  },
  {
    title: 'shared/search/ imports nothing of the project, and only shared/search/ knows MiniSearch and the stemmer',
    forbids: ({ from, to }) =>
      within(from, 'shared/search')
        ? isProjectPath(to) && !within(to, 'shared/search')
        : to === 'minisearch' || to === 'stemmer' || (within(from, 'codegen') && to === 'shared/search/index.ts'),
  },
  {
    title:
      'packages/portal/ imports the packages for partners, the base of the gateway without its store, and how settings are read',
    forbids: ({ from, to, typeOnly }) =>
      within(from, 'packages/portal') &&
      isProjectPath(to) &&
      !PORTAL_MAY_IMPORT.some((place) => to === place || within(to, place)) &&
      !(typeOnly && to === 'server/base/store/schema.ts'),
  },
  {
    title: 'a package for partners imports nothing of the project, and the gateway nothing of it',
    forbids: ({ from, to }) =>
      within(from, 'packages') && !within(from, 'packages/portal')
        ? isProjectPath(to) && folderOf(from, 'packages') !== folderOf(to, 'packages')
        : within(to, 'packages') &&
          !within(from, 'packages/portal') &&
          !within(from, 'examples') &&
          !within(from, 'scripts'),
  },
  {
    title: 'examples/ imports packages for partners alone, and what ships imports nothing of examples/',
    forbids: ({ from, to }) =>
      within(from, 'examples')
        ? isProjectPath(to) && !within(to, 'examples') && !within(to, 'packages')
        : within(to, 'examples') && !within(from, 'scripts'),
  },
  {
    title: 'codegen/ imports nothing of generated/, server/, sandbox/ or scripts/, but for types of the contract',
    forbids: ({ from, to, typeOnly }) =>
      within(from, 'codegen') &&
      /^(generated|server|sandbox|scripts|test)\//.test(to) &&
      !(typeOnly && within(to, 'server/contract')),
  },
  {
    title: 'codegen stages go one way: load -> model -> tools -> emit -> report',
    forbids: ({ from, to }) => {
      const source = CODEGEN_STAGES.indexOf(folderOf(from, 'codegen') ?? '');
      const target = CODEGEN_STAGES.indexOf(folderOf(to, 'codegen') ?? '');
      return source >= 0 && target > source;
    },
  },
  {
    title:
      'folders of codegen/tools import in one direction: words -> schema -> profiles, body -> budget -> request -> answers -> connector',
    forbids: ({ from, to }) => {
      const source = CODEGEN_ROOMS.indexOf(folderOf(from, 'codegen/tools') ?? '');
      const target = CODEGEN_ROOMS.indexOf(folderOf(to, 'codegen/tools') ?? '');
      return source >= 0 && (target > source || to === 'codegen/tools/index.ts');
    },
  },
  {
    title: 'what is generated never depends on codegen/cache',
    forbids: ({ from, to }) =>
      within(to, 'codegen/cache') &&
      (from === 'codegen/generate.ts' || CODEGEN_STAGES.includes(folderOf(from, 'codegen') ?? '')),
  },
  onlyFrom('only codegen/load parses descriptors', ['@apidevtools/swagger-parser', 'yaml', 'jsonc-parser'], (from) =>
    within(from, 'codegen/load'),
  ),
  onlyFrom('only codegen/emit imports openapi-typescript', ['openapi-typescript'], (from) =>
    within(from, 'codegen/emit'),
  ),
  // These read committed files and hand-written tools with a parser, which can neither change nor run them.
  onlyFrom(
    'only what reads literals of TypeScript, parses emitted files, or moves types that openapi-typescript made, imports typescript',
    ['typescript'],
    (from) =>
      within(from, 'codegen/report/read') ||
      /^codegen\/(typescript-literal|emit\/source-file|emit\/types\/later-methods|load\/hand-written\/[a-z-]+)\.ts$/.test(
        from,
      ),
  ),
  {
    title: 'specs/ imports define-tool.ts and client.ts of its own service, and types',
    forbids: ({ from, to, typeOnly }) => {
      if (!within(from, 'specs')) return false;
      const own = `generated/${folderOf(from, 'specs')}`;
      if (to === `${own}/define-tool.ts` || to === `${own}/client.ts`) return false;
      return !(typeOnly && (to === `${own}/schema.d.ts` || to === CONTRACT_MODULE));
    },
  },
  {
    title: 'codegen/report knows what was committed, never what codegen would make today',
    forbids: ({ from, to }) =>
      within(from, 'codegen/report') &&
      within(to, 'codegen') &&
      !within(to, 'codegen/report') &&
      !REPORT_MAY_IMPORT.includes(to),
  },
  {
    title: 'in codegen/ only load/, cache/ and write.ts touch the disk',
    forbids: ({ from, to }) =>
      within(from, 'codegen') &&
      /^(node:)?fs(\/promises)?$/.test(to) &&
      !within(from, 'codegen/load') &&
      !within(from, 'codegen/cache') &&
      from !== 'codegen/write.ts',
  },
  {
    title:
      'generated/ imports openapi-fetch, its own service, its hand-written tools, and types of the contract by the name of the package',
    forbids: ({ from, to, typeOnly }) => {
      if (!within(from, 'generated')) return false;
      if (to === 'openapi-fetch') return false;
      if (to === CONTRACT_MODULE) return !typeOnly;
      if (from === 'generated/index.ts') return !/^generated\/[^/]+\/index\.ts$/.test(to);
      if (within(to, `specs/${folderOf(from, 'generated')}/tools`)) return false;
      return folderOf(from, 'generated') !== folderOf(to, 'generated');
    },
  },
  {
    title: 'server/contract/ imports nothing: every other folder may depend on it',
    forbids: ({ from, to }) => within(from, 'server/contract') && !within(to, 'server/contract'),
  },
  {
    title: 'the gateway loads no typed client: those are for people',
    forbids: ({ from, to }) =>
      (within(from, 'server') && to === 'openapi-fetch') ||
      (/^(server|generated)\//.test(from) && /^generated\/[^/]+\/client\.ts$/.test(to)),
  },
  {
    title: 'server/ never imports codegen/, sandbox/, scripts/ or test/',
    forbids: ({ from, to }) => within(from, 'server') && /^(codegen|sandbox|scripts|test)\//.test(to),
  },
  {
    title: 'sandbox/ imports no other folder, but for what the connectors say of paging, OAuth and base URLs',
    forbids: ({ from, to, typeOnly }) => {
      if (!within(from, 'sandbox') || !isProjectPath(to) || within(to, 'sandbox') || within(to, 'shared/cli'))
        return false;
      if (to === 'server/contract/index.ts') return !typeOnly;
      return !(from === 'sandbox/index.ts' && to === 'server/call/tools/catalogue/connectors.ts');
    },
  },
  {
    title: 'sandbox rooms go one way: descriptor -> oauth -> decode -> check -> answer',
    forbids: ({ from, to }) => {
      const source = SANDBOX_ROOMS.indexOf(folderOf(from, 'sandbox') ?? '');
      const target = SANDBOX_ROOMS.indexOf(folderOf(to, 'sandbox') ?? '');
      return source >= 0 && target > source;
    },
  },
  {
    title:
      'server/call/tools imports in one direction: json -> catalogue -> results -> call -> what users and the gateway call',
    forbids: ({ from, to }) =>
      within(from, 'server/call/tools') &&
      within(to, 'server/call/tools') &&
      (toolLayerOf(from) < 0 || toolLayerOf(to) > toolLayerOf(from)),
  },
  {
    title: 'generated/ is read in server/call/tools/catalogue/connectors.ts only',
    forbids: ({ from, to }) =>
      within(from, 'server') && within(to, 'generated') && from !== 'server/call/tools/catalogue/connectors.ts',
  },
  {
    title: 'only server/call/mcp imports the MCP SDK, and only server/call/upstream/mcp its client',
    forbids: ({ from, to }) =>
      within(from, 'server') &&
      to.startsWith('@modelcontextprotocol/') &&
      !within(from, to === '@modelcontextprotocol/client' ? 'server/call/upstream/mcp' : 'server/call/mcp'),
  },
  {
    title:
      'server/call/upstream/mcp is loaded with the first call at an MCP server, or by the doctor, so that other gateways pay nothing for it',
    forbids: ({ from, to, typeOnly }) =>
      within(from, 'server') &&
      within(to, 'server/call/upstream/mcp') &&
      !within(from, 'server/call/upstream/mcp') &&
      !typeOnly &&
      !['server/call/upstream/index.ts', 'server/modules/doctor/mcp-servers.ts'].includes(from),
  },
  onlyFrom(
    'only server/identity/protocol/jwt.ts imports jose',
    ['jose'],
    (from) => from === 'server/identity/protocol/jwt.ts',
  ),
  onlyFrom(
    'only server/base/limits/redis.ts imports a client of Redis',
    ['@redis/client'],
    (from) => from === 'server/base/limits/redis.ts',
  ),
  onlyFrom(
    'only server/base/http/openid-client.ts imports openid-client',
    ['openid-client'],
    (from) => from === 'server/base/http/openid-client.ts',
  ),
  {
    title: 'a module imports no other module, and only the list names modules',
    forbids: ({ from, to }) => {
      if (!within(from, 'server') || !within(to, 'server/modules')) return false;
      const list = 'server/modules/index.ts';
      if (to === list) return !['server/index.ts', 'server/command.ts'].includes(from);
      return from !== list && folderOf(from, 'server/modules') !== folderOf(to, 'server/modules');
    },
  },
  {
    title:
      'only server/modules/telemetry imports OpenTelemetry, and only its types are imported: it is loaded where it is switched on',
    forbids: ({ from, to, typeOnly }) =>
      within(from, 'server') &&
      !within(from, 'server/modules/telemetry') &&
      (to.startsWith('@opentelemetry/') ||
        (within(to, 'server/modules/telemetry') && !typeOnly && to !== 'server/modules/telemetry/module.ts')),
  },
  {
    title: 'server/ goes one way, down the floors of SERVER_FLOORS, and never to a neighbour',
    forbids: ({ from, to }) =>
      within(from, 'server') &&
      within(to, 'server') &&
      folderOf(from, 'server') !== folderOf(to, 'server') &&
      serverFloorOf(from) <= serverFloorOf(to),
  },
  {
    title:
      'in server/ every request to another host goes through guarded-fetch/; http/forwarded.ts reads addresses with node:net',
    forbids: ({ from, to, typeOnly }) =>
      !typeOnly &&
      within(from, 'server') &&
      ['undici', 'node:http', 'node:https', 'node:net', 'node:tls', 'http', 'https'].includes(to) &&
      !within(from, 'server/base/guarded-fetch') &&
      from !== 'server/command.ts' &&
      from !== 'server/base/http/origin.ts' &&
      !isProjectPath(to),
  },
];
