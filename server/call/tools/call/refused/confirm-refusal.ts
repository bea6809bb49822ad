/** Confirms a refusal before its connection is marked: one refusal may be an error of the upstream or operation. */

import type { OpenedCredential } from '../../../../base/credentials/opened.ts';
import type { Connector } from '../../../../contract/index.ts';
import { NOTHING_TO_REDACT } from '../../../upstream/index.ts';
import { findVerifyingTool } from '../../verifying-tool.ts';
import type { Call, UpstreamDependencies, UpstreamUse } from '../call.ts';
import { type Ending, refuse } from '../ending.ts';

/** Makes the upstream part of a call; see `useUpstream`. */
type UseUpstream = (use: UpstreamUse, deps: UpstreamDependencies) => Promise<Ending>;

/** Returns the final ending of a call whose credential may have been refused. */
export type ConfirmRefusal = (call: Call, ending: Ending) => Ending | Promise<Ending>;

const MAX_SUSPECTS = 1000;

/**
 * Creates the check. A refusal is confirmed if the connector's verifying call is refused too; without such a call, if
 * it is the second in a row on this node. Otherwise the call ends with `refused_once`, and the connection stays active.
 */
export function createRefusalCheck(deps: UpstreamDependencies, useUpstream: UseUpstream): ConfirmRefusal {
  const asking = new Map<string, Promise<boolean>>();
  /** The `updatedAt` of the refused credential, by connection. */
  const suspects = new Map<string, number>();

  const isRefusedAgain = (key: string, connector: Connector, credential: OpenedCredential): Promise<boolean> => {
    const known = asking.get(key);
    if (known !== undefined) return known;
    const verifying = findVerifyingTool(connector);
    if (verifying === null) throw new Error('a connector without a verifying call cannot be asked');
    const { tool, arguments: args } = verifying;
    const deadline = deps.now() + deps.timeoutMs;
    const { signal } = new AbortController();
    const use = {
      entry: { connector, tool },
      connectionId: key,
      signal,
      deadline,
      arguments: args,
      credential,
      credentialSince: 0,
    };
    const answer = useUpstream(
      { ...use, pins: {}, answer: null, seed: null, mayHaveActed: false, renew: null, redactor: NOTHING_TO_REDACT },
      { ...deps, onFault: () => {} },
    )
      .then(({ outcome }) => outcome === 'credential_refused')
      .finally(() => asking.delete(key));
    asking.set(key, answer);
    return answer;
  };

  const isSecondInARow = (key: string, since: number): boolean => {
    const isSecond = suspects.get(key) === since;
    suspects.delete(key);
    if (!isSecond) suspects.set(key, since);
    const [oldest] = suspects.keys();
    if (suspects.size > MAX_SUSPECTS && oldest !== undefined) suspects.delete(oldest);
    return isSecond;
  };

  return (call, ending) => {
    const { connector } = call.entry;
    if (ending.outcome !== 'credential_refused') {
      if (suspects.size > 0 && ending.outcome === 'ok') suspects.delete(keyOf(call));
      return ending;
    }
    const doubtful = () =>
      refuse('refused_once', {
        message: `${connector.title} refused the credential of this connection once.`,
        status: ending.upstreamStatus,
        upstreamCode: ending.error?.upstreamCode ?? null,
      });
    const key = keyOf(call);
    if (findVerifyingTool(connector) === null) return isSecondInARow(key, call.credentialSince) ? ending : doubtful();
    return isRefusedAgain(key, connector, call.credential).then((isRefused) => (isRefused ? ending : doubtful()));
  };
}

function keyOf({ principal, entry }: Call): string {
  return principal.connections.get(entry.connector.name)?.id ?? '';
}
