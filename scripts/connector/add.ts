/** Adds a service: its descriptor, a first `connector.yaml`, its tools, and a list of open decisions. */

import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runCodegen } from '../../codegen/command.ts';
import { decideService } from '../../codegen/decide.ts';
import { toDiagnostic } from '../../codegen/diagnostics.ts';
import { CONNECTOR_SCHEMA_FILE } from '../../codegen/load/connector-schema.ts';
import { formatDiagnostics } from '../../codegen/print.ts';
import { findHardest, formatHardest } from '../../codegen/tools/words/hardest.ts';
import { toShortText } from '../../codegen/tools/words/texts.ts';
import type { Output } from '../../shared/cli/output.ts';
import { UsageError } from '../../shared/cli/run.ts';
import { toAssumedConfig, toAssumptions } from './assumptions.ts';
import { type FirstConfigInput, toFirstConfig } from './first-config.ts';
import { countEach, toCount } from './proposals/draft.ts';
import { type Selection, takeTools, toAdvice, toLeftOut, toOnlyConfig } from './selection.ts';
import { readServiceFiles, type SourceRules, writeServiceFiles } from './service-files.ts';

const SERVICE_NAME = /^(?=.{1,32}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const OWN = path.resolve(import.meta.dirname, '../..');
const CONFIG = 'connector.yaml';
const MAX_DECISION_CHARS = 200;

interface Addition extends Omit<SourceRules, 'say'> {
  readonly root: string;
  readonly source: string;
  readonly service: string;
  readonly selection: Selection;
}

/**
 * Writes nothing if the descriptor cannot be read; otherwise the files stay, and errors say what to fix.
 *
 * @returns `partial`: operations that were asked for cannot become tools. connector.yaml has each with its reason.
 * @throws {UsageError} for a name that is taken or cannot name a service, for a source that cannot be read, and for a selection that
 *   matches no operation.
 */
export async function addConnector(
  { root, source, service, selection, ...rules }: Addition,
  output: Output,
): Promise<'whole' | 'partial' | 'failed'> {
  if (!SERVICE_NAME.test(service)) {
    throw new UsageError(
      `${JSON.stringify(service)} cannot name a service: use lower-case words joined by hyphens, at most 32 characters.`,
    );
  }
  const folder = path.join(root, 'specs', service);
  if ((await stat(folder).catch(() => null)) !== null) {
    throw new UsageError(`specs/${service}/ already exists; \`update ${service}\` replaces its descriptor.`);
  }
  const names = await copyDescriptor(source, folder, { ...rules, say: output.err });
  const first = await writeFirst({ root, service, folder, source, selection }, output).catch(async (error) => {
    await rm(folder, { recursive: true });
    throw error;
  });
  if (first === null) {
    await rm(folder, { recursive: true });
    output.err(`Nothing was added: the descriptor has errors.\n`);
    return 'failed';
  }
  await writeFile(path.join(folder, CONFIG), first.config);
  let hardest = '';
  const isUpToDate = await runCodegen(
    {
      root,
      services: [service],
      onGenerated: ({ services }) => {
        const connector = services.find(({ name }) => name === service)?.connector;
        hardest = formatHardest(findHardest(connector?.tools ?? []));
      },
    },
    output,
  );
  const written = [...names, CONFIG].map((name) => `specs/${service}/${name}`);
  output.out(`\nWrote ${written.slice(0, -1).join(', ')} and ${written.at(-1)}.\n${first.summary}`);
  if (hardest !== '') output.out(`\nHardest for a model (npm run codegen -- ${service} --hardest):\n${hardest}`);
  output.out(`\nThen read generated/${service}/TOOLS.md.\n`);
  output.out(first.refused);
  return !isUpToDate ? 'failed' : first.refused === '' ? 'whole' : 'partial';
}

/** The names of the files that codegen reads. */
async function copyDescriptor(source: string, folder: string, rules: SourceRules): Promise<readonly string[]> {
  const files = await readServiceFiles(source, rules);
  await mkdir(folder, { recursive: true });
  await writeServiceFiles(folder, files);
  return [...files.files.keys()];
}

/** The first connector.yaml, and what there is to say about it; null if the descriptor has errors. */
async function writeFirst(...given: Parameters<typeof decideFirst>) {
  const first = await decideFirst(...given);
  if (first === null) return null;
  const { connector, tools } = first;
  const { text: config, decisions } = toFirstConfig(first);
  const outside = connector.notExposed.filter(({ by }) => by === 'only').length;
  const listed = decisions.map(({ place, text }) => `  ${place}: ${toShortText(text, MAX_DECISION_CHARS)}\n`);
  const summary = [
    toLeftOut({ tools: tools.length, outside, over: connector.tools.length - tools.length }),
    `\nTo decide, as comments in connector.yaml (${decisions.length}):\n`,
    ...listed,
    toAdvice(first),
  ];
  return { config, summary: summary.join(''), refused: toRefusedText(first) };
}

const MAX_REASONS = 5;

/** What codegen refuses, by reason; empty if it refuses nothing. */
function toRefusedText({ connector }: FirstConfigInput): string {
  const refused = connector.notExposed.filter(({ by }) => by === 'codegen');
  if (refused.length === 0) return '';
  const reasons = countEach(refused.map(({ reason }) => toShortText(reason, MAX_DECISION_CHARS)));
  const shown = reasons.slice(0, MAX_REASONS).map(([reason, count]) => `  ${count}: ${reason}\n`);
  const left = reasons.length - shown.length;
  return [
    `\n${toCount(refused.length, 'operation')} did not become tools. Each is under notExposed in connector.yaml, with its reason:\n`,
    ...shown,
    ...(left > 0 ? [`  and ${toCount(left, 'other reason')}\n`] : []),
  ].join('');
}

/**
 * Builds the service as its first connector.yaml, not yet written, will define it; null if the descriptor has errors.
 */
async function decideFirst(
  {
    root,
    service,
    folder,
    source,
    selection,
  }: Pick<Addition, 'root' | 'service' | 'source' | 'selection'> & { readonly folder: string },
  output: Output,
): Promise<FirstConfigInput | null> {
  const only = toOnlyConfig(selection);
  const write = (config: object) => writeFile(path.join(folder, CONFIG), JSON.stringify(config));
  if (only !== undefined) await write({ only });
  const bare = await decideService({ root, service, isDraft: true });
  const diagnostics = bare.problems.map((problem) => toDiagnostic(problem, bare.loaded.locate));
  if (bare.decided === null) {
    output.err(formatDiagnostics(diagnostics, false));
    return null;
  }
  const unmatched = diagnostics.filter(({ code }) => code === 'config-only-unmatched');
  if (unmatched.length > 0) throw new UsageError(unmatched.map(({ message, fix }) => `${message} ${fix}`).join('\n'));
  const assumptions = toAssumptions(bare.decided.connector, diagnostics, source, bare.decided.model.servers);
  const assumed = toAssumedConfig(assumptions);
  if (assumed !== null) await write({ ...assumed, ...(only === undefined ? {} : { only }) });
  const { decided } = assumed === null ? bare : await decideService({ root, service, isDraft: true });
  const { model, connector } = decided ?? bare.decided;
  const tools = takeTools(connector.tools, selection.maxTools);
  const schema = toSchemaPath(root, folder);
  return { model, connector, assumptions, schema, tools, ...(only === undefined ? {} : { only }) };
}

/** Path of the JSON Schema: in `node_modules` for a project, or in its own folder for the gateway's repository. */
export function toSchemaPath(root: string, folder: string): string {
  const isWithin = !path.relative(root, OWN).startsWith('..');
  return isWithin ? path.relative(folder, path.join(OWN, CONNECTOR_SCHEMA_FILE)) : `../../${CONNECTOR_SCHEMA_FILE}`;
}
