/** The tool catalogue: every connector, and every tool that agents are offered. */

import type { ToolFace } from '../../contract/index.ts';
import { type Html, html } from '../../pages/html.ts';
import { estimateListTokens, LARGE_LIST_TOKENS } from '../../tools/catalogue/list-size.ts';
import { ADMIN_PATH, type AdminPage, type OperatorRequest } from '../request.ts';
import { badge, table } from '../view/parts.ts';
import { ALIASES_PATH } from './aliases.ts';
import { DRIFT_PATH } from './drift.ts';

export async function showTools({ deps, query }: OperatorRequest): Promise<AdminPage> {
  const { connectors, refused, toolsOf } = deps.catalogue;
  const user = query('user');
  const suffix = user === null ? '' : `?user=${encodeURIComponent(user)}`;
  const served = connectors.map((connector) => ({ connector, tools: toolsOf(connector) }));
  const total = served.reduce((sum, { tools }) => sum + tools.length, 0);
  const content = html`<h1>Tools</h1>
<p>${total} tools of ${connectors.length} services. Each page has a form that runs the tool as a user.
<a href="${ADMIN_PATH}${ALIASES_PATH}">Old names</a> still work; see who calls them.
<a href="${ADMIN_PATH}${DRIFT_PATH}">Changed answers</a> differ from what a descriptor says.</p>
${sizeOfList(deps.catalogue)}
${refused.map(({ name, reason }) => html`<p>${badge('not served', 'bad')} <code>${name}</code>: ${reason}</p>`)}
${served.map(
  ({ connector, tools }) => html`<h2 id="${connector.name}">${connector.title}</h2>
<p class="quiet">${connector.description} ${connector.categories.join(', ')}</p>
${table(
  `Tools of ${connector.title}`,
  [{ name: 'Tool' }, { name: 'What it does', kind: 'long' }, { name: 'Effect' }],
  tools.map((tool) => [
    html`<a href="${ADMIN_PATH}/tools/${tool.name}${suffix}"><code>${tool.name}</code></a>`,
    tool.title,
    effect(tool),
  ]),
)}`,
)}`;
  return { title: 'Tools', section: '/tools', content };
}

/** What a tool may do, in one word. */
export function effect({ annotations }: Pick<ToolFace, 'annotations'>): Html {
  if (annotations.readOnlyHint) return badge('reads', 'good');
  return annotations.destructiveHint ? badge('may destroy', 'bad') : badge('writes', 'warn');
}

/** What a model is given of a user who has every service; a large list is marked. */
function sizeOfList(catalogue: OperatorRequest['deps']['catalogue']): Html {
  const tokens = estimateListTokens(catalogue);
  const figure = String(tokens).replaceAll(/\B(?=(\d{3})+$)/g, ',');
  const text = html`The whole list has about ${figure} tokens in the mode <code>${catalogue.mode}</code>.`;
  if (tokens <= LARGE_LIST_TOKENS) return html`<p class="quiet">${text}</p>`;
  return html`<p>${badge('large list', 'warn')} ${text} <code>CATALOGUE_MODE</code> makes it smaller, and so can a connection code.</p>`;
}
