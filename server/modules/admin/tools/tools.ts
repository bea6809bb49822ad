/** The tool catalogue: every service, and the tools of one service or of a search, in pages. */

import { hidden } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import type { Catalogue } from '../../../call/tools/catalogue/catalogue.ts';
import { countEffects, EFFECTS, type Effect, effectName, effectOf } from '../../../call/tools/catalogue/facts.ts';
import { estimateListTokens, LARGE_LIST_TOKENS } from '../../../call/tools/catalogue/list-pages.ts';
import type { ToolFace } from '../../../contract/index.ts';
import { ADMIN_PATH, type AdminPage, type OperatorRequest } from '../request.ts';
import { address, type Parameters, pageLinks } from '../view/pager.ts';
import { badge, counted, figure, selectField, table, textField } from '../view/parts.ts';
import { ALIASES_PATH } from './aliases.ts';
import { DRIFT_PATH } from './drift.ts';

const PATH = `${ADMIN_PATH}/tools`;
const PAGE_SIZE = 25;

const BADGE_KINDS = { reads: 'good', writes: 'warn', destroys: 'bad' } as const;

/** Tools with the title of their service. */
type Found = readonly { readonly tool: ToolFace; readonly service: string; readonly title: string }[];

export async function showTools({ deps, query }: OperatorRequest): Promise<AdminPage> {
  const { catalogue } = deps;
  const [user, text, service, asked] = [query('user'), query('q'), query('service'), query('effect')];
  const effect = EFFECTS.find((name) => name === asked) ?? null;
  const all: Found = catalogue.connectors.flatMap((connector) =>
    catalogue.toolsOf(connector).map((tool) => ({ tool, service: connector.name, title: connector.title })),
  );
  const parameters = { user, q: text, service, effect };
  const isSearch = [text, service, effect].some((value) => value !== null);
  const words = text?.toLowerCase().split(/\s+/) ?? [];
  const found = all.filter(
    (one) =>
      (service === null || one.service === service) &&
      (effect === null || effectOf(one.tool) === effect) &&
      words.every((word) => `${one.tool.name} ${one.tool.title} ${one.tool.description}`.toLowerCase().includes(word)),
  );
  const content = html`<h1>Tools</h1>
<p>${counted(all.length, 'tool')} of ${counted(catalogue.connectors.length, 'service')}. Each page has a form that runs the tool as a user.
<a href="${ADMIN_PATH}${ALIASES_PATH}">Old names</a> still work; see who calls them.
<a href="${ADMIN_PATH}${DRIFT_PATH}">Changed answers</a> differ from what a descriptor says.</p>
${sizeOfList(catalogue)}
${catalogue.refused.map(({ name, reason }) => html`<p>${badge('not served', 'bad')} <code>${name}</code>: ${reason}</p>`)}
<form method="get" action="${PATH}" class="filters" role="search">
${user === null ? null : hidden('user', user)}
${textField({ name: 'q', label: 'Name or description contains', value: text ?? '' })}
${selectField({ name: 'service', label: 'Service', value: service ?? '', options: [['', 'All'], ...catalogue.connectors.map(({ name, title }) => [name, title] as const)] })}
${selectField({ name: 'effect', label: 'Effect', value: effect ?? '', options: [['', 'Any'], ...EFFECTS.map((name) => [name, effectName(name)] as const)] })}
<button type="submit">Search</button></form>
${isSearch ? toolList(found, { parameters, from: Number(query('from') ?? 0) }) : serviceList(catalogue, user)}`;
  return { title: 'Tools', section: '/tools', content };
}

function serviceList({ connectors, toolsOf }: Catalogue, user: string | null): Html {
  return table(
    'Services',
    [
      { name: 'Service' },
      { name: 'What it is', kind: 'long' },
      { name: 'Tools', kind: 'number' },
      ...EFFECTS.map((name) => ({ name: effectName(name), kind: 'number' as const })),
    ],
    connectors.map((connector) => {
      const tools = toolsOf(connector);
      const of = (effect: Effect | null) => address(PATH, { user, service: connector.name, effect });
      const counts = countEffects(tools.map(effectOf));
      return [
        html`<a href="${of(null)}">${connector.title}</a>`,
        connector.description,
        tools.length,
        ...EFFECTS.map((name) => html`<a href="${of(name)}">${figure(counts[name])}</a>`),
      ];
    }),
    'No service is served.',
  );
}

function toolList(
  found: Found,
  { parameters, from }: { parameters: Parameters & { user: string | null }; from: number },
): Html {
  const first = Number.isSafeInteger(from) && from > 0 && from < found.length ? from : 0;
  const on =
    first + PAGE_SIZE < found.length ? address(PATH, { ...parameters, from: String(first + PAGE_SIZE) }) : null;
  const back = first > 0 ? address(PATH, { ...parameters, from: String(Math.max(0, first - PAGE_SIZE)) }) : null;
  return html`<p>${counted(found.length, 'tool')} found. <a href="${address(PATH, { user: parameters.user })}">All services</a></p>
${
  found.length === 0
    ? html`<p class="quiet">No tool matches.</p>`
    : html`<div class="card"><ul class="plain-list rows">${found
        .slice(first, first + PAGE_SIZE)
        .map(
          ({ tool, title }) =>
            html`<li><a href="${address(`${PATH}/${tool.name}`, { user: parameters.user })}"><code>${tool.name}</code></a> ${effect(tool)}<small>${tool.title} · ${title}</small></li>`,
        )}</ul></div>`
}
${pageLinks(back, on)}`;
}

/** What a tool may do, in one word. */
export function effect(tool: Pick<ToolFace, 'annotations'>): Html {
  const does = effectOf(tool);
  return badge(effectName(does), BADGE_KINDS[does]);
}

/** Size of the tool list that a model gets for a user with every service; a large list is marked. */
function sizeOfList(catalogue: Catalogue): Html {
  const tokens = estimateListTokens(catalogue);
  const text = html`The whole list has about ${figure(tokens)} tokens in the mode <code>${catalogue.mode}</code>.`;
  if (tokens <= LARGE_LIST_TOKENS) return html`<p class="quiet">${text}</p>`;
  return html`<p>${badge('large list', 'warn')} ${text} <code>CATALOGUE_MODE</code> makes it smaller, and so can a connection code.</p>`;
}
