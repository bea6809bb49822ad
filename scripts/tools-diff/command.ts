/** The tools:diff command: reads its arguments, and prints the report. */

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { type Command, Option } from 'commander';
import type { z } from 'zod';
import {
  type Acknowledgement,
  buildReport,
  createSurfaceReader,
  createTokenCounter,
  type FileTexts,
  formatGithub,
  formatJson,
  formatMarkdown,
  formatText,
  ReadError,
  readUsage,
  UsageFileError,
} from '../../codegen/report/index.ts';
import { completeConnector } from '../../server/call/tools/catalogue/connectors.ts';
import { definitionsOf } from '../../server/call/tools/catalogue/provenance.ts';
import type { reviewedFile } from '../../server/call/tools/catalogue/reviewed.ts';
import type { GeneratedConnector } from '../../server/contract/index.ts';
import { addHelpTable, createCommand, wholeNumber } from '../../shared/cli/command.ts';
import { requireFolder, requireFolderOf } from '../../shared/cli/folders.ts';
import { type Output, PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { FailureError, UsageError } from '../../shared/cli/run.ts';
import { loadAcknowledgements } from './acknowledgements.ts';
import { addDescriptorFacts } from './descriptor-facts.ts';
import { readComparison } from './eval-results.ts';
import { readCommit, readFolder } from './generated-files.ts';
import { findDefaultBase, findRevision } from './git.ts';
import { readConnectorFiles } from './specs-files.ts';

const FORMATS = ['text', 'markdown', 'github', 'json'] as const;

interface ToolsDiffOptions {
  readonly format: (typeof FORMATS)[number];
  readonly baseDir?: string;
  readonly headDir?: string;
  readonly maxLength?: number;
  /** The file for the digests of the approved definitions. */
  readonly approve?: string;
  readonly usage?: string;
  readonly evals?: string;
}

/** `npm run tools:diff`: reports how the agents' tools change between two states of this project. */
export function createToolsDiffCommand(output = PROCESS_OUTPUT): Command {
  const command = createCommand('tools:diff', output)
    .summary('report how the tools change for agents')
    .description(
      'Reports how the tools change: what breaks, what gets riskier, what it costs in tokens. Compares the ' +
        'committed files of generated/ at a git revision with those of the working tree. Fails while something must be decided.\n\n' +
        'A breaking change or a risk is accepted in specs/<service>/connector.yaml, and so are new texts of an upstream, all at once:\n' +
        "  acknowledged:\n    '<fingerprint>': <reason>",
    )
    .argument('[revision]', 'default: the merge base with origin/main, else with main; on main itself HEAD~1')
    .addOption(
      new Option('--format <name>', 'how to print it; github: as annotations of a workflow')
        .choices(FORMATS)
        .default('text'),
    )
    .option('--base-dir <dir>', 'compare generated/ of this folder instead of a revision')
    .option('--head-dir <dir>', 'folder that holds generated/ and specs/ as they are now; default: this project')
    .option(
      '--approve <file>',
      'if nothing is left to decide, write the file that REQUIRE_REVIEWED of the gateway reads',
    )
    .option('--max-length <n>', 'characters of text or markdown at most; default: no limit', wholeNumber(5000))
    .option('--usage <file>', 'how the tools were called, of `utg usage --json`: says how many calls each change meets')
    .option(
      '--evals <file>',
      'results of `utg evals --compare` with the same two sides: says which requests get better or worse',
    )
    .action((revision: string | undefined, options: ToolsDiffOptions) =>
      compare(revision ?? null, options, output).catch((error: unknown) => {
        throw error instanceof ReadError || error instanceof UsageFileError ? new FailureError(error.message) : error;
      }),
    );
  return addHelpTable(command, 'Examples', {
    'utg tools:diff': 'the working tree against the start of the branch',
    'utg tools:diff v1.4.0': 'against any revision',
  });
}

async function compare(revision: string | null, options: ToolsDiffOptions, { out, err }: Output): Promise<void> {
  // TurboFan took a fifth of the CPU time that GitHub's descriptor needs, and pays for itself only at six times its size.
  setFlagsFromString('--no-turbofan');
  const { format, maxLength = Number.MAX_SAFE_INTEGER } = options;
  const headDir = path.resolve(options.headDir ?? '.');
  const baseDir = options.baseDir === undefined ? null : path.resolve(options.baseDir);
  if (baseDir !== null && revision !== null) throw new UsageError('Name a revision or --base-dir, not both.');
  requireFolder(headDir, '--head-dir');
  if (baseDir !== null) requireFolder(baseDir, '--base-dir');
  if (options.approve !== undefined) requireFolderOf(options.approve, '--approve');
  const { acknowledgements, ownTexts, budgets, problems } = await loadAcknowledgements(headDir);
  if (problems.length > 0) throw new FailureError(problems.join('\n'));
  const head = await readFolder(headDir);
  const base = baseDir === null ? await readRevision(headDir, revision, head) : await readBaseFolder(baseDir);
  const reader = createSurfaceReader();
  const publishedSurfaces = { before: reader.read(base.files), after: reader.read(head) };
  const surfaces = await addDescriptorFacts(publishedSurfaces, base.specs, headDir);
  const fullReport = buildReport({
    ...surfaces,
    base: base.label,
    head: baseDir === null ? 'the working tree' : headDir,
    acknowledgements,
    ownTexts,
    budgets,
    countTokens: await createTokenCounter(),
    usage: options.usage === undefined ? null : readUsage(await readText(options.usage)),
    ...(options.evals === undefined ? {} : { requests: await readComparison(options.evals, base.files, head) }),
    today: new Date().toISOString().slice(0, 10),
  });
  const baseConnectors = fullReport.stale.length === 0 ? [] : await readConnectorFiles(base.specs);
  // What the base has acknowledged already was decided there, and says nothing about this change.
  const isNew = ({ fingerprint }: Acknowledgement) => !baseConnectors.some((text) => text.includes(fingerprint));
  const report = { ...fullReport, stale: fullReport.stale.filter(isNew) };
  if (format === 'text') out(formatText(report, { maxLength }));
  else if (format === 'json') out(formatJson(report));
  else if (format === 'github') out(formatGithub(report, (file) => head.get(file) ?? null));
  else out(formatMarkdown(report, { maxLength }));
  if (report.undecided > 0) throw new FailureError();
  if (options.approve === undefined) return;
  const tools = await writeApproval(headDir, path.resolve(options.approve));
  err(`${options.approve} approves the definitions of ${tools} tools and skills.\n`);
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`Cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  });
}

async function readBaseFolder(folder: string) {
  return { label: folder, files: await readFolder(folder), specs: { folder } };
}

async function readRevision(root: string, revision: string | null, head: FileTexts) {
  const { label, commit } = revision === null ? await findDefaultBase(root) : await findRevision(root, revision);
  return { label, files: await readCommit(root, commit, head), specs: { root, commit } };
}

/**
 * Writes the digests of every tool and skill in `generated/`, by name, as the gateway computes them.
 *
 * @param root the folder that contains `generated/`.
 * @returns how many there are.
 */
async function writeApproval(root: string, file: string): Promise<number> {
  const address = pathToFileURL(path.join(root, 'generated/index.ts')).href;
  const { connectors } = (await import(address)) as { readonly connectors: readonly GeneratedConnector[] };
  const digests = connectors
    .flatMap((connector) => [...definitionsOf(completeConnector(connector))])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const approval: z.infer<typeof reviewedFile> = { tools: Object.fromEntries(digests) };
  await writeFile(file, `${JSON.stringify(approval, null, 2)}\n`);
  return digests.length;
}
