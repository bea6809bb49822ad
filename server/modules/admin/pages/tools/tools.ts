/** The tool catalogue: every service, and the tools of one service or of a search, in pages. */

import { address, pageLinks, parametersOf, searchForm } from '../../../../base/dashboard/list.ts';
import { ADMIN_PATH } from '../../../../base/dashboard/pages.ts';
import { type Columns, counted, figure, table } from '../../../../base/dashboard/parts.ts';
import { badge, emptyState } from '../../../../base/pages/components.ts';
import { type Html, html } from '../../../../base/pages/html.ts';
import type { Catalogue } from '../../../../call/tools/catalogue/catalogue.ts';
import { countEffects, EFFECTS, type Effect, effectName, effectOf } from '../../../../call/tools/catalogue/facts.ts';
import { estimateListTokens, LARGE_LIST_TOKENS } from '../../../../call/tools/catalogue/list-pages.ts';
import { toolItem } from '../../../../call/tools/catalogue/tool-item.ts';
import type { Connector, ToolFace } from '../../../../contract/index.ts';
import type { AdminPage } from '../../context.ts';
import { serviceChoices } from '../links.ts';

const PATH = `${ADMIN_PATH}/tools`;
const PAGE_SIZE = 25;

/** A tool with its service. */
interface ListedTool {
  readonly tool: ToolFace;
  readonly service: Connector;
}

type Filter = Readonly<Record<'user' | 'q' | 'service' | 'effect', string | null>>;

export const TOOLS: AdminPage = {
  path: '/tools',
  async show(request) {
    const { deps, query } = request;
    const { catalogue } = deps;
    const { user, ...typed } = parametersOf(query, ['user', 'q', 'service', 'effect']);
    const filter = { ...typed, user, effect: EFFECTS.find((name) => name === typed.effect) ?? null };
    const all = catalogue.connectors.flatMap((service) =>
      catalogue.toolsOf(service).map((tool): ListedTool => ({ tool, service })),
    );
    const isSearch = filter.q !== null || filter.service !== null || filter.effect !== null;
    const effects = EFFECTS.map((name) => [name, effectName(name)] as const);
    const content = html`<h1>Tools</h1>
<p>${counted(all.length, 'tool')} of ${counted(catalogue.connectors.length, 'service')}. Each page has a form that runs the tool as a user.</p>
${sizeOfList(catalogue)}
${catalogue.refused.map(({ name, reason }) => html`<p>${badge('not served', 'bad')} <code>${name}</code>: ${reason}</p>`)}
${searchForm(
  PATH,
  [
    { name: 'q', label: 'Name or description contains', value: filter.q },
    { name: 'service', label: 'Service', value: filter.service, options: serviceChoices(deps, filter.service) },
    { name: 'effect', label: 'Effect', value: filter.effect, options: [['', 'Any'], ...effects], folded: true },
  ],
  {
    hiddenParameters: { user },
    quickFilters: Object.fromEntries(effects.map(([effect, label]) => [label, { effect }])),
  },
)}
${
  isSearch
    ? toolList(
        all.filter((tool) => isMatch(tool, filter)),
        filter,
        Number(query('from') ?? 0),
      )
    : serviceList(catalogue, user)
}`;
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

function isMatch({ tool, service }: ListedTool, filter: Filter): boolean {
  if (filter.service !== null && service.name !== filter.service) return false;
  if (filter.effect !== null && effectOf(tool) !== filter.effect) return false;
  const text = `${tool.name} ${tool.title} ${tool.description}`.toLowerCase();
  const words = filter.q?.toLowerCase().split(/\s+/) ?? [];
  return words.every((word) => text.includes(word));
}

function toolList(found: readonly ListedTool[], filter: Filter, from: number): Html {
  const { user } = filter;
  const first = Number.isSafeInteger(from) && from > 0 && from < found.length ? from : 0;
  const last = first + PAGE_SIZE;
  const pageAt = (start: number) => address(PATH, { ...filter, from: String(start) });
  const items = found
    .slice(first, last)
    .map(({ tool, service }) =>
      toolItem({ tool, path: address(`${PATH}/${tool.name}`, { user }), service: service.title }),
    );
  const previousPage = first > 0 ? pageAt(Math.max(0, first - PAGE_SIZE)) : null;
  const nextPage = last < found.length ? pageAt(last) : null;
  return html`<p>${counted(found.length, 'tool')} found. <a href="${address(PATH, { user })}">All services</a></p>
${
  items.length === 0
    ? emptyState('No tool matches', 'Remove a filter, or use another word of its description.')
    : html`<div class="card"><ul class="plain-list rows">${items}</ul></div>`
}
${pageLinks(previousPage, nextPage)}`;
}

/** Returns the size of the tool list that a model gets for a user with every service. A large list is marked. */
function sizeOfList(catalogue: Catalogue): Html {
  const tokens = estimateListTokens(catalogue);
  const text = html`The whole list has about ${figure(tokens)} tokens in the mode <code>${catalogue.mode}</code>.`;
  if (tokens <= LARGE_LIST_TOKENS) return html`<p class="quiet">${text}</p>`;
  return html`<p>${badge('large list', 'warn')} ${text} <code>CATALOGUE_MODE</code> makes it smaller, and so can a connection code.</p>`;
}
