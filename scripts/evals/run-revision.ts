/** Runs all requests with the tools of one side, the working tree or a commit, and prints a table as it goes. */

import { hash } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { figure, plural } from '../../codegen/emit/figures.ts';
import { loadServices } from '../../server/cli/with-store.ts';
import type { Output } from '../../shared/cli/output.ts';
import { digestOf, type Outcome, type RevisionOutcomes } from '../tools-diff/eval-results.ts';
import { readCommit, readFolder } from '../tools-diff/generated-files.ts';
import { findRevision, listTree, readBlobs } from '../tools-diff/git.ts';
import type { ChatModel } from './model.ts';
import type { EvalFile } from './requests.ts';
import { runRequest } from './run.ts';
import { type OpenWorld, openWorld } from './world.ts';

const CLEAR_LINE = '\r\x1b[2K';
const HEAD = 'done   calls      read      used     time  request';

/** The tools of a side. */
export interface ToolsRevision {
  readonly label: string;
  readonly digest: string;
  /** Null for the working tree. */
  readonly commit: string | null;
}

interface Run {
  readonly file: EvalFile;
  /** Of the model. */
  readonly name: string;
  readonly modes: readonly string[];
  readonly model: ChatModel;
  /** The outcomes of an earlier run, by key. */
  readonly outcomeByKey: ReadonlyMap<string, Outcome>;
  readonly output: Output;
  /** Writes the file of results. */
  readonly save: () => Promise<void>;
}

/**
 * Returns the tools of a revision.
 *
 * @param revision null for the working tree.
 * @throws {UsageError} if there is no such revision.
 */
export async function readToolsRevision(revision: string | null): Promise<ToolsRevision> {
  const root = process.cwd();
  const files = await readFolder(root);
  if (revision === null) return { label: 'the working tree', digest: digestOf(files), commit: null };
  const { label, commit } = await findRevision(root, revision);
  return { label, digest: digestOf(await readCommit(root, commit, files)), commit };
}

/** Adds the side to `sides`, and its outcomes one by one. @throws what `ChatModel.complete` throws. */
export async function runRevision(
  { label, digest, commit }: ToolsRevision,
  run: Run,
  revisions: RevisionOutcomes[],
): Promise<void> {
  const revision: RevisionOutcomes = { label, tools: digest, outcomes: [] };
  revisions.push(revision);
  const root = commit === null ? process.cwd() : await checkOut(commit);
  try {
    const connectors = await loadServices(root);
    for (const mode of run.modes) await runMode({ root, connectors, mode, people: run.file.world }, revision, run);
  } finally {
    if (commit !== null) await rm(root, { recursive: true, force: true });
  }
}

/** Writes `specs/` and `generated/` of a commit to a folder: its tools, for the gateway of this version. */
async function checkOut(commit: string): Promise<string> {
  const root = process.cwd();
  const folder = await mkdtemp(path.join(tmpdir(), 'utg-evals-'));
  const tree = (await Promise.all(['specs', 'generated'].map((each) => listTree(root, commit, each)))).flat();
  const texts = await readBlobs(root, [...new Set(tree.map(({ blob }) => blob))]);
  for (const { path: name, blob } of tree) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, texts.get(blob) ?? '');
  }
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
}

async function runMode(options: Parameters<typeof openWorld>[0], revision: RevisionOutcomes, run: Run): Promise<void> {
  const { file, model, name, output, outcomeByKey } = run;
  const { mode, connectors } = options;
  const outcomes: Outcome[] = [];
  let world: OpenWorld | null = null;
  const tools = connectors.reduce((sum, each) => sum + each.tools.length, 0);
  output.out(`${figure(tools)} tools of ${revision.label}, mode ${mode}, model ${name}\n\n${HEAD}\n`);
  try {
    for (const request of file.requests) {
      const { ask, expect } = request;
      const keyParts = [revision.tools, mode, name, file.world, file.limit, ask, expect];
      const key = hash('sha256', JSON.stringify(keyParts)).slice(0, 16);
      if (output.isTerminal) output.err(`${outcomes.length + 1} of ${file.requests.length}: ${ask.slice(0, 60)}`);
      let outcome = outcomeByKey.get(key);
      if (outcome === undefined) {
        world ??= await openWorld(options);
        outcome = { key, ask, mode, ...(await runRequest(request, { world, model, limit: file.limit })) };
        // Each request finds the world as it was made, whatever ran before.
        const isChanged = [...world.sandbox.services.values()].some((service) => service.world?.changed.size !== 0);
        if (isChanged) [world] = [null, await world.close()];
      }
      outcomes.push(outcome);
      revision.outcomes.push(outcome);
      await run.save();
      if (output.isTerminal) output.err(CLEAR_LINE);
      output.out(`${toRow(outcome)}\n`);
      model.options.signal.throwIfAborted();
    }
  } finally {
    await world?.close();
  }
  output.out(`\n${sumUp(outcomes)}\n\n`);
}

function toRow({ ask, completed, calls, read, used, ms, why }: Outcome): string {
  const cells = [
    figure(calls).padStart(8),
    figure(read).padStart(10),
    figure(used).padStart(10),
    seconds(ms).padStart(9),
  ];
  return `${completed ? 'yes' : 'NO '} ${cells.join('')}  ${ask}${why === undefined ? '' : `\n${' '.repeat(43)}${why}`}`;
}

function sumUp(outcomes: readonly Outcome[]): string {
  const sum = (field: 'calls' | 'read' | 'used' | 'ms') =>
    outcomes.reduce((total, outcome) => total + outcome[field], 0);
  const done = outcomes.filter(({ completed }) => completed).length;
  return (
    `Completed ${done} of ${outcomes.length}: ${plural(sum('calls'), 'call')}, ${figure(sum('read'))} tokens read from tools, ` +
    `${figure(sum('used'))} used in all, ${seconds(sum('ms'))}.`
  );
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
