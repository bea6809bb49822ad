/** Confirms that an upstream refuses the credential of a connection, before the user has to connect it again. */

import { LRUCache } from 'lru-cache';
import type { Connector } from '../../../contract/index.ts';
import type { OpenedCredential } from '../../upstream/oauth/stored-token.ts';
import { findVerifyingTool } from '../catalogue/permitted.ts';
import { type CallOutcome, refuse } from './call-outcome.ts';
import type { UpstreamDependencies } from './dependencies.ts';
import { useAsGateway } from './kinds/request.ts';
import type { AuthorizedCall } from './state.ts';

/** Returns the final outcome of a call whose credential may have been refused. */
type ConfirmRefusal = (call: AuthorizedCall, outcome: CallOutcome) => CallOutcome | Promise<CallOutcome>;

const MAX_SUSPECTS = 1000;

/**
 * Creates the check. A refusal is confirmed if the connector's verifying call is refused too; without such a call, if
 * it is the second in a row on this node. Otherwise the call ends with `refused_once`, and the connection stays active.
 *
 * A call with an extra may have two credentials, and a connection has no state for its extras. So the second refusal in a row on this node, if the
 * verifying call is not refused, asks the user to add the extra again, and the connection stays active.
 */
export function createRefusalCheck(deps: UpstreamDependencies): ConfirmRefusal {
  const pendingChecks = new Map<string, Promise<boolean>>();
  /** The `updatedAt` of the refused credential, by connection. */
  const suspects = new LRUCache<string, number>({ max: MAX_SUSPECTS });

  const isRefusedAgain = (key: string, connector: Connector, credential: OpenedCredential): Promise<boolean> => {
    const inProgress = pendingChecks.get(key);
    if (inProgress !== undefined) return inProgress;
    const verifyingTool = findVerifyingTool(connector);
    if (verifyingTool === null) throw new Error('a connector without a verifying call cannot be asked');
    const { tool, arguments: args } = verifyingTool;
    const { signal } = new AbortController();
    const use = { entry: { connector, tool }, connectionId: key, signal, arguments: args, credential };
    const answer = useAsGateway(use, { ...deps, onFault: () => {} })
      .then(({ outcome }) => outcome === 'credential_refused')
      .finally(() => pendingChecks.delete(key));
    pendingChecks.set(key, answer);
    return answer;
  };

  const isSecondInARow = (call: AuthorizedCall): boolean => {
    const [key, since] = [suspectOf(call), call.credentialSince];
    const isSecond = suspects.get(key) === since;
    suspects.set(key, since);
    return isSecond;
  };

  return (call, outcome) => {
    const { connector } = call.entry;
    if (outcome.outcome !== 'credential_refused') {
      if (suspects.size > 0 && outcome.outcome === 'ok') suspects.delete(suspectOf(call));
      return outcome;
    }
    const refusedOnce = (): CallOutcome => {
      const refusal = refuse('refused_once', {
        message: `${connector.title} refused the credential of this connection once.`,
        status: outcome.upstreamStatus,
        upstreamCode: outcome.error?.upstreamCode ?? null,
      });
      // `withItems` puts the items of earlier pages after the blocks of the error. Every error has the same number of blocks
      // (`toErrorResult`), so the blocks after that many are the items.
      const items = outcome.result.content.slice(refusal.result.content.length);
      return { ...refusal, result: { ...refusal.result, content: [...refusal.result.content, ...items] } };
    };
    const key = keyOf(call);
    const { extra } = call.entry.tool;
    const canVerify = findVerifyingTool(connector) !== null;
    if (extra !== undefined) {
      if (!isSecondInARow(call)) return refusedOnce();
      const extraRefused = refuseExtra(call, extra, outcome);
      if (!canVerify) return extraRefused;
      return isRefusedAgain(key, connector, call.credential).then((isRefused) => (isRefused ? outcome : extraRefused));
    }
    if (!canVerify) return isSecondInARow(call) ? outcome : refusedOnce();
    return isRefusedAgain(key, connector, call.credential).then((isRefused) => (isRefused ? outcome : refusedOnce()));
  };
}

function refuseExtra({ entry, account }: AuthorizedCall, extra: string, outcome: CallOutcome): CallOutcome {
  const { title } = entry.connector;
  return refuse('scope_not_granted', {
    message: `${title} refused the ${extra} that the user has added to the connection. Other tools of ${title} work without it.`,
    advice: `Calling again will not help: the user must add ${extra} again on the page where ${title} is connected.`,
    status: outcome.upstreamStatus,
    upstreamCode: outcome.error?.upstreamCode ?? null,
    details: { missing: extra, ...(account && { account: account.name }) },
  });
}

/** Returns the key of what a call's refusal makes suspect: the account, or its extra. */
function suspectOf(call: AuthorizedCall): string {
  const { extra } = call.entry.tool;
  return extra === undefined ? keyOf(call) : `${keyOf(call)} ${extra}`;
}

/** Returns the key of a call's account. Accounts have separate keys because a refusal of one tells nothing about another. */
function keyOf({ connectionId = '' }: AuthorizedCall): string {
  return connectionId;
}
