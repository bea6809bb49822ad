/** The report for its reviewer: the decisions on the first screen, the rest folded. */

import { escapeInvisible } from '../../../shared/invisible.ts';
import { figure, plural } from '../../emit/figures.ts';
import { markdownCode, markdownTable, markdownText } from '../../emit/markdown.ts';
import { isGated, LEVELS, type Level } from '../rules.ts';
import type { ChangeGroup, Report } from '../types.ts';
import { changeItem, code, fenced, placesItem } from './markdown-item.ts';
import { LEVEL_TITLES, signed, titleOf, toolsOf } from './words.ts';

export interface MarkdownOptions {
  /** Maximum characters of the text. Default 60,000: a comment on GitHub takes 65,536. */
  readonly maxLength?: number;
}

/** Decisions and services on the first screen, which has 40 lines including headings. */
const SHOWN_DECISIONS = 22;
const SHOWN_SERVICES = 5;
const SHOWN_REQUESTS = 5;
const SHOWN_COSTS = 10;
const OPEN_LIST = 5;

/** Always the same text for the same report. */
export function formatMarkdown(report: Report, { maxLength = 60_000 }: MarkdownOptions = {}): string {
  const head = `## Tool changes\n\n${markdownText(report.base)} → ${markdownText(report.head)}`;
  if (report.groups.length === 0) return `${[head, 'No tool changed.', ...stale(report)].join('\n\n')}\n`;
  const start = [head, verdict(report), ...requests(report), services(report)];
  const end = [...costs(report), ...stale(report), ...howToAcknowledge(report)];
  let remainingLength = maxLength - [...start, ...end].join('\n\n').length;
  const reserve = (sections: readonly string[]) => {
    remainingLength -= sections.reduce((sum, text) => sum + text.length + 2, 0);
    return sections;
  };
  const decisions = reserve(decisionSections(report.groups, remainingLength));
  const texts = reserve(newTexts(report, remainingLength / 2));
  const placeSections = reserve(decisionPlaces(report.groups, remainingLength / 2));
  const ungatedSections = LEVELS.filter((level) => !isGated(level)).flatMap((level) => {
    const groups = report.groups.filter((group) => group.level === level);
    return reserve(section(level, groups, level === 'addition' ? remainingLength : remainingLength / 2));
  });
  return `${[...start, ...decisions, ...placeSections, ...ungatedSections, ...texts, ...end].join('\n\n')}\n`;
}

/** The decision to take, and a line of figures: `Breaking 2 (6 places) · Wording 4 (14 places)`. */
function verdict(report: Report): string {
  const { groups, undecided: unacknowledged, usage } = report;
  const gated = groups.filter(({ level }) => isGated(level)).length;
  const figures = LEVELS.flatMap((level) => {
    const levelGroups = groups.filter((group) => group.level === level);
    const placeCount = levelGroups.reduce((sum, { changes }) => sum + changes.length, 0);
    return levelGroups.length === 0
      ? []
      : [`${LEVEL_TITLES[level]} ${figure(levelGroups.length)} (${plural(placeCount, 'place')})`];
  });
  const usageNote =
    usage === null
      ? ''
      : `\n\nCalls are those of ${plural(usage.days, 'day')}, ${usage.from} to ${usage.to}; what has fewer than ${figure(usage.threshold)} counts as none.`;
  return `${decisionText(unacknowledged, gated)}\n\n${figures.join(' · ')}${usageNote}`;
}

function decisionText(unacknowledged: number, gated: number): string {
  if (unacknowledged > 0)
    return `**${plural(unacknowledged, 'change')} to decide about.** Breaking changes and risks need an acknowledgement.`;
  return gated > 0 ? 'Every breaking change and every risk is acknowledged.' : 'Nothing breaking, no risk.';
}

/** The worse first; those that do not fit on the first screen are left out, and the command prints them. */
function requests({ requests: results }: Report): string[] {
  if (results === null) return [];
  const { better, worse, same } = results;
  const lines = [...worse.map((line) => `- worse: ${line}`), ...better.map((line) => `- better: ${line}`)].map(
    markdownText,
  );
  const more =
    lines.length > SHOWN_REQUESTS ? [`- … and ${plural(lines.length - SHOWN_REQUESTS, 'more request')}`] : [];
  const head = `**Requests of people:** ${better.length} better, ${worse.length} worse, ${same} about the same.`;
  return [[head, ...(lines.length === 0 ? [] : ['', ...lines.slice(0, SHOWN_REQUESTS), ...more])].join('\n')];
}

function services({ services: list }: Report): string {
  const rows = list.map(({ service, toolsBefore, toolsAfter, tokensBefore, tokensAfter, budget }) => [
    markdownCode(service),
    toolsBefore === toolsAfter ? figure(toolsAfter) : `${figure(toolsBefore)} → ${figure(toolsAfter)}`,
    `${figure(tokensBefore)} → ${figure(tokensAfter)} (${signed(tokensAfter - tokensBefore)})` +
      (budget === null ? '' : `, budget ${figure(budget)}`),
  ]);
  const table = (shownRows: typeof rows) => markdownTable(['Service', 'Tools', 'Tokens in `tools/list`'], shownRows);
  const more = rows.slice(SHOWN_SERVICES);
  if (more.length === 0) return table(rows);
  return `${table(rows.slice(0, SHOWN_SERVICES))}\n\n${folded(plural(more.length, 'more service'), table(more))}`;
}

/** Changes that need a decision, the worst first; those that do not fit on the first screen are folded below it. */
function decisionSections(groups: readonly ChangeGroup[], maxLength: number): string[] {
  const gated = groups.filter(({ level }) => isGated(level));
  const openGroups = gated.filter(({ acknowledged }) => acknowledged === null);
  const acknowledgedGroups = gated.filter(({ acknowledged }) => acknowledged !== null);
  const firstOpen = openGroups.slice(0, SHOWN_DECISIONS);
  const shownGroups = [...firstOpen, ...acknowledgedGroups.slice(0, SHOWN_DECISIONS - firstOpen.length)];
  const laterGroups = gated.filter((group) => !shownGroups.includes(group));
  const byLevel = (list: readonly ChangeGroup[], limit: number) =>
    LEVELS.filter(isGated).flatMap((level) => {
      const levelGroups = list.filter((group) => group.level === level);
      return levelGroups.length === 0 ? [] : [`### ${LEVEL_TITLES[level]}\n\n${fill(levelGroups, changeItem, limit)}`];
    });
  const start = byLevel(shownGroups, maxLength);
  if (laterGroups.length === 0) return start;
  const remainingLength = maxLength - start.join('\n\n').length;
  return [
    ...start,
    folded(
      `${plural(laterGroups.length, 'more change')} to decide about`,
      byLevel(laterGroups, remainingLength).join('\n\n'),
    ),
  ];
}

/** Every place of the decisions whose line on the first screen cannot name them all. */
function decisionPlaces(groups: readonly ChangeGroup[], maxLength: number): string[] {
  const items = groups
    .filter(({ level }) => isGated(level))
    .flatMap((group) => {
      const text = placesItem(group);
      return text === null ? [] : [{ group, text }];
    });
  if (items.length === 0) return [];
  const list = fill(
    items.map(({ group }) => group),
    (group) => placesItem(group) ?? '',
    maxLength,
  );
  return [folded(`All places of ${plural(items.length, 'change')} to decide about`, list)];
}

function section(level: Level, groups: readonly ChangeGroup[], maxLength: number): string[] {
  if (groups.length === 0) return [];
  const list = fill(groups, changeItem, maxLength);
  return [`### ${LEVEL_TITLES[level]}\n\n${folded(plural(groups.length, 'change'), list)}`];
}

/** As many items as fit, and the number of those that do not. */
function fill(groups: readonly ChangeGroup[], toItem: (group: ChangeGroup) => string, maxLength: number): string {
  const items: string[] = [];
  let length = 200;
  for (const group of groups) {
    const text = toItem(group);
    if (length + text.length + 1 > maxLength) break;
    items.push(text);
    length += text.length + 1;
  }
  const hiddenCount = groups.length - items.length;
  if (hiddenCount > 0)
    items.push(`- … and ${plural(hiddenCount, 'more change')}: \`npm run tools:diff\` prints everything.`);
  return items.join('\n');
}

function folded(summary: string, text: string): string {
  return `<details><summary>${summary}</summary>\n\n${text}\n\n</details>`;
}

function costs({ costs: list }: Report): string[] {
  const changed = list.filter(({ before, after }) => before !== null && after !== null);
  if (changed.length === 0) return [];
  const rows = changed
    .slice(0, SHOWN_COSTS)
    .map(({ tool, before, after }) => [
      markdownCode(tool),
      figure(before ?? 0),
      figure(after ?? 0),
      signed((after ?? 0) - (before ?? 0)),
    ]);
  const more = changed.length > SHOWN_COSTS ? `\n\n… and ${figure(changed.length - SHOWN_COSTS)} more.` : '';
  const table = markdownTable(['Tool', 'Tokens before', 'Tokens now', 'Tokens more'], rows);
  return [folded(`Tokens of ${plural(changed.length, 'changed tool')}`, `${table}${more}`)];
}

function stale({ stale: list }: Report): string[] {
  if (list.length === 0) return [];
  const lines = list.map(
    ({ fingerprint, reason, file, line }) =>
      `- \`${fingerprint}\` in ${code(line === undefined ? file : `${file}:${line}`)}: ${markdownText(reason)}`,
  );
  const title = 'Acknowledgements that match no change (remove them)';
  return lines.length > OPEN_LIST ? [folded(title, lines.join('\n'))] : [`${title}:\n\n${lines.join('\n')}`];
}

const MAX_NAME = 40;
const MAX_NAME_WORDS = 4;

/** A name, a value or a pattern, which says too little to be read more than at a glance: no sentence, no address. */
function isName(text: string): boolean {
  const words = text.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? [];
  const isPlain = /^[!-~]+$/.test(text) && !/[/@]|\.[a-z]/i.test(text);
  return isPlain && text.length <= MAX_NAME && words.length <= MAX_NAME_WORDS;
}

/** The place and the text; its other lines are indented, so that none looks like another place. */
function toLines(place: string, text: string): string[] {
  const [first = '', ...others] = text.split('\n').map(escapeInvisible);
  const label = escapeInvisible(place.replace(/#description$/, ''));
  return [`${label}: ${first}`, ...others.map((line) => `    ${line}`)];
}

/** Full texts, so that everything acknowledged could be read. If they do not fit, the report says what is missing. */
function newTexts({ newTexts: list }: Report, maxLength: number): string[] {
  const sections = list.map(({ service, fingerprint, texts }) => {
    const title = `### New texts of ${code(service)} · \`${fingerprint}\``;
    const names = texts.filter(({ text }) => isName(text)).map(({ text }) => code(escapeInvisible(text)));
    const byTool = Map.groupBy(
      texts.filter(({ text }) => !isName(text)),
      ({ tool }) => tool,
    );
    const toolSections = [...byTool].map(([tool, list]) =>
      [
        `- ${code(tool)}`,
        ...fenced(
          list.flatMap(({ place, text }) => toLines(place, text)),
          'text',
        ),
      ].join('\n'),
    );
    return [
      title,
      ...(toolSections.length === 0
        ? []
        : [folded(plural(texts.length - names.length, 'text'), toolSections.join('\n'))]),
      ...(names.length === 0 ? [] : [folded(`Names and values: ${figure(names.length)}`, names.join(', '))]),
    ].join('\n\n');
  });
  if (sections.join('\n\n').length <= maxLength) return sections;
  return [`### New texts\n\nThey do not fit here: \`npm run tools:diff\` prints all of them.`];
}

/** The fingerprint of every change that is not acknowledged, ready to be pasted: the file, and what each one accepts. */
function howToAcknowledge({ groups }: Report): string[] {
  const unacknowledged = groups.filter(({ level, acknowledged }) => isGated(level) && acknowledged === null);
  if (unacknowledged.length === 0) return [];
  const files = Map.groupBy(unacknowledged, ({ rule, service }) =>
    rule === 'service-removed' ? 'the `connector.yaml` of another service' : `\`specs/${service}/connector.yaml\``,
  );
  const sections = [...files].flatMap(([file, fileGroups]) => [
    `Say why in ${file}:`,
    ['```yaml', 'acknowledged:', ...fileGroups.flatMap(acknowledgementLines), '```'].join('\n'),
  ]);
  return [
    folded(
      `How to accept ${unacknowledged.length === 1 ? 'the change' : `the ${figure(unacknowledged.length)} changes`}`,
      sections.join('\n\n'),
    ),
  ];
}

/** YAML reads `123456789012` and `1234567890e5` as numbers, so the fingerprint is in quotes. */
function acknowledgementLines(group: ChangeGroup): string[] {
  const [tool, ...otherTools] = toolsOf(group);
  const more = otherTools.length > 0 ? ` and ${plural(otherTools.length, 'other tool')}` : '';
  return [`  # ${titleOf(group)}: ${tool ?? group.service}${more}`, `  '${group.fingerprint}': Why this is right.`];
}
