/** Hand-written tools next to the generated ones that they use: their names, hints and scopes. */

import { byCodeUnit } from '../../json.ts';
import type { ConnectorConfig } from '../../load/connector-config.ts';
import type { HandWrittenFile } from '../../load/hand-written/index.ts';
import { type Reporter, suggest } from '../problems.ts';
import type { CheckedTool } from '../profiles/index.ts';
import { createValidator } from '../schema/validator.ts';
import type { HandWrittenModel, ToolHints, ToolModel } from '../types.ts';
import { toOldNames } from './old-names.ts';
import { toToolPrefix } from './tool-names.ts';

interface ServiceContext {
  readonly service: string;
  readonly config: Pick<ConnectorConfig, 'toolPrefix'>;
  /** The generated tools, with those that find items of a list, which no code can use. */
  readonly tools: readonly ToolModel[];
  readonly report: Reporter;
}

/** Sorted by name. Any fault is an error, so that a faulty tool is never emitted. */
export function buildHandWritten(
  files: readonly HandWrittenFile[],
  context: ServiceContext,
): readonly HandWrittenModel[] {
  const prefix = toToolPrefix(context.service, context.config.toolPrefix);
  const handWrittenTools = files.map((file) => build(file, `${prefix}_${file.name.replaceAll('-', '_')}`, context));
  checkNames(handWrittenTools, context);
  return handWrittenTools.sort((a, b) => byCodeUnit(a.name, b.name));
}

function build({ file, definition, code }: HandWrittenFile, name: string, { tools, report }: ServiceContext) {
  const usableTools = tools.filter(({ find }) => find === undefined);
  const usedTools = findUsedTools(file, definition.uses, usableTools, report);
  for (const member of ['inputSchema', 'outputSchema'] as const) {
    const problem = findSchemaProblem(definition[member]);
    if (problem !== null)
      report.forFile(file)('hand-written-definition', [member], `${member} is no JSON Schema: ${problem}.`);
  }
  const { title, description, aliases, inputSchema, outputSchema } = definition;
  return {
    name,
    aliases: toOldNames(aliases),
    title,
    description,
    annotations: toHints(usedTools),
    inputSchema,
    outputSchema,
    scopes: uniteScopes(usedTools),
    file,
    uses: usedTools.map((tool) => tool.name).sort(byCodeUnit),
    code,
  } satisfies HandWrittenModel;
}

function findUsedTools(
  file: string,
  uses: readonly string[],
  tools: readonly ToolModel[],
  report: Reporter,
): readonly ToolModel[] {
  return uses.flatMap((name, index) => {
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool !== undefined && uses.indexOf(name) === index) return [tool];
    const path = ['uses', index];
    if (tool !== undefined) report.forFile(file)('hand-written-uses', path, `${name} is named twice.`);
    else {
      const names = tools.map((candidate) => candidate.name);
      const fix = suggest(name, names, 'The service has no generated tools.');
      report.forFile(file)('hand-written-uses', path, `There is no generated tool ${name}.`, fix);
    }
    return [];
  });
}

/** As careful as the most dangerous tool that it uses. */
function toHints(usedTools: readonly ToolModel[]): ToolHints {
  const everyHas = (hint: keyof ToolHints) => usedTools.every(({ annotations }) => annotations[hint]);
  const someHas = (hint: keyof ToolHints) => usedTools.some(({ annotations }) => annotations[hint]);
  return {
    readOnlyHint: everyHas('readOnlyHint'),
    destructiveHint: someHas('destructiveHint'),
    idempotentHint: everyHas('idempotentHint'),
    openWorldHint: someHas('openWorldHint'),
  };
}

/** Every combination of scopes that satisfies all of them. */
function uniteScopes(usedTools: readonly ToolModel[]): readonly (readonly string[])[] {
  const requirements = usedTools.map(({ scopes }) => scopes).filter((alternatives) => alternatives.length > 0);
  if (requirements.length === 0) return [];
  const combinations = requirements.reduce<readonly (readonly string[])[]>(
    (sets, alternatives) => sets.flatMap((set) => alternatives.map((more) => [...set, ...more])),
    [[]],
  );
  const sorted = combinations.map((set) => [...new Set(set)].sort(byCodeUnit));
  return [...new Map(sorted.map((set) => [set.join(' '), set])).values()];
}

/** Rule: a name belongs to one tool, and an old name leads to one. */
function checkNames(handWrittenTools: readonly HandWrittenModel[], { tools, report }: ServiceContext): void {
  const owners = new Map<string, string>();
  for (const { name, aliases = [] } of tools) for (const entry of [{ name }, ...aliases]) owners.set(entry.name, name);
  const claimName = (claimedName: string, { name, file }: HandWrittenModel, path: readonly string[]) => {
    const owner = owners.get(claimedName);
    if (owner === undefined) owners.set(claimedName, name);
    else report.forFile(file)('hand-written-name', path, `${claimedName} is a name of ${owner}.`);
  };
  for (const tool of handWrittenTools) claimName(tool.name, tool, []);
  for (const tool of handWrittenTools)
    for (const { name } of tool.aliases ?? []) claimName(name, tool, ['aliases', name]);
}

function findSchemaProblem(schema: object): string | null {
  try {
    createValidator().compile(schema);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** For the client profiles: their problems are reported at the tool's file. */
export function toCheckedTool(tool: HandWrittenModel, report: Reporter): CheckedTool {
  return {
    tool,
    report: (message, fix) =>
      report.forFile(tool.file)('profile-refused', [], message, fix.replaceAll('connector.yaml', 'its file')),
  };
}
