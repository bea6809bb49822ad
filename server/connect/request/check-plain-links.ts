/** Rule: the partner allows plain links. */

import { PageError } from '../../base/pages/page-errors.ts';
import type { Partner } from '../../base/store/repositories/partners.ts';

/** @throws {PageError} status 400: a partner that allows only connect sessions receives no answer to a plain link. */
export function checkPlainLinks({ plainLinks }: Pick<Partner, 'plainLinks'>): void {
  if (plainLinks) return;
  throw new PageError(400, {
    title: 'This link cannot be used',
    text: 'The application does not accept links like this one. It sends its users here itself.',
    advice: 'Sign in to the application and connect the service there.',
  });
}
