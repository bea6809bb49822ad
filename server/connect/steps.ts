/** What a person does to connect a service: a list of steps, made from the service's security schemes. */

import type { CredentialPart, CredentialRequirement } from '../contract/index.ts';

/** One value that a person types. */
export interface CredentialField {
  /** As the connection stores it (see `CredentialPart`). */
  readonly field: string;
  readonly label: string;
  /** Never shown while it is typed, and never written back into a page. */
  readonly isSecret: boolean;
  readonly isRequired: boolean;
}

/**
 * One step. `confirm`: the service is open, so there is only to say yes.
 *
 * A scheme that sends the person to the upstream (OAuth 2.0) would be a third kind: it leaves the page and comes back to it.
 */
type ConnectStep =
  | { readonly kind: 'type-credential'; readonly fields: readonly CredentialField[] }
  | { readonly kind: 'confirm' };

/** The steps for one service, in their order; there is at least one. */
export function toConnectSteps(credential: CredentialRequirement): readonly [ConnectStep, ...ConnectStep[]] {
  if (credential.parts.length === 0) return [{ kind: 'confirm' }];
  return [{ kind: 'type-credential', fields: credential.parts.flatMap(toFields) }];
}

function toFields(part: CredentialPart): CredentialField[] {
  const { id, label } = part;
  if (part.type !== 'basic') return [{ field: id, label, isSecret: true, isRequired: true }];
  return [
    // A service that takes its API key as the user's name wants no password.
    { field: `${id}.username`, label: `${label}: user name`, isSecret: false, isRequired: true },
    { field: `${id}.password`, label: `${label}: password`, isSecret: true, isRequired: false },
  ];
}
