/** Asks before something goes: a page that says what, and the same form again. */

import { hidden } from '../../pages/components.ts';
import { type Html, html } from '../../pages/html.ts';
import type { AdminPage, OperatorAction, Section } from '../request.ts';

/** What is asked. */
export interface Question {
  /** Such as `Remove the client Helper?`. */
  readonly title: string;
  readonly section: Section;
  /** What goes, with numbers, one sentence each. */
  readonly losses: readonly (string | Html)[];
  /** What the button does, such as `Remove client`. */
  readonly button: string;
  /** Where the operator came from. */
  readonly back: string;
}

/** The page. Its form sends what the first one sent, and that the operator is sure. */
export function confirmPage({ ctx, form, csrf }: OperatorAction, question: Question): AdminPage {
  const { title, section, losses, button, back } = question;
  const carried = [...form].filter(([name]) => name !== 'csrf' && name !== 'sure');
  const content = html`<div class="narrow"><h1>${title}</h1>
<p>Nothing has changed yet.</p>
<ul>${losses.map((loss) => html`<li>${loss}</li>`)}</ul>
<form method="post" action="${ctx.path}">${hidden('csrf', csrf)}${carried.map(([name, value]) => hidden(name, value))}${hidden('sure', 'yes')}
<div class="actions"><button type="submit" class="danger">${button}</button> <a href="${back}">Cancel</a></div></form></div>`;
  return { title, section, content };
}
