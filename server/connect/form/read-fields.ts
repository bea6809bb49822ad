/** Reads the values that were typed into a form of the connect page. */

import type { CredentialKind } from '../../contract/index.ts';
import { inputName, typedFieldsOf } from '../page/fields.ts';
import type { ConnectProblem } from '../page/problems.ts';

const MAX_FIELD_LENGTH = 4096;

/** Values by field name; null for an open service. */
interface TypedFields {
  readonly fields: Readonly<Record<string, string>> | null;
}

/** Reads every typed field of the credential kind. */
export function readFields(form: URLSearchParams, kind: CredentialKind): TypedFields | ConnectProblem {
  if (kind.parts.length === 0) return { fields: null };
  const typed = typedFieldsOf(kind).map(({ field, isRequired }, index) => ({
    field,
    isRequired,
    value: (form.get(inputName(index)) ?? '').trim(),
  }));
  if (typed.some(({ isRequired, value }) => isRequired && value === '')) return { kind: 'missing' };
  if (typed.some(({ value }) => value.length > MAX_FIELD_LENGTH)) return { kind: 'unsendable' };
  return { fields: Object.fromEntries(typed.map(({ field, value }) => [field, value])) };
}
