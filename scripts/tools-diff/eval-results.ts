/**
 * The results of `utg evals`: written after each request, so that a run can continue where it stopped. The next run and the tool report compare them.
 */

import { hash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { figure } from '../../codegen/emit/figures.ts';
import type { FileTexts, Report } from '../../codegen/report/index.ts';
import { UsageError } from '../../shared/cli/run.ts';

const [text, count] = [z.string(), z.int().min(0)];
const outcomeSchema = z.strictObject({
  /** Digest of all that decides it but the gateway's own code. */
  key: text,
  ask: text,
  mode: text,
  completed: z.boolean(),
  /** Why it is not completed. */
  why: text.optional(),
  /** Calls of tools; `answer` is none. */
  calls: count,
  /** Tokens of what the tools answered. */
  read: count,
  /** Tokens that the model read and wrote in all its turns, the list of tools included. */
  used: count,
  ms: count,
});
/** `label`: the tools in words, such as `main (1a2b3c4)`; `tools`: `digestOf` them. */
const revisionSchema = z.strictObject({ label: text, tools: text, outcomes: z.array(outcomeSchema) });
const resultsSchema = z.strictObject({
  version: z.literal(1),
  model: text,
  /** False if the run continues when it is started again. */
  done: z.boolean(),
  /** Tokens that the model has used, also for requests that were stopped. */
  spent: count,
  /** Outcomes of an unfinished run that the run which continues it has not reached yet. */
  pending: z.array(outcomeSchema),
  /** Sides of a comparison, or one: the base before the head. */
  sides: z.array(revisionSchema).max(2),
});

export type Outcome = z.infer<typeof outcomeSchema>;
export type RevisionOutcomes = z.infer<typeof revisionSchema>;
type Results = z.infer<typeof resultsSchema>;

/** @throws {UsageError} unless it is a file of results. */
export async function readResults(file: string): Promise<Results> {
  try {
    return resultsSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    throw new UsageError(`${file} is not a file of results that utg evals wrote.`);
  }
}

/** Replaces the file as a whole: a reader never sees a part. */
export async function writeResults(file: string, results: Results): Promise<void> {
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, `${JSON.stringify(results, null, 1)}\n`);
  await rename(unfinished, file);
}

/** Returns the digest of the tools in `generated/`. */
export function digestOf(files: FileTexts): string {
  return hash('sha256', JSON.stringify([...files].sort(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 16);
}

/** The smallest notable difference in tokens, as a share. Smaller differences say nothing, because models differ from run to run. */
const NOTABLE = 0.1;

/** Compares the two sides, for each request that both have. */
export function compareRevisions(before: RevisionOutcomes, after: RevisionOutcomes): NonNullable<Report['requests']> {
  const changes = { better: [] as string[], worse: [] as string[], same: 0 };
  for (const { ask, mode, completed, used, calls, why } of after.outcomes) {
    const earlier = before.outcomes.find((one) => one.ask === ask && one.mode === mode);
    if (earlier === undefined) continue;
    const label = after.outcomes.some((one) => one.mode !== mode) ? `${ask} (${mode})` : ask;
    const isCheaper = completed && earlier.completed && used < earlier.used * (1 - NOTABLE);
    const isDearer = completed && earlier.completed && used > earlier.used * (1 + NOTABLE);
    const costs = `${figure(earlier.used)} → ${figure(used)} tokens, ${figure(earlier.calls)} → ${figure(calls)} calls`;
    if (completed && !earlier.completed) changes.better.push(`${label} Now completed.`);
    else if (!completed && earlier.completed) changes.worse.push(`${label} No longer completed: ${why}.`);
    else if (isCheaper || isDearer) changes[isCheaper ? 'better' : 'worse'].push(`${label} ${costs}.`);
    else changes.same += 1;
  }
  return changes;
}

/**
 * Returns the comparison of a finished run with `--compare`.
 *
 * @throws {UsageError} if it is about other tools than these.
 */
export async function readComparison(file: string, ...tools: readonly FileTexts[]): Promise<Report['requests']> {
  const { done, sides } = await readResults(file);
  const [before, after] = sides;
  if (!done || before === undefined || after === undefined)
    throw new UsageError(`${file} compares nothing: it takes a finished run of utg evals with --compare.`);
  if (sides.some((side, index) => side.tools !== digestOf(tools[index] ?? new Map())))
    throw new UsageError(`${file} is about other tools than these two: run utg evals again.`);
  return compareRevisions(before, after);
}
