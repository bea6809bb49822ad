/** The landing page: what this is, and how to add it to an MCP client. */

import Router from '@koa/router';
import type { Connector } from '../contract/index.ts';
import type { GatewayContext, RequestState } from '../http/state.ts';
import { type Html, html } from '../pages/html.ts';
import { sendPage } from '../pages/page.ts';
import { CLIENTS, type ClientInstructions, toTokenConfiguration } from './clients.ts';
import { LANDING_LAYOUT } from './layout.ts';

/** What the page says. */
interface LandingFacts {
  /** Address of the MCP endpoint. */
  readonly endpoint: string;
  readonly connectors: readonly Connector[];
}

/** Creates the route. The page is the same for everybody. */
export function createLandingRouter(facts: LandingFacts): Router<RequestState> {
  const content = landingContent(facts);
  const router = new Router<RequestState>();
  router.get('/', (ctx) => {
    sendPage(ctx as GatewayContext, 200, { title: 'Tools for your agent', content, layout: LANDING_LAYOUT });
  });
  return router;
}

function landingContent({ endpoint, connectors }: LandingFacts): Html {
  return html`<h1>Your services, as tools for your agent</h1>
<p>This gateway gives an MCP client the tools of the services that you have connected, at one address:</p>
<pre>${endpoint}</pre>
<h2>Get started</h2>
<ol>
<li>Connect your services in the application that sent you here.</li>
<li>Add the address above to your MCP client, as below.</li>
<li>Your client opens a page of this gateway that asks for a connection code. Your application shows you one; it is valid for 10 minutes.</li>
<li>Read what the client would be allowed, and allow it: everything, or reading only.</li>
</ol>
<h2>Add it to a client</h2>
<p class="quiet">Each one says whether it was tried against this gateway, or is written from its documentation.</p>
${CLIENTS.map((client) => clientPart(client, endpoint))}
<h2>With a token instead</h2>
<p>Where somebody gave you an access token, most clients take it in their configuration. A token expires after an hour, so this is for trying things out.</p>
<pre>${toTokenConfiguration(endpoint)}</pre>
<h2>Services</h2>
<p class="quiet">What you see of them depends on what you have connected.</p>
<dl>${connectors.map(
    ({ title, description, tools }) => html`<div><dt>${title}, ${tools.length} tools</dt><dd>${description}</dd></div>`,
  )}</dl>`;
}

function clientPart(client: ClientInstructions, endpoint: string): Html {
  return html`<section><h3>${client.name}</h3>
<p>${client.where}</p>
<pre>${client.text(endpoint)}</pre>
<p class="quiet">${client.tried}</p></section>`;
}
