/** The page "Usage": who used what, in groups that the operator chooses. */

import { address, type Parameters, searchForm, withoutNulls } from '../../../base/dashboard/list.ts';
import { ADMIN_PATH } from '../../../base/dashboard/pages.ts';
import {
  type Columns,
  counted,
  figure,
  holderLink,
  moment,
  partnerLink,
  table,
  toolLink,
  userLink,
} from '../../../base/dashboard/parts.ts';
import { caution } from '../../../base/pages/components.ts';
import { type Html, type HtmlValue, html } from '../../../base/pages/html.ts';
import { CALL_DIMENSIONS, type CallDimension, NO_CLIENT } from '../../../base/store/reports/call-usage.ts';
import { findNames } from '../../../base/store/reports/names.ts';
import { type AdminPage, type AdminRequest, titleOf } from '../context.ts';
import { callsAddress, realmField, serviceChoices, toRealm, withSelected } from '../pages/links.ts';
import {
  answerUsage,
  DEFAULT_DIMENSION,
  durationsOf,
  readUsageQuestion,
  type UsageAnswer,
  type UsageQuestion,
  type UsageRow,
  type UsageValue,
} from './question.ts';

export const USAGE_PATH = '/usage';

const PATH = ADMIN_PATH + USAGE_PATH;
const MAX_ROWS = 40;
const MAX_MS = 3_000;
const DAY_MS = 86_400_000;

const DIMENSION_NAMES: Readonly<Record<CallDimension, string>> = {
  day: 'Day (UTC)',
  partner: 'Partner',
  user: 'User',
  client: 'Client',
  service: 'Service',
  tool: 'Tool',
};

/** The dimension into which a group of another one is divided. */
const NEXT_DIMENSION: Readonly<Record<CallDimension, CallDimension>> = {
  day: 'tool',
  partner: 'user',
  user: 'tool',
  client: 'tool',
  service: 'tool',
  tool: 'user',
};

export const USAGE: AdminPage = {
  path: USAGE_PATH,
  async show(request) {
    const question = readUsageQuestion(request);
    const answer = await answerUsage(request, question, { rows: MAX_ROWS, ms: MAX_MS });
    const { parameters, asked, keptDays } = question;
    const content = html`<h1>Usage</h1>
${usageForm(request, question)}
${await filterNote(request, question)}
<p>${dayOf(asked.span.since)} to ${dayOf(asked.span.until - DAY_MS)}, days in UTC. The last ${counted(keptDays, 'day')} can be counted in these groups.</p>
${totals(answer)}
${cutNote(answer)}
${table(answer.rows, {
  caption: 'Usage',
  columns: columnsOf(request, question),
  empty: 'No call in these days',
  next: 'Choose more days, or remove a filter.',
})}
${answer.leftOut === 0 ? null : html`<p class="quiet">The ${MAX_ROWS} largest groups. ${counted(answer.leftOut, 'other group')}.</p>`}
<p>The same as a file: <a href="${address(`${PATH}.csv`, parameters)}">CSV</a>, <a href="${address(`${PATH}.json`, parameters)}">JSON</a></p>`;
    return { title: 'Usage', content };
  },
};

function usageForm({ deps }: AdminRequest, { parameters }: UsageQuestion): Html {
  const { by, and, from, to, days, realm, partner, user, client, service, tool } = parameters;
  const nameOf = (name: CallDimension) => DIMENSION_NAMES[name];
  const others = CALL_DIMENSIONS.filter((name) => name !== DEFAULT_DIMENSION);
  const groups = [['', nameOf(DEFAULT_DIMENSION)], ...others.map((name) => [name, nameOf(name)] as const)] as const;
  const seconds = [['', 'Nothing else'], ...CALL_DIMENSIONS.map((name) => [name, nameOf(name)] as const)] as const;
  return searchForm(
    PATH,
    [
      { name: 'by', label: 'Group by', value: by === DEFAULT_DIMENSION ? null : by, options: groups },
      { name: 'and', label: 'Then by', value: and, options: seconds },
      { ...realmField(realm), folded: false },
      { name: 'from', label: 'First day', value: from, type: 'date', folded: true },
      { name: 'to', label: 'Last day', value: to, type: 'date', folded: true },
      {
        name: 'service',
        label: 'Service',
        value: service,
        options: withSelected(serviceChoices(deps, service), service),
        folded: true,
      },
      { name: 'tool', label: 'Tool', value: tool, maxLength: 200, folded: true },
    ],
    {
      hiddenParameters: { days, partner, user, client },
      quickFilters: {
        Today: { days: '1', from: null, to: null },
        '7 days': { days: null, from: null, to: null },
        '30 days': { days: '30', from: null, to: null },
      },
      button: 'Show',
    },
  );
}

async function filterNote({ deps }: AdminRequest, { parameters }: UsageQuestion): Promise<Html | null> {
  const subjects: Html[] = [];
  for (const kind of ['partner', 'user', 'client'] as const) {
    const id = parameters[kind];
    if (id === null) continue;
    const { name = null, testOf = null } = (await findNames(deps.db, kind, [id])).get(id) ?? {};
    subjects.push(html`the ${kind} ${showValue(deps, { dimension: kind, id, name, testOf })}`);
  }
  if (subjects.length === 0) return null;
  const everyone = address(PATH, { ...parameters, partner: null, user: null, client: null });
  const list = subjects.map((subject, index) => html`${index === 0 ? '' : ' and '}${subject}`);
  return html`<p>Only calls of ${list}. <a href="${everyone}">Show all</a></p>`;
}

function totals({ total }: UsageAnswer): Html {
  const { p50, p95 } = durationsOf(total);
  const figures: readonly (readonly [string, HtmlValue])[] = [
    ['Calls', figure(total.calls)],
    ['Failed', figure(total.failed)],
    ['Waiting for the user', figure(total.waiting)],
    ['Median', html`${milliseconds(p50)} <small>p95 ${milliseconds(p95)}</small>`],
  ];
  return html`<dl class="figures">${figures.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function cutNote({ countedSince }: UsageAnswer): Html | null {
  if (countedSince === null) return null;
  return caution(
    'Not all calls are counted',
    html`There are too many: only those since ${moment(countedSince)} are. Choose fewer days. The files below count for longer. Groups without users and clients are counted at once.`,
  );
}

function columnsOf({ deps }: AdminRequest, question: UsageQuestion): Columns<UsageRow> {
  const { asked } = question;
  const columns: Record<string, Columns<UsageRow>[string]> = {};
  for (const [index, dimension] of asked.by.entries()) {
    columns[DIMENSION_NAMES[dimension]] = ({ values }) => {
      const value = values[index];
      return value === undefined ? null : showValue(deps, value);
    };
  }
  columns.Calls = ['number', (row) => callsLink(question, row, { outcome: null, count: row.calls })];
  columns.Failed = ['number', (row) => callsLink(question, row, { outcome: 'failed', count: row.failed })];
  columns.Waiting = ['number', (row) => callsLink(question, row, { outcome: 'waiting', count: row.waiting })];
  columns.Median = ['number', (row) => milliseconds(durationsOf(row).p50)];
  columns.p95 = ['number', (row) => milliseconds(durationsOf(row).p95)];
  if (asked.by.length === 1) columns.Divide = ['number', (row) => divideLink(question, row)];
  return columns;
}

function showValue(deps: AdminRequest['deps'], { dimension, id, name, testOf }: UsageValue): HtmlValue {
  switch (dimension) {
    case 'partner':
      return name === null
        ? html`<span class="quiet">removed</span>`
        : partnerLink({ partnerId: id, partnerName: name, testOf });
    case 'user':
      return name === null
        ? html`<span class="quiet">removed</span>`
        : userLink({ userId: id, externalUserId: name, testOf });
    case 'client':
      return showClient(id, name);
    case 'service':
      return titleOf(deps, id);
    case 'tool':
      return toolLink(id);
    default:
      return id;
  }
}

const WITHOUT_CLIENT: Readonly<Record<string, string>> = {
  [NO_CLIENT.dashboard]: 'The dashboard',
  [NO_CLIENT.minted]: 'Minted for testing',
  [NO_CLIENT.partner]: 'Partner token',
  [NO_CLIENT.removed]: 'Removed grants',
};

function showClient(id: string, name: string | null): Html {
  const words = WITHOUT_CLIENT[id];
  if (words !== undefined) return html`<span class="quiet">${words}</span>`;
  return holderLink({ clientId: id, clientName: name });
}

/** Returns the count, which leads to the calls where their page can show exactly these. */
function callsLink(
  { asked, parameters }: UsageQuestion,
  { values }: UsageRow,
  { outcome, count }: { readonly outcome: string | null; readonly count: number },
): HtmlValue {
  const { partner, user, client, service, tool, realm } = parameters;
  let span = asked.span;
  const chosen: Record<string, string> = {};
  for (const { dimension, id } of values) {
    if (dimension === 'day') span = { since: Date.parse(id), until: Date.parse(id) + DAY_MS };
    else chosen[dimension] = id;
  }
  if (Object.hasOwn(WITHOUT_CLIENT, chosen.client ?? client ?? '')) return figure(count);
  const to = callsAddress({
    partner,
    user,
    client,
    service,
    tool,
    outcome,
    ...chosen,
    span: Object.assign({ ...span }, withoutNulls({ realm: toRealm(realm) })),
  });
  return html`<a href="${to}">${figure(count)}</a>`;
}

function divideLink({ parameters }: UsageQuestion, { values: [value] }: UsageRow): HtmlValue {
  if (value === undefined || value.id in WITHOUT_CLIENT) return null;
  const { dimension, id } = value;
  const by = NEXT_DIMENSION[dimension];
  const chosen: Parameters = dimension === 'day' ? { from: id, to: id, days: null } : { [dimension]: id };
  return html`<a href="${address(PATH, { ...parameters, ...chosen, by })}">By ${by}</a>`;
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function milliseconds(value: number | null): string {
  return value === null ? '–' : `${figure(value)} ms`;
}
