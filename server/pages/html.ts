/** The template tag that pages are written with: everything that is put into it is escaped, unless it came out of it. */

import { html as template } from 'hono/html';

/** Markup that the tag made. */
export type Html = Awaited<ReturnType<typeof template>>;

/** What a template takes. `null` leaves nothing behind. Objects and promises are not taken, so none is stringified by chance. */
export type HtmlValue = string | number | Html | null | readonly HtmlValue[];

/** Writes markup. Texts are escaped for elements and for attributes in double quotes, which every attribute has. */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  const markup = template(strings, ...values);
  if (markup instanceof Promise) throw new Error('a page waits for nothing');
  return markup;
}
