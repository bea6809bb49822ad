/** The page at the sandbox's root: its services, the latest requests, and a form for planning faults. */

import { escapeHtml, type PlainAnswer, POLICY, toPage } from './http.ts';
import type { MisbehaviourPlan, PlannedFailure } from './misbehaviour.ts';
import type { RecordedRequest, RequestLog } from './request-log.ts';
import type { SandboxService } from './service.ts';

interface PageFacts {
  readonly services: ReadonlyMap<string, SandboxService>;
  readonly plan: MisbehaviourPlan;
  readonly log: RequestLog;
}

/** The choices in the form. */
const FAULTS = {
  'rate-limited': 'too many requests (429)',
  'server-error': 'a server error (500)',
  unavailable: 'unavailable (503)',
  slow: 'slow: answers after five seconds',
  'broken-json': 'an answer that is cut off',
  'dropped-connection': 'no answer: the connection drops',
  'expired-credential': 'the credential was revoked or has expired (401)',
} as const;

const TIMES = { 1: 'the next call', 5: 'the next five calls', 1000000: 'every call, until you clear it' };
const SLOW_MS = 5000;
const OWN_FORMS = { 'content-security-policy': `${POLICY}; form-action 'self'` };
const SHOWN_REQUESTS = 50;
const MAX_SHOWN_CHARACTERS = 200;

/** Plans the fault of the form (`fault`, `service`, `times`), or clears it (`fault=none`), and redirects to the page. */
export function planFault(form: URLSearchParams, { services, plan }: PageFacts): PlainAnswer {
  const fault = form.get('fault') ?? '';
  const service = form.get('service') || null;
  const times = Number(form.get('times') ?? 1);
  if (fault === 'none') {
    plan.clear(service ?? undefined);
    return backToPage();
  }
  const chosenServices = [...services].filter(([name]) => name === (service ?? name));
  if (!Object.hasOwn(FAULTS, fault) || !Object.hasOwn(TIMES, times) || chosenServices.length === 0) {
    return toPage(
      400,
      'Sandbox',
      '<h1>There is no such fault, service or number of calls</h1><p><a href="/">Back</a></p>',
    );
  }
  for (const [name, { oauth }] of chosenServices) {
    const kind = fault as keyof typeof FAULTS;
    if (kind !== 'expired-credential') plan.add({ kind, service: name, times, delayMs: SLOW_MS });
    // Expiring access tokens is not enough: the gateway would refresh them. Only a revoked grant needs the user.
    else if (oauth !== null) oauth.revokeGrants();
    else plan.add({ kind: 'unauthorized', service: name, times });
  }
  return backToPage({ service: service ?? '', fault, times: String(times) });
}

/** @param chosen the last submitted fields (`service`, `fault`, `times`). */
export function showPage({ services, plan, log }: PageFacts, chosen: URLSearchParams): PlainAnswer {
  const names = [...services.keys()];
  const rows = [...services].map(([name, { title, descriptor, oauth }]) => {
    const credentialType = oauth === null ? 'API key' : 'OAuth 2.0';
    return `<tr><td><code>/${name}</code></td><td>${escapeHtml(title)}</td><td>${descriptor.operations.length}</td><td>${credentialType}</td></tr>`;
  });
  return toPage(
    200,
    'Sandbox',
    `<h1>Sandbox</h1>
<p>It stands in for real services: each answers as its description says, and nothing leaves this machine.</p>
<h2>Services</h2>
<table><thead><tr><th>Path</th><th>Service</th><th>Operations</th><th>Credential</th></tr></thead><tbody>${rows.join('')}</tbody></table>
<h2>Make a service fail</h2>
<form method="post" action="/__sandbox/fault">
<label>Service ${select('service', { '': 'all of them', ...Object.fromEntries(names.map((name) => [name, name])) }, chosen)}</label>
<label>What happens ${select('fault', FAULTS, chosen)}</label>
<label>How often ${select('times', TIMES, chosen)}</label>
<button>Make it fail</button>
</form>
${plannedList(plan.planned)}
<h2>Latest requests</h2>
<p><a href="">Reload</a></p>
${requestList(log.requests)}`,
    OWN_FORMS,
  );
}

function select(name: string, options: Readonly<Record<string, string>>, chosen: URLSearchParams): string {
  const items = Object.entries(options).map(
    ([value, text]) =>
      `<option value="${value}"${chosen.get(name) === value ? ' selected' : ''}>${escapeHtml(text)}</option>`,
  );
  return `<select name="${name}">${items.join('')}</select>`;
}

function plannedList(failures: readonly PlannedFailure[]): string {
  if (failures.length === 0) return '<p>No failure is planned.</p>';
  const items = failures.map(
    ({ kind, service = 'any service', callsLeft: left }) =>
      `<li>${escapeHtml(service)}: ${kind}, ${left.toLocaleString('en')} to go</li>`,
  );
  return `<p>Planned:</p><ul>${items.join('')}</ul>
<form method="post" action="/__sandbox/fault"><button name="fault" value="none">Clear them</button></form>`;
}

function requestList(all: readonly RecordedRequest[]): string {
  if (all.length === 0) return '<p>None yet.</p>';
  const items = all
    .slice(-SHOWN_REQUESTS)
    .reverse()
    .map(({ method, url, status, body }) => {
      const bodyHtml = body === '' ? '' : `<pre tabindex="0">${escapeHtml(shorten(body))}</pre>`;
      return `<li><code>${escapeHtml(`${method} ${shorten(url)}`)}</code> <strong>${status ?? 'under way'}</strong>${bodyHtml}</li>`;
    });
  return `<ol reversed>${items.join('')}</ol>`;
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}...` : text;
}

/** @param fields the fields of the form, which the page shows again. */
function backToPage(fields: Readonly<Record<string, string>> = {}): PlainAnswer {
  const query = new URLSearchParams(fields);
  return { status: 303, headers: { location: query.size === 0 ? '/' : `/?${query}` }, body: Buffer.alloc(0) };
}
