/** Hand-written tools next to the generated ones that they use: their names, hints and scopes. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { compilePattern } from '../../../shared/patterns/index.ts';
import { byCodeUnit } from '../../json.ts';
import type { ConnectorConfig } from '../../load/connector-config.ts';
import type { HandWrittenFile } from '../../load/hand-written/index.ts';
import { type Reporter, suggest } from '../problems.ts';
import type { CheckedTool } from '../profiles/index.ts';
import type { HandWrittenModel, ToolHints, ToolModel } from '../types.ts';
import { toOldNames } from './old-names.ts';
import { toToolPrefix } from './tool-names.ts';

interface Surroundings {
  readonly service: string;
  readonly config: Pick<ConnectorConfig, 'toolPrefix'>;
  /** The generated tools. */
  readonly tools: readonly ToolModel[];
  readonly report: Reporter;
}

/** Sorted by name. Any fault is an error, so that a faulty tool is never emitted. */
export function buildHandWritten(
  files: readonly HandWrittenFile[],
  surroundings: Surroundings,
): readonly HandWrittenModel[] {
  const prefix = surroundings.config.toolPrefix ?? toToolPrefix(surroundings.service);
  const built = files.map((file) => build(file, `${prefix}_${file.name.replaceAll('-', '_')}`, surroundings));
  checkNames(built, surroundings);
  return built.sort((a, b) => byCodeUnit(a.name, b.name));
}

function build({ file, definition, code }: HandWrittenFile, name: string, { tools, report }: Surroundings) {
  const used = findUsed(file, definition.uses, tools, report);
  for (const member of ['inputSchema', 'outputSchema'] as const) {
    const problem = findSchemaProblem(definition[member]);
    if (problem !== null)
      report.of(file)('hand-written-definition', [member], `${member} is no JSON Schema: ${problem}.`);
  }
  const { title, description, aliases, inputSchema, outputSchema } = definition;
  return {
    name,
    ...toOldNames(aliases),
    title,
    description,
    annotations: toHints(used),
    inputSchema,
    outputSchema,
    scopes: uniteScopes(used),
    file,
    uses: used.map((tool) => tool.name).sort(byCodeUnit),
    code,
  } satisfies HandWrittenModel;
}

function findUsed(
  file: string,
  uses: readonly string[],
  tools: readonly ToolModel[],
  report: Reporter,
): readonly ToolModel[] {
  return uses.flatMap((name, index) => {
    const tool = tools.find((one) => one.name === name);
    if (tool !== undefined && uses.indexOf(name) === index) return [tool];
    const path = ['uses', index];
    if (tool !== undefined) report.of(file)('hand-written-uses', path, `${name} is named twice.`);
    else {
      const names = tools.map((one) => one.name);
      const fix = suggest(name, names, 'The service has no generated tools.');
      report.of(file)('hand-written-uses', path, `There is no generated tool ${name}.`, fix);
    }
    return [];
  });
}

/** As careful as the most dangerous tool that it uses. */
function toHints(used: readonly ToolModel[]): ToolHints {
  const every = (hint: keyof ToolHints) => used.every(({ annotations }) => annotations[hint]);
  const some = (hint: keyof ToolHints) => used.some(({ annotations }) => annotations[hint]);
  return {
    readOnlyHint: every('readOnlyHint'),
    destructiveHint: some('destructiveHint'),
    idempotentHint: every('idempotentHint'),
    openWorldHint: some('openWorldHint'),
  };
}

/** Every combination of scopes that satisfies all of them. */
function uniteScopes(used: readonly ToolModel[]): readonly (readonly string[])[] {
  const needed = used.map(({ scopes }) => scopes).filter((alternatives) => alternatives.length > 0);
  if (needed.length === 0) return [];
  const united = needed.reduce<readonly (readonly string[])[]>(
    (sets, alternatives) => sets.flatMap((set) => alternatives.map((more) => [...set, ...more])),
    [[]],
  );
  const sorted = united.map((set) => [...new Set(set)].sort(byCodeUnit));
  return [...new Map(sorted.map((set) => [set.join(' '), set])).values()];
}

/** Rule: a name belongs to one tool, and an old name leads to one. */
function checkNames(built: readonly HandWrittenModel[], { tools, report }: Surroundings): void {
  const owners = new Map<string, string>();
  for (const { name, aliases = [] } of tools) for (const own of [{ name }, ...aliases]) owners.set(own.name, name);
  const take = (wanted: string, { name, file }: HandWrittenModel, path: readonly string[]) => {
    const owner = owners.get(wanted);
    if (owner === undefined) owners.set(wanted, name);
    else report.of(file)('hand-written-name', path, `${wanted} is a name of ${owner}.`);
  };
  for (const tool of built) take(tool.name, tool, []);
  for (const tool of built) for (const { name } of tool.aliases ?? []) take(name, tool, ['aliases', name]);
}

function findSchemaProblem(schema: object): string | null {
  const regExp = Object.assign(compilePattern, { code: 'compilePattern' });
  const ajv = new Ajv2020({ strict: false, code: { regExp } });
  addFormats.default(ajv);
  try {
    ajv.compile(schema);
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
      report.of(tool.file)('profile-refused', [], message, fix.replaceAll('connector.yaml', 'its file')),
  };
}
