/**
 * Pages and documents for everybody. This file has the landing page and the page at the MCP address, which describe the gateway and the steps to add
 * it to a client.
 */

import Router from '@koa/router';
import { createAddressLimiter, rateLimit } from '../../base/http/caller-limits.ts';
import type { GatewayContext, RequestState } from '../../base/http/state.ts';
import { serviceMarkOf } from '../../base/pages/brand.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { type Layout, sendPage } from '../../base/pages/page.ts';
import { CLIENTS, type ClientInstructions, type TriedClient, toTokenConfiguration } from './clients.ts';
import type { LandingContext } from './context.ts';
import { API_PATH, createApiDescriptionRouter, createLlmsTxtRouter, EXPLORER_PATH, LLMS_PATH } from './documents.ts';
import { createToolPagesRouter } from './tools/index.ts';
import { describeTools, servicePath, TOOLS_PATH } from './tools/parts.ts';

const KINDS: readonly ClientInstructions['kind'][] = ['Chat', 'Editor', 'Terminal', 'Your own'];

/** Returns all routes, in matching order. */
export function createLandingRoutes(context: LandingContext): Router<RequestState>[] {
  const routers = [
    createLimitRouter(context),
    createApiDescriptionRouter(context.publicUrl),
    createLlmsTxtRouter(context),
    createLandingRouter(context),
  ];
  if (context.hasToolPages) routers.push(createToolPagesRouter(context));
  return routers;
}

/** Requests of one address per minute for public content that is the same for everybody. */
const REQUESTS_PER_MINUTE = 240;

function createLimitRouter({ endpoint, limits }: LandingContext): Router<RequestState> {
  const rule = { name: 'public-pages', points: REQUESTS_PER_MINUTE, durationSeconds: 60 };
  const limit = rateLimit(createAddressLimiter(limits.reconciled, rule), (ctx) => ctx.ip);
  const router = new Router<RequestState>();
  for (const path of ['/', API_PATH, LLMS_PATH, new URL(endpoint).pathname]) router.get(path, limit);
  return router;
}

/**
 * Creates the routes. The pages are the same for everyone.
 *
 * At the MCP address, status and `WWW-Authenticate` are those of any request without credentials, so that a client whose
 * HTTP library accepts HTML can still find out how to sign in.
 */
function createLandingRouter(facts: LandingContext): Router<RequestState> {
  const { endpoint } = facts;
  const landing = landingContent(facts);
  const address = addressContent(endpoint);
  const router = new Router<RequestState>();
  router.get('/', (ctx) => {
    sendPage(ctx as GatewayContext, 200, { title: 'Tools for your agent', content: landing, layout: LAYOUT });
  });
  router.get(new URL(endpoint).pathname, (ctx) => {
    const challenge = facts.challenge(ctx.host);
    ctx.set(challenge.headers);
    sendPage(ctx as GatewayContext, challenge.status, {
      title: 'An address for MCP clients',
      content: address,
      layout: LAYOUT,
    });
  });
  return router;
}

function landingContent({ endpoint, catalogue, hasToolPages, hasExplorer }: LandingContext): Html {
  const { connectors, toolsOf } = catalogue;
  const byTitle = connectors.toSorted((a, b) => a.title.localeCompare(b.title, 'en'));
  return html`<h1>Your services, as tools for your agent</h1>
<p>One address gives your MCP client the tools of all services that you have connected:</p>
${textToCopy('the address', endpoint)}
<h2>Services</h2>
<p class="quiet">Your client sees the tools of the services that you have connected.${hasToolPages ? html` <a href="${TOOLS_PATH}">Read and search all tools</a>.` : null}</p>
<ul class="list tiled">${byTitle.map((connector) => {
    const { name, title, description } = connector;
    const titleHtml = hasToolPages ? html`<a href="${servicePath(name)}">${title}</a>` : title;
    return html`<li class="service">${serviceMarkOf(connector)}<div><strong>${titleHtml}</strong> <span class="quiet">${describeTools(toolsOf(connector))}</span><small>${description}</small></div></li>`;
  })}</ul>
<h2>Get started</h2>
<ol>
<li>Connect your services in the application that sent you here.</li>
<li>Add the address above to your MCP client, as below.</li>
<li>Your client opens a page of this gateway that asks for a connection code. Your application shows you one; it is valid for 10 minutes.</li>
<li>Choose what the client may do: which services, which tools, or only reading. Then allow it.</li>
</ol>
${clientTabs(endpoint)}
<h2>With a token instead</h2>
<p>If someone gave you an access token, most clients accept it in their configuration. It expires after an hour, so this is for trying things out.</p>
${textToCopy('the configuration with a token', toTokenConfiguration(endpoint))}
${hasExplorer ? html`<p class="quiet">For developers of applications: <a href="${EXPLORER_PATH}">read and try the HTTP API</a>.</p>` : null}`;
}

function addressContent(endpoint: string): Html {
  return html`<h1>This address is for MCP clients</h1>
<p>It is not for browsers. Add it to an MCP client: an assistant, an editor or an agent. The client then opens a page that asks for the connection code that your application shows you.</p>
${textToCopy('the address', endpoint)}
<p><a href="/">What this gateway is, and which services it has</a></p>
${clientTabs(endpoint)}`;
}

/** A tab for each client: a radio button, whose label is the tab and comes right before its panel. The style sheet shows the panel of the chosen one. */
function clientTabs(endpoint: string): Html {
  const [first] = CLIENTS;
  return html`<h2 id="clients">Add it to a client</h2>
<p class="quiet">Each entry says whether it was tested with this gateway or follows the client’s documentation.</p>
<div class="tabs" role="radiogroup" aria-labelledby="clients">${KINDS.map(
    (kind) => html`<p class="kind">${kind}</p>
${CLIENTS.filter((client) => client.kind === kind).map((client) => clientTab(client, { endpoint, isChosen: client === first }))}`,
  )}</div>`;
}

function clientTab(
  client: ClientInstructions,
  { endpoint, isChosen }: { readonly endpoint: string; readonly isChosen: boolean },
): Html {
  const { links = [] } = client;
  const id = `client-${client.name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`;
  return html`<input type="radio" name="client" id="${id}"${isChosen ? html` checked` : null}><label for="${id}">${client.name}</label>
<div class="panel">
${links.length === 0 ? null : html`<p>${links.map(({ label, href }) => html`<a class="button install" href="${href(endpoint)}">${label}</a>`)}</p>`}
<p>${client.where}</p>
${textToCopy(`the text for ${client.name}`, client.text(endpoint))}
<p class="quiet">${triedPart(client.tried)} <a href="${client.documentation}">Its documentation<span class="unseen"> (${client.name})</span></a></p>
</div>
`;
}

function triedPart(tried: readonly TriedClient[]): string {
  if (tried.length === 0) return 'Not tested: written from its documentation.';
  return `Tested: signing in and listing tools, with ${tried.map((client) => `${client.package} ${client.version}`).join(' and ')}.`;
}

/** A text to which the layout's script adds a copy button. */
function textToCopy(label: string, text: string): Html {
  return html`<pre tabindex="0" role="group" aria-label="${label}">${text}</pre>`;
}

/** Adds a button to every text to copy. Without a script there is no button, and the text can be selected. */
const SCRIPT = `
const status = document.getElementById('copied');
for (const text of document.querySelectorAll('pre')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', 'Copy ' + text.getAttribute('aria-label'));
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      status.textContent = button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(text);
      status.textContent = button.textContent = 'Selected: copy it with the keyboard';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 3000);
  });
  text.after(button);
}
`;

const LAYOUT: Layout = {
  name: 'document',
  script: SCRIPT,
  frame: (content) => html`<main>
${content}
</main>
<p id="copied" class="unseen" role="status"></p>
<footer>Unified Tool Gateway</footer>`,
};
