/** The page of the guide for partners: its only user, Ada, connects a service and gets a connection code for her AI client. */

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { AS_FORM, answerOf, createPartnerClient } from '../../packages/partner/index.ts';

const { GATEWAY = 'http://127.0.0.1:3000', CLIENT_ID = '', CLIENT_SECRET = '', PORT = '4000' } = process.env;
const partner = createPartnerClient(GATEWAY, { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET });
const user_id = 'ada'; // Take it from your own session, and `state` too.
const state = randomUUID();
const redirect_uri = `http://localhost:${PORT}/connected`;

async function answer(request: IncomingMessage, response: ServerResponse) {
  const { pathname, searchParams } = new URL(request.url ?? '/', redirect_uri);
  const code = searchParams.get('code');
  if (pathname === '/connect') {
    const body = { user_id, services: ['crm'], redirect_uri, state };
    const { connect_url } = await answerOf(partner.POST('/api/partner/connect-sessions', { body }));
    response.writeHead(303, { Location: connect_url }).end();
  } else if (pathname === '/connected' && code !== null && searchParams.get('state') === state) {
    const body = { grant_type: 'authorization_code', code, redirect_uri, user_id } as const;
    await answerOf(partner.POST('/api/oauth/token', { body, ...AS_FORM }));
    const { session_token } = await answerOf(partner.POST('/api/mcp/oauth/sessions', { body: { user_id } }));
    response.end(`Connected. The connection code for your AI client: ${session_token}`);
  } else response.setHeader('Content-Type', 'text/html').end('<a href="/connect">Connect Affinity</a>');
}

createServer((request, response) => {
  answer(request, response).catch((error: Error) => response.writeHead(502).end(error.message));
}).listen(Number(PORT), 'localhost', () => process.stdout.write(`Open http://localhost:${PORT}\n`));
