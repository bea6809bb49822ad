/** What a person reads if their partner is suspended. */

import { describeSuspension, type Suspension } from '../principal/suspension.ts';
import { PageError } from './page-errors.ts';
import { toPlainText } from './plain-text.ts';

const MAX_NAME_LENGTH = 60;

/** The text of the notice, and its title. @param name of the partner. */
export function suspensionNotice(name: string): Suspension & { readonly title: string } {
  const shown = toPlainText(name, MAX_NAME_LENGTH) ?? 'The application';
  return { title: `${shown} is suspended`, ...describeSuspension(shown) };
}

/** A page with only the notice. Status 403. */
export function partnerSuspended({ name }: { readonly name: string }): PageError {
  return new PageError(403, suspensionNotice(name));
}
