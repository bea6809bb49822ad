/** Upstreams as the answering gateway sees them: which are refused, and how busy each is. */

import { hostname } from 'node:os';
import { html } from '../../base/pages/html.ts';
import type { CircuitFigures } from '../../call/upstream/circuits/index.ts';
import { describeFailure } from '../../call/upstream/circuits/report.ts';
import type { AdminPage, OperatorRequest } from './request.ts';
import { badge, distance, moment, table } from './view/parts.ts';

const STATES = {
  closed: { words: 'answers', kind: 'good' },
  'half-open': { words: 'being tried', kind: 'warn' },
  open: { words: 'refused', kind: 'bad' },
} as const;

export async function showUpstreams({ deps, now }: OperatorRequest): Promise<AdminPage> {
  const addressesOf = (service: string, origin: string) => {
    const urls = [...(deps.baseUrls.get(service)?.values() ?? [])].map((url) => new URL(url));
    // A query may hold a secret.
    const found = urls
      .filter((url) => url.origin === origin)
      .map((url) => `${origin}${url.pathname.replace(/\/$/, '')}`);
    // A service's authorization server has no base URL.
    return found.length === 0 ? [origin] : [...new Set(found)];
  };
  const titleOf = (service: string) => deps.catalogue.findConnector(service)?.title ?? service;
  const rows = deps.circuits
    .list()
    .toSorted((a, b) => rankOf(a) - rankOf(b) || a.service.localeCompare(b.service) || a.origin.localeCompare(b.origin))
    .map(({ service, origin, state, since, inFlight, waiting, lastFailure }) => [
      titleOf(service),
      html`${addressesOf(service, origin).map((url) => html`<code>${url}</code> `)}`,
      badge(STATES[state].words, STATES[state].kind),
      since === null ? '–' : moment(since),
      inFlight,
      waiting,
      lastFailure === null ? '–' : `${describeFailure(lastFailure)}, ${distance(lastFailure.at, now)}`,
    ]);
  const content = html`<h1>Upstreams</h1>
<p>As seen by <code>${hostname()}</code>, which served this page; each gateway finds out by itself. While an upstream fails calls of several users, the gateway
refuses its calls, and tries one every five seconds until it answers.</p>
${table(
  'Upstreams',
  [
    { name: 'Service' },
    { name: 'Base URL' },
    { name: 'State' },
    { name: 'Since (UTC)' },
    { name: 'Under way', kind: 'number' },
    { name: 'Waiting', kind: 'number' },
    { name: 'Last failure', kind: 'long' },
  ],
  rows,
  'No upstream has been called since this gateway started.',
)}`;
  return { title: 'Upstreams', section: '/upstreams', content };
}

function rankOf({ state }: CircuitFigures): number {
  return state === 'closed' ? 1 : 0;
}
