/** Confirms that an upstream refuses the credential of a connection, before the user has to connect it again. */

import { BoundedMap } from '../../../base/bounded-map.ts';
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
 * A refusal in a call with an extra is never confirmed: the answer does not tell which of the two credentials was refused, and a connection has
 * no state for its extras. A key of an extra that is refused for good gives `refused_once` until the user adds it again.
 */
export function createRefusalCheck(deps: UpstreamDependencies): ConfirmRefusal {
  const pendingChecks = new Map<string, Promise<boolean>>();
  /** The `updatedAt` of the refused credential, by connection. */
  const suspects = new BoundedMap<string, number>(MAX_SUSPECTS);

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

  const isSecondInARow = (key: string, since: number): boolean => {
    const isSecond = suspects.get(key) === since;
    if (isSecond) suspects.delete(key);
    else suspects.set(key, since);
    return isSecond;
  };

  return (call, outcome) => {
    const { connector } = call.entry;
    if (outcome.outcome !== 'credential_refused') {
      if (suspects.size > 0 && outcome.outcome === 'ok') suspects.delete(keyOf(call));
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
    if (call.entry.tool.extra !== undefined) return refusedOnce();
    if (findVerifyingTool(connector) === null)
      return isSecondInARow(key, call.credentialSince) ? outcome : refusedOnce();
    return isRefusedAgain(key, connector, call.credential).then((isRefused) => (isRefused ? outcome : refusedOnce()));
  };
}

/** Returns the key of a call's account. Accounts have separate keys because a refusal of one tells nothing about another. */
function keyOf({ connectionId = '' }: AuthorizedCall): string {
  return connectionId;
}
