/** The page of tool consent, which says what changed or is new, and asks for a connection code. */

import type { GatewayContext } from '../../base/http/state.ts';
import { serviceMarkOf } from '../../base/pages/brand.ts';
import { clientNameHtml } from '../../base/pages/client-name.ts';
import { alert, button, checkMark, choices, type Fact, facts, hidden } from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { sendPage } from '../../base/pages/page.ts';
import { PAGE_STATE_FIELD } from '../../base/pages/sealed-form.ts';
import type { CatalogueEntry } from '../../call/tools/catalogue/catalogue.ts';
import { type EffectCounts, effectName, effectOf, toolCounts } from '../../call/tools/catalogue/facts.ts';
import { ALLOW_PATH } from '../../call/tools/tool-consent.ts';
import { answerProblem, type CodeRefusal, codeField, TOO_MANY_OF_ADDRESS } from './try-connection-code.ts';

/** The reason why a code was not accepted. */
export type ToolConsentProblem = CodeRefusal | 'too-narrow';

interface ToolConsentPage {
  readonly sealed: string;
  readonly entry: CatalogueEntry;
  /** The client's own name for itself. */
  readonly clientName: string | null;
  /** Of the user's partner, whose name a client may not use. */
  readonly partnerName: string;
  /** Changes of the tool, as sentences. */
  readonly risks: readonly string[];
  /** Tools of the service that the client may call, for a tool that the user did not agree to. Null for a tool that has changed. */
  readonly already: EffectCounts | null;
  /** Number of tools that the user can allow at once, with this one. 0 or 1 if only this one. */
  readonly alike: number;
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

/** Shows the page. Status 200, or that of the problem: 400, and 429 when no more codes are accepted. */
export function showToolConsentPage(ctx: GatewayContext, page: ToolConsentPage): void {
  const { problem } = page;
  const status = answerProblem(ctx, problem);
  const heading = 'Allow this tool?';
  const application: Fact = {
    term: 'Application',
    value: clientNameHtml(page.clientName, 'Without a name', page.partnerName),
  };
  const content = html`<header>${serviceMarkOf(page.entry.connector)}<h1>${heading}</h1></header>
${problem === null ? null : alert(...PROBLEMS[problem], 'code-problem')}
${page.already === null ? changed(page, application) : unasked(page, page.already, application)}
<form method="post" action="${ALLOW_PATH}">
${hidden(PAGE_STATE_FIELD, page.sealed)}
${status === 429 ? null : allowForm(page)}
</form>`;
  sendPage(ctx, status, { title: problem === null ? heading : `Error: ${heading}`, content });
}

function toolFact({ tool, connector }: CatalogueEntry): Fact {
  return { term: 'Tool', value: tool.title, remark: `${tool.name}, of ${connector.title}` };
}

function changed({ entry, risks }: ToolConsentPage, application: Fact): Html {
  return html`<p>This tool has changed since you allowed an application to use ${entry.connector.title}. It is blocked for that application until you allow it.</p>
${facts([
  toolFact(entry),
  { term: 'What changed', value: html`<ul>${risks.map((risk) => html`<li>${risk}</li>`)}</ul>` },
  application,
])}`;
}

/** Shows only the difference: the access that the application already has in the service, and the access that it asks for now. */
function unasked({ entry }: ToolConsentPage, already: EffectCounts, application: Fact): Html {
  const counts = toolCounts(already, 'clause');
  return html`<p>An application that you allowed to use ${entry.connector.title} asks for one more tool. It ${effectName(effectOf(entry.tool))} things there.</p>
${facts([
  application,
  { term: 'It may already use', value: counts === '' ? `No tool of ${entry.connector.title}` : counts },
  { ...toolFact(entry), term: 'Now it asks for' },
])}`;
}

/** The first choice is the least, whichever the tool. */
function toolsChoice({ alike, entry: { tool, connector } }: ToolConsentPage): Html | null {
  if (alike < 2) return null;
  const every = `Every tool of ${connector.title} that ${effectName(effectOf(tool))}`;
  return choices('tools', 'Allow', [
    { value: 'one', label: 'Only this tool', remark: 'The application asks again for each other tool.' },
    { value: 'every', label: every, remark: `${alike} tools. Tools that are added later ask again.` },
  ]);
}

function allowForm(page: ToolConsentPage): Html {
  const isAlerted = page.problem !== null;
  const help =
    'The application in which you connected your services shows you this code. It shows that it is you who allows this. To keep the tool blocked, close this page.';
  return html`${toolsChoice(page)}
${codeField({ typed: null, isAlerted, help })}
<div class="actions">${button(page.alike < 2 ? 'Allow this tool' : 'Allow', { kind: 'primary' })}</div>`;
}

/** Shows that the tool was allowed. */
export function showAllowedPage(ctx: GatewayContext): void {
  const title = 'The tool is allowed';
  const content = html`<header>${checkMark()}<h1>${title}</h1>
<p>Go back to your assistant, and let it continue.</p></header>`;
  sendPage(ctx, 200, { title, content });
}
