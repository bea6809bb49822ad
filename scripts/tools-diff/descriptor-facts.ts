/**
 * Adds to both sides what their descriptors say and `generated/` does not: whole schemas, statuses of success, and what
 * our texts replace.
 */

import type { ConnectorConfig } from '../../codegen/load/connector-config.ts';
import { buildServiceModel } from '../../codegen/model/index.ts';
import type { ServiceModel } from '../../codegen/model/types.ts';
import {
  type DescriptorFacts,
  findOpenTools,
  type ServiceFacts,
  type ServiceSurface,
  type ToolSurface,
  withFacts,
} from '../../codegen/report/index.ts';
import { type MatchedTools, matchTools } from '../../codegen/report/match-tools.ts';
import { buildConnectorModel } from '../../codegen/tools/index.ts';
import type { ToolModel } from '../../codegen/tools/types.ts';
import { replacedByService, replacedByTool, withoutTexts } from './replaced-texts.ts';
import { findSameOperations } from './same-operations.ts';
import { hasSameDecisions, hasSameFiles, type LazySpecs, readSpecs, type SpecsSource } from './specs-files.ts';

type Surfaces = readonly ServiceSurface[];

interface SurfacePair {
  readonly before: Surfaces;
  readonly after: Surfaces;
}

/**
 * Both sides, with the facts of their descriptors.
 *
 * Only services whose files in `specs/` differ are read, and of these only tools whose operations differ. A side without `specs/` is
 * compared as published.
 */
export async function addDescriptorFacts(
  { before, after }: SurfacePair,
  base: SpecsSource,
  headDir: string,
): Promise<SurfacePair> {
  const result = { before: [...before], after: [...after] };
  for (const [index, baseSurface] of before.entries()) {
    const headIndex = after.findIndex(({ service }) => service === baseSurface.service);
    const headSurface = after[headIndex];
    if (headSurface === undefined) continue;
    const baseSpecs = await readSpecs(base, baseSurface.service);
    const headSpecs = await readSpecs({ folder: headDir }, headSurface.service);
    if (baseSpecs.files.size === 0 || headSpecs.files.size === 0 || hasSameFiles(baseSpecs, headSpecs)) continue;
    const openTools = new Set([...findOpenTools(baseSurface), ...findOpenTools(headSurface)]);
    const { pairs } = matchTools(baseSurface.tools, headSurface.tools);
    const differing = await findDiffering(pairs, baseSpecs, headSpecs);
    const openPairs = differing.filter((pair) => openTools.has(pair.before) || openTools.has(pair.after));
    const factsOf = (side: 'before' | 'after', specs: LazySpecs, { tools }: ServiceSurface) => {
      const namesOf = (list: readonly PairNames[]) => new Set(list.map((pair) => pair[side]));
      return buildFacts(specs, tools, { differing: namesOf(differing), open: namesOf(openPairs) });
    };
    result.before[index] = withFacts(baseSurface, await factsOf('before', baseSpecs, baseSurface));
    result.after[headIndex] = withFacts(headSurface, await factsOf('after', headSpecs, headSurface));
  }
  return result;
}

/** The names of one tool on both sides. */
interface PairNames {
  readonly before: string;
  readonly after: string;
}

/** Returns the tools whose operations differ. */
async function findDiffering(
  pairs: MatchedTools['pairs'],
  base: LazySpecs,
  head: LazySpecs,
): Promise<readonly PairNames[]> {
  const isSame = hasSameDecisions(base, head)
    ? findSameOperations((await base.load()).document, (await head.load()).document)
    : () => false;
  const isSameUpstream = findSameOperations((await base.loadUpstream()).document, (await head.loadUpstream()).document);
  return pairs
    .filter(({ before, after }) => ![isSame, isSameUpstream].every((is) => is(before.operation, after.operation)))
    .map(({ before, after }) => ({ before: before.name, after: after.name }));
}

interface ToolNames {
  readonly differing: ReadonlySet<string>;
  /** Those of them that may leave parts open. */
  readonly open: ReadonlySet<string>;
}

/** The facts of a service, and of those of its tools that differ. */
export async function buildFacts(
  specs: LazySpecs,
  tools: readonly ToolSurface[],
  { differing, open }: ToolNames,
): Promise<ServiceFacts> {
  const loaded = await specs.load();
  const upstream = await specs.loadUpstream();
  if (loaded.document === null || upstream.document === null) return { tools: new Map(), replacedTexts: {} };
  const { config } = loaded;
  const mayReplace = (name: string) =>
    upstream !== loaded || config.defaults.arguments !== undefined || config.tools[name] !== undefined;
  const replacing = new Set([...differing].filter(mayReplace));
  const { model } = buildServiceModel({ name: specs.service, file: loaded.descriptorFile, ...loaded });
  const upstreamModel =
    upstream === loaded
      ? model
      : buildServiceModel({ name: specs.service, file: upstream.descriptorFile, ...upstream }).model;
  const ourTools = buildTools(model, config, new Set([...open, ...replacing]));
  const theirTools = buildTools(upstreamModel, withoutTexts(config), replacing);
  const facts = tools.flatMap(({ name, operation }): [string, DescriptorFacts][] => {
    const described = upstreamModel.operations.find(
      ({ method, path }) => method === operation?.method && path === operation.path,
    );
    if (!differing.has(name)) return [];
    const [ours, theirs] = [ourTools.get(name), theirTools.get(name)];
    const toolFacts = {
      wholeSchemas: open.has(name)
        ? ours && { inputSchema: ours.inputSchema, outputSchema: ours.outputSchema }
        : undefined,
      successStatuses: described?.responses.map(({ status }) => status).filter((status) => status.startsWith('2')),
      replacedTexts: ours && theirs && described && replacedByTool(ours, theirs, described),
    };
    return [[name, toolFacts]];
  });
  return { tools: new Map(facts), replacedTexts: replacedByService(upstreamModel, config) };
}

/** Tools without limits of size, by name. Empty for no names, which saves building what they share. */
function buildTools(
  model: ServiceModel,
  config: ConnectorConfig,
  onlyTools: ReadonlySet<string>,
): ReadonlyMap<string, ToolModel> {
  if (onlyTools.size === 0) return new Map();
  const { connector } = buildConnectorModel(model, config, `specs/${model.name}/connector.yaml`, { onlyTools });
  return new Map(connector.tools.map((tool) => [tool.name, tool]));
}
