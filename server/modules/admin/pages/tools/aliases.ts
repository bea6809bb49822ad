/** Old names of tools that still work: until when, how often they are called, and by whom. */

import { ADMIN_PATH } from '../../../../base/dashboard/pages.ts';
import {
  distance,
  figure,
  moment,
  partnerLink,
  table,
  toolLink,
  untrusted,
  userLink,
} from '../../../../base/dashboard/parts.ts';
import { badge } from '../../../../base/pages/components.ts';
import { type Html, html } from '../../../../base/pages/html.ts';
import {
  findLastCalls,
  listToolCallers,
  type ToolCaller,
  tallyCallsByName,
} from '../../../../base/store/reports/tool-callers.ts';
import type { Catalogue, CatalogueEntry } from '../../../../call/tools/catalogue/catalogue.ts';
import type { AdminContext, AdminPage } from '../../context.ts';
import { callsAddress, trailLink } from '../links.ts';

/** Path of the page, below the dashboard. */
export const ALIASES_PATH = '/aliases';

const PATH = ADMIN_PATH + ALIASES_PATH;
const DAY_MS = 86_400_000;
const DAYS = 30;
const MAX_CALLERS = 100;

/** With `?name=<old name>`, only the callers of that one. */
export const ALIASES: AdminPage = {
  path: ALIASES_PATH,
  section: '/tools',
  async show({ deps, now, query }) {
    const { db, catalogue } = deps;
    const entries = findAliases(catalogue);
    const names = entries.map(({ alias }) => alias.name);
    const span = { since: now - DAYS * DAY_MS, until: now + 1 };
    const asked = query('name');
    const chosen = asked !== null && names.includes(asked) ? asked : null;

    const tallies = new Map((await tallyCallsByName(db, names, span)).map((tally) => [tally.tool, tally]));
    const lastCalls = await findLastCalls(db, names);
    const callers = await listToolCallers(db, chosen === null ? names : [chosen], span, MAX_CALLERS + 1);

    const content = html`<h1>Old names of tools</h1>
<p>Agents no longer see these names in lists. They still work, even after their date, until someone removes them from connector.yaml.
Calls of the last ${DAYS} days. The last call is known for as long as call records are kept.</p>
${table(entries, {
  caption: 'Old names of tools',
  columns: {
    'Old name': ({ alias: { name } }) =>
      html`<a href="${PATH}?name=${encodeURIComponent(name)}"><code>${name}</code></a>`,
    'Current name': ({ tool }) => toolLink(tool.name),
    Until: ({ alias }) => end(alias.until, now),
    Calls: [
      'number',
      ({ alias: { name: tool } }) =>
        html`<a href="${callsAddress({ tool, span })}">${figure(tallies.get(tool)?.calls ?? 0)}</a>`,
    ],
    Users: ['number', ({ alias }) => tallies.get(alias.name)?.users ?? 0],
    'Last call': ({ alias }) => lastCall(lastCalls.get(alias.name)),
  },
  empty: 'No tool has an old name.',
})}
${entries.length === 0 ? null : callerTable(deps, callers, chosen)}`;
    return { title: 'Old names of tools', content };
  },
};

function callerTable(deps: AdminContext, callers: readonly ToolCaller[], chosen: string | null): Html {
  const orRemoved = (name: string | null, link: Html) => (name === null ? badge('removed') : link);
  return html`<h2>Who still calls ${chosen === null ? 'them' : html`<code>${chosen}</code>`} <small class="quiet">Last ${DAYS} days</small></h2>
${chosen === null ? null : html`<p><a href="${PATH}">All old names</a></p>`}
${table(callers.slice(0, MAX_CALLERS), {
  caption: 'Who still calls old names',
  columns: {
    'Old name': ({ tool }) => html`<code>${tool}</code>`,
    Partner: (caller) => orRemoved(caller.partnerName, partnerLink(caller)),
    User: (caller) => orRemoved(caller.externalUserId, userLink(caller)),
    Client: (caller) => client(deps, caller),
    Calls: ['number', ({ calls }) => calls],
    'Last call': ({ lastAt }) => moment(lastAt),
  },
  empty: 'No one.',
})}
${callers.length > MAX_CALLERS ? html`<p class="quiet">These are the ${MAX_CALLERS} most recent callers.</p>` : null}`;
}

function client(deps: AdminContext, { through, clientId, clientName }: ToolCaller): Html {
  if (through === 'ended') return html`<span class="quiet">token no longer exists</span>`;
  if (clientId === null) return html`<span class="quiet">token without a client</span>`;
  return trailLink(deps, { client: clientId }, untrusted(clientName));
}

function lastCall(time: number | undefined): Html {
  return time === undefined ? badge('never', 'good') : moment(time);
}

/** @param until ISO date: the last day without a warning from codegen. */
function end(until: string, now: number): Html {
  const over = Date.parse(until) + DAY_MS;
  return html`<time datetime="${until}">${until} UTC</time> ${over <= now ? badge('past', 'warn') : badge(distance(over, now))}`;
}

/** Every old name that a call can use, by name. */
function findAliases(catalogue: Catalogue): readonly Required<CatalogueEntry>[] {
  const names = catalogue.connectors.flatMap(({ tools }) => tools.flatMap(({ aliases = [] }) => aliases));
  const entries = [...new Set(names.map(({ name }) => name))].sort().flatMap((name) => catalogue.find(name) ?? []);
  return entries.flatMap((entry) => (entry.alias === undefined ? [] : [{ ...entry, alias: entry.alias }]));
}
