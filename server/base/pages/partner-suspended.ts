/** Texts for a person whose partner is suspended. */

import { describeSuspension, type Suspension } from '../principal/principal.ts';
import { shownName } from './html.ts';
import { PageError } from './page-errors.ts';

/** The text of the notice, and its title. @param name of the partner. */
export function suspensionNotice(name: string): Suspension & { readonly title: string } {
  const partnerName = shownName(name) ?? 'The application';
  return { title: `${partnerName} is suspended`, ...describeSuspension(partnerName) };
}

/** A page with only the notice. Status 403. */
export function partnerSuspended({ name }: { readonly name: string }): PageError {
  return new PageError(403, suspensionNotice(name));
}
