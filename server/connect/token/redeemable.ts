/** What a connect code stands for: one service of a plain link, or all services completed in a connect session. */

import {
  findConnectSession,
  redeemConnectSession,
  setGrantOfSession,
} from '../../base/store/repositories/connect/connect-sessions.ts';
import {
  type ConnectionAttempt,
  findConnectionAttempt,
  listAttemptsOfSession,
  redeemConnectionAttempt,
  setGrantOfAttempt,
} from '../../base/store/repositories/connection-attempts.ts';
import type { Executor } from '../../base/store/schema.ts';

/** A code that exists, whether or not it can still be redeemed. */
export interface Redeemable {
  /** Row id. */
  readonly partnerId: string;
  readonly externalUserId: string;
  readonly redirectUri: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly isRedeemed: boolean;
  readonly grantId: string | null;
  /** Whether the partner's server named the user before anyone saw a page. */
  readonly pinsUser: boolean;
  /** One per service, in the order of the pages. Empty if its connections were removed meanwhile. */
  readonly attempts: readonly ConnectionAttempt[];
  /** Consumes the code; of concurrent callers exactly one gets true. */
  take(executor: Executor, now: number): Promise<boolean>;
  /** Stores the grant that the code was redeemed for. */
  setGrant(executor: Executor, grantId: string): Promise<void>;
}

/** Finds a code by its hash. */
export async function findRedeemable(executor: Executor, codeHash: string): Promise<Redeemable | undefined> {
  const attempt = await findConnectionAttempt(executor, codeHash);
  if (attempt !== undefined) {
    return {
      ...attempt,
      isRedeemed: attempt.redeemedAt !== null,
      pinsUser: false,
      attempts: [attempt],
      take: (transaction, now) => redeemConnectionAttempt(transaction, attempt.id, now),
      setGrant: (transaction, grantId) => setGrantOfAttempt(transaction, attempt.id, grantId),
    };
  }
  const session = await findConnectSession(executor, { codeHash });
  if (session === undefined) return undefined;
  const inOrder = ({ service }: ConnectionAttempt): number => session.services.indexOf(service);
  const completed = await listAttemptsOfSession(executor, session.id);
  const attempts = completed.toSorted((a, b) => inOrder(a) - inOrder(b));
  return {
    ...session,
    isRedeemed: session.redeemedAt !== null,
    pinsUser: true,
    attempts,
    async take(transaction, now) {
      if (!(await redeemConnectSession(transaction, session.id, now))) return false;
      for (const { id } of attempts) await redeemConnectionAttempt(transaction, id, now);
      return true;
    },
    setGrant: (transaction, grantId) => setGrantOfSession(transaction, session.id, grantId),
  };
}
