/** Describes a success without content by what is left of it: its status and its headers. */

import type { Tool } from '../../../contract/index.ts';
import { parseRetryAfter, type Redactor, type UpstreamAnswer } from '../../upstream/index.ts';
import { type ExplainedError, explain } from './errors.ts';
import { type CalledTool, MAY_HAVE_ACTED } from './upstream-errors.ts';

/** Headers with the address of the state of accepted work, most specific first; the second is a field of Azure's long-running operations. */
export const STATE_ADDRESSES = ['operation-location', 'azure-asyncoperation', 'location'];

/** Facts of an answer without content, which a result holds as `response`. */
export interface EmptyAnswer {
  readonly status: number;
  /** URI reference as the service wrote it, without user name, password, parameters, query and fragment, which may hold secrets. */
  readonly location?: string;
  /** Last segment of the location, decoded: usually the key of what was created. */
  readonly id?: string;
  /** Seconds that the service asks to wait (RFC 9110 §10.2.3). */
  readonly retryAfterSeconds?: number;
}

const ACCEPTED = 202;
const MAX_LOCATION_LENGTH = 1000;
const MAX_ID_LENGTH = 200;
const URI_REFERENCE = /^[!-[\]-~]+$/;
/** Also matches more than two slashes, which clients read like two (WHATWG URL Standard §4.4). */
const AUTHORITY = /^(?:https?:)?\/{2,}[^/]*/i;
const OTHER_SCHEME = /^(?!https?:\/\/)[a-z][a-z0-9+.-]*:/i;

interface ReadOptions {
  /** Redacts the credential of the connection. */
  readonly redactor: Redactor;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Reads the facts of an answer from its status and headers. */
export function readEmptyAnswer(
  { status, header }: UpstreamAnswer,
  { operation }: Tool,
  { redactor, now }: ReadOptions,
): EmptyAnswer {
  const names = status === ACCEPTED ? STATE_ADDRESSES : ['location'];
  const stateAddress = names.map(header).find((value) => value !== null) ?? '';
  const location = toPublicLocation(stateAddress);
  const id = location === undefined ? undefined : findId(location, operation);
  const seconds = parseRetryAfter(header('retry-after'), now);
  const facts: { -readonly [Name in keyof EmptyAnswer]: EmptyAnswer[Name] } = { status };
  if (location !== undefined && location.length <= MAX_LOCATION_LENGTH) facts.location = redactor.text(location);
  if (id !== undefined && !redactor.isIn(id)) facts.id = id;
  if (seconds !== null) facts.retryAfterSeconds = seconds;
  return facts;
}

/** Removes everything but scheme, host and path. Returns undefined if the reference is no http address (RFC 9110 §10.2.2), or nothing is left. */
function toPublicLocation(reference: string): string | undefined {
  if (!URI_REFERENCE.test(reference) || OTHER_SCHEME.test(reference)) return undefined;
  if (!URL.canParse(reference, 'https://service.invalid')) return undefined;
  const address = reference
    .replace(/[?#].*$/, '')
    .replace(/;[^/]*/g, '')
    .replace(AUTHORITY, (authority) => authority.replace(/\/{2,}.*@/, '//'));
  return address === '' ? undefined : address;
}

/** Returns the last segment of a location, unless it is that of the collection: the key is in the query then, or nowhere. */
function findId(location: string, { path }: Tool['operation']): string | undefined {
  const segments = location.replace(AUTHORITY, '').split('/');
  const last = segments.findLast((segment) => segment !== '');
  const collection = path.split('/').findLast((segment) => segment !== '');
  if (last === undefined || last === collection) return undefined;
  const id = decodeSegment(last);
  if (id.length > MAX_ID_LENGTH || /\p{C}/u.test(id)) return undefined;
  return id.trim() === '' || id === '.' || id === '..' ? undefined : id;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Facts that give an answer without content its meaning. */
interface EmptyMeaning {
  /** Title of the service. */
  readonly title: string;
  readonly tool: Tool;
  /** True if it answers a call for a list. */
  readonly isList: boolean;
}

/** Says in one sentence for the model what happened, and in others what to do with the location. */
export function describeEmptyAnswer(facts: EmptyAnswer, { title, tool, isList }: EmptyMeaning): string {
  const { status, location, id } = facts;
  const statusSentence = `${title} answered ${status} without content`;
  if (isList) return `${statusSentence}: the list is empty.`;
  if (tool.annotations.readOnlyHint) return `${statusSentence}.`;
  const isAccepted = status === ACCEPTED;
  const meaning = isAccepted ? 'it accepted the call, and may still work on it' : 'the call took effect';
  const sentences = [`${statusSentence}: ${meaning}.`];
  if (location !== undefined) {
    sentences.push(isAccepted ? 'The state of the work is at the location.' : 'The result is at the location.');
  }
  if (id !== undefined) sentences.push('The id is the last part of the location.');
  return sentences.join(' ');
}

/** Explains a 303 that is not followed. The outcome of the call is at the location, unless the service only asks to sign in. */
export function explainSeeOther({ connector, tool }: CalledTool, { location, id }: EmptyAnswer): ExplainedError {
  return explain('upstream_redirect', {
    message: `${connector.title} answered 303: the outcome of the call is at another address, which the gateway does not follow.`,
    advice: tool.annotations.readOnlyHint ? undefined : MAY_HAVE_ACTED,
    status: 303,
    details: location === undefined ? null : { location, id },
  });
}
