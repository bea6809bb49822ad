/** Verifies a credential with the connector's verifying call, before it is used. */

import type { Connector } from '../../contract/index.ts';
import type { UpstreamDependencies } from './call/dependencies.ts';
import { useAsGateway } from './call/kinds/request.ts';
import { findVerifyingTool } from './catalogue/permitted.ts';
import { quotedIn } from './results/errors.ts';
import type { Outcome } from './results/outcomes.ts';

/**
 * The outcome of a verification.
 *
 * `unverified`: the connector has no verifying call. `refused`: the upstream does not accept the credential, or it does
 * not allow the verifying call. `unavailable`: the upstream gave no conclusive answer. `unsendable`: no request can
 * carry the credential. `explanation` is the upstream's message, or else its answer, in a sentence for a person, without the credential.
 */
export type CredentialVerdict =
  | { readonly kind: 'accepted' | 'unverified' | 'unsendable' }
  | { readonly kind: 'refused' | 'unavailable'; readonly explanation: string };

/** Verifies a credential: one value per field, as `CredentialPart` names them. The call is the connector's, unless `verify` names another. */
export type VerifyCredential = (
  connector: Connector,
  fields: Readonly<Record<string, string>>,
  signal: AbortSignal,
  verify?: Connector['verify'],
) => Promise<CredentialVerdict>;

/** Failures that are not retryable, but say nothing about the credential. */
const NOT_OF_THE_CREDENTIAL: ReadonlySet<Outcome> = new Set(['quota_exhausted', 'connector_outdated']);

/** Creates the verifier. It stores nothing of the credential and records no call, as there is no connection yet. */
export function createCredentialVerifier(deps: UpstreamDependencies): VerifyCredential {
  return async (connector, fields, signal, verify) => {
    const verifyingCall = findVerifyingTool(connector, verify);
    if (verifyingCall === null) return { kind: 'unverified' };
    const { tool, arguments: args } = verifyingCall;
    const toolUse = { entry: { connector, tool }, signal, arguments: args, credential: fields };
    const callOutcome = await useAsGateway(toolUse, {
      ...deps,
      onFault: (fault) => {
        if (fault.kind === 'unexpected' || fault.kind === 'upstream_failure') deps.onFault(fault);
      },
    });
    const { error } = callOutcome;
    if (error === null) return { kind: 'accepted' };
    if (callOutcome.outcome === 'credential_unreadable') return { kind: 'unsendable' };
    const quotation = quotedIn(error.message);
    const explanation = quotation === null ? error.message : `It says: “${quotation.replace(/\.$/, '')}”.`;
    if (NOT_OF_THE_CREDENTIAL.has(callOutcome.outcome)) return { kind: 'unavailable', explanation };
    const isRefused =
      callOutcome.outcome === 'credential_refused' || (error.status !== null && error.status < 500 && !error.retryable);
    return { kind: isRefused ? 'refused' : 'unavailable', explanation };
  };
}
