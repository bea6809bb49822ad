/** A link from the second step to the user's own page, authorized by the typed code. */

import { originOf } from '../../../base/http/request-origin.ts';
import type { GatewayContext } from '../../../base/http/state.ts';
import { sendTo } from '../../../base/pages/redirect.ts';
import { mintUserLink } from '../../partners/user-links.ts';
import { findConnectionCode } from '../connection-codes.ts';
import type { ConsentPageState } from './page-state.ts';
import type { ConsentDependencies, Submission } from './submission.ts';

/**
 * Sends the browser to the user's own page, and leaves the connection code unused: a user who goes back can still allow.
 *
 * @returns the step to show when the code was used or has expired meanwhile, or the partner is suspended; else null.
 */
export async function goToOwnPage(
  ctx: GatewayContext,
  submission: Submission,
  deps: ConsentDependencies,
): Promise<ConsentPageState | null> {
  const { pageState } = submission;
  const now = deps.now();
  const found = await findConnectionCode(deps.db, pageState.connectionCode ?? '', now);
  if (found === undefined) return { ...pageState, connectionCode: null, problem: 'spent' };
  if (found.isSuspended) return pageState;
  const user = { id: found.userId, partnerId: found.partnerId };
  const change = { by: 'connection-code', now, ...originOf(ctx) } as const;
  sendTo(ctx, await deps.db.transaction().execute((transaction) => mintUserLink(transaction, user, change)));
  return null;
}
