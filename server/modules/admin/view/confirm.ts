/** Asks before something is removed: a page that says what, and the same form again. */

import { hidden } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import type { AdminPage, OperatorAction, Section } from '../request.ts';

export interface Question {
  /** For example `Remove the client Helper?`. */
  readonly title: string;
  readonly section: Section;
  /** What is removed, with numbers, one sentence each. */
  readonly losses: readonly (string | Html)[];
  /** Label of the button, such as `Remove client`. */
  readonly button: string;
  /** The page that the operator came from. */
  readonly back: string;
}

/** The page. Its form repeats what the first one sent, and confirms it. */
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
