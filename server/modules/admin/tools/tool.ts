/** One tool as agents see it, and a form that runs it as a user. */

import { originOf } from '../../../base/http/request-origin.ts';
import { alert, hidden } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { PageError } from '../../../base/pages/page-errors.ts';
import { WHOLE_PERMISSION } from '../../../base/principal/permission.ts';
import type { Principal } from '../../../base/principal/principal.ts';
import { SCOPES } from '../../../base/principal/scopes.ts';
import { listUsersOfService } from '../../../base/store/reports/user-search.ts';
import { recordAuditEvent } from '../../../base/store/repositories/audit-events.ts';
import { listConnections } from '../../../base/store/repositories/connections.ts';
import { findPartner, mayOffer } from '../../../base/store/repositories/partners.ts';
import { findUserById, type User } from '../../../base/store/repositories/users.ts';
import type { CatalogueEntry } from '../../../call/tools/catalogue/catalogue.ts';
import { isHandWritten, usedTools } from '../../../call/tools/catalogue/permitted.ts';
import { toPublished } from '../../../call/tools/catalogue/published.ts';
import { InvalidCallError, type ToolResult } from '../../../call/tools/provider.ts';
import { DASHBOARD_TOKEN_ID } from '../calls/call.ts';
import { callsAddress } from '../calls/search.ts';
import {
  ADMIN_PATH,
  type AdminDependencies,
  type AdminPage,
  type OperatorAction,
  type OperatorRequest,
} from '../request.ts';
import { badge, figure, selectField, textField, untrusted } from '../view/parts.ts';
import { argumentFields, exampleFields, readArguments, ToolFormError } from './tool-form.ts';
import { effect } from './tools.ts';

const MAX_USERS = 50;
const MAX_SHOWN_CHARACTERS = 60_000;

export async function showTool(request: OperatorRequest): Promise<AdminPage> {
  const { query } = request;
  const typed = exampleFields(entryOf(request).tool);
  return toolPage(request, { userId: query('user'), who: query('who'), typed, above: null, below: null });
}

/** Runs the tool as the chosen user, in the same way as an agent's call. */
export async function tryTool(action: OperatorAction): Promise<AdminPage> {
  const { deps, form, field, ctx, now } = action;
  const { tool } = entryOf(action);
  const [userId, who] = [field('user'), field('who')];
  const refuse = async (text: string) => {
    const above = alert('The tool was not run', text);
    return { ...(await toolPage(action, { userId, who, typed: form, above, below: null })), status: 400 };
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
  return toolPage(action, { userId, who, typed: form, above: null, below });
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

/** The user with every scope, and every service that is connected and offered. */
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
    text: 'The gateway serves no tool with this name.',
    advice: html`Choose one in the <a href="${ADMIN_PATH}/tools">catalogue</a>.`,
  });
}

/** The values of the form. */
interface Tried {
  readonly userId: string | null;
  /** Part of the user_id of the users to choose from; null: the newest users. */
  readonly who: string | null;
  readonly typed: URLSearchParams;
}

async function toolPage(
  request: OperatorRequest,
  shown: Tried & { above: Html | null; below: Html | null },
): Promise<AdminPage> {
  const { connector, tool } = entryOf(request);
  const requests = usedTools(connector, tool).map(({ operation }) => `${operation.method} ${operation.path}`);
  const content = html`<h1><code>${tool.name}</code></h1>
<p>${tool.title}. ${effect(tool)} ${connector.title}, ${isHandWritten(tool) ? 'hand-written over ' : null}<code>${requests.join(', ')}</code>
<a href="${callsAddress({ tool: tool.name })}">Its calls</a>.</p>
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

async function tryForm(request: OperatorRequest, { userId, who, typed }: Tried): Promise<Html> {
  const { deps, csrf } = request;
  const { connector, tool } = entryOf(request);
  const path = `${ADMIN_PATH}/tools/${tool.name}`;
  const users = await listUsersOfService(deps.db, connector.name, MAX_USERS + 1, who);
  const shown = users.slice(0, MAX_USERS);
  const chosen =
    userId === null || shown.some(({ id }) => id === userId) ? undefined : await findUserById(deps.db, userId);
  const others = chosen === undefined ? [] : [{ ...chosen, partnerName: await partnerNameOf(deps, chosen) }];
  const options = [...others, ...shown].map(
    ({ id, externalUserId, partnerName }) => [id, `${externalUserId} (${partnerName})`] as const,
  );
  if (options.length === 0 && who === null)
    return html`<p class="quiet">No user has connected ${connector.title} yet, so there is no one to run the tool as.</p>`;
  const more = users.length > MAX_USERS ? html`<p class="quiet">The ${MAX_USERS} newest users are listed.</p>` : null;
  return html`<form method="get" action="${path}" class="filters" role="search">
${textField({ name: 'who', label: 'user_id contains', value: who ?? '', maxLength: 512 })}
<button type="submit">Find users</button></form>
${
  options.length === 0
    ? html`<p class="quiet">No user whose user_id contains this has connected ${connector.title}.</p>`
    : html`${more}
<form method="post" action="${path}" class="card">${hidden('csrf', csrf)}${who === null ? null : hidden('who', who)}
<div class="field">${selectField({ name: 'user', label: 'As the user', value: userId ?? options[0]?.[0] ?? '', options })}</div>
${argumentFields(tool.inputSchema, typed)}
${
  tool.annotations.readOnlyHint
    ? null
    : html`<div class="check"><input type="checkbox" id="sure" name="sure" value="yes"><label for="sure">Yes, change data at ${connector.title} on behalf of this user</label></div>`
}
<div class="actions"><button type="submit" class="primary">Run tool</button></div></form>`
}`;
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
<div class="card"><p role="status">${failed ? badge('error', 'bad') : badge('ok', 'good')} after ${figure(tookMs)} ms, with the arguments ${untrusted(JSON.stringify(args), '{}')}</p>
<pre>${text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}\n... and ${figure(text.length - MAX_SHOWN_CHARACTERS)} characters more` : text}</pre></div>`;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
