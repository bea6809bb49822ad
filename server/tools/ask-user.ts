/** What a call answers when its user has to do something on a page first: where that is, and how the call continues after it. */

import { createHash } from 'node:crypto';
import type { Principal } from '../principal/principal.ts';
import type { Arguments } from '../upstream/index.ts';
import {
  type CompleteToolResult,
  type InputRequiredToolResult,
  InvalidCallError,
  type ToolCallContext,
  type ToolResult,
} from './provider.ts';
import type { Remedy } from './results/outcomes.ts';
import { stableJson } from './stable-json.ts';

/** Seals a call's state on its way through the client. As `ValueSealer`: what it seals can neither be read nor changed, and opens for its holder only, until it expires. */
export interface StateSealer {
  seal(value: unknown, options: { holder: string; expiresAt: number }): string;
  open(sealed: string, options: { holder: string; now: number }): unknown;
}

/** The call that is made. */
export interface CallToResume {
  readonly principal: Principal;
  readonly tool: string;
  readonly args: Arguments;
  readonly context: ToolCallContext;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A page that helps. */
export interface UserPage {
  /** What the user does there; the key of the input request. */
  readonly remedy: Remedy;
  readonly url: string;
  /** Says why, to the user. */
  readonly message: string;
}

/** How often one call sends its user to a page; then it says so in words. */
const MAX_ASKED = 3;

/** How long a user has to do it and let the call continue. */
const STATE_TTL_MS = 1_800_000;

/**
 * Reads how often the user was asked before, in a call that continues; 0 in one that begins.
 *
 * @throws {InvalidCallError} when `requestState` is not what this gateway gave for this very call of this user, or is too old.
 */
export function readTimesAsked(call: CallToResume, states: StateSealer): number {
  const { requestState } = call.context;
  if (requestState === null) return 0;
  const opened = states.open(requestState, { holder: holderOf(call), now: call.now });
  if (typeof opened === 'number') return opened;
  throw new InvalidCallError('Invalid requestState: it is too old, or belongs to another call. Call again without it.');
}

/**
 * Adds the way out to an answer that says that the user has to do something.
 *
 * A 2026 client that declares URL elicitation is asked to open the page (`input_required`), so that the call continues
 * afterwards. All others get the address in words.
 *
 * @param options.timesAsked as `readTimesAsked` says.
 */
export function offerPage(
  call: CallToResume,
  result: CompleteToolResult,
  page: UserPage,
  options: { timesAsked: number; states: StateSealer },
): ToolResult {
  const asks = canOpenUrls(call.context) && !wasDeclined(call.context, page) && options.timesAsked < MAX_ASKED;
  return asks ? askToOpen(call, page, options) : withAddress(result, page.url);
}

function askToOpen(
  call: CallToResume,
  { remedy, message, url }: UserPage,
  { timesAsked, states }: { timesAsked: number; states: StateSealer },
): InputRequiredToolResult {
  const expiresAt = call.now + STATE_TTL_MS;
  return {
    resultType: 'input_required',
    inputRequests: { [remedy]: { method: 'elicitation/create', params: { mode: 'url', message, url } } },
    requestState: states.seal(timesAsked + 1, { holder: holderOf(call), expiresAt }),
  };
}

function withAddress(result: CompleteToolResult, url: string): CompleteToolResult {
  const [first, ...rest] = result.content;
  if (first === undefined) return result;
  return { ...result, content: [{ ...first, text: `${String(first.text)} The user does that at ${url}` }, ...rest] };
}

function canOpenUrls({ era, clientCapabilities }: ToolCallContext): boolean {
  const { elicitation } = clientCapabilities;
  return era === '2026' && isObject(elicitation) && isObject(elicitation.url);
}

function wasDeclined({ inputResponses }: ToolCallContext, { remedy }: UserPage): boolean {
  const response = Object.hasOwn(inputResponses, remedy) ? inputResponses[remedy] : undefined;
  return isObject(response) && response.action !== 'accept';
}

/** One call of one user: its state opens for no other. */
function holderOf({ principal, tool, args }: CallToResume): string {
  const digest = createHash('sha256').update(stableJson(args), 'utf8').digest('base64url');
  return JSON.stringify([principal.partnerId, principal.userId, tool, digest]);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
