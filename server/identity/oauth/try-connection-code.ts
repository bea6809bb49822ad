/**
 * A connection code that someone types into a page: its field, and how it is tried, within limits that hold across all gateways.
 */

import type { Kysely } from 'kysely';
import { recordAnonymousEvent } from '../../base/http/caller-limits.ts';
import { networkOf, siteOf } from '../../base/http/network.ts';
import type { GatewayContext } from '../../base/http/state.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { countGuess, readGuesses, uncountGuess } from '../../base/store/repositories/guess-counters.ts';
import type { Database, Executor } from '../../base/store/schema.ts';
import { type FoundConnectionCode, findConnectionCode, MAX_TYPED_LENGTH } from './connection-codes.ts';

/** Time for which a page that asks for a code may stay open: enough to get one from the partner's application. */
export const CODE_PAGE_TTL_SECONDS = 1800;

/** Wrong codes in one authorization request, while its page can be open. */
const MAX_WRONG_CODES_PER_REQUEST = 5;

/** Wrong codes from one address in `ADDRESS_WINDOW_SECONDS`. */
const MAX_WRONG_CODES_PER_ADDRESS = 20;
const ADDRESS_WINDOW_SECONDS = 600;

/** Wrong codes from one IPv6 /48 in that time, whose owner can switch between its /64 networks. */
const MAX_WRONG_CODES_PER_SITE = 4 * MAX_WRONG_CODES_PER_ADDRESS;

/** `request` and `address`: the limit that rejects this guess. */
export type CodeRefusal = 'wrong' | 'too-many-of-request' | 'too-many-of-address';

/**
 * Tries a code without consuming it. A wrong one gets the same answer whether it exists, existed or never did.
 *
 * Per request, a guess counts before it is checked, so that concurrent guesses cannot exceed the limit. An address may be that of a whole
 * company: only wrong codes count there, and the right one is accepted beyond the limit too, so that guesses do not keep a neighbour
 * out. Its 60 random bits and the limits of the pages keep it from being guessed.
 *
 * @param address IP address of the request.
 * @param typed.pageId identifies the page for counting wrong codes.
 * @param typed.userId row id of the user whose code it must be. Default: anyone's.
 */
export async function tryConnectionCode(
  address: string,
  typed: { readonly text: string; readonly pageId: string; readonly userId?: string },
  deps: { readonly db: Kysely<Database>; readonly now: () => number },
): Promise<FoundConnectionCode | CodeRefusal> {
  const { db } = deps;
  const now = deps.now();
  const keys = keysOf(typed.pageId, address);
  const ofRequest = await countGuess(db, keys.request, { windowMs: CODE_PAGE_TTL_SECONDS * 1000, now });
  if (ofRequest > MAX_WRONG_CODES_PER_REQUEST) return 'too-many-of-request';
  const code = await findConnectionCode(db, typed.text, now);
  if (code !== undefined && (typed.userId === undefined || code.userId === typed.userId)) {
    await uncountGuess(db, keys.request);
    return code;
  }
  if (await hasGuessedTooOften(db, keys, now)) return 'too-many-of-address';
  const window = { windowMs: ADDRESS_WINDOW_SECONDS * 1000, now };
  await countGuess(db, keys.address, window);
  await countGuess(db, keys.site, window);
  await recordAnonymousEvent(db, { type: 'connection_code_refused', now, address });
  return 'wrong';
}

type GuessKeys = ReturnType<typeof keysOf>;

function keysOf(pageId: string, address: string) {
  return {
    request: `connection-code:request:${pageId}`,
    address: `connection-code:address:${networkOf(address)}`,
    site: `connection-code:site:${siteOf(address)}`,
  };
}

async function hasGuessedTooOften(executor: Executor, keys: GuessKeys, now: number): Promise<boolean> {
  if ((await readGuesses(executor, keys.address, now)) >= MAX_WRONG_CODES_PER_ADDRESS) return true;
  return (await readGuesses(executor, keys.site, now)) >= MAX_WRONG_CODES_PER_SITE;
}

/** Title and text of a page about `too-many-of-address`. */
export const TOO_MANY_OF_ADDRESS = [
  'Too many invalid codes',
  'No more codes are accepted from your network for some minutes. Wait 10 minutes, get a new code, and try again.',
] as const;

/** Status of a page with this problem: 400, and 429 with `Retry-After` when no more codes are accepted. */
export function answerProblem(ctx: GatewayContext, problem: string | null): number {
  if (problem === 'too-many-of-address') ctx.set('Retry-After', String(ADDRESS_WINDOW_SECONDS));
  if (problem === null) return 200;
  return problem === 'too-many-of-address' || problem === 'too-many-of-request' ? 429 : 400;
}

/**
 * Creates the field for a code.
 *
 * @param field.typed text that was typed before, to correct it; the field then has the focus. Null for an empty field without focus.
 * @param field.isAlerted true if the element `code-problem` describes a problem with it.
 */
export function codeField(field: { typed: string | null; isAlerted: boolean; help: string }): Html {
  const { typed, isAlerted, help } = field;
  return html`<label for="connection_code">Connection code</label>
<input type="text" id="connection_code" name="connection_code" required${typed === null ? null : html` autofocus`} autocomplete="one-time-code"
 autocapitalize="characters" autocorrect="off" spellcheck="false" maxlength="${MAX_TYPED_LENGTH}"${typed === null ? null : html` value="${typed}"`} placeholder="XXXX-XXXX-XXXX"${isAlerted ? html` aria-invalid="true"` : null}
 aria-describedby="${isAlerted ? 'code-problem ' : ''}code-help">
<p class="quiet" id="code-help">${help}</p>`;
}
