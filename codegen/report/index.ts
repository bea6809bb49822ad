/** The tool report as a table of contents: surfaces -> changes -> groups -> acknowledgements -> costs. */

import type { UsageFile } from '../../shared/usage-file.ts';
import { acknowledge } from './acknowledge.ts';
import { compareServices } from './compare.ts';
import { type Budgets, type CountTokens, toCosts } from './costs.ts';
import { groupChanges } from './group.ts';
import { isGated, RULES } from './rules.ts';
import { findNewTexts } from './texts.ts';
import type { Acknowledgement, Change, NewTexts, Report, ServiceSurface } from './types.ts';
import { rankByHarm } from './usage/harm.ts';

export { readUsage, UsageFileError } from '../../shared/usage-file.ts';
export { createTokenCounter } from './costs.ts';
export { formatGithub, formatJson } from './format/annotations.ts';
export { formatMarkdown } from './format/markdown.ts';
export { formatText } from './format/text.ts';
export { createSurfaceReader, type FileTexts, isReportFile, ReadError } from './read/index.ts';
export { findOpenTools, withFacts } from './read/open-parts.ts';
export type {
  Acknowledgement,
  Change,
  DescriptorFacts,
  ReplacedTexts,
  Report,
  ServiceFacts,
  ServiceSurface,
  ToolSurface,
} from './types.ts';

interface ReportInput {
  readonly before: readonly ServiceSurface[];
  readonly after: readonly ServiceSurface[];
  /** Description of each side, in words. */
  readonly base: string;
  readonly head: string;
  readonly acknowledgements: readonly Acknowledgement[];
  /** By service: texts of its `connector.yaml`, which the project wrote. Default: none. */
  readonly ownTexts?: ReadonlyMap<string, ReadonlySet<string>>;
  /** Default: none. */
  readonly budgets?: Budgets;
  readonly countTokens: CountTokens;
  /** The calls of the tools. Default: unknown. */
  readonly usage?: UsageFile | null;
  /** Default: unknown. */
  readonly requests?: Report['requests'];
  /** ISO date. */
  readonly today: string;
}

/** Compares everything, and leaves all decisions to people. */
export function buildReport(input: ReportInput): Report {
  const {
    before,
    after,
    base,
    head,
    acknowledgements,
    ownTexts: own,
    budgets = new Map(),
    countTokens,
    usage = null,
    requests = null,
    today,
  } = input;
  const newTexts = after
    .map((service) => {
      const earlier = before.find((surface) => surface.service === service.service) ?? null;
      return findNewTexts(earlier, service, own?.get(service.service) ?? new Set());
    })
    .filter(({ texts }) => texts.length > 0);
  const changes = [...compareServices(before, after, { today }), ...newTexts.map((one) => toTextsChange(one, after))];
  const { groups: decided, stale } = acknowledge(
    groupChanges(changes, (tool) => (usage?.tools[tool]?.calls ?? 0) > 0),
    acknowledgements,
  );
  const groups = usage === null ? decided : rankByHarm(decided, usage);
  const undecided = groups.filter(({ level, acknowledged }) => isGated(level) && acknowledged === null).length;
  const costs = toCosts(before, after, changes, { budgets, count: countTokens });
  const period = usage === null ? null : periodOf(usage);
  return { base, head, groups, ...costs, newTexts, stale, undecided, requests, usage: period };
}

function periodOf({ from, to, days, threshold }: UsageFile): Report['usage'] {
  return { from, to, days, threshold };
}

/** All new texts of a service are one decision. */
function toTextsChange({ service, fingerprint, texts }: NewTexts, after: readonly ServiceSurface[]): Change {
  const file = after.find((one) => one.service === service)?.file ?? '';
  const note = `${texts.length} new, printed below`;
  const at = { rule: 'new-texts', level: RULES['new-texts'].level, place: 'service', tool: null } as const;
  return { ...at, service, file, note, fingerprint, acknowledged: null };
}
