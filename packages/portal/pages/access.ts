/** The page Access: what the rules of the company let the person do, and why; for an administrator, every rule. */

import { capitalize } from '../../../server/base/pages/client-name.ts';
import { emptyState, foreign } from '../../../server/base/pages/components.ts';
import { type Html, type HtmlValue, html } from '../../../server/base/pages/html.ts';
import type { PortalOutcome, PortalRequest } from '../request.ts';
import { EVERYTHING, type Rule, type RuleExplanation } from '../rules/access.ts';
import { listServices } from './api.ts';

/** `GET /access` */
export async function showAccess(request: PortalRequest): Promise<PortalOutcome> {
  const services = await listServices(request);
  const titles = new Map(services.map(({ service, title }) => [service, title]));
  const rules = request.explain();
  const all = request.explainAll();
  const nothing = emptyState('Your groups do not include any tool', 'Ask your administrator for access.');
  const content = html`<h1>Access</h1>
<p>Your company decides what AI clients may do for you. A client can use what one of these rules includes and you have allowed.</p>
<h2>You</h2>
${rules.length === 0 ? nothing : ruleTable('Rules that count for you', rules, titles)}
${all === null ? null : html`<h2>Everyone</h2>\n${ruleTable('All rules', all, titles)}`}`;
  return { title: 'Access', content };
}

type Titles = ReadonlyMap<string, string>;

const COLUMNS: Readonly<Record<string, (rule: Rule, titles: Titles) => HtmlValue>> = {
  Services: ({ services }, titles) => services?.map((name) => titles.get(name) ?? name).join(', ') ?? 'Every service',
  'May do': ({ effects }) => capitalize(effects.map((effect) => EFFECT_TEXTS[effect]).join(', ')),
  'Only these': limitsOf,
  'You approve': ({ approval }) => approval.map((kind) => APPROVAL_TEXTS[kind]).join(', '),
};

const EFFECT_TEXTS: Readonly<Record<Rule['effects'][number], string>> = {
  reads: 'read',
  writes: 'change',
  destroys: 'delete and overwrite',
};

const APPROVAL_TEXTS: Readonly<Record<Rule['approval'][number], string>> = {
  destroy: 'Deleting and overwriting',
  send: 'Sending',
  pay: 'Paying',
  write: 'Every change',
  each: 'Each call, every time',
};

function limitsOf({ tools, accounts }: Rule, titles: Titles): HtmlValue {
  const limits = Object.entries(accounts).map(
    ([service, names]) => html`${titles.get(service) ?? service}: ${names.join(', ')}`,
  );
  if (tools !== null) limits.unshift(html`${tools.map((tool) => html`<code>${tool}</code> `)}`);
  return limits.map((limit) => html`<div>${limit}</div>`);
}

function ruleTable(caption: string, rules: readonly RuleExplanation[], titles: Titles): Html {
  const names = Object.keys(COLUMNS);
  return html`<div class="scroll"><table class="stack"><caption class="unseen">${caption}</caption>
<thead><tr><th scope="col">Group</th>${names.map((name) => html`<th scope="col">${name}</th>`)}<th scope="col">Why</th></tr></thead>
<tbody>${rules.map((explanation) => ruleRow(explanation, titles))}</tbody></table></div>`;
}

function ruleRow({ group, rule, why }: RuleExplanation, titles: Titles): Html {
  const cells = Object.entries(COLUMNS).map(
    ([name, cell]) => html`<td data-label="${name}:">${cell(rule ?? EVERYTHING, titles)}</td>`,
  );
  const others = rule === null ? 'Everyone' : 'Everyone else';
  return html`<tr><td>${group === null ? others : foreign(group)}</td>${cells}<td data-label="Why:">${why}</td></tr>`;
}
