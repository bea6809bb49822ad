/** Counts the tokens that tool lists cost a model, by part: ours, and those of installed published descriptors. */

import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTokenCounter, type ToolEntry } from '../../../codegen/emit/tool-size.ts';
import { loadService } from '../../../codegen/load/index.ts';
import { buildServiceModel } from '../../../codegen/model/index.ts';
import { buildConnectorModel } from '../../../codegen/tools/index.ts';
import { loadConnectors } from '../../../server/call/tools/catalogue/connectors.ts';
import type { Print } from './gateway/report.ts';

const PUBLISHED = path.resolve(import.meta.dirname, '../../../.ci/tools/node_modules/@octokit/openapi/generated');
/** GitHub and its enterprise editions: five services with more than 5,000 tools. */
const EDITIONS = ['api.github.com', 'ghec', 'ghes-3.17', 'ghes-3.18', 'ghes-3.19'];

/** Tokens (o200k_base) of the parts of one list. */
interface PartCosts {
  readonly title: string;
  readonly tools: number;
  /** Names, titles and hints. */
  readonly names: number;
  readonly descriptions: number;
  readonly inputs: number;
  readonly outputs: number;
}

/** Counts each part as separate JSON, so that parts can be added up. */
async function countParts(title: string, tools: readonly ToolEntry[]): Promise<PartCosts> {
  const count = await createTokenCounter();
  const sum = (partOf: (tool: ToolEntry) => object) => tools.reduce((total, tool) => total + count(partOf(tool)), 0);
  return {
    title,
    tools: tools.length,
    names: sum(({ name, title: own, annotations }) => ({ name, title: own, annotations })),
    descriptions: sum(({ description }) => ({ description })),
    inputs: sum(({ inputSchema }) => ({ inputSchema })),
    outputs: sum(({ outputSchema }) => ({ outputSchema })),
  };
}

/** Our services, separately and together; then GitHub, and its five editions, if their descriptors are installed. */
export async function benchTokens(print: Print): Promise<void> {
  const connectors = await loadConnectors();
  const rows = await Promise.all(connectors.map(({ name, tools }) => countParts(name, tools)));
  rows.push(
    await countParts(
      'the five services',
      connectors.flatMap(({ tools }) => tools),
    ),
  );
  const published: ToolEntry[] = [];
  for (const edition of EDITIONS) {
    const file = path.join(PUBLISHED, `${edition}.json`);
    if (!existsSync(file)) continue;
    const tools = await toolsOf(edition.replaceAll('.', '-'), file);
    if (published.length === 0) rows.push(await countParts('GitHub', tools));
    published.push(...tools);
  }
  if (published.length > 0) rows.push(await countParts("GitHub's five editions", published));
  else process.stdout.write('\nGitHub: skipped, because it is not installed (npm ci --prefix .ci/tools)\n');
  print({
    name: 'tokens',
    title: 'Tokens (o200k_base) of whole lists, by part',
    table: [
      ['list', 'tools', 'names and hints', 'descriptions', 'input schemas', 'output schemas', 'all'],
      ...rows.map(({ title, tools, names, descriptions, inputs, outputs }) => [
        title,
        ...[tools, names, descriptions, inputs, outputs, names + descriptions + inputs + outputs].map(figure),
      ]),
    ],
  });
}

/** The tools of a descriptor without a connector.yaml. */
async function toolsOf(service: string, descriptor: string): Promise<readonly ToolEntry[]> {
  const root = await mkdtemp(path.join(tmpdir(), 'bench-tokens-'));
  try {
    await mkdir(path.join(root, 'specs', service), { recursive: true });
    await copyFile(descriptor, path.join(root, 'specs', service, 'openapi.json'));
    const { descriptorFile, document, config } = await loadService({ root, service });
    const { model } = buildServiceModel({ name: service, file: descriptorFile, document });
    return buildConnectorModel(model, config, `specs/${service}/connector.yaml`).connector.tools;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function figure(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}
