/** The page of tool consent, which says what changed or is new, and asks for a connection code. */

import type { GatewayContext } from '../../base/http/state.ts';
import { serviceMarkOf } from '../../base/pages/brand.ts';
import { clientNameHtml } from '../../base/pages/client-name.ts';
import { alert, button, checkMark, choices, type Fact, facts, hidden } from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { sendPage } from '../../base/pages/page.ts';
import { PAGE_STATE_FIELD } from '../../base/pages/sealed-form.ts';
import { effectName, effectOf, toolCounts } from '../../call/tools/catalogue/facts.ts';
import { ALLOW_PATH } from '../../call/tools/tool-consent.ts';
import type { ToolToAllow } from '../grants/allowed/tool-to-allow.ts';
import { answerProblem, type CodeRefusal, codeField, TOO_MANY_OF_ADDRESS } from './try-connection-code.ts';

/** The reason why a code was not accepted. */
export type ToolConsentProblem = CodeRefusal | 'too-narrow';

interface ToolConsentPage {
  readonly sealed: string;
  readonly tool: ToolToAllow;
  readonly problem: ToolConsentProblem | null;
}

const PROBLEMS: Readonly<Record<ToolConsentProblem, readonly [title: string, text: string]>> = {
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

const HEADING = 'Allow this tool?';

/** Shows the page. Status 200, or that of the problem: 400, and 429 when no more codes are accepted. */
export function showToolConsentPage(ctx: GatewayContext, page: ToolConsentPage): void {
  const { problem, tool } = page;
  const status = answerProblem(ctx, problem);
  const content = html`${toolConsentHeader(tool)}
${problem === null ? null : alert(...PROBLEMS[problem], 'code-problem')}
${toolConsentFacts(tool)}
<form method="post" action="${ALLOW_PATH}">
${hidden(PAGE_STATE_FIELD, page.sealed)}
${status === 429 ? null : allowForm(tool, problem !== null)}
</form>`;
  sendPage(ctx, status, { title: problem === null ? HEADING : `Error: ${HEADING}`, content });
}

/** The head of every page that asks for the consent to a tool. */
export function toolConsentHeader({ entry }: ToolToAllow): Html {
  return html`<header>${serviceMarkOf(entry.connector)}<h1>${HEADING}</h1></header>`;
}

/**
 * Says what changed, or shows only the difference: the access that the application already has in the service, and the access that it
 * asks for now.
 */
export function toolConsentFacts({ grant, clientName, entry, risks, already }: ToolToAllow): Html {
  const { tool, connector } = entry;
  const application: Fact = {
    term: 'Application',
    value: clientNameHtml(clientName, 'Without a name', grant.partner.name),
  };
  const toolFact: Fact = { term: 'Tool', value: tool.title, remark: `${tool.name}, of ${connector.title}` };
  if (already === null) {
    return html`<p>This tool has changed since you allowed an application to use ${connector.title}. It is blocked for that application until you allow it.</p>
${facts([toolFact, { term: 'What changed', value: html`<ul>${risks.map((risk) => html`<li>${risk}</li>`)}</ul>` }, application])}`;
  }
  const counts = toolCounts(already);
  return html`<p>An application that you allowed to use ${connector.title} asks for one more tool. It ${effectName(effectOf(tool))} things there.</p>
${facts([
  application,
  { term: 'It may already use', value: counts === '' ? `No tool of ${connector.title}` : counts },
  { ...toolFact, term: 'Now it asks for' },
])}`;
}

/** Lets the user choose between this tool and all that are alike. The first choice is the least, whichever the tool. Null if there is no choice. */
export function toolsChoice({ alike, entry: { tool, connector } }: ToolToAllow): Html | null {
  if (alike.length < 2) return null;
  const every = `Every tool of ${connector.title} that ${effectName(effectOf(tool))}`;
  return choices('tools', 'Allow', [
    { value: 'one', label: 'Only this tool', remark: 'The application asks again for each other tool.' },
    { value: 'every', label: every, remark: `${alike.length} tools. Tools that are added later ask again.` },
  ]);
}

/** The button that allows what the form chooses. */
export function allowButton({ alike }: ToolToAllow): Html {
  return button(alike.length < 2 ? 'Allow this tool' : 'Allow', { kind: 'primary' });
}

function allowForm(tool: ToolToAllow, isAlerted: boolean): Html {
  const help =
    'The application in which you connected your services shows you this code. It shows that it is you who allows this. To keep the tool blocked, close this page.';
  return html`${toolsChoice(tool)}
${codeField({ typed: null, isAlerted, help })}
<div class="actions">${allowButton(tool)}</div>`;
}

/** The page that says that the tool was allowed. */
export const TOOL_ALLOWED = {
  title: 'The tool is allowed',
  content: html`<header>${checkMark()}<h1>The tool is allowed</h1>
<p>Go back to your assistant, and let it continue.</p></header>`,
};

/** Shows that the tool was allowed. */
export function showAllowedPage(ctx: GatewayContext): void {
  sendPage(ctx, 200, TOOL_ALLOWED);
}
