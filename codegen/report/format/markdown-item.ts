/** One group of changes in Markdown: its line, its texts, its places. */

import { diffArrays } from 'diff';
import { escapeInvisible } from '../../../shared/invisible.ts';
import { figure, plural } from '../../emit/figures.ts';
import { markdownCode, markdownText } from '../../emit/markdown.ts';
import { isSame } from '../../json.ts';
import { lastMember, parentOf } from '../group.ts';
import { isGated, RULES } from '../rules.ts';
import type { Change, ChangeGroup } from '../types.ts';
import { titleOf, toolsOf, valueText } from './words.ts';

const NAMED_TOOLS = 3;
const NAMED_MEMBERS = 4;
const LISTED_PLACES = 60;
const REPLACED = 'replaced-text-changed';
const WITHOUT_TEXT = new Set<ChangeGroup['rule']>(['order-changed', 'operation-id-changed', 'introduces-known-url']);

/** The line of a group. If its level needs no decision, its texts and places follow below. */
export function changeItem(group: ChangeGroup): string {
  const { changes, acknowledged, fingerprint, level } = group;
  const [first] = changes;
  if (first === undefined) return '';
  const fingerprintText = isGated(level) ? ` · \`${fingerprint}\`` : '';
  const acknowledgedText = acknowledged === null ? '' : ` · acknowledged: ${markdownText(acknowledged)}`;
  const subjectText = isFamily(group) ? siblings(group) : subject(group, first);
  const line = `- **${titleOf(group)}**${subjectText}${isFamily(group) ? commonValues(group, first) : values(group, first)}`;
  return [
    `${line}${harmText(group)}${fingerprintText}${acknowledgedText}`,
    ...(isGated(level) && group.rule !== REPLACED ? [] : block(group, first)),
  ].join('\n');
}

/** All places of a group that needs a decision, if its line does not name them all; else null. */
export function placesItem(group: ChangeGroup): string | null {
  const entries = group.rule === 'operation-not-exposed' ? operationsOf(group).map(html) : placesOf(group);
  const isComplete = toolsOf(group).length <= NAMED_TOOLS && (isFamily(group) ? entries.length : 1) <= NAMED_TOOLS;
  return isComplete ? null : `- **${titleOf(group)}** · \`${group.fingerprint}\`: ${entries.join(', ')}`;
}

function harmText({ harm }: ChangeGroup): string {
  if (harm === undefined) return '';
  const { effect, calls, isExact } = harm;
  if (calls === 0) return ` · **no call seen**`;
  return ` · **${isExact ? '' : 'up to '}${plural(calls, 'call')} ${effect}**`;
}

/** Siblings with the same kind of change, but not at the same member or to the same value. */
function isFamily({ rule, changes }: ChangeGroup): boolean {
  if (isText(rule) || rule.startsWith('introduces-') || !changes.every(({ place }) => /^(input|output)/.test(place)))
    return false;
  return new Set(changes.map(columnOf)).size > 1;
}

function columnOf({ place, before, after }: Change): string {
  return JSON.stringify([lastMember(place), before, after]);
}

/** `: 12 members of \`input\` (\`name#maxLength\` \`256\`, …) of \`a_tool\``. */
function siblings(group: ChangeGroup): string {
  const columns = [...new Map(group.changes.map((change) => [columnOf(change), change])).values()];
  const parents = [...new Set(columns.map(({ place }) => parentOf(place)))];
  const allTexts = columns.map((change) => {
    if (change.rule === 'argument-renamed') return code(shortValues(change));
    const name = code(parents.length > 1 ? change.place : lastMember(change.place));
    return `${name}${isShort(change) ? ` ${code(shortValues(change))}` : ''}`;
  });
  const memberTexts = [...new Set(allTexts)];
  const more = memberTexts.length > NAMED_MEMBERS ? ` and ${figure(memberTexts.length - NAMED_MEMBERS)} more` : '';
  const [parent = ''] = parents;
  return `:${parents.length > 1 ? '' : ` in ${code(parent)}`} ${memberTexts.slice(0, NAMED_MEMBERS).join(', ')}${more} of ${toNameList(toolsOf(group))}`;
}

/** The change of all siblings, if it is one and too long to be named with each. */
function commonValues(group: ChangeGroup, first: Change): string {
  const isOne = group.changes.every(({ before, after }) => isSame([before, after], [first.before, first.after]));
  const isChange = first.before !== undefined && first.after !== undefined;
  return isOne && isChange && !isShort(first) ? values(group, first) : '';
}

/** A plain value says more than a name. */
function isShort({ before, after }: Change): boolean {
  return [before, after].every((value) => typeof value !== 'object') && (before ?? after) !== undefined;
}

function shortValues({ before, after }: Change): string {
  return before === undefined || after === undefined
    ? valueText(before ?? after)
    : `${valueText(before)} → ${valueText(after)}`;
}

/** `: \`input.limit\` of \`crm_list_lists\``. */
function subject(group: ChangeGroup, first: Change): string {
  if (group.rule === 'operation-not-exposed') return `: ${toNameList(operationsOf(group))} of ${code(group.service)}`;
  const tools = toolsOf(group);
  const places = new Set(group.changes.map(({ place }) => place));
  const isWhole = ['tool', 'service', 'name'].includes(first.place) || (isText(group.rule) && group.rule !== REPLACED);
  const hasPlace = !isWhole || first.place.includes('.') || first.place.includes('#');
  const place = hasPlace ? ` ${code(places.size > 1 ? commonPlace([...places]) : first.place)}` : '';
  if (tools.length === 0) return `:${place} ${code(group.service)}`;
  return `:${place}${place === '' ? '' : ' of'} ${toNameList(tools)}`;
}

function toNameList(names: readonly string[]): string {
  const more = names.length > NAMED_TOOLS ? ` and ${figure(names.length - NAMED_TOOLS)} more` : '';
  return names.slice(0, NAMED_TOOLS).map(code).join(', ') + more;
}

function operationsOf({ changes }: ChangeGroup): string[] {
  return changes.map(({ after }) => String(after));
}

/** `output.items[].owner` and `output.owner` -> `output … owner`. */
function commonPlace(places: readonly string[]): string {
  const lastSegments = new Set(places.map((place) => place.slice(place.lastIndexOf('.') + 1)));
  const rootSegments = new Set(places.map((place) => place.split(/[.#[]/)[0]));
  const [name] = lastSegments;
  const [start] = rootSegments;
  if (lastSegments.size === 1 && rootSegments.size === 1) return `${start} … ${name}`;
  return rootSegments.size === 1 ? `${start}, ${places.length} places` : `${places.length} places`;
}

function values({ rule, changes }: ChangeGroup, { before, after, note, group }: Change): string {
  const remark = note === undefined ? '' : ` (${markdownText(note)})`;
  if (isText(rule) && typeof (before ?? after) === 'string') return rule === REPLACED ? '' : remark;
  const distinct = new Set(changes.map((change) => JSON.stringify([change.before, change.after]))).size;
  if (distinct > 1 && rule.startsWith('introduces-')) {
    const introduced = [...new Set(changes.map((change) => valueText(change.after)))];
    return `: ${introduced.slice(0, NAMED_TOOLS).map(code).join(', ')}${introduced.length > NAMED_TOOLS ? ` and ${introduced.length - NAMED_TOOLS} more` : ''}`;
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
function block(group: ChangeGroup, { before, after, note }: Change): string[] {
  const lines: string[] = [];
  if (isText(group.rule) && (typeof before === 'string' || typeof after === 'string')) {
    const diff = sentenceDiff(typeof before === 'string' ? before : '', typeof after === 'string' ? after : '');
    const ours = group.rule === REPLACED && note !== undefined ? [`= ${shorten(escapeInvisible(note))}`] : [];
    const isSpacing = diff.every((line) => line === UNCHANGED);
    lines.push(...fenced([...(isSpacing ? ['  only spaces and line breaks'] : diff), ...ours]));
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

/** Code inside HTML: no line break may end the element. */
function html(text: string): string {
  const line = escapeInvisible(text.replaceAll(/\s+/g, ' '));
  return `<code>${line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</code>`;
}

/** A fence that no text inside can close. */
export function fenced(lines: readonly string[], language = 'diff'): string[] {
  const longest = Math.max(2, ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)));
  const fence = '`'.repeat(longest + 1);
  return [`  ${fence}${language}`, ...lines.map((line) => `  ${line}`), `  ${fence}`];
}

function isText(rule: ChangeGroup['rule']): boolean {
  return rule === REPLACED || (RULES[rule].level === 'wording' && !WITHOUT_TEXT.has(rule));
}

/** A code span outside of tables, where `|` needs no escape. */
export function code(text: string): string {
  return markdownCode(text).replaceAll('\\|', '|');
}

const MAX_LINES = 24;
const MAX_LINE = 600;
const UNCHANGED = '  …';

/** Lines that start with `- ` or `+ `; unchanged sentences are a single ` …`. */
function sentenceDiff(before: string, after: string): string[] {
  const lines = diffArrays(sentencesOf(before), sentencesOf(after)).flatMap(({ added, removed, value }) => {
    if (!added && !removed) return [UNCHANGED];
    return value.map((sentence) => `${added ? '+' : '-'} ${shorten(sentence)}`);
  });
  return lines.length > MAX_LINES
    ? [...lines.slice(0, MAX_LINES), `  … ${lines.length - MAX_LINES} more lines`]
    : lines;
}

function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+(?=\S)|\n+/u)
    .map((sentence) => escapeInvisible(sentence.trim()))
    .filter((sentence) => sentence !== '');
}

function shorten(text: string): string {
  return text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}…` : text;
}
