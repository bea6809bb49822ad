/** The tool catalogue: every service, and the tools of one service or of a search, in pages. */

import { address, type Parameters, pageLinks, searchForm } from '../../../../base/dashboard/list.ts';
import { ADMIN_PATH } from '../../../../base/dashboard/pages.ts';
import { type Columns, counted, figure, table } from '../../../../base/dashboard/parts.ts';
import { badge, emptyState } from '../../../../base/pages/components.ts';
import { type Html, html } from '../../../../base/pages/html.ts';
import type { Catalogue } from '../../../../call/tools/catalogue/catalogue.ts';
import { countEffects, EFFECTS, type Effect, effectName, effectOf } from '../../../../call/tools/catalogue/facts.ts';
import { estimateListTokens, LARGE_LIST_TOKENS } from '../../../../call/tools/catalogue/list-pages.ts';
import type { ToolFace } from '../../../../contract/index.ts';
import type { AdminPage } from '../../context.ts';
import { serviceChoices } from '../links.ts';

const PATH = `${ADMIN_PATH}/tools`;
const PAGE_SIZE = 25;

const BADGE_KINDS = { reads: 'good', writes: 'warn', destroys: 'bad' } as const;

/** Tools with the title of their service. */
type Found = readonly { readonly tool: ToolFace; readonly service: string; readonly title: string }[];

export const TOOLS: AdminPage = {
  path: '/tools',
  async show(request) {
    const { deps, query } = request;
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
        words.every((word) =>
          `${one.tool.name} ${one.tool.title} ${one.tool.description}`.toLowerCase().includes(word),
        ),
    );
    const effects = EFFECTS.map((name) => [name, effectName(name)] as const);
    const content = html`<h1>Tools</h1>
<p>${counted(all.length, 'tool')} of ${counted(catalogue.connectors.length, 'service')}. Each page has a form that runs the tool as a user.</p>
${sizeOfList(catalogue)}
${catalogue.refused.map(({ name, reason }) => html`<p>${badge('not served', 'bad')} <code>${name}</code>: ${reason}</p>`)}
${searchForm(
  PATH,
  [
    { name: 'q', label: 'Name or description contains', value: text },
    { name: 'service', label: 'Service', value: service, options: serviceChoices(deps, null) },
    { name: 'effect', label: 'Effect', value: effect, options: [['', 'Any'], ...effects], folded: true },
  ],
  { kept: { user }, offered: Object.fromEntries(effects.map(([name, text]) => [text, { effect: name }])) },
)}
${isSearch ? toolList(found, parameters, Number(query('from') ?? 0)) : serviceList(catalogue, user)}`;
    return { title: 'Tools', content };
  },
};

function serviceList({ connectors, toolsOf }: Catalogue, user: string | null): Html {
  const of = (service: string, effect: Effect | null) => address(PATH, { user, service, effect });
  const services = connectors.map((connector) => {
    const tools = toolsOf(connector);
    return { ...connector, tools: tools.length, counts: countEffects(tools.map(effectOf)) };
  });
  const count = (effect: Effect): Columns<(typeof services)[number]>[string] => [
    'number',
    ({ name, counts }) => html`<a href="${of(name, effect)}">${figure(counts[effect])}</a>`,
  ];
  return table(services, {
    caption: 'Services',
    columns: {
      Service: ({ name, title }) => html`<a href="${of(name, null)}">${title}</a>`,
      'What it is': ['long', ({ description }) => description],
      Tools: ['number', ({ tools }) => tools],
      ...Object.fromEntries(EFFECTS.map((effect) => [effectName(effect), count(effect)])),
    },
    empty: 'No service is served.',
  });
}

function toolList(found: Found, parameters: Parameters & { user: string | null }, from: number): Html {
  const first = Number.isSafeInteger(from) && from > 0 && from < found.length ? from : 0;
  const on =
    first + PAGE_SIZE < found.length ? address(PATH, { ...parameters, from: String(first + PAGE_SIZE) }) : null;
  const back = first > 0 ? address(PATH, { ...parameters, from: String(Math.max(0, first - PAGE_SIZE)) }) : null;
  return html`<p>${counted(found.length, 'tool')} found. <a href="${address(PATH, { user: parameters.user })}">All services</a></p>
${
  found.length === 0
    ? emptyState('No tool matches', 'Remove a filter, or use another word of its description.')
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
