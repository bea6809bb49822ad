/** The answer to a call whose user must do something on a page first: its URL, and the state to continue the call. */

import { createHash } from 'node:crypto';
import type { ValueSealer } from '../../base/credentials/sealed-value.ts';
import type { Principal } from '../../base/principal/principal.ts';
import type { Arguments } from '../upstream/index.ts';
import { isObject, stableJson } from './json.ts';
import {
  type CompleteToolResult,
  type InputRequiredToolResult,
  type InSession,
  InvalidCallError,
  type ToolCallContext,
  type ToolResult,
} from './provider.ts';
import type { Remedy } from './results/outcomes.ts';

/** The current call. */
export interface CallToResume {
  readonly principal: Principal;
  readonly tool: string;
  readonly args: Arguments;
  readonly context: ToolCallContext;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A page where the user can remove the obstacle. */
export interface UserPage {
  /** The task of the user on the page. It is also the key of the input request. */
  readonly remedy: Remedy;
  /** Null if there is no page. */
  readonly url: string | null;
  /** Tells the user why. */
  readonly message: string;
  /** The key of an input request in which the client itself may answer instead. By default the client may not answer. */
  readonly confirm?: string | undefined;
  /** Row id of the approval that is given there. */
  readonly approval?: string;
  /** See `InSession`. Undefined if nothing can tell, so that no call waits for it. */
  readonly isDone?: InSession['isDone'];
}

/** Maximum of times that one call asks for input. After that, the result has the URL as text. */
const MAX_ASKED = 3;

/** Time for the user to act and let the call continue. */
const STATE_TTL_MS = 1_800_000;

/** The state of a call that has asked its user. */
export interface OpenedState {
  readonly timesAsked: number;
  /** Questions of an MCP server, and its own state. Undefined if the gateway itself asked. */
  readonly questions?: { readonly keys: readonly string[]; readonly state?: string | undefined };
}

/**
 * Reads the state of a continued call. A new call has asked nothing.
 *
 * @throws {InvalidCallError} if `requestState` was not issued for this call of this user, or has expired.
 */
export function openState(call: CallToResume, states: ValueSealer): OpenedState {
  const { requestState } = call.context;
  if (requestState === null) return { timesAsked: 0 };
  const opened = states.open(requestState, { holder: holderOf(call), now: call.now });
  if (isObject(opened)) return opened as unknown as OpenedState;
  throw new InvalidCallError('Invalid requestState: it is too old, or belongs to another call. Call again without it.');
}

/**
 * Adds the page to a result which tells that the user must do something.
 *
 * A client that declares URL elicitation is asked to open the page (`input_required`), and the call continues afterwards. Where the client itself may
 * answer, a client that declares form elicitation is asked for a yes. A caller that waits for approvals itself gets the approval. All others get the
 * URL as text.
 *
 * @param options.timesAsked from `openState`.
 */
export function offerPage(
  call: CallToResume,
  result: CompleteToolResult,
  page: UserPage,
  options: { timesAsked: number; states: ValueSealer },
): ToolResult {
  const { remedy, confirm, message, url, isDone, approval } = page;
  const otherwise = url === null ? result : withAddress(result, url);
  const awaited =
    call.context.awaitsApprovals === true && approval !== undefined
      ? { approval: { id: approval, text: url === null ? message : `${message}${addressText(url)}`, otherwise } }
      : {};
  const mayAsk = !wasDeclined(call.context, page) && options.timesAsked < MAX_ASKED;
  if (!mayAsk || (call.context.era === '2025' && isDone === undefined)) return otherwise;
  const inSession = call.context.era === '2025' && isDone !== undefined ? { inSession: { otherwise, isDone } } : {};
  if (confirm !== undefined && canElicit(call.context.clientCapabilities, 'form')) {
    const requestedSchema = { type: 'object', properties: {} };
    return { ...ask(call, confirm, { mode: 'form', message, requestedSchema }, options), ...inSession, ...awaited };
  }
  if (url === null || !canElicit(call.context.clientCapabilities, 'url'))
    return 'approval' in awaited ? { resultType: 'input_required', ...awaited } : otherwise;
  return { ...ask(call, remedy, { mode: 'url', message, url }, options), ...inSession, ...awaited };
}

/** Returns `requestState` for a call that asks once more. Null if it has asked too often. */
export function sealState(call: CallToResume, state: OpenedState, states: ValueSealer): string | null {
  if (state.timesAsked > MAX_ASKED) return null;
  return states.seal(state, { holder: holderOf(call), expiresAt: call.now + STATE_TTL_MS });
}

function ask(
  call: CallToResume,
  key: string,
  params: object,
  { timesAsked, states }: { timesAsked: number; states: ValueSealer },
): InputRequiredToolResult {
  return {
    resultType: 'input_required',
    inputRequests: { [key]: { method: 'elicitation/create', params } },
    requestState: states.seal(
      { timesAsked: timesAsked + 1 },
      { holder: holderOf(call), expiresAt: call.now + STATE_TTL_MS },
    ),
  };
}

function withAddress(result: CompleteToolResult, url: string): CompleteToolResult {
  const [first, ...rest] = result.content;
  if (first === undefined) return result;
  return { ...result, content: [{ ...first, text: `${String(first.text)}${addressText(url)}` }, ...rest] };
}

function addressText(url: string): string {
  return ` The user does that at ${url}`;
}

/** A client that names no mode can show forms (MCP, Elicitation). */
export function canElicit({ elicitation }: ToolCallContext['clientCapabilities'], mode: 'form' | 'url'): boolean {
  if (!isObject(elicitation)) return false;
  return isObject(elicitation[mode]) || (mode === 'form' && Object.keys(elicitation).length === 0);
}

function wasDeclined({ inputResponses }: ToolCallContext, { remedy, confirm }: UserPage): boolean {
  const keys = confirm === undefined ? [remedy] : [remedy, confirm];
  return keys.some((key) => {
    const response = Object.hasOwn(inputResponses, key) ? inputResponses[key] : undefined;
    return isObject(response) && response.action !== 'accept';
  });
}

/** Identifies one call of one user, so that its state opens for no other. */
function holderOf({ principal, tool, args }: CallToResume): string {
  const digest = createHash('sha256').update(stableJson(args), 'utf8').digest('base64url');
  return JSON.stringify([principal.partnerId, principal.userId, tool, digest]);
}

/**
 * Returns the page of a partner's application on which its user connects a service, also again.
 *
 * @param connectUri of the partner.
 * @param account name of the account to connect again, or null if the user has one account. Default: null.
 * @param extra label of the part that is added to the connection, whose form is then open, or null for none. Default: null.
 */
export function toConnectPage(
  connectUri: string,
  service: string,
  account: string | null = null,
  extra: string | null = null,
): string {
  const url = new URL(connectUri);
  url.searchParams.set('service', service);
  if (account !== null) url.searchParams.set('account', account);
  if (extra !== null) url.searchParams.set('extra', extra);
  return url.href;
}
