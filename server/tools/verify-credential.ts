/** Tries a credential on its upstream, with the connector's own verifying call, before anybody relies on it. */

import type { Connector } from '../contract/index.ts';
import type { CatalogueEntry } from './catalogue/catalogue.ts';
import { type InvokeDependencies, invoke } from './invoke.ts';

/**
 * What came of it.
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

/** Creates the verifier. Nothing of the credential is kept, and no call is recorded: there is no connection yet. */
export function createCredentialVerifier(deps: InvokeDependencies): VerifyCredential {
  return async (connector, fields, signal) => {
    const entry = findVerifyingTool(connector);
    if (entry === null) return { kind: 'unverified' };
    const connection = { id: '', status: 'active', updatedAt: 0, openCredential: () => fields } as const;
    const invocation = await invoke(entry, entry.arguments, connection, signal, {
      ...deps,
      onFault: (fault) => {
        if (fault.kind === 'unexpected' || fault.kind === 'upstream_failure') deps.onFault(fault);
      },
    });
    const { error } = invocation;
    if (error === null) return { kind: 'accepted' };
    if (invocation.outcome === 'credential_unreadable') return { kind: 'unsendable' };
    const judged =
      invocation.outcome === 'credential_refused' || (error.status !== null && error.status < 500 && !error.retryable);
    return { kind: judged ? 'refused' : 'unavailable', said: error.message };
  };
}

function findVerifyingTool(
  connector: Connector,
): (CatalogueEntry & { arguments: Readonly<Record<string, unknown>> }) | null {
  const { verify } = connector;
  const tool = verify === null ? undefined : connector.tools.find(({ name }) => name === verify.tool);
  return verify === null || tool === undefined ? null : { connector, tool, arguments: verify.arguments };
}
