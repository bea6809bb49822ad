/** An MCP client, step by step: finds the gateway's authorization server, signs the user in, and calls tools. */

import { createHash, randomBytes } from 'node:crypto';
import { type Conversation, send } from './conversation.ts';

/** A sign-in that has begun. */
export interface SignIn {
  readonly conversation: Conversation;
  /** Address of the MCP endpoint. */
  readonly endpoint: string;
  readonly redirectUri: string;
  readonly clientId: string;
  readonly tokenEndpoint: string;
  readonly state: string;
  /** RFC 7636: proves at the token endpoint that this client began the sign-in. */
  readonly codeVerifier: string;
  /** The page that the user's browser opens. */
  readonly authorizeUrl: string;
}

/** Takes every step before the user is asked for consent. @throws {Error} if an answer lacks what the next step needs. */
export async function beginSignIn(endpoint: string, redirectUri: string): Promise<SignIn> {
  const conversation: Conversation = [];
  const unauthorizedAnswer = await send(conversation, 'Ask without a token', endpoint, toRpc('tools/list'));
  const challenge = unauthorizedAnswer.headers.get('www-authenticate') ?? '';
  const metadataUrl = /resource_metadata="([^"]+)"/.exec(challenge)?.[1];
  if (metadataUrl === undefined) throw new Error('The gateway did not say where to sign in.');

  const resource = await send(conversation, 'Ask which server gives clients access', metadataUrl);
  const [issuer] = resource.json.authorization_servers as [string];
  const discovery = `${issuer}/.well-known/oauth-authorization-server`;
  const server = await send(conversation, 'Ask where its pages and endpoints are', discovery);
  const registration = await send(conversation, 'Register as a client', String(server.json.registration_endpoint), {
    json: { client_name: 'Sample Assistant', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
  });

  const clientId = String(registration.json.client_id);
  const codeVerifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const authorizeUrl = new URL(String(server.json.authorization_endpoint));
  authorizeUrl.search = String(
    new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      state,
      code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource: endpoint,
    }),
  );
  const tokenEndpoint = String(server.json.token_endpoint);
  const signIn = { conversation, endpoint, redirectUri, clientId, tokenEndpoint, state, codeVerifier };
  return { ...signIn, authorizeUrl: authorizeUrl.href };
}

/** Continues after the user's consent: gets tokens, lists the tools. @param answer query of the redirect URI. @returns the access token. */
export async function finishSignIn(signIn: SignIn, answer: URLSearchParams): Promise<string> {
  const {
    conversation,
    tokenEndpoint,
    redirectUri,
    clientId,
    codeVerifier: code_verifier,
    endpoint: resource,
  } = signIn;
  if (answer.get('state') !== signIn.state) throw new Error('The answer belongs to another sign-in. Start again.');
  const code = answer.get('code');
  if (code === null)
    throw new Error(
      answer.get('error') === 'access_denied'
        ? 'You denied access.'
        : `The client got no access: ${answer.get('error_description') ?? 'cancelled'}`,
    );
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier,
    resource,
  };
  const tokens = await send(conversation, 'Exchange the code for tokens', tokenEndpoint, { form });
  const token = String(tokens.json.access_token);
  await listTools({ conversation, endpoint: resource, token });
  return token;
}

/** A signed-in client. */
export interface Client {
  readonly conversation: Conversation;
  readonly endpoint: string;
  readonly token: string;
}

async function listTools({ conversation, endpoint, token }: Client): Promise<void> {
  const answer = await send(conversation, 'List the tools', endpoint, { ...toRpc('tools/list'), token });
  const { tools } = answer.json.result as { tools: readonly { readonly name: string }[] };
  const last = conversation.at(-1);
  if (last !== undefined) last.note = `${tools.length} tools: ${tools.map(({ name }) => name).join(', ')}`;
}

/** The result of a call: structured content, or the reason why it was refused. */
interface ToolAnswer {
  readonly structuredContent: object;
  /** `code` is null if the client does not have the tool. */
  readonly refusal?: { readonly text: string; readonly code: string | null };
}

export async function callTool(
  { conversation, endpoint, token }: Client,
  name: string,
  args: object,
): Promise<ToolAnswer> {
  const rpc = toRpc('tools/call', { name, arguments: args });
  const { json } = await send(conversation, `Call ${name}`, endpoint, { ...rpc, token });
  const result = json.result as ToolResult | undefined;
  const { message = '' } = (json.error ?? {}) as { message?: string };
  if (result === undefined) return { structuredContent: {}, refusal: { text: message, code: null } };
  const { isError = false, structuredContent = {}, content } = result;
  if (!isError) return { structuredContent };
  const [text = '', details = '{}'] = content.map((block) => block.text);
  return { structuredContent, refusal: { text, code: (JSON.parse(details) as { code?: string }).code ?? 'failed' } };
}

interface ToolResult {
  readonly isError?: boolean;
  readonly structuredContent?: object;
  readonly content: readonly { readonly text?: string }[];
}

function toRpc(method: string, params: object = {}): { json: object } {
  return { json: { jsonrpc: '2.0', id: 1, method, params } };
}
