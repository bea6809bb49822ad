/** Lists: `/tools` with every service or the tools that match a search, best first, and `/tools/{service}` with its tools in pages. */

import { pageLinks } from '../../../base/dashboard/list.ts';
import { serviceMarkOf } from '../../../base/pages/brand.ts';
import { type Html, html, toPlainText } from '../../../base/pages/html.ts';
import type { Page } from '../../../base/pages/page.ts';
import type { Catalogue } from '../../../call/tools/catalogue/catalogue.ts';
import { toolIndexOf } from '../../../call/tools/finder.ts';
import type { Connector } from '../../../contract/index.ts';
import { describeTools, MAX_QUERY_LENGTH, searchForm, servicePath, TRAIL, toolItems, toToolsLayout } from './parts.ts';

const PAGE_SIZE = 50;
const MAX_RESULTS = 25;
const MAX_WORDS = 12;

/** Returns the page with every service. */
export function overviewPage(catalogue: Catalogue): Page {
  const { connectors } = catalogue;
  const count = connectors.reduce((sum, connector) => sum + catalogue.toolsOf(connector).length, 0);
  const tools = `${count} ${count === 1 ? 'tool' : 'tools'}`;
  const services = `${connectors.length} ${connectors.length === 1 ? 'service' : 'services'}`;
  const byTitle = connectors.toSorted((a, b) => a.title.localeCompare(b.title, 'en'));
  const content = html`<h1>Tools</h1>
<p>${tools} of ${services}. Your client sees those of the services that you have connected.</p>
${searchForm('', null)}
<h2>Services</h2>
${connectors.length === 0 ? html`<p class="quiet">This gateway serves no service.</p>` : html`<ul class="list">${byTitle.map((connector) => serviceItem(connector, catalogue))}</ul>`}`;
  return { title: 'Tools', content, layout: toToolsLayout(TRAIL.slice(0, 1)) };
}

function serviceItem(connector: Connector, { toolsOf }: Catalogue): Html {
  return html`<li class="service">${serviceMarkOf(connector)}<div><a href="${servicePath(connector.name)}"><strong>${connector.title}</strong></a><span class="quiet">${describeTools(toolsOf(connector))}</span><small>${connector.description}</small></div></li>`;
}

/**
 * Returns the words of a search as safe text, or an empty text. Their length and number are limited, because each common word is looked up in all
 * tools.
 */
export function readWords(typed: string | null): string {
  const text = toPlainText((typed ?? '').slice(0, 2 * MAX_QUERY_LENGTH), MAX_QUERY_LENGTH) ?? '';
  return text.split(' ', MAX_WORDS).join(' ');
}

/** Lists the tools that match the words, best first. @param service limits the search to one service. Null for all services. */
export async function searchResultsPage(catalogue: Catalogue, words: string, service: Connector | null): Promise<Page> {
  const matchesService = (name: string) => service === null || catalogue.find(name)?.connector === service;
  const { names } = (await toolIndexOf(catalogue)).search(words, MAX_RESULTS, matchesService);
  const entries = names.flatMap((name) => catalogue.find(name) ?? []);
  const content = html`<h1>Tools</h1>
${searchForm(words, service)}
<h2>${entries.length === MAX_RESULTS ? `The ${MAX_RESULTS} best matches` : `${entries.length} found`}</h2>
${
  entries.length === 0
    ? html`<p>No tool matches these words. Try fewer or other words.</p>`
    : html`<ol class="list">${toolItems(entries, false)}</ol>`
}`;
  const trail = service === null ? TRAIL : [...TRAIL, { name: service.title, path: servicePath(service.name) }];
  return { title: `Tools: ${words}`, content, layout: toToolsLayout(trail) };
}

/** Returns the page number, from 1. Anything but the number of an existing page means the first page. */
export function readPageNumber(pageParameter: string | null, count: number): number {
  const number = Number(pageParameter ?? 1);
  return Number.isSafeInteger(number) && number > 0 && (number - 1) * PAGE_SIZE < count ? number : 1;
}

/** @param number see `readPageNumber`. */
export function servicePage(connector: Connector, catalogue: Catalogue, number: number): Page {
  const tools = catalogue.toolsOf(connector);
  const page = tools.slice((number - 1) * PAGE_SIZE, number * PAGE_SIZE).map((tool) => ({ connector, tool }));
  const pages = Math.ceil(tools.length / PAGE_SIZE);
  const addressOf = (page: number) => (page < 1 || page > pages ? null : `${servicePath(connector.name)}?page=${page}`);
  const content = html`<h1>${connector.title}</h1>
<p>${connector.description}</p>
<p class="quiet">${describeTools(tools)}${pages > 1 ? `. Page ${number} of ${pages}` : ''}.</p>
${searchForm('', connector)}
<ul class="list">${toolItems(page, true)}</ul>
${pageLinks(addressOf(number - 1), addressOf(number + 1))}`;
  const title = number === 1 ? connector.title : `${connector.title}, page ${number}`;
  return { title: `Tools of ${title}`, content, layout: toToolsLayout(TRAIL) };
}
