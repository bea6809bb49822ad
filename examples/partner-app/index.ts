/** A small partner application: its users connect services, ask an assistant, get connection codes, and see events. Start reading here. */

import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createPartnerClient, PartnerApiError } from '../../packages/partner/index.ts';
import { ask, continueSignIn, showAssistant, startSignIn } from './assistant.ts';
import { BROWSER_SCRIPT } from './browser-script.ts';
import { getCode, openOwnPage, revoke, showClients } from './clients.ts';
import { beginConnect, breakCredential, callService, disconnect, finishConnect, finishPopup } from './connect.ts';
import { listServices, showActivity, showEvents, showHome } from './home.ts';
import { CONNECT_FIRST, problem, redirect, sendNothing, sendPage, signInPage } from './page.ts';
import { createSessions } from './sessions.ts';
import type { App, PartnerAppOptions, Visit } from './visit.ts';
import { createWebhooks } from './webhooks.ts';

export interface PartnerApp {
  readonly origin: string;
  close(): Promise<void>;
}

const ROUTES: Readonly<Record<string, (visit: Visit) => Promise<void> | void>> = {
  'GET /': showHome,
  'GET /activity': showActivity,
  'GET /events': showEvents,
  'POST /connect': beginConnect,
  'POST /connected-in-popup': finishPopup,
  'GET /connected': finishConnect,
  'POST /disconnect': disconnect,
  'POST /call': callService,
  'POST /break': breakCredential,
  'GET /clients': showClients,
  'POST /code': getCode,
  'POST /revoke': revoke,
  'POST /own-page': openOwnPage,
  'POST /client': startSignIn,
  'GET /client': showAssistant,
  'GET /client/callback': continueSignIn,
  'POST /ask': ask,
};

/** Starts the application and registers its webhook endpoint. @throws {PartnerApiError} if the gateway rejects the credentials. */
export async function startPartnerApp({ port, clientSecret, ...options }: PartnerAppOptions): Promise<PartnerApp> {
  const origin = `http://127.0.0.1:${port}`;
  const partner = createPartnerClient(options.gateway, { clientId: options.clientId, clientSecret });
  const webhooks = await createWebhooks(partner, `${origin}/webhooks`);
  const services = await listServices(partner);
  const titles = new Map(services.map(({ service, title }) => [service, title]));
  const toolTitles = new Map(services.flatMap(({ tools }) => tools.map(({ name, title }) => [name, title])));
  const titleOf = (service: string): string => titles.get(service) ?? service;
  const toolTitleOf = (tool: string): string => toolTitles.get(tool) ?? tool;
  const app: App = { ...options, origin, partner, webhooks, titleOf, toolTitleOf, tokens: new Map() };
  const sessions = createSessions();
  const style = await readFile(new URL('./style.css', import.meta.url));
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (!response.headersSent)
        sendPage({ app, response, session: null, url: null }, 'That did not work', problem(sentenceOf(error)), 502);
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', origin);
    const route = `${request.method} ${url.pathname}`;
    const body = await readBody(request);
    if (route === 'POST /webhooks') return sendNothing(response, webhooks.receive(body, request.headers) ? 204 : 400);
    if (route === 'GET /style.css') return void response.setHeader('Content-Type', 'text/css').end(style);
    if (route === 'GET /app.js') return void response.setHeader('Content-Type', 'text/javascript').end(BROWSER_SCRIPT);
    // Cookies do not distinguish ports, so only forms on this application's own pages may change anything.
    if (request.headers.host !== new URL(origin).host) {
      return request.method === 'GET' ? redirect(response, origin) : sendNothing(response, 421);
    }
    if (request.method === 'POST' && request.headers.origin !== origin) return sendNothing(response, 403);

    const form = new URLSearchParams(body);
    if (route === 'POST /sign-in') {
      response.setHeader('Set-Cookie', sessions.start(form.get('user') ?? ''));
      const next = new URL(form.get('next') ?? '/', origin);
      return redirect(response, next.origin === origin ? next.pathname + next.search : '/');
    }
    const session = sessions.find(request.headers.cookie);
    if (session === null)
      return sendPage({ app, response, session, url }, 'Sign in', signInPage(url.pathname + url.search));
    if (route === 'POST /sign-out') {
      sessions.end(session);
      return redirect(response, '/');
    }
    const run = ROUTES[route];
    if (run === undefined)
      return sendPage({ app, response, session, url }, 'No such page', problem('The address is wrong.'), 404);
    await run({ app, session, url, form, response });
  }

  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return {
    origin,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof PartnerApiError)) return 'Something went wrong. Go back and try again.';
  return error.code === 'user_not_connected' ? CONNECT_FIRST : error.description;
}

const MAX_BODY_BYTES = 64 * 1024;

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > MAX_BODY_BYTES) throw new Error('The body is too large.');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
