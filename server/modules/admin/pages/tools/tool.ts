/** One tool as agents see it, and a form that runs it as a user. */

import { cardForm, checkbox, field } from '../../../../base/dashboard/forms.ts';
import { searchForm } from '../../../../base/dashboard/list.ts';
import { ADMIN_PATH, noSuchPage, type RenderedPage } from '../../../../base/dashboard/pages.ts';
import { figure, untrusted } from '../../../../base/dashboard/parts.ts';
import { alert, badge, hidden } from '../../../../base/pages/components.ts';
import { type Html, html } from '../../../../base/pages/html.ts';
import type { Principal } from '../../../../base/principal/principal.ts';
import { findNamedUser, listUsersOfService } from '../../../../base/store/reports/user-search.ts';
import { findUserById } from '../../../../base/store/repositories/users.ts';
import type { CatalogueEntry } from '../../../../call/tools/catalogue/catalogue.ts';
import { isHandWritten, usedTools } from '../../../../call/tools/catalogue/permitted.ts';
import { toPublished } from '../../../../call/tools/catalogue/published.ts';
import { effectBadge } from '../../../../call/tools/catalogue/tool-item.ts';
import { createFullAccessPrincipal } from '../../../../call/tools/full-access-principal.ts';
import {
  createOwnContext,
  InvalidCallError,
  type ShownRequest,
  type ToolResult,
} from '../../../../call/tools/provider.ts';
import {
  type AdminAction,
  type AdminContext,
  type AdminPage,
  type AdminRequest,
  moduleSectionsOf,
} from '../../context.ts';
import { ADMIN_EVENTS } from '../../events.ts';
import { callsAddress, DASHBOARD_TOKEN_ID } from '../links.ts';
import { limitsSection } from './limits.ts';
import { argumentFields, exampleFields, readArguments, ToolFormError } from './tool-form.ts';

const MAX_USERS = 50;
const MAX_SHOWN_CHARACTERS = 60_000;

export const TOOL: AdminPage<CatalogueEntry> = {
  path: '/tools/:name',
  section: '/tools',
  async find({ deps, params }) {
    const entry = deps.catalogue.find(params.name ?? '');
    if (entry !== undefined) return entry;
    const advice = html`Choose one in the <a href="${ADMIN_PATH}/tools">catalogue</a>.`;
    throw noSuchPage('tool', 'The gateway serves no tool with this name.', advice);
  },
  show: (request, entry) =>
    toolPage(request, entry, {
      userId: request.query('user'),
      who: request.query('who'),
      typed: request.query('values') === 'none' ? new URLSearchParams() : exampleFields(entry.tool),
      answer: null,
    }),
  actions: [{ path: '', run: tryTool }],
};

/** Runs the tool as the chosen user, in the same way as an agent's call, or shows the request that would be sent. */
async function tryTool(action: AdminAction, entry: CatalogueEntry): Promise<RenderedPage> {
  const { deps, form, field: fieldOf, event } = action;
  const { tool } = entry;
  const formState = { userId: fieldOf('user'), who: fieldOf('who'), typed: form };
  const refuse = async (text: string) => {
    const answer = alert('The tool was not run', text);
    return { ...(await toolPage(action, entry, { ...formState, answer })), status: 400 };
  };
  const user = formState.userId === null ? undefined : await findUserById(deps.db, formState.userId);
  if (user === undefined) return refuse('Choose a user first.');
  const isDryRun = fieldOf('do') === 'show';
  if (!isDryRun && !tool.annotations.readOnlyHint && fieldOf('sure') !== 'yes') {
    return refuse('This tool changes data at the service: tick the box that says so.');
  }
  let args: Record<string, unknown>;
  try {
    args = readArguments(tool.inputSchema, form);
  } catch (error) {
    if (!(error instanceof ToolFormError)) throw error;
    return refuse(error.message);
  }
  const { id: userId, partnerId } = user;
  const expiresAt = event.now + 60_000;
  const principal = await createFullAccessPrincipal(deps.db, user, {
    tokenId: DASHBOARD_TOKEN_ID,
    expiresAt,
    resource: deps.resource,
  });
  const startedAt = performance.now();
  const elapsedMs = () => Math.round(performance.now() - startedAt);
  if (isDryRun) {
    const { request, result } = await deps.tools.dryRun(principal, tool.name, args);
    const answer = request === null ? resultPart(result, elapsedMs(), args) : requestPart(request);
    return toolPage(action, entry, { ...formState, answer });
  }
  await ADMIN_EVENTS.emit(deps.db, { type: 'tool_tried', partnerId, userId, details: { tool: tool.name }, ...event });
  const result = await call(action, principal, tool.name, args);
  return toolPage(action, entry, { ...formState, answer: resultPart(result, elapsedMs(), args) });
}

async function call(
  { deps, ctx }: AdminAction,
  principal: Principal,
  name: string,
  args: Record<string, unknown>,
): Promise<ToolResult> {
  try {
    const { requestId } = ctx.state;
    return await deps.tools.call(principal, name, args, { ...createOwnContext(), era: '2025', requestId });
  } catch (error) {
    if (!(error instanceof InvalidCallError)) throw error;
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}

/** The values of the try-it form, and the answer to it. */
interface TryFormState {
  readonly userId: string | null;
  /** Part of the user_id of the users to choose from. Null for the newest users. */
  readonly who: string | null;
  readonly typed: URLSearchParams;
  /** A refusal or the result. Null before the form is sent. */
  readonly answer: Html | null;
}

async function toolPage(request: AdminRequest, entry: CatalogueEntry, formState: TryFormState): Promise<RenderedPage> {
  const { connector, tool } = entry;
  const requests = usedTools(connector, tool).map(({ operation }) => `${operation.method} ${operation.path}`);
  const content = html`<h1><code>${tool.name}</code></h1>
<p>${tool.title}. ${effectBadge(tool)} ${connector.title}, ${isHandWritten(tool) ? 'hand-written over ' : null}<code>${requests.join(', ')}</code>
<a href="${callsAddress({ tool: tool.name })}">Its calls</a>.</p>
${formState.answer}
${
  request.mayAct
    ? html`<h2>Try it</h2>
${await tryForm(request, entry, formState)}`
    : null
}
<h2>What agents read</h2>
<div class="card"><p>${tool.description}</p>
<details><summary>The tool as JSON</summary><pre>${JSON.stringify(toPublished(tool), null, 2)}</pre></details></div>
${await limitsSection(request, entry)}
${await moduleSectionsOf('tool', request, tool)}`;
  return { title: tool.name, content };
}

async function tryForm(
  request: AdminRequest,
  entry: CatalogueEntry,
  { userId, who, typed }: TryFormState,
): Promise<Html> {
  const { connector, tool } = entry;
  const path = `${ADMIN_PATH}/tools/${tool.name}`;
  const users = await listUsersOfService(request.deps.db, connector.name, MAX_USERS + 1, who);
  const options = await userChoices(request.deps, users.slice(0, MAX_USERS), userId);
  if (options.length === 0 && who === null)
    return html`<p class="quiet">No user has connected ${connector.title} yet, so there is no one to run the tool as.</p>`;
  const moreUsersNote =
    users.length > MAX_USERS ? html`<p class="quiet">The ${MAX_USERS} newest users are listed.</p>` : null;
  const sureCheckbox = checkbox('sure', `Yes, change data at ${connector.title} on behalf of this user`);
  return html`${searchForm(path, [{ name: 'who', label: 'user_id contains', value: who, maxLength: 512 }], { button: 'Find users' })}
${
  options.length === 0
    ? html`<p class="quiet">No user whose user_id contains this has connected ${connector.title}.</p>`
    : html`${moreUsersNote}
${cardForm(request, path, {
  content: html`${who === null ? null : hidden('who', who)}
<div class="field">${field({ name: 'user', label: 'As the user', value: userId ?? options[0]?.[0] ?? '', options })}</div>
${argumentFields(tool.inputSchema, typed)}
${tool.annotations.readOnlyHint ? null : sureCheckbox}`,
  button: 'Run tool',
  kind: 'primary',
  second: { label: 'Show the request', name: 'do', value: 'show' },
})}`
}`;
}

/** Returns the listed users and the chosen user as choices. */
async function userChoices(
  { db }: AdminContext,
  listed: Awaited<ReturnType<typeof listUsersOfService>>,
  userId: string | null,
) {
  const isListed = userId === null || listed.some(({ id }) => id === userId);
  const chosen = isListed ? undefined : await findNamedUser(db, userId);
  const users = chosen === undefined ? listed : [chosen, ...listed];
  return users.map((user) => {
    const partner = user.testOf === null ? user.partnerName : `${user.partnerName}, test`;
    return [user.id, `${user.externalUserId} (${partner})`] as const;
  });
}

function resultPart(result: ToolResult, tookMs: number, args: Record<string, unknown>): Html {
  if (result.resultType === 'input_required') return html`<h2>Result</h2><pre>${JSON.stringify(result, null, 2)}</pre>`;
  const failed = result.isError === true;
  const text = result.content
    .map((block) => (typeof block.text === 'string' ? prettyJson(block.text) : `[${block.type}]`))
    .join('\n\n');
  return html`<h2 id="result">Result</h2>
<div class="card"><p role="status">${failed ? badge('error', 'bad') : badge('ok', 'good')} after ${figure(tookMs)} ms, with the arguments ${untrusted(JSON.stringify(args), '{}')}</p>
<pre>${text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}\n... and ${figure(text.length - MAX_SHOWN_CHARACTERS)} characters more` : text}</pre></div>`;
}

function requestPart({ method, url, headers, body }: ShownRequest): Html {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
  const content = body?.text ?? (body === null ? '' : `(${figure(body.bytes)} bytes of ${body.mediaType})`);
  return html`<h2 id="result">Request</h2>
<div class="card"><p role="status">Running the tool would send this request first. Nothing was sent.</p>
<pre>${`${method} ${url}\n${lines.join('')}\n${content}`}</pre></div>`;
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
