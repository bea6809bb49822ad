/** Old names of tools that still work: until when, how often they are called, and by whom. */

import { type Html, html } from '../../../base/pages/html.ts';
import type { TimeSpan } from '../../../base/store/reports/call-statistics.ts';
import {
  findLastCalls,
  listToolCallers,
  type ToolCaller,
  tallyCallsByName,
} from '../../../base/store/reports/tool-callers.ts';
import type { Catalogue, CatalogueEntry } from '../../../call/tools/catalogue/catalogue.ts';
import { callsAddress } from '../calls/search.ts';
import { ADMIN_PATH, type AdminPage, type OperatorRequest } from '../request.ts';
import { badge, distance, figure, moment, table, untrusted } from '../view/parts.ts';

/** Path of the page, below the dashboard. */
export const ALIASES_PATH = '/aliases';

const DAY_MS = 86_400_000;
const DAYS = 30;
const MAX_CALLERS = 100;

/** With `?name=<old name>`, only the callers of that one. */
export async function showAliases({ deps, now, query }: OperatorRequest): Promise<AdminPage> {
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
${table(
  'Old names of tools',
  [
    { name: 'Old name' },
    { name: 'Current name' },
    { name: 'Until' },
    { name: 'Calls', kind: 'number' },
    { name: 'Users', kind: 'number' },
    { name: 'Last call' },
  ],
  entries.map(({ alias, tool }) => {
    const last = lastCalls.get(alias.name);
    return [
      html`<a href="${ADMIN_PATH}${ALIASES_PATH}?name=${encodeURIComponent(alias.name)}"><code>${alias.name}</code></a>`,
      html`<a href="${ADMIN_PATH}/tools/${tool.name}"><code>${tool.name}</code></a>`,
      end(alias.until, now),
      callsLink(alias.name, tallies.get(alias.name)?.calls ?? 0, span),
      tallies.get(alias.name)?.users ?? 0,
      last === undefined ? badge('never', 'good') : moment(last),
    ];
  }),
  'No tool has an old name.',
)}
${entries.length === 0 ? null : callerTable(callers, chosen)}`;
  return { title: 'Old names of tools', section: '/tools', content };
}

function callsLink(tool: string, calls: number, span: TimeSpan): Html {
  return html`<a href="${callsAddress({ tool, span })}">${figure(calls)}</a>`;
}

function callerTable(callers: readonly ToolCaller[], chosen: string | null): Html {
  return html`<h2>Who still calls ${chosen === null ? 'them' : html`<code>${chosen}</code>`} <small class="quiet">Last ${DAYS} days</small></h2>
${chosen === null ? null : html`<p><a href="${ADMIN_PATH}${ALIASES_PATH}">All old names</a></p>`}
${table(
  'Who still calls old names',
  [
    { name: 'Old name' },
    { name: 'Partner' },
    { name: 'User' },
    { name: 'Client' },
    { name: 'Calls', kind: 'number' },
    { name: 'Last call' },
  ],
  callers
    .slice(0, MAX_CALLERS)
    .map((caller) => [
      html`<code>${caller.tool}</code>`,
      caller.partnerName === null
        ? badge('removed')
        : html`<a href="${ADMIN_PATH}/partners/${caller.partnerId}">${untrusted(caller.partnerName)}</a>`,
      caller.externalUserId === null
        ? badge('removed')
        : html`<a href="${ADMIN_PATH}/users/${caller.userId}">${untrusted(caller.externalUserId)}</a>`,
      client(caller),
      caller.calls,
      moment(caller.lastAt),
    ]),
  'No one.',
)}
${callers.length > MAX_CALLERS ? html`<p class="quiet">These are the ${MAX_CALLERS} most recent callers.</p>` : null}`;
}

function client({ through, clientId, clientName }: ToolCaller): Html {
  if (through === 'ended') return html`<span class="quiet">token no longer exists</span>`;
  if (clientId === null) return html`<span class="quiet">token without a client</span>`;
  return html`<a href="${ADMIN_PATH}/audit?client=${encodeURIComponent(clientId)}">${untrusted(clientName)}</a>`;
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
