/** One tool as agents see it, and a form that runs it as a user. */

import { originOf } from '../../http/request-origin.ts';
import { alert, hidden } from '../../pages/components.ts';
import { type Html, html } from '../../pages/html.ts';
import { PageError } from '../../pages/page-errors.ts';
import { WHOLE_PERMISSION } from '../../principal/permission.ts';
import type { Principal } from '../../principal/principal.ts';
import { SCOPES } from '../../principal/scopes.ts';
import { listUsersOfService } from '../../store/reports/user-search.ts';
import { recordAuditEvent } from '../../store/repositories/audit-events.ts';
import { listConnections } from '../../store/repositories/connections.ts';
import { findPartner, mayOffer } from '../../store/repositories/partners.ts';
import { findUserById, type User } from '../../store/repositories/users.ts';
import { type CatalogueEntry, toPublished } from '../../tools/catalogue/catalogue.ts';
import { isHandWritten, usedTools } from '../../tools/catalogue/hand-written.ts';
import { InvalidCallError, type ToolResult } from '../../tools/provider.ts';
import {
  ADMIN_PATH,
  type AdminDependencies,
  type AdminPage,
  type OperatorAction,
  type OperatorRequest,
} from '../request.ts';
import { badge, selectField, untrusted } from '../view/parts.ts';
import { argumentFields, readArguments, ToolFormError } from './tool-form.ts';
import { effect } from './tools.ts';

const MAX_USERS = 200;
const MAX_SHOWN_CHARACTERS = 60_000;

/** What the operator's calls carry in call records in place of a token's id. */
const DASHBOARD_TOKEN_ID = 'dashboard';

const NO_FIELDS = new URLSearchParams();

export async function showTool(request: OperatorRequest): Promise<AdminPage> {
  return toolPage(request, { userId: request.query('user'), typed: NO_FIELDS, above: null, below: null });
}

/** Runs the tool as the chosen user, through the same path as an agent's call. */
export async function tryTool(action: OperatorAction): Promise<AdminPage> {
  const { deps, form, field, ctx, now } = action;
  const { tool } = entryOf(action);
  const userId = field('user');
  const refuse = async (text: string) => {
    const above = alert('The tool was not run', text);
    return { ...(await toolPage(action, { userId, typed: form, above, below: null })), status: 400 };
  };
  const user = userId === null ? undefined : await findUserById(deps.db, userId);
  if (user === undefined) return refuse('Choose a user first.');
  if (!tool.annotations.readOnlyHint && field('sure') !== 'yes') {
    return refuse('This tool changes data at the service: tick the box that says so.');
  }
  let args: Record<string, unknown>;
  try {
    args = readArguments(tool.inputSchema, form);
  } catch (error) {
    if (!(error instanceof ToolFormError)) throw error;
    return refuse(error.message);
  }
  const of = { partnerId: user.partnerId, userId: user.id, details: { tool: tool.name } };
  await recordAuditEvent(deps.db, { type: 'tool_tried', now, ...of, ...originOf(ctx) });
  const started = performance.now();
  const result = await call(deps, user, tool.name, args, action);
  const below = resultPart(result, Math.round(performance.now() - started), args);
  return toolPage(action, { userId, typed: form, above: null, below });
}

async function call(
  deps: AdminDependencies,
  user: User,
  name: string,
  args: Record<string, unknown>,
  { ctx, now }: OperatorAction,
): Promise<ToolResult> {
  try {
    return await deps.tools.call(await toPrincipal(deps, user, now), name, args, {
      era: '2025',
      signal: new AbortController().signal,
      requestId: ctx.state.requestId,
      clientCapabilities: {},
      meta: {},
      inputResponses: {},
      requestState: null,
      waitSeconds: null,
    });
  } catch (error) {
    if (!(error instanceof InvalidCallError)) throw error;
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}

/** The user with every scope and everything that is connected and offered. */
async function toPrincipal(deps: AdminDependencies, user: User, now: number): Promise<Principal> {
  const partner = await findPartner(deps.db, user.partnerId);
  if (partner === undefined) throw new Error('the partner of a user is not there');
  const connected = await listConnections(deps.db, user.id);
  const connections = connected.filter(({ service }) => mayOffer(partner, service));
  return {
    tokenId: DASHBOARD_TOKEN_ID,
    grantId: null,
    clientId: null,
    permission: WHOLE_PERMISSION,
    partnerId: user.partnerId,
    userId: user.id,
    externalUserId: user.externalUserId,
    scopes: SCOPES,
    connections: new Map(connections.map((connection) => [connection.service, connection])),
    services: connections.map(({ service }) => service),
    connectUri: null,
    partnerName: partner.name,
    offered: partner.services,
    isSuspended: partner.suspendedAt !== null,
    expiresAt: now + 60_000,
    resource: deps.resource,
  };
}

function entryOf({ deps, params }: OperatorRequest): CatalogueEntry {
  const entry = deps.catalogue.find(params.name ?? '');
  if (entry !== undefined) return entry;
  throw new PageError(404, {
    title: 'No such tool',
    text: 'The gateway serves no tool of this name.',
    advice: 'Choose one in the catalogue.',
  });
}

async function toolPage(
  request: OperatorRequest,
  shown: { userId: string | null; typed: URLSearchParams; above: Html | null; below: Html | null },
): Promise<AdminPage> {
  const { connector, tool } = entryOf(request);
  const requests = usedTools(connector, tool).map(({ operation }) => `${operation.method} ${operation.path}`);
  const content = html`<h1><code>${tool.name}</code></h1>
<p>${tool.title}. ${effect(tool)} ${connector.title}, ${isHandWritten(tool) ? 'hand-written over ' : null}<code>${requests.join(', ')}</code></p>
${shown.above}
${shown.below}
${
  request.mayAct
    ? html`<h2>Try it</h2>
${await tryForm(request, shown)}`
    : null
}
<h2>What agents read</h2>
<div class="card"><p>${tool.description}</p>
<details><summary>The tool as JSON</summary><pre>${JSON.stringify(toPublished(tool), null, 2)}</pre></details></div>`;
  return { title: tool.name, section: '/tools', content };
}

async function tryForm(
  request: OperatorRequest,
  { userId, typed }: { userId: string | null; typed: URLSearchParams },
): Promise<Html> {
  const { deps, csrf } = request;
  const { connector, tool } = entryOf(request);
  const users = await listUsersOfService(deps.db, connector.name, MAX_USERS);
  const chosen =
    userId === null || users.some(({ id }) => id === userId) ? undefined : await findUserById(deps.db, userId);
  const others = chosen === undefined ? [] : [{ ...chosen, partnerName: await partnerNameOf(deps, chosen) }];
  const options = [...others, ...users].map(
    ({ id, externalUserId, partnerName }) => [id, `${externalUserId} (${partnerName})`] as const,
  );
  if (options.length === 0)
    return html`<p class="quiet">Nobody has connected ${connector.title} yet, so there is nobody to run it as.</p>`;
  return html`<form method="post" action="${ADMIN_PATH}/tools/${tool.name}" class="card">${hidden('csrf', csrf)}
<div class="field">${selectField({ name: 'user', label: 'As the user', value: userId ?? options[0]?.[0] ?? '', options })}</div>
${argumentFields(tool.inputSchema, typed)}
${
  tool.annotations.readOnlyHint
    ? null
    : html`<div class="check"><input type="checkbox" id="sure" name="sure" value="yes"><label for="sure">Yes, change data at ${connector.title} in this user's name</label></div>`
}
<div class="actions"><button type="submit" class="primary">Run tool</button></div></form>`;
}

async function partnerNameOf(deps: AdminDependencies, user: User): Promise<string> {
  return (await findPartner(deps.db, user.partnerId))?.name ?? '';
}

function resultPart(result: ToolResult, tookMs: number, args: Record<string, unknown>): Html {
  if (result.resultType === 'input_required') return html`<h2>Result</h2><pre>${JSON.stringify(result, null, 2)}</pre>`;
  const failed = result.isError === true;
  const text = result.content
    .map((block) => (typeof block.text === 'string' ? pretty(block.text) : `[${block.type}]`))
    .join('\n\n');
  return html`<h2 id="result">Result</h2>
<div class="card"><p role="status">${failed ? badge('error', 'bad') : badge('ok', 'good')} after ${tookMs} ms, with the arguments ${untrusted(JSON.stringify(args), '{}')}</p>
<pre>${text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}\n... and ${text.length - MAX_SHOWN_CHARACTERS} characters more` : text}</pre></div>`;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
