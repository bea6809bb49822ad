/** The report as its reviewer reads it: what must be decided first, the rest folded. */

import { escapeInvisible } from '../../emit/literal.ts';
import { markdownCode, markdownTable, markdownText } from '../../emit/markdown.ts';
import { isGated, LEVELS, type Level } from '../levels.ts';
import { RULES } from '../rules.ts';
import type { Change, ChangeGroup, Report } from '../types.ts';
import { sentenceDiff } from './text-diff.ts';
import { figure, LEVEL_TITLES, plural, signed, titleOf, toolsOf, valueText } from './words.ts';

interface MarkdownOptions {
  /** Characters that the text may have. Default 60,000: a comment on GitHub takes 65,536. */
  readonly maxLength?: number;
}

const NAMED_TOOLS = 3;
const LISTED_PLACES = 60;
const SHOWN_COSTS = 10;
/** Lists that are longer than this are folded, unless somebody must decide about them. */
const OPEN_LIST = 5;
const WITHOUT_TEXT = new Set<ChangeGroup['rule']>(['order-changed', 'operation-id-changed', 'introduces-known-url']);

/** Always the same text for the same report. */
export function formatMarkdown(report: Report, { maxLength = 60_000 }: MarkdownOptions = {}): string {
  const head = `## Tool changes\n\n${markdownText(report.base)} → ${markdownText(report.head)}`;
  if (report.groups.length === 0) return `${[head, 'No tool changed.', ...stale(report)].join('\n\n')}\n`;
  const start = [head, verdict(report), counts(report), services(report)];
  const end = [...costs(report), ...stale(report), ...howToAcknowledge(report)];
  const texts = newTexts(report, (maxLength - [...start, ...end].join('\n\n').length) / 2);
  end.unshift(...texts);
  let left = maxLength - [...start, ...end].join('\n\n').length;
  const sections = LEVELS.flatMap((level) => {
    const groups = report.groups.filter((group) => group.level === level);
    const text = section(level, groups, isGated(level) || level === 'addition' ? left : left / 2);
    left -= text.length + 2;
    return text === '' ? [] : [text];
  });
  return `${[...start, ...sections, ...end].join('\n\n')}\n`;
}

function verdict({ groups, open }: Report): string {
  const gated = groups.filter(({ level }) => isGated(level)).length;
  if (open > 0)
    return `**${plural(open, 'change')} to decide about.** Breaking changes and risks need an acknowledgement.`;
  return gated > 0 ? 'Every breaking change and every risk is acknowledged.' : 'Nothing breaking, no risk.';
}

function counts({ groups }: Report): string {
  const rows = LEVELS.flatMap((level) => {
    const own = groups.filter((group) => group.level === level);
    if (own.length === 0) return [];
    const places = own.reduce((sum, { changes }) => sum + changes.length, 0);
    const done = own.filter(({ acknowledged }) => acknowledged !== null).length;
    return [
      [LEVEL_TITLES[level], figure(own.length), figure(places), isGated(level) ? `${figure(own.length - done)}` : ''],
    ];
  });
  return markdownTable(['Level', 'Changes', 'Places', 'To decide'], rows);
}

function services({ services: list }: Report): string {
  return markdownTable(
    ['Service', 'Tools', 'Tokens in `tools/list`'],
    list.map(({ service, toolsBefore, toolsAfter, tokensBefore, tokensAfter, budget }) => [
      markdownCode(service),
      toolsBefore === toolsAfter ? figure(toolsAfter) : `${figure(toolsBefore)} → ${figure(toolsAfter)}`,
      `${figure(tokensBefore)} → ${figure(tokensAfter)} (${signed(tokensAfter - tokensBefore)})` +
        (budget === null ? '' : `, budget ${figure(budget)}`),
    ]),
  );
}

function section(level: Level, groups: readonly ChangeGroup[], room: number): string {
  if (groups.length === 0) return '';
  const title = `### ${LEVEL_TITLES[level]}`;
  const items: string[] = [];
  let length = title.length + 200;
  for (const group of groups) {
    const text = item(group);
    if (length + text.length + 1 > room) break;
    items.push(text);
    length += text.length + 1;
  }
  const hidden = groups.length - items.length;
  const rest =
    hidden === 0 ? [] : [`- … and ${plural(hidden, 'more change')}: \`npm run tools:diff\` prints everything.`];
  const list = [...items, ...rest].join('\n');
  if (isGated(level) || groups.length <= OPEN_LIST) return `${title}\n\n${list}`;
  return `${title}\n\n<details><summary>${plural(groups.length, 'change')}</summary>\n\n${list}\n\n</details>`;
}

function item(group: ChangeGroup): string {
  const { changes, acknowledged, fingerprint, level } = group;
  const [first] = changes;
  if (first === undefined) return '';
  const mark = isGated(level) ? ` · \`${fingerprint}\`` : '';
  const done = acknowledged === null ? '' : ` · acknowledged: ${markdownText(acknowledged)}`;
  const line = `- **${titleOf(group)}**${subject(group, first)}${values(group, first)}${mark}${done}`;
  return [line, ...block(group, first)].join('\n');
}

/** `: \`input.limit\` of \`crm_list_lists\``. */
function subject(group: ChangeGroup, first: Change): string {
  if (group.rule === 'operation-not-exposed') return `: ${named(operationsOf(group))} of ${code(group.service)}`;
  const tools = toolsOf(group);
  const places = new Set(group.changes.map(({ place }) => place));
  const isWhole = ['tool', 'service', 'name'].includes(first.place) || isText(group.rule);
  const hasPlace = !isWhole || first.place.includes('.') || first.place.includes('#');
  const place = hasPlace ? ` ${code(places.size > 1 ? commonPlace([...places]) : first.place)}` : '';
  if (tools.length === 0) return `:${place} ${code(group.service)}`;
  return `:${place}${place === '' ? '' : ' of'} ${named(tools)}`;
}

function named(names: readonly string[]): string {
  const more = names.length > NAMED_TOOLS ? ` and ${figure(names.length - NAMED_TOOLS)} more` : '';
  return names.slice(0, NAMED_TOOLS).map(code).join(', ') + more;
}

function operationsOf({ changes }: ChangeGroup): string[] {
  return changes.map(({ after }) => String(after));
}

/** `output.items[].owner` and `output.owner` -> `output … owner`. */
function commonPlace(places: readonly string[]): string {
  const last = new Set(places.map((place) => place.slice(place.lastIndexOf('.') + 1)));
  const root = new Set(places.map((place) => place.split(/[.#[]/)[0]));
  const [name] = last;
  const [start] = root;
  if (last.size === 1 && root.size === 1) return `${start} … ${name}`;
  return root.size === 1 ? `${start}, ${places.length} places` : `${places.length} places`;
}

function values({ rule, changes }: ChangeGroup, { before, after, note, group }: Change): string {
  const remark = note === undefined ? '' : ` (${markdownText(note)})`;
  if (isText(rule) && typeof (before ?? after) === 'string') return remark;
  const distinct = new Set(changes.map((change) => JSON.stringify([change.before, change.after]))).size;
  if (distinct > 1 && rule.startsWith('introduces-')) {
    const found = [...new Set(changes.map((change) => valueText(change.after)))];
    return `: ${found.slice(0, NAMED_TOOLS).map(code).join(', ')}${found.length > NAMED_TOOLS ? ` and ${found.length - NAMED_TOOLS} more` : ''}`;
  }
  if (distinct > 1 && group !== undefined && rule.startsWith('tool-renamed')) return `: ${code(group)}${remark}`;
  if (distinct > 1) return remark;
  if (rule.startsWith('introduces-')) return `: ${code(valueText(after))}`;
  if (rule === 'operation-not-exposed') return remark;
  if (before === undefined) return after === undefined ? remark : `: ${code(valueText(after))}${remark}`;
  if (after === undefined) return `, was ${code(valueText(before))}${remark}`;
  const [old, now] = typeof before === typeof after ? [before, after] : [JSON.stringify(before), JSON.stringify(after)];
  return `: ${code(valueText(old))} → ${code(valueText(now))}${remark}`;
}

/** Texts before and after, or the tools of a long list. */
function block(group: ChangeGroup, { before, after }: Change): string[] {
  const lines: string[] = [];
  if (isText(group.rule) && (typeof before === 'string' || typeof after === 'string')) {
    const diff = sentenceDiff(typeof before === 'string' ? before : '', typeof after === 'string' ? after : '');
    lines.push(...fenced(diff));
  }
  const isOperations = group.rule === 'operation-not-exposed';
  const entries = isOperations ? operationsOf(group).map(html) : placesOf(group);
  if (isOperations ? entries.length > NAMED_TOOLS : toolsOf(group).length > NAMED_TOOLS) lines.push(folded(entries));
  return lines;
}

function placesOf({ changes, service }: ChangeGroup): string[] {
  const places = changes.map(({ tool, place, before, after }) => {
    if (place === 'name') return `${html(String(before))} → ${html(String(after))}`;
    return html(place === 'tool' ? (tool ?? service) : `${tool ?? service} ${place}`);
  });
  return [...new Set(places)];
}

function folded(entries: readonly string[]): string {
  const more = entries.length > LISTED_PLACES ? ` and ${figure(entries.length - LISTED_PLACES)} more` : '';
  const list = entries.slice(0, LISTED_PLACES).join(', ');
  return `  <details><summary>${plural(entries.length, 'place')}</summary>${list}${more}</details>`;
}

/** Code inside of HTML: no line break may end the element. */
function html(text: string): string {
  const line = escapeInvisible(text.replaceAll(/\s+/g, ' '));
  return `<code>${line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</code>`;
}

/** A fence that no text inside can close. */
function fenced(lines: readonly string[], language = 'diff'): string[] {
  const longest = Math.max(2, ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)));
  const fence = '`'.repeat(longest + 1);
  return [`  ${fence}${language}`, ...lines.map((line) => `  ${line}`), `  ${fence}`];
}

function isText(rule: ChangeGroup['rule']): boolean {
  return RULES[rule].level === 'wording' && !WITHOUT_TEXT.has(rule);
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
  return [
    `<details><summary>Tokens of ${plural(changed.length, 'changed tool')}</summary>\n\n${table}${more}\n\n</details>`,
  ];
}

function stale({ stale: list }: Report): string[] {
  if (list.length === 0) return [];
  const lines = list.map(
    ({ fingerprint, reason, file }) => `- \`${fingerprint}\` in ${code(file)}: ${markdownText(reason)}`,
  );
  return [`Acknowledgements that match no change (they can go):\n\n${lines.join('\n')}`];
}

/** Uncut, so that what is acknowledged was there to read. Where there is no room, what is missing is said. */
function newTexts({ newTexts: list }: Report, room: number): string[] {
  const sections = list.map(({ service, fingerprint, texts }) => {
    const title = `### New texts of ${code(service)} · \`${fingerprint}\``;
    const items = texts.map(({ tool, place, text }) =>
      [`- ${code(`${tool} ${place}`)}`, ...fenced(text.split('\n').map(escapeInvisible), 'text')].join('\n'),
    );
    return [title, items.join('\n')].join('\n\n');
  });
  if (sections.join('\n\n').length <= room) return sections;
  return [`### New texts\n\nThey do not fit here: \`npm run tools:diff\` prints all of them.`];
}

function howToAcknowledge({ groups, open }: Report): string[] {
  const first = groups.find(({ level, acknowledged }) => isGated(level) && acknowledged === null);
  if (open === 0 || first === undefined) return [];
  const isGone = first.rule === 'service-removed';
  const where = isGone ? 'the `connector.yaml` of another service' : `\`specs/${first.service}/connector.yaml\``;
  const example = `acknowledged:\n  ${quoted(first.fingerprint)}: Why this is right.`;
  return [`To accept a change, say why in ${where}:\n\n\`\`\`yaml\n${example}\n\`\`\``];
}

/** YAML reads `123456789012` and `1234567890e5` as numbers. */
function quoted(fingerprint: string): string {
  return `'${fingerprint}'`;
}

/** A code span outside of tables, where `|` needs no escape. */
function code(text: string): string {
  return markdownCode(text).replaceAll('\\|', '|');
}
