/** The fields that a person types to connect a service, from the service's security schemes. */

import type { CredentialKind, CredentialPart } from '../../contract/index.ts';

/** One typed value. */
export interface CredentialField {
  /** Name under which the connection stores it (see `CredentialPart`). */
  readonly field: string;
  readonly label: string;
  /** Hidden while it is typed, and never written back into a page. */
  readonly isSecret: boolean;
  readonly isRequired: boolean;
}

/** The fields of a kind of credential, in order, without duplicates. Values from an authorization server are not typed. */
export function typedFieldsOf({ parts }: Pick<CredentialKind, 'parts'>): readonly CredentialField[] {
  const fields = parts.flatMap(toFields);
  return fields.filter(({ field }, index) => fields.findIndex((one) => one.field === field) === index);
}

/** Name of the n-th input. The descriptor's names stay hidden from pages and browsers. */
export function inputName(index: number): string {
  return `credential-${index}`;
}

function toFields(part: CredentialPart): CredentialField[] {
  const { id, label, type } = part;
  if (type === 'oauth2') return [];
  if (type !== 'basic') return [{ field: id, label, isSecret: true, isRequired: true }];
  return [
    // A service that takes its API key as the user name needs no password.
    { field: `${id}.username`, label: `${label}: user name`, isSecret: false, isRequired: true },
    { field: `${id}.password`, label: `${label}: password`, isSecret: true, isRequired: false },
  ];
}
