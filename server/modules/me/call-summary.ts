/** Shows calls that wait: every value in full, the names behind ids, and the differences between the calls of a group. */

import { parseRawNumbers } from '../../../shared/exact-json.ts';
import { type Fact, facts, foreign } from '../../base/pages/components.ts';
import { type Html, type HtmlValue, html } from '../../base/pages/html.ts';
import { exactPeriod } from '../../base/pages/times.ts';
import type { CallDescription } from '../../call/tools/approvals/call-description.ts';
import { type ShownArgument, toIdText } from '../../call/tools/approvals/shown-arguments.ts';
import { escapeUnseen, toVisibleJson } from '../../call/tools/approvals/visible-text.ts';

/** Longer values are folded. */
const MAX_UNFOLDED_LENGTH = 2000;
/** A value of several members is on one line up to this length. */
const MAX_LINE_LENGTH = 60;
const EXCERPT_LENGTH = 60;

/**
 * Most characters of one call that a list shows, followed by most arguments of one call and most characters of a group. A longer call has a separate
 * page.
 */
const MAX_LISTED_LENGTH = 4000;
const MAX_LISTED_ARGUMENTS = 20;
const MAX_LISTED_GROUP_LENGTH = 32_768;

/** Names of the service and the partner, for remarks. */
export interface CallNames {
  readonly service: string;
  readonly partner: string;
}

/** Tells whether a list can show every argument of the calls. */
export function fitsInList(calls: readonly CallDescription[]): boolean {
  const lengths = calls.map(({ arguments: args }) =>
    args.reduce((sum, { name, value }) => sum + name.length + value.length, 0),
  );
  if (calls.some(({ arguments: args }) => args.length > MAX_LISTED_ARGUMENTS)) return false;
  if (lengths.some((length) => length > MAX_LISTED_LENGTH)) return false;
  return lengths.reduce((sum, length) => sum + length, 0) <= MAX_LISTED_GROUP_LENGTH;
}

/** Shows every argument of a call, and the names of what it is about. */
export function argumentList(summary: CallDescription, names: CallNames): Html {
  if (summary.arguments.length === 0) return html`<p>No arguments.</p>`;
  const list = facts(summary.arguments.map((argument) => argumentFact(argument, summary, names)));
  return html`<div class="sent">${list}</div>${lookedUpLine([summary], names)}`;
}

function argumentFact(argument: ShownArgument, summary: CallDescription, names: CallNames): Fact {
  return { term: argument.name, value: argumentValue(argument, valueHtml(argument.value), summary, names) };
}

function argumentValue(argument: ShownArgument, value: Html, summary: CallDescription, names: CallNames): Html {
  const { warning } = argument;
  const origin = originRemark(argument, names);
  return html`${value}${nameLines(argument, summary, names)}${
    warning === undefined ? null : html`<small class="warning">${foreign(warning)}</small>`
  }${origin === undefined ? null : html`<small>${origin}</small>`}`;
}

function originRemark({ origin }: ShownArgument, { partner }: CallNames): string | undefined {
  switch (origin) {
    case 'client':
      return undefined;
    case 'account':
      return 'The account that the call uses.';
    case 'fixed':
      return `Set by ${partner}, whatever the client says.`;
    case 'default':
      return 'Added by the gateway: the call leaves it out.';
    case 'constant':
      return 'Added by the gateway to every call of this tool.';
  }
}

/** The list of a batch, whose items have names of another argument. */
const BATCH_LIST = 'also';

/** Returns the names behind the ids in an argument. */
function nameLines({ name, value }: ShownArgument, summary: CallDescription, { service }: CallNames): Html[] {
  const isList = value.startsWith('[');
  if (!summary.names.some(({ argument }) => argument === name || name === BATCH_LIST)) return [];
  const ids = new Set(idsIn(parseRawNumbers(value)));
  const matchingNames = summary.names.filter(
    ({ argument, id }) => (argument === name || (isList && name === BATCH_LIST)) && ids.has(id),
  );
  return matchingNames.map(({ id, name: displayName, problem }) => {
    const subject = isList ? html`<bdi>${escapeUnseen(id)}</bdi>: ` : null;
    if (displayName !== undefined)
      return html`<small class="looked-up">${subject}${service} calls it ${foreign(displayName)}</small>`;
    return html`<small class="looked-up">${subject}${problemText(problem, service)}</small>`;
  });
}

/** Returns every text and number in a value. */
function idsIn(value: unknown): string[] {
  const id = toIdText(value);
  if (id !== undefined) return [id];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(idsIn) : [];
}

function problemText(problem: CallDescription['names'][number]['problem'], service: string): string {
  switch (problem) {
    case 'missing':
      return `${service} says that there is no such thing.`;
    case 'nameless':
      return `${service} gives it no name.`;
    default:
      return 'The name could not be looked up.';
  }
}

function lookedUpLine(calls: readonly CallDescription[], { service }: CallNames): Html | null {
  const times = calls.flatMap(({ names, lookedUpAt }) => (names.length === 0 ? [] : (lookedUpAt ?? [])));
  if (times.length === 0) return null;
  const time = exactPeriod(Math.min(...times), Math.max(...times));
  return html`<p class="quiet">The gateway asked ${service} for these names at ${time}.</p>`;
}

/** Shows a complete JSON value. A line break in a text is shown as `\n` and a new line. */
function valueHtml(value: string): Html {
  const text = withLineBreaks(value.length <= MAX_LINE_LENGTH ? value : toVisibleJson(parseRawNumbers(value), 2));
  if (text.length <= MAX_UNFOLDED_LENGTH) return html`<code class="value">${foreign(text)}</code>`;
  const start = value.slice(0, EXCERPT_LENGTH);
  const end = value.slice(-EXCERPT_LENGTH);
  return html`<details><summary>Show all ${value.length} characters: <bdi>${start}</bdi> … <bdi>${end}</bdi></summary>
<pre class="value">${foreign(text)}</pre></details>`;
}

function withLineBreaks(json: string): string {
  return json.replaceAll(/\\\\|\\n/g, (sequence) => (sequence === '\\n' ? '\\n\n' : sequence));
}

/** One call of a group, and the box that selects it. */
interface GroupedCall {
  readonly summary: CallDescription;
  readonly box: Html;
  readonly link: Html;
}

/** Shows the arguments that all calls share once, and the others next to each other, with the differing part of each text marked. */
export function differences(calls: readonly GroupedCall[], names: CallNames): Html {
  const byPlace = calls.map(({ summary }) => argumentsByPlace(summary));
  const places = [...new Set(byPlace.flatMap((args) => [...args.keys()]))];
  const shownAt = (place: string) =>
    calls.map(({ summary }, row) => {
      const argument = byPlace[row]?.get(place);
      return argument === undefined ? '' : String(argumentValue(argument, html`${argument.value}`, summary, names));
    });
  // The same id may name another thing in each call.
  const differing = places.filter((place) => new Set(shownAt(place)).size > 1);
  const [first] = calls;
  const sharedArguments = [...(byPlace[0] ?? [])].flatMap(([place, argument]) =>
    differing.includes(place) ? [] : [argument],
  );
  const nameAt = (place: string) => byPlace.flatMap((args) => args.get(place)?.name ?? [])[0] ?? '';
  const head = html`<thead><tr><td></td>${differing.map((place) => html`<th scope="col">${foreign(nameAt(place))}</th>`)}<td></td></tr></thead>`;
  const marked = new Map(
    differing.map((place) => [place, markDifferences(byPlace.map((args) => args.get(place)?.value))]),
  );
  const rows = calls.map(({ summary, box, link }, row) => {
    const cells = differing.map((place) => {
      const argument = byPlace[row]?.get(place);
      const value = marked.get(place)?.[row] ?? null;
      const content: HtmlValue =
        argument === undefined || value === null
          ? html`<small>Not given</small>`
          : argumentValue(argument, value, summary, names);
      return html`<td class="long" data-label="${nameAt(place)}">${content}</td>`;
    });
    return html`<tr><td>${box}</td>${cells}<td class="act">${link}</td></tr>`;
  });
  return html`<div class="sent">${
    sharedArguments.length === 0 || first === undefined
      ? null
      : html`<h3>The same in all of them</h3>${facts(sharedArguments.map((argument) => argumentFact(argument, first.summary, names)))}`
  }<h3>Where they differ</h3>
<table class="differing">${head}<tbody>${rows}</tbody></table></div>${lookedUpLine(
    calls.map(({ summary }) => summary),
    names,
  )}`;
}

/** The arguments of a call by their place, which is the name, and its number among those that have it: a tool may add a value under the name of an argument. */
function argumentsByPlace({ arguments: args }: CallDescription): ReadonlyMap<string, ShownArgument> {
  return new Map(
    args.map((argument, index) => {
      const number = args.slice(0, index).filter(({ name }) => name === argument.name).length;
      return [`${number} ${argument.name}`, argument];
    }),
  );
}

/**
 * Marks in each text the part that differs: the rest after the common beginning and before the common end. Nothing is marked if a value is no text,
 * or is too long.
 */
function markDifferences(values: readonly (string | undefined)[]): readonly (Html | null)[] {
  const texts = values.filter((value) => value !== undefined);
  const areTexts = texts.every((text) => text.startsWith('"') && text.length <= MAX_LISTED_LENGTH);
  if (!areTexts || new Set(texts).size < 2)
    return values.map((value) => (value === undefined ? null : valueHtml(value)));
  const start = sharedLength(texts);
  const end = sharedLength(texts.map((text) => [...text.slice(start)].reverse().join('')));
  return values.map((value) => {
    if (value === undefined) return null;
    const before = withLineBreaks(value.slice(0, start));
    const middle = withLineBreaks(value.slice(start, value.length - end));
    const after = withLineBreaks(value.slice(value.length - end));
    return html`<code class="value"><bdi>${before}<mark>${middle}</mark>${after}</bdi></code>`;
  });
}

/** Returns the number of characters that all texts begin with. It does not end within a pair of surrogates or an escape. */
function sharedLength(texts: readonly string[]): number {
  const [first = '', ...otherTexts] = texts;
  let length = 0;
  while (length < first.length && otherTexts.every((text) => text[length] === first[length])) length += 1;
  const shared = first.slice(0, length).replace(/[\ud800-\udbff]$/, '');
  return shared.replace(/\\(?:u[0-9a-f]{0,4})?$/, '').length;
}
