/** The template tag for pages: it escapes every value, except markup that it created itself. */

import { html as template } from 'hono/html';

/** Markup that the tag created. */
export type Html = Awaited<ReturnType<typeof template>>;

/** Values of a template. `null` becomes nothing. Objects and promises are not accepted, so none is converted to text by accident. */
export type HtmlValue = string | number | Html | null | readonly HtmlValue[];

/** Creates markup. Texts are escaped for elements and for attributes in double quotes, which every attribute must have. */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  const markup = template(strings, ...values);
  if (markup instanceof Promise) throw new Error('a page waits for nothing');
  return markup;
}
