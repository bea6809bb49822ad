/** Shows at a glance why clients of a user have tools or none: the reason for one tool of each connected service. */

import { untrusted } from '../../../base/dashboard/parts.ts';
import { badge } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { listUnredeemedServices } from '../../../base/store/reports/user-search.ts';
import type { Partner } from '../../../base/store/repositories/partners.ts';
import type { User } from '../../../base/store/repositories/users.ts';
import type { AccessExplanation } from '../../../call/tools/why.ts';
import { type AdminRequest, titleOf } from '../context.ts';

/** Reasons with which the client has the tool. */
const GOOD: readonly AccessExplanation['reason'][] = ['ok', 'pinned', 'approval', 'not_listed'];

/** Reasons that the user or the connection code chose. */
const CHOSEN: readonly AccessExplanation['reason'][] = [
  'narrowed',
  'allowance',
  'frozen',
  'destructive',
  'left_out',
  'unpinnable',
  'insufficient_scope',
];

const WORDS = { bad: 'cause', warn: 'note', good: 'fine' } as const;

interface Finding {
  readonly kind: keyof typeof WORDS;
  readonly text: Html | string;
}

/** An account of a service that the user may use: an own connection, or one that a team shares. */
interface Account {
  readonly service: string;
}

/** Explains why clients have tools or none. Causes come first, then notes, then the tools that work. */
export async function explainTools(
  request: AdminRequest,
  user: User,
  { partner, accounts }: { readonly partner: Partner; readonly accounts: readonly Account[] },
): Promise<Html> {
  const findings: Finding[] = [
    ...(await aboutServices(request, user, accounts)),
    ...(await aboutClients(request, user, accounts)),
  ];
  if (partner.suspendedAt !== null) {
    findings.unshift({ kind: 'bad', text: 'The partner is suspended: every request of its users is refused.' });
  }
  const kinds = Object.keys(WORDS);
  const sorted = findings.toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
  return html`<div class="card"><ul class="plain-list">${sorted.map(
    ({ kind, text }) => html`<li>${badge(WORDS[kind], kind)} ${text}</li>`,
  )}</ul></div>`;
}

/** Returns the findings about services that no client can use yet, or can no longer use. */
async function aboutServices({ deps }: AdminRequest, user: User, accounts: readonly Account[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const service of await listUnredeemedServices(deps.db, user)) {
    findings.push({
      kind: accounts.some((account) => account.service === service) ? 'warn' : 'bad',
      text: `The user completed a connect flow for ${titleOf(deps, service)}, but the partner has not exchanged its code at POST /api/oauth/token. Until it does, the connection is not used.`,
    });
  }
  if (accounts.length === 0) {
    findings.push({ kind: 'bad', text: 'No service is connected, so every list of tools is empty.' });
  }
  for (const { service } of accounts) {
    if (deps.catalogue.findConnector(service) === undefined) {
      findings.push({ kind: 'bad', text: `${service} is connected, but this gateway has no connector of that name.` });
    }
  }
  return findings;
}

/** Returns the findings about one tool of each connected service. Tools with the same finding for a client share a line. */
async function aboutClients({ deps }: AdminRequest, user: User, accounts: readonly Account[]): Promise<Finding[]> {
  const answers = new Map<string, { readonly why: AccessExplanation; readonly tools: string[] }>();
  for (const service of new Set(accounts.map((account) => account.service))) {
    const tool = toolToAskAbout(deps, service);
    if (tool === undefined) continue;
    for (const why of await deps.findWhy(user, { tool, client: null })) {
      const key = JSON.stringify([why.client, why.reason, why.text]);
      const answer = answers.get(key) ?? { why, tools: [] };
      answer.tools.push(tool);
      answers.set(key, answer);
    }
  }
  return [...answers.values()].map(({ why: { client, reason, text, fix }, tools }) => ({
    kind: kindOf(reason),
    text: html`${untrusted(client)}: ${text}${fix === '' ? null : ` ${fix}`} <small><code>${tools.join(', ')}</code></small>`,
  }));
}

/** Chooses a tool that reads if there is one, so that a client that may only read is not a finding. */
function toolToAskAbout({ catalogue }: AdminRequest['deps'], service: string): string | undefined {
  const connector = catalogue.findConnector(service);
  const tools = connector === undefined ? [] : catalogue.toolsOf(connector);
  return (tools.find(({ annotations }) => annotations.readOnlyHint) ?? tools[0])?.name;
}

function kindOf(reason: AccessExplanation['reason']): Finding['kind'] {
  if (GOOD.includes(reason)) return 'good';
  return CHOSEN.includes(reason) ? 'warn' : 'bad';
}
