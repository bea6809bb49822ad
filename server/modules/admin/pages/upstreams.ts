/** Upstreams as the answering gateway sees them: those that are refused, and the load of each. */

import { hostname } from 'node:os';
import { ADMIN_PATH } from '../../../base/dashboard/pages.ts';
import { distance, moment, table } from '../../../base/dashboard/parts.ts';
import { badge } from '../../../base/pages/components.ts';
import { html } from '../../../base/pages/html.ts';
import type { CircuitFigures } from '../../../call/upstream/circuits.ts';
import { describeFailure } from '../../../call/upstream/circuits.ts';
import { type AdminContext, type AdminPage, titleOf } from '../context.ts';

const STATES = {
  closed: { words: 'answers', kind: 'good', rank: 1 },
  'half-open': { words: 'being tried', kind: 'warn', rank: 0 },
  open: { words: 'refused', kind: 'bad', rank: 0 },
} as const;

export const UPSTREAMS: AdminPage = {
  path: '/upstreams',
  async show({ deps, now }) {
    const content = html`<h1>Upstreams</h1>
<p>Seen from node <code>${hostname()}</code>. While an upstream fails calls of several users, the gateway
refuses its calls, and tries one every five seconds until it answers.</p>
${table(deps.circuits.list().toSorted(byStateAndName), {
  now,
  caption: 'Upstreams',
  columns: {
    Service: ({ service }) => titleOf(deps, service),
    'Base URL': (upstream) => baseUrlsOf(deps, upstream).map((url) => html`<code>${url}</code> `),
    State: ['state', ({ state }) => badge(STATES[state].words, STATES[state].kind)],
    Since: ({ since }) => (since === null ? '–' : moment(since)),
    'Under way': ['number', ({ inFlight }) => inFlight],
    Waiting: ['number', ({ waiting }) => waiting],
    'Last failure': [
      'long',
      ({ lastFailure }) =>
        lastFailure === null ? '–' : `${describeFailure(lastFailure)}, ${distance(lastFailure.at, now)}`,
    ],
  },
  empty: 'No upstream has been called since this gateway started',
  next: html`<a href="${ADMIN_PATH}/tools">Run a tool</a>, and its upstream is listed.`,
})}`;
    return { title: 'Upstreams', content };
  },
};

function baseUrlsOf({ baseUrls }: AdminContext, { service, origin }: CircuitFigures): readonly string[] {
  const urls = [...(baseUrls.get(service)?.values() ?? [])].map((url) => new URL(url));
  // A query may hold a secret.
  const originUrls = urls
    .filter((url) => url.origin === origin)
    .map((url) => `${origin}${url.pathname.replace(/\/$/, '')}`);
  // A service's authorization server has no base URL.
  return originUrls.length === 0 ? [origin] : [...new Set(originUrls)];
}

function byStateAndName(a: CircuitFigures, b: CircuitFigures): number {
  const rank = STATES[a.state].rank - STATES[b.state].rank;
  return rank || a.service.localeCompare(b.service) || a.origin.localeCompare(b.origin);
}
