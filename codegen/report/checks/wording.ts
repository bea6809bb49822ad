/** Texts of a tool that a model reads, what new texts introduce, and what changes under texts of ours. */

import { isSame } from '../../json.ts';
import { remember } from '../../remember.ts';
import { isKnownUrl } from '../known-hosts.ts';
import { findSuspiciousText, type Mark } from '../suspicious-text.ts';
import { textsOf } from '../texts.ts';
import type { Finding, ReplacedTexts, ServiceSurface, ToolSurface } from '../types.ts';

/** Codegen begins the description of a deprecated operation with this. */
const DEPRECATED = 'Deprecated by the upstream. ';
/** A sentence that names what to use instead. */
const SUCCESSOR =
  /[^.\n]*\b(?:use|see|replaced by|superseded by|in favou?r of|migrate to|switch to)\b[^\n]*?(?:[.!](?=\s|$)|$)/imu;

/** Title and description. Texts of arguments and of the output are compared with their schemas. */
export function checkTexts(before: ToolSurface, after: ToolSurface): Finding[] {
  const deprecation = checkDeprecation(before.description, after.description);
  const isOnlyMark = deprecation.length > 0 && plainOf(before.description) === plainOf(after.description);
  const changes = (['title', 'description'] as const).flatMap((member): Finding[] => {
    if (before[member] === after[member] || (member === 'description' && isOnlyMark)) return [];
    const rule = member === 'title' ? 'title-changed' : 'description-changed';
    return [{ rule, place: member, before: before[member], after: after[member], pointer: [member] }];
  });
  return [...deprecation, ...changes];
}

/** With the sentence that names a successor, if there is one. */
function checkDeprecation(before: string, after: string): Finding[] {
  if (before.startsWith(DEPRECATED) === after.startsWith(DEPRECATED)) return [];
  const pointer = ['description'];
  if (before.startsWith(DEPRECATED)) return [{ rule: 'operation-undeprecated', place: 'description', pointer }];
  const [successor] = SUCCESSOR.exec(plainOf(after)) ?? [];
  const successorMember = successor === undefined ? {} : { after: successor.trim() };
  return [{ rule: 'operation-deprecated', place: 'description', pointer, ...successorMember }];
}

function plainOf(description: string): string {
  return description.startsWith(DEPRECATED) ? description.slice(DEPRECATED.length) : description;
}

/** The earlier texts that a tool's texts are compared with. */
export interface KnownTexts {
  /** Registrable domains of the vendor. */
  readonly domains: ReadonlySet<string>;
  /** The marks of each text so far, because tools share many texts. */
  readonly marks: Map<string, Mark[]>;
}

/**
 * Returns the marks of the new texts that no earlier text of this tool had.
 *
 * @param before null for a new tool.
 */
export function checkIntroduced(
  before: ToolSurface | null,
  after: ToolSurface,
  { domains, marks: marksByText }: KnownTexts,
): Finding[] {
  const old = before === null ? [] : textsOf(before);
  const oldTexts = new Set(old.map(({ text }) => text));
  const newTexts = textsOf(after).filter(({ text }) => !oldTexts.has(text));
  const marksOf = (text: string) => remember(marksByText, text, () => findSuspiciousText(text));
  const marked = newTexts
    .map((newText) => ({ ...newText, marks: marksOf(newText.text) }))
    .filter(({ marks }) => marks.length > 0);
  if (marked.length === 0) return [];
  const oldMarks = [...oldTexts].flatMap(marksOf);
  const oldPages = new Set(oldMarks.map(({ excerpt }) => withoutVersion(excerpt)));
  const reportedKeys = new Set(oldMarks.map(keyOf));
  return marked.flatMap(({ place, pointer, marks }): Finding[] =>
    [...new Map(marks.map((mark) => [keyOf(mark), mark]))]
      .filter(([key]) => !reportedKeys.has(key))
      .map(([key, { rule, excerpt, group }]) => {
        reportedKeys.add(key);
        const isKnown = isKnownUrl(excerpt, domains) || oldPages.has(withoutVersion(excerpt));
        const ruleOfMark = rule === 'introduces-url' && isKnown ? 'introduces-known-url' : rule;
        return { rule: ruleOfMark, place, after: excerpt, pointer, group };
      }),
  );
}

/** The page of a URL, whichever version of it: `3.17` in the path, never in the host. */
function withoutVersion(url: string): string {
  return url.replaceAll(/(?<=\w\/[^?#]*)\d+(?:\.\d+)+/g, '#');
}

function keyOf({ rule, excerpt }: Mark): string {
  return `${rule} ${excerpt}`;
}

/** Reports texts that the upstream changed while ours in their place stayed the same. */
export function checkReplacedTexts(before: ToolSurface, after: ToolSurface): Finding[] {
  return changesOf(before.replacedTexts, after.replacedTexts).map(({ place, ...change }) => ({
    ...change,
    rule: 'replaced-text-changed',
    place,
    group: `${after.name} ${place}`,
  }));
}

/** The same for the service: its name and its words are read by people alone. */
export function checkServiceTexts(before: ServiceSurface, after: ServiceSurface): Finding[] {
  return changesOf(before.replacedTexts, after.replacedTexts).map((change) => ({
    ...change,
    rule: /^(title|description)$/.test(change.place) ? 'service-words-changed' : 'replaced-text-changed',
  }));
}

function changesOf(before: ReplacedTexts = {}, after: ReplacedTexts = {}) {
  return Object.entries(after).flatMap(([place, now]) => {
    const old = before[place];
    const isOursKept = isSame(old?.ours, now.ours) && !isSame(now.ours, now.upstream);
    if (old === undefined || !isOursKept || isSame(toTidy(old.upstream), toTidy(now.upstream))) return [];
    return [{ place, before: old.upstream, after: now.upstream, note: `ours: ${textOf(toTidy(now.ours))}` }];
  });
}

/** Line breaks and spaces do not count. */
function toTidy(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll(/\s+/g, ' ').trim() : value;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none');
}
