/** Rule: the partner lets anyone who has a link begin. */

import { PageError } from '../../pages/page-errors.ts';
import type { Partner } from '../../store/repositories/partners.ts';

/** @throws {PageError} status 400: a partner with connect sessions only is sent nothing that a link asked for. */
export function checkPlainLinks({ plainLinks }: Pick<Partner, 'plainLinks'>): void {
  if (plainLinks) return;
  throw new PageError(400, {
    title: 'This link cannot be used',
    text: 'The application does not accept links like this one. It sends its users here itself.',
    advice: 'Sign in to the application and connect the service there.',
  });
}
