/** The page on which a user allows a tool that became riskier. It says what changed, and asks for a connection code. */

import type { GatewayContext } from '../../base/http/state.ts';
import { alert, facts, foreign, hidden } from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { sendPage } from '../../base/pages/page.ts';
import { shownName } from '../../base/pages/plain-text.ts';
import { PAGE_STATE_FIELD } from '../../base/pages/sealed-form.ts';
import { ALLOW_PATH } from '../../call/tools/approval.ts';
import type { CatalogueEntry } from '../../call/tools/catalogue/catalogue.ts';
import { answerProblem, type CodeRefusal, codeField, TOO_MANY_OF_ADDRESS } from './try-connection-code.ts';

/** Why a code was not accepted. */
export type AllowProblem = CodeRefusal | 'too-narrow';

interface AllowPage {
  readonly sealed: string;
  readonly entry: CatalogueEntry;
  /** The client's own name for itself. */
  readonly clientName: string | null;
  /** What changed, as sentences. */
  readonly risks: readonly string[];
  readonly problem: AllowProblem | null;
}

const PROBLEMS: Readonly<Record<AllowProblem, readonly [title: string, text: string]>> = {
  wrong: [
    'This code is not valid',
    'Compare it with the one that you were given. A code is valid for one use within 10 minutes, and it must be yours.',
  ],
  'too-narrow': [
    'This code does not include the tool',
    'It is narrowed to other services, or to reading. Get another one.',
  ],
  'too-many-of-request': ['Too many invalid codes', 'No more codes are accepted here. Let the assistant try again.'],
  'too-many-of-address': TOO_MANY_OF_ADDRESS,
};

/** Shows the page. Status 200, or that of the problem: 400, and 429 when no more codes are accepted. */
export function showAllowPage(ctx: GatewayContext, page: AllowPage): void {
  const { entry, problem } = page;
  const status = answerProblem(ctx, problem);
  const heading = 'Allow this tool?';
  const content = html`<h1>${heading}</h1>
${problem === null ? null : alert(...PROBLEMS[problem], 'code-problem')}
<p>This tool has changed since you allowed an application to use ${entry.connector.title}. It is blocked for that application until you allow it.</p>
${facts([
  { term: 'Tool', value: entry.tool.title, remark: `${entry.tool.name}, of ${entry.connector.title}` },
  { term: 'What changed', value: html`<ul>${page.risks.map((risk) => html`<li>${risk}</li>`)}</ul>` },
  {
    term: 'Application',
    value: foreign(shownName(page.clientName) ?? 'Without a name'),
    remark: 'It gave itself this name; no one has verified it.',
  },
])}
<form method="post" action="${ALLOW_PATH}">
${hidden(PAGE_STATE_FIELD, page.sealed)}
${status === 429 ? null : allowForm(problem !== null)}
</form>`;
  sendPage(ctx, status, { title: problem === null ? heading : `Error: ${heading}`, content });
}

function allowForm(isAlerted: boolean): Html {
  const help =
    'The application in which you connected your services shows you this code. It shows that it is you who allows this. To keep the tool blocked, close this page.';
  return html`${codeField({ typed: null, isAlerted, help })}
<div class="actions"><button type="submit" class="primary">Allow this tool</button></div>`;
}

/** Shows that the tool was allowed. */
export function showAllowedPage(ctx: GatewayContext): void {
  const title = 'The tool is allowed';
  const content = html`<h1>${title}</h1>
<p>Go back to your assistant, and let it continue.</p>`;
  sendPage(ctx, 200, { title, content });
}
