/** What a person types to connect a service, made from the service's security schemes. */

import type { CredentialKind, CredentialPart } from '../../contract/index.ts';

/** One value that a person types. */
export interface CredentialField {
  /** As the connection stores it (see `CredentialPart`). */
  readonly field: string;
  readonly label: string;
  /** Never shown while it is typed, and never written back into a page. */
  readonly isSecret: boolean;
  readonly isRequired: boolean;
}

/** The fields of a kind of credential, in their order, each once. What an authorization server gives is not typed. */
export function typedFieldsOf({ parts }: Pick<CredentialKind, 'parts'>): readonly CredentialField[] {
  const fields = parts.flatMap(toFields);
  return fields.filter(({ field }, index) => fields.findIndex((one) => one.field === field) === index);
}

/** Name of the input of the n-th field. Fields have names of the descriptor's, which pages and browsers need not know. */
export function inputName(index: number): string {
  return `credential-${index}`;
}

function toFields(part: CredentialPart): CredentialField[] {
  const { id, label, type } = part;
  if (type === 'oauth2') return [];
  if (type !== 'basic') return [{ field: id, label, isSecret: true, isRequired: true }];
  return [
    // A service that takes its API key as the user's name wants no password.
    { field: `${id}.username`, label: `${label}: user name`, isSecret: false, isRequired: true },
    { field: `${id}.password`, label: `${label}: password`, isSecret: true, isRequired: false },
  ];
}
