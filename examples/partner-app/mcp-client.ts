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
  /** Where the user's browser goes. */
  readonly authorizeUrl: string;
}

/** Takes every step before the user is asked for consent. @throws {Error} if an answer lacks what the next step needs. */
export async function beginSignIn(endpoint: string, redirectUri: string): Promise<SignIn> {
  const conversation: Conversation = [];
  const refused = await send(conversation, 'Ask without a token', endpoint, toRpc('tools/list'));
  const challenge = refused.headers.get('www-authenticate') ?? '';
  const metadataUrl = /resource_metadata="([^"]+)"/.exec(challenge)?.[1];
  if (metadataUrl === undefined) throw new Error('The gateway did not say where to sign in.');

  const resource = await send(conversation, 'Ask which server gives clients access', metadataUrl);
  const [issuer] = resource.json.authorization_servers as [string];
  const discovery = `${issuer}/.well-known/oauth-authorization-server`;
  const server = await send(conversation, 'Ask where its pages and endpoints are', discovery);
  const registered = await send(conversation, 'Register as a client', String(server.json.registration_endpoint), {
    json: { client_name: 'Built-in client', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
  });

  const clientId = String(registered.json.client_id);
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
  const parts = { conversation, endpoint, redirectUri, clientId, tokenEndpoint, state, codeVerifier };
  return { ...parts, authorizeUrl: authorizeUrl.href };
}

/** Continues after the user's consent: gets tokens, lists tools, calls one. @param answer query of the redirect URI. @returns the access token. */
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
  if (code === null) throw new Error(`The client was denied access: ${answer.get('error_description') ?? 'cancelled'}`);
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
  await listAndCall(conversation, resource, token);
  return token;
}

/**
 * Lists the tools and calls the first read-only one without required arguments, but for `account` where the user has several.
 *
 * @param of.service null: tools of all services. @param of.account null: the first one.
 */
export async function listAndCall(
  conversation: Conversation,
  endpoint: string,
  token: string,
  { service, account }: { service: string | null; account: string | null } = { service: null, account: null },
): Promise<void> {
  const listed = await send(conversation, 'List the tools', endpoint, { ...toRpc('tools/list'), token });
  const { tools } = listed.json.result as { tools: readonly ListedTool[] };
  const last = conversation.at(-1);
  if (last !== undefined) last.note = `${tools.length} tools: ${tools.map(({ name }) => name).join(', ')}`;
  const tool = tools.find(
    ({ name, annotations, inputSchema: { required = [] } }) =>
      annotations.readOnlyHint &&
      required.every((each) => each === 'account') &&
      (service === null || name.startsWith(`${service}_`)),
  );
  if (tool === undefined) return;
  const { required = [], properties = {} } = tool.inputSchema;
  const args = required.length === 0 ? {} : { account: account ?? properties.account?.enum?.[0] };
  await callTool({ conversation, endpoint, token }, tool.name, args);
}

/** A signed-in client. */
interface Client {
  readonly conversation: Conversation;
  readonly endpoint: string;
  readonly token: string;
}

async function callTool({ conversation, endpoint, token }: Client, name: string, args: object): Promise<ToolAnswer> {
  const rpc = toRpc('tools/call', { name, arguments: args });
  const { json } = await send(conversation, `Call ${name}`, endpoint, { ...rpc, token });
  return (json.result as ToolAnswer | undefined) ?? {};
}

/** The arguments of a call that deletes a contact list. */
export interface Deletion {
  readonly brandId: string;
  readonly listId: string;
}

/** Finds a contact list of the mailer that may be deleted; null: there is none. */
export async function findList(client: Client): Promise<Deletion | null> {
  const brandId = idsIn(await callTool(client, 'mailer_list_brands', { maxItems: 1 }))[0];
  if (brandId === undefined) return null;
  const listId = idsIn(await callTool(client, 'mailer_list_lists', { brandId }))[0];
  return listId === undefined ? null : { brandId, listId };
}

/** Asks the gateway to delete the list. Asked again with the same arguments, it is the same call. */
export async function deleteList(client: Client, { brandId, listId }: Deletion): Promise<void> {
  await callTool(client, 'mailer_delete_list', { brandId, listId });
}

interface ToolAnswer {
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

function idsIn({ structuredContent = {} }: ToolAnswer): string[] {
  const entries = Object.values(structuredContent).find(Array.isArray) as { id: string; all?: boolean }[] | undefined;
  return (entries ?? []).flatMap(({ id, all }) => (all === true ? [] : [id]));
}

interface ListedTool {
  readonly name: string;
  readonly annotations: { readonly readOnlyHint: boolean };
  readonly inputSchema: {
    readonly required?: readonly string[];
    readonly properties?: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
  };
}

function toRpc(method: string, params: object = {}): { json: object } {
  return { json: { jsonrpc: '2.0', id: 1, method, params } };
}
