/** Links to the sections of a long page. */

import { raw } from 'hono/html';
import { type Html, html } from '../../../base/pages/html.ts';

/** A page with fewer sections is short enough to scroll. */
const MIN_SECTIONS = 5;

/** A heading of a section, but not of a card. Texts of others are escaped, so none of them can look like one. */
const HEADING = /(?<!<section class="card"[^>]*>)<h2(?: id="([^"]+)")?>(.*?)<\/h2>/gs;

/** Adds links to the sections before the first one, and the anchors that they lack. A page with few sections stays as it is. */
export function withContents(content: Html): Html {
  const markup = String(content);
  const headings = [...markup.matchAll(HEADING)].map(([tag, id, inner = '']) => {
    // What follows in small letters is no part of the name.
    const title = inner
      .replace(/<small.*/s, '')
      .replaceAll(/<[^>]*>/g, '')
      .trim();
    return { tag, inner, title, id: id ?? title.toLowerCase().replaceAll(/[^a-z]+/g, '-') };
  });
  const [first] = headings;
  if (first === undefined || headings.length < MIN_SECTIONS) return content;
  const links = headings.map(({ id, title }) => html`<li><a href="#${id}">${raw(title)}</a></li>`);
  const anchored = headings.reduce(
    (text, { tag, id, inner }) => text.replace(tag, () => `<h2 id="${id}">${inner}</h2>`),
    markup,
  );
  const start = anchored.indexOf(`<h2 id="${first.id}">`);
  const list = html`<nav class="contents" aria-label="On this page"><ul>${links}</ul></nav>`;
  return html`${raw(anchored.slice(0, start))}${list}
${raw(anchored.slice(start))}`;
}
