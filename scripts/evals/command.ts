/** The evals command: measures which requests a model completes with the tools and at what cost, and how a change of tools affects that. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { createTokenCounter } from '../../codegen/emit/tool-size.ts';
import { CATALOGUE_MODES } from '../../server/base/principal/permission.ts';
import {
  addHelpNote,
  addHelpTable,
  createCommand,
  namesIn,
  requireOption,
  wholeNumber,
} from '../../shared/cli/command.ts';
import { requireFolderOf, requireSpecs } from '../../shared/cli/folders.ts';
import { type Output, PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { FailureError, UsageError } from '../../shared/cli/run.ts';
import { compareRevisions, type RevisionOutcomes, readResults, writeResults } from '../tools-diff/eval-results.ts';
import { ChatModel, ModelError, requireModelUrl } from './model.ts';
import { readRequests } from './requests.ts';
import { readToolsRevision, runRevision, type ToolsRevision } from './run-revision.ts';

const MAX_TOKENS = 2_000_000;

interface EvalsOptions {
  readonly modelUrl: string;
  readonly model: string;
  readonly modes?: readonly string[];
  readonly compare?: string;
  readonly maxTokens: number;
  readonly results?: string;
}

/** `utg evals`. */
export function createEvalsCommand(output = PROCESS_OUTPUT): Command {
  const command = createCommand('evals', output)
    .summary('let a model answer requests with the tools')
    .description(
      'Lets a model answer requests of people with the tools in generated/, in the world of the sandbox, and says which ' +
        'ones it completes, in how many calls and tokens. Any endpoint of OpenAI chat completions will do. It is sent the requests, the tools, ' +
        'and made-up data of the sandbox.',
    )
    .argument('<requests.yaml>', 'the requests, and what is right: see docs/guides/evals.md');
  requireOption(command, '--model <name>', 'the model to ask for');
  requireOption(command, '--model-url <url>', 'base URL of the endpoint, such as https://api.openai.com/v1')
    .option('--modes <names>', `ways to list the tools: ${CATALOGUE_MODES.join(', ')}; default: lean`, namesIn)
    .option('--compare <base>', 'a revision, or results of an earlier run: says which requests get better or worse')
    .option('--max-tokens <n>', 'stop before the model has used more', wholeNumber(1), MAX_TOKENS)
    .option('--results <file>', 'what is kept after each request; default: <requests>.results.json')
    .action((file: string, options: EvalsOptions) => evaluate(file, options, output));
  addHelpTable(command, 'Environment', { MODEL_API_KEY: 'the key of the endpoint, if it takes one' });
  addHelpNote(command, 'Ctrl-C stops it. The same command goes on where a run was stopped.');
  return addHelpTable(command, 'Examples', {
    'utg evals requests.yaml --model-url http://127.0.0.1:11434/v1 --model qwen3': 'a model on this machine',
    'utg evals requests.yaml --model-url <url> --model <name> --compare main': 'what this branch does to them',
  });
}

async function evaluate(requests: string, options: EvalsOptions, output: Output): Promise<void> {
  const { model: name, maxTokens, modes = ['lean'] } = options;
  requireSpecs(process.cwd());
  const url = requireModelUrl(options.modelUrl);
  const unknown = modes.find((mode) => !(CATALOGUE_MODES as readonly string[]).includes(mode));
  if (unknown !== undefined) throw new UsageError(`There is no mode ${unknown}. Modes: ${CATALOGUE_MODES.join(', ')}.`);
  const file = await readRequests(requests);
  const resultsFile = options.results ?? `${path.parse(requests).name}.results.json`;
  requireFolderOf(resultsFile, '--results');
  const last = existsSync(resultsFile) ? await readResults(resultsFile) : null;
  if (last !== null && last.model !== name)
    throw new UsageError(`${resultsFile} has results of ${last.model}: name another file with --results.`);
  const {
    sides: earlierRevisions,
    pending,
    spent,
  } = last === null || last.done ? { sides: [], pending: [], spent: 0 } : last;
  const base = options.compare === undefined ? null : await findBase(options.compare);
  const stop = new AbortController();
  const { signal } = stop;
  const count = await createTokenCounter();
  const model = new ChatModel({ url, model: name, key: process.env.MODEL_API_KEY, maxTokens, count, signal }, spent);
  const revisions: RevisionOutcomes[] = [];
  const earlierOutcomes = [...pending, ...earlierRevisions.flatMap(({ outcomes }) => outcomes)];
  const outcomeByKey = new Map(earlierOutcomes.map((outcome) => [outcome.key, outcome]));
  const save = (done = false) => {
    const finishedKeys = new Set(revisions.flatMap(({ outcomes }) => outcomes.map(({ key }) => key)));
    const pending = done ? [] : earlierOutcomes.filter(({ key }) => !finishedKeys.has(key));
    return writeResults(resultsFile, { version: 1, model: name, done, spent: model.spent, pending, sides: revisions });
  };
  const run = { file, name, modes, model, outcomeByKey, output, save: () => save() };
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    for (const tools of [...(base === null ? [] : [base]), await readToolsRevision(null)]) {
      if ('outcomes' in tools) revisions.push(tools);
      else await runRevision(tools, run, revisions);
    }
    await save(true);
  } catch (error) {
    await save();
    if (!signal.aborted && !(error instanceof ModelError)) throw error;
    const reason = error instanceof ModelError ? error.message : 'Stopped.';
    throw new FailureError(`${reason} What is done is in ${resultsFile}; the same command goes on from there.`);
  } finally {
    process.removeListener('SIGINT', onSignal).removeListener('SIGTERM', onSignal);
  }
  const [before, after] = revisions;
  if (before !== undefined && after !== undefined) output.out(describe(before, after));
}

async function findBase(base: string): Promise<RevisionOutcomes | ToolsRevision> {
  if (!existsSync(base)) return readToolsRevision(base);
  const latestResults = (await readResults(base)).sides.at(-1);
  if (latestResults === undefined) throw new UsageError(`${base} has no results yet.`);
  return { ...latestResults, label: base };
}

function describe(before: RevisionOutcomes, after: RevisionOutcomes): string {
  const { better, worse, same } = compareRevisions(before, after);
  const lines = [...worse.map((line) => `  worse   ${line}\n`), ...better.map((line) => `  better  ${line}\n`)];
  return `Against ${before.label}: ${better.length} better, ${worse.length} worse, ${same} about the same.\n${lines.join('')}`;
}
