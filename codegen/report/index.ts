/** The tool report as a table of contents: surfaces -> changes -> groups -> acknowledgements -> costs. */

import { acknowledge } from './acknowledge.ts';
import { compareServices } from './compare.ts';
import { type CountTokens, toCosts } from './costs.ts';
import { groupChanges } from './group.ts';
import { isGated } from './levels.ts';
import type { Acknowledgement, Report, ServiceSurface } from './types.ts';

export { createTokenCounter } from './costs.ts';
export { formatGithub } from './format/github.ts';
export { formatJson } from './format/json.ts';
export { formatMarkdown } from './format/markdown.ts';
export { createSurfaceReader, type FileTexts, isReportFile, ReadError } from './read/index.ts';
export type { Acknowledgement, Report, ServiceSurface } from './types.ts';

interface ReportInput {
  readonly before: readonly ServiceSurface[];
  readonly after: readonly ServiceSurface[];
  /** What the two sides are, in words. */
  readonly base: string;
  readonly head: string;
  readonly acknowledgements: readonly Acknowledgement[];
  readonly countTokens: CountTokens;
  /** ISO date. */
  readonly today: string;
}

/** Compares everything, and decides nothing that a person must decide. */
export function buildReport({ before, after, base, head, acknowledgements, countTokens, today }: ReportInput): Report {
  const changes = compareServices(before, after, { today });
  const { groups, stale } = acknowledge(groupChanges(changes), acknowledgements);
  const open = groups.filter(({ level, acknowledged }) => isGated(level) && acknowledged === null).length;
  return { base, head, groups, ...toCosts(before, after, changes, countTokens), stale, open };
}
