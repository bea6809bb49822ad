/** Tries a credential on its upstream, with the connector's own verifying call, before anyone relies on it. */

import type { Connector } from '../contract/index.ts';
import { NOTHING_TO_REDACT } from '../upstream/index.ts';
import type { UpstreamDependencies } from './call/call.ts';
import { useUpstream } from './call/index.ts';
import type { Outcome } from './results/outcomes.ts';
import { findVerifyingTool } from './verifying-tool.ts';

/**
 * Its outcome.
 *
 * `unverified`: the connector has no verifying call. `refused`: the upstream does not accept the credential, or does not let
 * it do what the call does. `unavailable`: the upstream gave no answer to judge by. `unsendable`: no request can carry it.
 * `said` is the upstream's answer in a sentence, without the credential.
 */
export type CredentialVerdict =
  | { readonly kind: 'accepted' | 'unverified' | 'unsendable' }
  | { readonly kind: 'refused' | 'unavailable'; readonly said: string };

/** Tries a credential: one value per field, as `CredentialPart` names them. */
export type VerifyCredential = (
  connector: Connector,
  fields: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<CredentialVerdict>;

/** Refusals that say nothing about the credential, although calling again does not help. */
const NOT_OF_THE_CREDENTIAL: ReadonlySet<Outcome> = new Set(['quota_exhausted', 'connector_outdated']);

/** Creates the verifier. Nothing of the credential is kept, and no call is recorded: there is no connection yet. */
export function createCredentialVerifier(deps: UpstreamDependencies): VerifyCredential {
  return async (connector, fields, signal) => {
    const verifying = findVerifyingTool(connector);
    if (verifying === null) return { kind: 'unverified' };
    const { tool, arguments: args } = verifying;
    const deadline = deps.now() + deps.timeoutMs;
    const use = {
      entry: { connector, tool },
      signal,
      deadline,
      arguments: args,
      credential: fields,
      credentialSince: 0,
    };
    const ending = await useUpstream(
      { ...use, pins: {}, answer: null, seed: null, mayHaveActed: false, renew: null, redactor: NOTHING_TO_REDACT },
      {
        ...deps,
        onFault: (fault) => {
          if (fault.kind === 'unexpected' || fault.kind === 'upstream_failure') deps.onFault(fault);
        },
      },
    );
    const { error } = ending;
    if (error === null) return { kind: 'accepted' };
    if (ending.outcome === 'credential_unreadable') return { kind: 'unsendable' };
    if (NOT_OF_THE_CREDENTIAL.has(ending.outcome)) return { kind: 'unavailable', said: error.message };
    const judged =
      ending.outcome === 'credential_refused' || (error.status !== null && error.status < 500 && !error.retryable);
    return { kind: judged ? 'refused' : 'unavailable', said: error.message };
  };
}
