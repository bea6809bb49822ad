/** Fits an answer to its reader: a part of it, what the part contains, and how to get the rest. */

import { createHash } from 'node:crypto';
import type { ValueSealer } from '../../../base/credentials/sealed-value.ts';
import type { ObjectSchema, ToolFace } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { estimateTokens, isSchema, stableJson } from '../json.ts';
import { type AnswerPart, type AnswerPosition, cut, type ShownRange } from './cut-answer.ts';
import { measure } from './measure.ts';

/** The arguments for the gateway. */
export interface GatewayArguments {
  /** Dotted paths of members to keep. Null for all. */
  readonly fields: readonly string[] | null;
  /** Number of records to gather. Null for one page. */
  readonly maxItems: number | null;
  /** A handle from `page.nextArguments`, unverified. Null to begin at the beginning. */
  readonly resume: string | null;
  /** The arguments as given, without `resume`; a call for the next part repeats them. */
  readonly repeated: Arguments;
}

/** The limits of the reader, and where the part begins. */
export interface ResultBudget {
  /** Name of the tool. */
  readonly tool: string;
  /** Maximum bytes of all texts together. */
  readonly limit: number;
  /** Arguments without which the limit is lower, as text. Undefined if none raises it. */
  readonly raisedBy?: string | undefined;
  /** Point at which this part begins. Null for the beginning. */
  readonly from: ResumePoint | null;
  /** Creates the handle of the next part. Null if the tool accepts none. */
  readonly seal: ((point: ResumePoint) => string) | null;
  /** Arguments that a call for the next part repeats. */
  readonly repeated: Arguments;
  /** Says what to do if there is no handle. */
  readonly advise: () => string;
}

/** The member `page` of a part: how the answer continues, and what is shown. */
interface PartPage {
  readonly nextArguments: Arguments | null;
  readonly shown: string;
}

/** A part of an answer. */
interface FittedPart<Value> {
  readonly value: Value;
  readonly page: PartPage;
  /** One paragraph for the model. */
  readonly notice: string;
}

/** Reserved for the notice, and for the JSON around handle and arguments. */
export const RESERVED_BYTES = 1500;
const MAX_SHOWN_PARTS = 3;

/**
 * Takes a part of an object that does not fit completely, or that continues.
 *
 * @param fullText a text that is equal if the object is.
 * @param nextPage arguments of the next page of a list, or null if there is none.
 * @returns null if nothing useful fits.
 */
export function fitObject(
  object: Readonly<Record<string, unknown>>,
  fullText: string,
  nextPage: Arguments | null,
  budget: ResultBudget,
): FittedPart<Record<string, unknown>> | null {
  const fittedPart = fitValue(object, fullText, nextPage, budget);
  return fittedPart === null ? null : { ...fittedPart, value: fittedPart.value as Record<string, unknown> };
}

/** Does the same as `fitObject`, for a text. */
export function fitText(text: string, budget: ResultBudget): FittedPart<string> | null {
  const fittedPart = fitValue(text, text, null, budget);
  return fittedPart === null ? null : { ...fittedPart, value: String(fittedPart.value) };
}

function fitValue(
  value: unknown,
  fullText: string,
  nextPage: Arguments | null,
  budget: ResultBudget,
): FittedPart<unknown> | null {
  const { limit, from, seal, repeated } = budget;
  const maxBytes = limit - RESERVED_BYTES - Math.max(bytesOf(repeated), bytesOf(nextPage));
  if (maxBytes <= 0) return null;
  const digest = createHash('sha256').update(fullText, 'utf8').digest('base64url').slice(0, DIGEST_LENGTH);
  const sizes = { sizeOf: measure(maxBytes), limit: maxBytes };
  const isChanged = from !== null && from.digest !== digest;
  const continuedPart = from === null ? null : cut(value, from.position, sizes);
  const answerPart = continuedPart ?? (from === null || isChanged ? cut(value, null, sizes) : null);
  if (answerPart === null) return null;
  const position = answerPart.next;
  const resume = seal === null || position === null ? null : seal({ position, digest });
  const shownText = describeShown(answerPart);
  const nextArguments = resume === null ? nextPage : { ...repeated, resume };
  const notice = [`This is a part of the answer, which is longer than ${describeLimit(budget)}.`];
  if (isChanged) notice.push(describeChange(continuedPart !== null));
  const remaining = { isEnd: answerPart.next === null, canResume: resume !== null, hasPage: nextPage !== null };
  notice.push(`Shown: ${shownText}.`, describeRest(remaining, budget));
  return { value: answerPart.value, page: { nextArguments, shown: shownText }, notice: notice.join(' ') };
}

/** Returns the limit of a result in words. */
export function describeLimit({
  limit,
  raisedBy,
}: {
  readonly limit: number;
  readonly raisedBy?: string | undefined;
}): string {
  return `about ${estimateTokens(limit)} tokens${raisedBy === undefined ? '' : ` without ${raisedBy}`}`;
}

function describeChange(isContinued: boolean): string {
  const where = isContinued ? 'this part begins where the previous one ended' : 'it is shown from its beginning again';
  return `The answer has changed since the previous part: ${where}, and the parts may not fit together.`;
}

interface RemainingAnswer {
  /** Nothing of this page is missing. */
  readonly isEnd: boolean;
  readonly canResume: boolean;
  /** True if the list has another page. */
  readonly hasPage: boolean;
}

function describeRest({ isEnd, canResume, hasPage }: RemainingAnswer, { tool, advise }: ResultBudget): string {
  const nextCallAdvice = `call ${tool} again with page.nextArguments`;
  if (isEnd)
    return hasPage ? `That is the end of this page; for the next one ${nextCallAdvice}.` : 'That is the end of it.';
  if (canResume) return `For the rest ${nextCallAdvice}, within ten minutes.`;
  const noHandleAdvice = `The tool cannot continue from here. ${advise()}`;
  return hasPage ? `${noHandleAdvice} For the next page ${nextCallAdvice}.` : noHandleAdvice;
}

/** Describes the shown parts, such as `data: 1 to 60 of 1000 elements; included: none of 20 elements`. */
function describeShown({ shownRanges }: AnswerPart): string {
  const texts = shownRanges.slice(0, MAX_SHOWN_PARTS).map(describePart);
  const more =
    shownRanges.length > MAX_SHOWN_PARTS ? [`and less of ${shownRanges.length - MAX_SHOWN_PARTS} more places`] : [];
  return texts.length === 0 ? 'all of it' : [...texts, ...more].join('; ');
}

function describePart({ at, of, from, to, total }: ShownRange): string {
  const range = to === from ? 'none' : `${from + 1} to ${to}`;
  const path = at.length <= MAX_PLACE_LENGTH ? at : `…${at.slice(-MAX_PLACE_LENGTH)}`;
  return `${path === '' ? '' : `${path}: `}${range} of ${total} ${of}`;
}

const MAX_PLACE_LENGTH = 120;

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** True if the output schema lets structured content tell how the answer continues. */
export function takesPage({ properties, additionalProperties }: ObjectSchema): boolean {
  return (isSchema(properties) && Object.hasOwn(properties, 'page')) || additionalProperties === undefined;
}

/** The point where an answer continues. */
export interface ResumePoint {
  readonly position: AnswerPosition;
  /** Digest of the whole answer, to detect a change. */
  readonly digest: string;
}

/** Time for which a handle is valid. */
const RESUME_TTL_MS = 600_000;
const DIGEST_LENGTH = 16;

/** The call that a handle is bound to. */
interface ResumedCall {
  /** Row id of the grant, or of a token without a grant. */
  readonly reader: string;
  readonly tool: ToolFace;
  readonly gatewayArguments: GatewayArguments;
  /** Maximum of text bytes in a result of this reader; positions depend on it. */
  readonly limit: number;
}

/** Seals a position for ten minutes. @param now milliseconds since 1970. */
export function sealResume(states: ValueSealer, call: ResumedCall, point: ResumePoint, now: number): string {
  const { position, digest } = point;
  return states.seal([digest, ...position], { holder: holderOf(call), expiresAt: now + RESUME_TTL_MS });
}

/** Opens the handle of a call. Returns null if it has expired, was changed, or belongs to another call. */
export function openResume(states: ValueSealer, call: ResumedCall, now: number): ResumePoint | null {
  const opened = states.open(call.gatewayArguments.resume ?? '', { holder: holderOf(call), now });
  if (!Array.isArray(opened)) return null;
  const [digest, ...position] = opened as [string, ...number[]];
  return { digest, position };
}

function holderOf({ reader, tool, gatewayArguments, limit }: ResumedCall): string {
  const digest = createHash('sha256').update(stableJson(gatewayArguments.repeated), 'utf8').digest('base64url');
  return JSON.stringify(['resume', reader, tool.name, digest, limit]);
}
