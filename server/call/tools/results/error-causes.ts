/**
 * Causes that an error answer gives in addition to its status: a limit that was reached, an outdated constant, a web page, something that exists; and
 * the tools or arguments that help.
 */

import type { Binding, Connector, RateLimitHeaders, Tool } from '../../../contract/index.ts';
import type { Arguments, UpstreamFailure } from '../../upstream/index.ts';
import { isSchema } from '../json.ts';
import { cleanText } from './errors.ts';
import type { PagedTool } from './page-size.ts';

/** What broke off a call: its connection, or at an MCP server the refusal of a later request, such as that for the state of a task. */
export function describeReset({ status }: UpstreamFailure, title: string): string {
  if (status === null) return `The connection to ${title} broke off.`;
  return `${title} answered ${status} to another request of the same call.`;
}

/** The limit that was reached. */
export interface ReachedLimit {
  /** True if it is a limit of a day or a month. */
  readonly quota: boolean;
  /** Seconds until it resets, at least 1; null if no header says. */
  readonly seconds: number | null;
}

/** Reads one header. @param name lower case. */
type ReadHeader = (name: string) => string | null;

/**
 * Finds the limit that refused a call: an exhausted quota, else the exhausted limit that resets last. If no header says
 * what is left, any limit with a reset header may be the one, and a short limit is assumed before a quota.
 *
 * @param now milliseconds since 1970. @returns null if no header says anything.
 */
export function findReachedLimit(
  limits: readonly RateLimitHeaders[],
  header: ReadHeader,
  now: number,
): ReachedLimit | null {
  const limitStates = limits.map(({ remaining, reset, quota }) => ({
    remainingCalls: remaining === undefined ? null : readNumber(header(remaining)),
    seconds: reset === undefined ? null : readReset(header(reset), now),
    quota: quota === true,
  }));
  const exhausted = limitStates.filter(({ remainingCalls }) => remainingCalls !== null && remainingCalls <= 0);
  const unknownLimits = limitStates.filter(
    ({ remainingCalls, seconds }) => remainingCalls === null && seconds !== null,
  );
  const quota =
    exhausted.find((limit) => limit.quota) ?? (exhausted.length === 0 ? onlyQuota(unknownLimits) : undefined);
  if (quota !== undefined) return { quota: true, seconds: quota.seconds };
  const reachedLimits = exhausted.length > 0 ? exhausted : unknownLimits.filter((limit) => !limit.quota);
  const resetSeconds = reachedLimits.flatMap(({ seconds }) => (seconds === null ? [] : [seconds]));
  return reachedLimits.length === 0
    ? null
    : { quota: false, seconds: resetSeconds.length === 0 ? null : Math.max(...resetSeconds) };
}

function onlyQuota<Limit extends { readonly quota: boolean }>(limits: readonly Limit[]): Limit | undefined {
  return limits.every(({ quota }) => quota) ? limits[0] : undefined;
}

function readNumber(value: string | null): number | null {
  const text = value?.trim() ?? '';
  return /^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : null;
}

/** Larger numbers are times, in seconds or milliseconds since 1970, because no reset is 31 years away. */
const FIRST_TIME_SECONDS = 1e9;
const FIRST_TIME_MS = 1e12;

/**
 * Reads the time of a reset.
 *
 * @returns seconds from now, at least 1, or null if the value is missing or unreadable.
 */
function readReset(value: string | null, now: number): number | null {
  if (value === null) return null;
  const number = readNumber(value);
  if (number !== null && number < FIRST_TIME_SECONDS) return Math.max(1, Math.ceil(number));
  const time = number === null ? Date.parse(value) : toMilliseconds(number);
  return Number.isNaN(time) ? null : Math.max(1, Math.ceil((time - now) / 1000));
}

/** @param time since 1970, in seconds or milliseconds. */
function toMilliseconds(time: number): number {
  return time < FIRST_TIME_MS ? time * 1000 : time;
}

const UNITS: readonly (readonly [string, number])[] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** Formats a duration in the largest unit that fits at least twice: "12 days". */
export function describeSeconds(seconds: number): string {
  const [unit, length] = UNITS.find(([, size]) => seconds >= 2 * size) ?? ['second', 1];
  const count = Math.round(seconds / length);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Statuses that mean that the request itself is wrong. */
const OUTDATED_STATUSES = new Set([400, 403, 406, 410, 412, 415, 422]);

/** A constant that the upstream's error names. */
export interface RefusedConstant {
  readonly name: string;
  readonly value: string;
}

/**
 * Finds the constant header of the tool, or the constant version in its query, that an error answer names. The model
 * did not choose it and cannot change it.
 *
 * @param body parsed JSON, else text.
 */
export function findRefusedConstant({ request }: Tool, status: number, body: unknown): RefusedConstant | null {
  if (!OUTDATED_STATUSES.has(status)) return null;
  const headers = constants(request.header);
  const versions = constants(request.query).filter(({ name }) => /version/i.test(name));
  const sentConstants = [...headers, ...versions];
  if (sentConstants.length === 0) return null;
  const bodyText = (typeof body === 'string' ? body : (JSON.stringify(body) ?? '')).toLowerCase();
  return sentConstants.find(({ name }) => bodyText.includes(name.toLowerCase())) ?? null;
}

function constants(bindings: Readonly<Record<string, Binding<unknown>>> | undefined): RefusedConstant[] {
  return Object.entries(bindings ?? {}).flatMap(([name, binding]) =>
    typeof binding === 'object' && binding !== null && 'constant' in binding
      ? [{ name, value: String(binding.constant) }]
      : [],
  );
}

/**
 * True if the body of an error answer is a web page.
 *
 * @param body parsed JSON, or text if it is not JSON.
 */
export function isWebPage(body: unknown, contentType: string | null): boolean {
  if (typeof body !== 'string') return false;
  if (/^\s*(<!doctype\s+html|<html)\b/i.test(body)) return true;
  return /^\s*<[a-z!]/i.test(body) && /^\s*(text\/html|application\/xhtml)/i.test(contentType ?? '');
}

/** The title of a page or another document with markup, or null. */
export function titleOf(page: string): string | null {
  const title = /<title[^<>]*>([^<]{1,200})/i.exec(page)?.[1];
  return title === undefined ? null : cleanText(title);
}

/** Statuses that a firewall in front of the API may send in its place. */
export const FIREWALL_STATUSES: ReadonlySet<number> = new Set([400, 403, 405, 406, 412, 418, 422]);

/** The advice for such a status. */
export const FIREWALL_ADVICE =
  'It comes from a firewall or proxy in front of the API, not from the API: the connected account may well be allowed to do this. Try simpler arguments; if that does not help, tell the user that the operator of the gateway has to investigate.';

/** Usual phrases in codes and messages of upstreams. */
const SAYS_IT_EXISTS = /already[\s_-]*(exist|in[\s_-]*use|taken|been[\s_-]*(taken|used))|duplicate|not[\s_-]*unique/i;

/**
 * True if an error answer tells that something already exists.
 *
 * @param words the upstream's code and message.
 */
export function saysItExists(status: number, words: readonly (string | null)[]): boolean {
  if (status !== 400 && status !== 409 && status !== 422) return false;
  return words.some((word) => word !== null && SAYS_IT_EXISTS.test(word));
}

/**
 * Finds the tools that update what a creating tool would have created: tools that write to a member of its collection
 * without deleting it, such as `PATCH /contacts/{id}` and `POST /contacts/upsert` for `POST /contacts`. Upserts come
 * first.
 */
export function findUpdaters(connector: Connector, { operation, annotations }: Tool): readonly string[] {
  if (operation.method !== 'POST' || annotations.readOnlyHint) return [];
  const path = operation.path.replace(/\/$/, '');
  const updaters = connector.tools.filter(({ operation: other, annotations: hints }) => {
    if (hints.readOnlyHint || other.method === 'DELETE' || other.server !== operation.server) return false;
    if (other.path === path) return other.method === 'PUT' || other.method === 'PATCH';
    const member = other.path.startsWith(`${path}/`) ? other.path.slice(path.length + 1).replace(/\/$/, '') : '';
    return /^\{[^{}/]+\}$/.test(member) || /^(create[_-]or[_-]update|upsert|createorupdate)$/i.test(member);
  });
  const memberRank = ({ operation: { path: other } }: Tool) => Number(other.includes('{', path.length));
  return updaters.toSorted((a, b) => memberRank(a) - memberRank(b)).map(({ name }) => name);
}

/**
 * Returns the reading tools on the collections in a tool's path, outermost first: for
 * `/brands/{brand_id}/contacts/{contact_id}` those on `/brands` and on `/brands/{brand_id}/contacts`.
 */
export function findListings(connector: Connector, { operation }: Tool): readonly string[] {
  const segments = operation.path.split('/');
  const collections = segments.flatMap((segment, index) =>
    segment.includes('{') ? [segments.slice(0, index).join('/')] : [],
  );
  return collections.flatMap((path) => {
    const listing = connector.tools.find(
      (candidate) =>
        candidate.operation.method === 'GET' &&
        candidate.operation.server === operation.server &&
        candidate.operation.path.replace(/\/$/, '') === path,
    );
    return listing === undefined ? [] : [listing.name];
  });
}

/** Usual names of page sizes, ranges, columns and filters in descriptors. */
const NARROWING =
  /(^|_)(limit|size|per_page|page_size|count|top|max|range|columns?|fields?|select|include|from|to|start|end|since|until|before|after|gte|lte|gt|lt|date|filter|ids|types?|status|query)(_|$)/;

const MAX_NAMED = 6;

/** Advises how to make the answer of a call smaller. */
export function adviseNarrowing(tool: PagedTool, args: Arguments): string {
  const narrowing = findNarrowingArguments(tool, args);
  return narrowing.length === 0
    ? 'The tool has no argument that narrows the result: ask for less.'
    : `Call again with narrower ${narrowing.join(', ')}.`;
}

/** Optional arguments of the tool that narrow its result, with their values in this call. */
function findNarrowingArguments(tool: PagedTool, args: Arguments): string[] {
  const { properties, required } = tool.inputSchema;
  if (!isSchema(properties)) return [];
  const requiredNames = Array.isArray(required) ? required : [];
  return Object.keys(properties)
    .filter(
      (name) => !requiredNames.includes(name) && name !== tool.page?.argument && NARROWING.test(toSnakeCase(name)),
    )
    .slice(0, MAX_NAMED)
    .map((name) => `"${name}"${describeCurrent(args[name])}`);
}

function describeCurrent(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' ? ` (now ${value})` : '';
}

/** `startIndex` as `start_index`. */
export function toSnakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[-.]/g, '_')
    .toLowerCase();
}
