/** Adds a service: its descriptor, a first `connector.yaml`, its tools, and a list of open decisions. */

import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runCodegen } from '../../codegen/command.ts';
import { decideService } from '../../codegen/decide.ts';
import { DIAGNOSTICS, type Diagnostic, type Problem, toDiagnostic } from '../../codegen/diagnostics.ts';
import { effectOf } from '../../codegen/emit/review-words.ts';
import type { ServiceResult } from '../../codegen/generate.ts';
import { pointerTokens } from '../../codegen/json-pointer.ts';
import { CONNECTOR_SCHEMA_FILE } from '../../codegen/load/connector-schema.ts';
import { loadService } from '../../codegen/load/index.ts';
import type { ServiceModel } from '../../codegen/model/types.ts';
import { formatDiagnostics } from '../../codegen/print.ts';
import type { ToolModel } from '../../codegen/tools/types.ts';
import { toShortText } from '../../codegen/tools/words/texts.ts';
import type { Output } from '../../shared/cli/output.ts';
import { FailureError, UsageError, UTG } from '../../shared/cli/run.ts';
import { formatReasons, formatUnfollowed, formatWarnings, type Outcome } from './add-report.ts';
import { type Assumptions, toAssumedConfig, toAssumptions } from './assumptions.ts';
import { type FirstConfigInput, toFirstConfig } from './first-config.ts';
import type { ProposedCredential } from './mcp/credential.ts';
import { toCount } from './proposals/draft.ts';
import type { Unfollowed } from './references/gather.ts';
import { type Selection, takeTools, toAdvice, toLeftOut, toSelectionConfig } from './selection.ts';
import { type CommandRules, readWithProgress, writeServiceFiles } from './service-files.ts';

const SERVICE_NAME = /^(?=.{1,32}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const GATEWAY_ROOT = path.resolve(import.meta.dirname, '../..');
const CONFIG = 'connector.yaml';
const MAX_DECISION_CHARS = 200;

interface Addition extends CommandRules {
  readonly root: string;
  readonly source: string;
  readonly service: string;
  readonly selection: Selection;
}

/**
 * Writes nothing if the descriptor cannot be read or no operation of it can become a tool; otherwise the files stay, and errors say what
 * to fix.
 *
 * @returns `partial`: operations that were asked for cannot become tools. connector.yaml has each with its reason.
 * @throws {UsageError} for a name that is taken or cannot name a service, for a source that cannot be read, and for a selection that
 *   matches no operation.
 * @throws {FailureError} if connector.yaml cannot be read back, which is a bug of this command. Nothing is left then.
 */
export async function addConnector(addition: Addition, output: Output): Promise<Outcome> {
  const { root, source, service, selection, ...rules } = addition;
  await requireNewService(root, service);
  const copied = await copyDescriptor({ ...rules, source, service }, path.join(root, 'specs', service), output);
  return addFiles({ root, service, source, selection }, copied, output);
}

/** @throws {UsageError} for a name that is taken or cannot name a service. */
export async function requireNewService(root: string, service: string): Promise<void> {
  if (!SERVICE_NAME.test(service)) {
    throw new UsageError(
      `${JSON.stringify(service)} cannot name a service: use lower-case words joined by hyphens, at most 32 characters.`,
    );
  }
  if ((await stat(path.join(root, 'specs', service)).catch(() => null)) === null) return;
  throw new UsageError(`specs/${service}/ already exists; \`update ${service}\` replaces its descriptor.`);
}

/** The files of a descriptor that were written. */
interface CopiedFiles {
  readonly names: readonly string[];
  /** References that are missing in them. */
  readonly unfollowed: readonly Unfollowed[];
  /** Undefined: the descriptor says it. */
  readonly credential?: ProposedCredential;
  /** More for a person to read. */
  readonly note?: string;
}

/** Adds the service of a descriptor that was written into its folder. If it gives no tool, the folder is removed. */
export async function addFiles(
  input: Omit<FirstInput, 'folder' | 'credential'>,
  copied: CopiedFiles,
  output: Output,
): Promise<Outcome> {
  const { root, service } = input;
  const folder = path.join(root, 'specs', service);
  const { credential, note = '' } = copied;
  const first = await writeFirst({ ...input, folder, credential }, output).catch(async (error) => {
    await rm(folder, { recursive: true });
    throw error;
  });
  if (first === null || first.tools === 0) {
    await rm(folder, { recursive: true });
    output.err(first?.refused ?? '');
    output.err(formatUnfollowed(copied.unfollowed));
    const reason = first === null ? 'the descriptor has errors' : first.noToolsReason;
    output.err(`Nothing was added: ${reason}.\n`);
    return 'failed';
  }
  const generated = await generateService(root, service, output);
  const files = [...copied.names, CONFIG].map((name) => `specs/${service}/${name}`);
  output.err(formatWarnings(generated.diagnostics, service));
  output.out(`\nWrote ${files.slice(0, -1).join(', ')} and ${files.at(-1)}.\n`);
  output.out(first.summary);
  output.out(note);
  output.err(formatUnfollowed(copied.unfollowed));
  return reportOutcome(generated, service, first.refused, output);
}

/** The result of codegen for a service. */
interface GeneratedService {
  readonly isWritten: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly tools: number;
}

/** Errors of other services are not this command's. */
async function generateService(root: string, service: string, output: Output): Promise<GeneratedService> {
  let result: ServiceResult | undefined;
  await runCodegen(
    {
      root,
      services: [service],
      isQuiet: true,
      onGenerated: ({ services }) => {
        result = services.find(({ name }) => name === service);
      },
    },
    output,
  );
  return {
    isWritten: result !== undefined && result.files.length > 0,
    diagnostics: result?.diagnostics ?? [],
    tools: result?.connector?.tools.length ?? 0,
  };
}

/** Prints the last lines: the errors, if there are any; otherwise how many tools there are, and which operations are none. */
function reportOutcome(generated: GeneratedService, service: string, refused: string, output: Output): Outcome {
  if (!generated.isWritten) {
    const errors = generated.diagnostics.filter(({ severity }) => severity === 'error');
    output.err(formatDiagnostics(errors, false));
    output.err(
      `No tools were generated. specs/${service}/ stays: correct what the errors name, then run ${UTG} codegen ${service}.\n`,
    );
    return 'failed';
  }
  output.out(`\n${service}: ${toCount(generated.tools, 'tool')}. Then read generated/${service}/TOOLS.md.\n`);
  if (refused === '') return 'whole';
  output.out(`\n${refused}`);
  return 'partial';
}

type CopyRules = Omit<Addition, 'root' | 'selection'>;

/** Copies the descriptor. */
async function copyDescriptor(
  { source, service, ...rules }: CopyRules,
  folder: string,
  output: Output,
): Promise<CopiedFiles> {
  const files = await readWithProgress(source, rules, { service, output });
  await mkdir(folder, { recursive: true });
  await writeServiceFiles(folder, files);
  return { names: [...files.files.keys()], unfollowed: files.unfollowed };
}

/** The report on a first connector.yaml. */
interface FirstFiles {
  readonly tools: number;
  readonly summary: string;
  /** The operations that codegen refuses, by reason. The text is empty if it refuses nothing. */
  readonly refused: string;
  /** The reason why there are no tools. The text is empty if there are tools. */
  readonly noToolsReason: string;
}

/** Writes the first connector.yaml, if there are tools; null if the descriptor has errors. */
async function writeFirst(...inputs: Parameters<typeof decideFirst>): Promise<FirstFiles | null> {
  const first = await decideFirst(...inputs);
  if (first === null) return null;
  const { connector, tools, lostPaths, model } = first;
  const refusedReasons = connector.notExposed.flatMap(({ by, reason }) => (by === 'codegen' ? [reason] : []));
  const { text: config, decisions } = toFirstConfig(first);
  const outside = connector.notExposed.filter(({ by }) => by === 'expose').length;
  const decisionLines = decisions.map(({ place, text }) => `  ${place}: ${toShortText(text, MAX_DECISION_CHARS)}\n`);
  const summary = [
    toLeftOut({ tools: tools.length, outside, over: connector.tools.length - tools.length }),
    `\nTo decide, as comments in connector.yaml (${decisions.length}):\n`,
    ...decisionLines,
    toInferredEffects(tools),
    toAdvice(first),
  ];
  if (tools.length > 0) await writeConfig(config, inputs[0]);
  return {
    tools: tools.length,
    summary: summary.join(''),
    refused: toRefusedText(refusedReasons, tools.length > 0) + toLostText(lostPaths),
    noToolsReason:
      model.operations.length + lostPaths.length === 0
        ? 'the descriptor describes no operation'
        : `none of ${toCount(model.operations.length + lostPaths.length, 'operation')} can become a tool`,
  };
}

const MAX_EFFECTS = 20;

/** Lists the tools whose effect neither the method nor connector.yaml says, those that destroy first; empty if there are none. */
function toInferredEffects(tools: readonly ToolModel[]): string {
  const inferred = tools.filter(({ effectFrom }) => effectFrom !== undefined);
  if (inferred.length === 0) return '';
  const rows = inferred
    .map((tool) => [effectOf(tool), tool.name, tool.mcp?.tool ?? tool.operation.method, tool.effectFrom ?? ''] as const)
    .toSorted(([a], [b]) => Number(b === 'destroy') - Number(a === 'destroy'));
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows
    .slice(0, MAX_EFFECTS)
    .map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`);
  const more = rows.length - lines.length;
  if (more > 0) lines.push(`  and ${more} more: TOOLS.md has them all\n`);
  const head = `\nEffects that were inferred from words (${rows.length}). Where the words mislead, set hints in connector.yaml:\n`;
  return head + lines.join('');
}

/** @throws {FailureError} if codegen cannot read what was written. */
async function writeConfig(text: string, { root, service, folder }: FirstInput): Promise<void> {
  await writeFile(path.join(folder, CONFIG), text);
  const { problems } = await loadService({ root, service });
  const [problem] = problems.filter(
    ({ code, file }) => DIAGNOSTICS[code].severity === 'error' && file.endsWith(CONFIG),
  );
  if (problem === undefined) return;
  const position = problem.position === undefined ? problem.pointer : `line ${problem.position.line}`;
  throw new FailureError(
    `Nothing was added: the connector.yaml that this command would write cannot be read (${position}: ${problem.message}) ` +
      'This is a bug. Report it with the descriptor.',
  );
}

function toRefusedText(reasons: readonly string[], isListed: boolean): string {
  if (reasons.length === 0) return '';
  const where = isListed ? '. Each is under notExposed in connector.yaml, with its reason' : '';
  return `${toCount(reasons.length, 'operation')} did not become tools${where}:\n${formatReasons(reasons)}`;
}

function toLostText(reasons: readonly string[]): string {
  if (reasons.length === 0) return '';
  return `${toCount(reasons.length, 'path')} could not be read, so the operations there did not become tools:\n${formatReasons(reasons)}`;
}

interface FirstInput extends Pick<Addition, 'root' | 'service' | 'source' | 'selection'> {
  readonly folder: string;
  /** Undefined: the descriptor says it. */
  readonly credential: ProposedCredential | undefined;
}

/** Returns the reasons why path items of the descriptor could not be read. Nothing tells which operations those have. */
function findLostPaths(problems: readonly Problem[], { operations, file }: ServiceModel): readonly string[] {
  return problems.flatMap((problem) => {
    const [section, key, ...rest] = pointerTokens(problem.pointer);
    const isPathItem = problem.file === file && section === 'paths' && key !== undefined && rest.length === 0;
    if (!isPathItem || !problem.code.startsWith('reference-')) return [];
    return operations.some(({ path: operationPath }) => operationPath === key) ? [] : [`${key}: ${problem.message}`];
  });
}

/**
 * Builds the service from a draft of its connector.yaml, which `writeFirst` replaces. Null if the descriptor has errors.
 */
async function decideFirst(
  { root, service, folder, source, selection, credential }: FirstInput,
  output: Output,
): Promise<(FirstConfigInput & { readonly lostPaths: readonly string[] }) | null> {
  const expose = toSelectionConfig(selection);
  const write = (config: object) => writeFile(path.join(folder, CONFIG), JSON.stringify(config));
  if (expose !== undefined) await write({ expose });
  const initial = await decideService({ root, service, isDraft: true });
  const diagnostics = initial.problems.map((problem) => toDiagnostic(problem, initial.loaded.locate));
  if (initial.decided === null) {
    output.err(formatDiagnostics(diagnostics, false));
    return null;
  }
  const unmatched = diagnostics.filter(({ code }) => code === 'config-expose-unmatched');
  if (unmatched.length > 0) throw new UsageError(unmatched.map(({ message, fix }) => `${message} ${fix}`).join('\n'));
  const assumptions: Assumptions = {
    ...toAssumptions(initial.decided.connector, diagnostics, source, initial.decided.model.servers),
    credential: credential ?? null,
    contradictedClaims: diagnostics.flatMap(({ code, message }) =>
      code === 'effect-claim-contradicted' ? [message] : [],
    ),
  };
  const assumedConfig = toAssumedConfig(assumptions);
  if (assumedConfig !== null) await write({ ...assumedConfig, expose });
  const { decided } = assumedConfig === null ? initial : await decideService({ root, service, isDraft: true });
  const { model, connector } = decided ?? initial.decided;
  const tools = takeTools(connector.tools, selection.maxTools);
  const schema = toSchemaPath(root, folder);
  const lostPaths = findLostPaths(initial.problems, model);
  return {
    model,
    connector,
    assumptions,
    schema,
    tools,
    lostPaths,
    selection: expose,
  };
}

/** Path of the JSON Schema: in `node_modules` for a project, or in its own folder for the gateway's repository. */
export function toSchemaPath(root: string, folder: string): string {
  const isWithin = !path.relative(root, GATEWAY_ROOT).startsWith('..');
  return isWithin
    ? path.relative(folder, path.join(GATEWAY_ROOT, CONNECTOR_SCHEMA_FILE))
    : `../../${CONNECTOR_SCHEMA_FILE}`;
}
