/** Confirms that an upstream refuses the credential of a connection, before the user has to connect it again. */

import { BoundedMap } from '../../../base/bounded-map.ts';
import type { Connector } from '../../../contract/index.ts';
import type { OpenedCredential } from '../../upstream/oauth/stored-token.ts';
import { findVerifyingTool } from '../catalogue/permitted.ts';
import { type CallOutcome, refuse } from './call-outcome.ts';
import type { UpstreamDependencies } from './dependencies.ts';
import { useAsGateway } from './kinds/request.ts';
import type { AuthorizedCall } from './state.ts';

/** Returns the final ending of a call whose credential may have been refused. */
type ConfirmRefusal = (call: AuthorizedCall, ending: CallOutcome) => CallOutcome | Promise<CallOutcome>;

const MAX_SUSPECTS = 1000;

/**
 * Creates the check. A refusal is confirmed if the connector's verifying call is refused too; without such a call, if
 * it is the second in a row on this node. Otherwise the call ends with `refused_once`, and the connection stays active.
 */
export function createRefusalCheck(deps: UpstreamDependencies): ConfirmRefusal {
  const asking = new Map<string, Promise<boolean>>();
  /** The `updatedAt` of the refused credential, by connection. */
  const suspects = new BoundedMap<string, number>(MAX_SUSPECTS);

  const isRefusedAgain = (key: string, connector: Connector, credential: OpenedCredential): Promise<boolean> => {
    const inProgress = asking.get(key);
    if (inProgress !== undefined) return inProgress;
    const verifying = findVerifyingTool(connector);
    if (verifying === null) throw new Error('a connector without a verifying call cannot be asked');
    const { tool, arguments: args } = verifying;
    const { signal } = new AbortController();
    const use = { entry: { connector, tool }, connectionId: key, signal, arguments: args, credential };
    const answer = useAsGateway(use, { ...deps, onFault: () => {} })
      .then(({ outcome }) => outcome === 'credential_refused')
      .finally(() => asking.delete(key));
    asking.set(key, answer);
    return answer;
  };

  const isSecondInARow = (key: string, since: number): boolean => {
    const isSecond = suspects.get(key) === since;
    if (isSecond) suspects.delete(key);
    else suspects.set(key, since);
    return isSecond;
  };

  return (call, ending) => {
    const { connector } = call.entry;
    if (ending.outcome !== 'credential_refused') {
      if (suspects.size > 0 && ending.outcome === 'ok') suspects.delete(keyOf(call));
      return ending;
    }
    const doubtful = (): CallOutcome => {
      const refused = refuse('refused_once', {
        message: `${connector.title} refused the credential of this connection once.`,
        status: ending.upstreamStatus,
        upstreamCode: ending.error?.upstreamCode ?? null,
      });
      // The items of the pages before a refusal follow its own blocks.
      const items = ending.result.content.slice(refused.result.content.length);
      return { ...refused, result: { ...refused.result, content: [...refused.result.content, ...items] } };
    };
    const key = keyOf(call);
    if (call.entry.tool.extra !== undefined) return doubtful();
    if (findVerifyingTool(connector) === null) return isSecondInARow(key, call.credentialSince) ? ending : doubtful();
    return isRefusedAgain(key, connector, call.credential).then((isRefused) => (isRefused ? ending : doubtful()));
  };
}

/** Returns the key of a call's account. Accounts have separate keys because a refusal of one tells nothing about another. */
function keyOf({ connectionId = '' }: AuthorizedCall): string {
  return connectionId;
}
