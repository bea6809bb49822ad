/** Pages for operators who may only look. */

import { raw } from 'hono/html';
import type { Html } from '../../../base/pages/html.ts';

/**
 * Removes the forms that act, with their contents. Search forms stay.
 *
 * Texts are escaped (`html`), so whatever looks like a form is one of the gateway's; and forms are not nested.
 */
export function withoutForms(content: Html): Html {
  return raw(String(content).replace(/<form method="post"[\s\S]*?<\/form>/g, ''));
}
