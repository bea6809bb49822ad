/** Pages for operators who may only look. */

import { raw } from 'hono/html';
import type { Html } from '../../pages/html.ts';

/**
 * The content without the forms that act, with everything that is in them. Forms that search stay.
 *
 * Texts are escaped (`html`), so what looks like a form here is one of ours; and forms do not hold forms.
 */
export function withoutForms(content: Html): Html {
  return raw(String(content).replace(/<form method="post"[\s\S]*?<\/form>/g, ''));
}
