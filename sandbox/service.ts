/** One service of the sandbox: answers requests, with checks in the order in which an upstream makes them. */

import { buildAnswer, echoRequest, findErrorExample } from './answer/build-answer.ts';
import { buildPage, type SandboxPageRule } from './answer/pages.ts';
import type { Violation } from './check/body.ts';
import {
  type ConnectorCredential,
  type CredentialProblem,
  checkCredential,
  checkTargets,
  credentialTargets,
  type DecodedRequest,
  removeCredentials,
  withoutCredential,
} from './check/credential.ts';
import { createChecks, type DescriptorChecks } from './check/request.ts';
import { type QueryPair, readQuery } from './decode/query.ts';
import { buildDescriptor, type SandboxDescriptor, type SandboxOperation } from './descriptor/operations.ts';
import type { PlainAnswer, SandboxRequest } from './http.ts';
import { isObject, type JsonObject } from './json.ts';
import { createMcpEndpoint, type McpEndpoint } from './mcp/endpoint.ts';
import type { LockedServer } from './mcp/lock.ts';
import { isJson, isText } from './media-types.ts';
import { type AuthorizationServer, createAuthorizationServer } from './oauth/index.ts';
import { addConnectorSecurity, buildKnownScopes, buildOAuthRules, type ConnectorOAuth } from './oauth/rules.ts';
import { Webhooks } from './webhooks.ts';
import { World, type WorldRefusal, type WorldRules } from './world/index.ts';

/** Options of a service. */
export interface SandboxServiceOptions {
  readonly name: string;
  /** The name of the service on pages. Default: the title of the document. */
  readonly title?: string;
  /** A bundled OpenAPI document, from `loadDescriptor`. */
  readonly document: JsonObject;
  /** Replaces defaults of server variables, by name. */
  readonly serverVariables?: Readonly<Record<string, string>>;
  /** The paging of operations, by `METHOD /path` in the descriptor. */
  readonly pages?: Readonly<Record<string, SandboxPageRule>>;
  /** The connector's declarations about OAuth 2.0. By default null, and only the descriptor counts. */
  readonly oauth?: ConnectorOAuth | null;
  /** The connector's declarations about the credential, in addition to the descriptor. Default: none. */
  readonly connectorCredential?: ConnectorCredential;
  /** The rules of its `world.yaml`. Default: none. */
  readonly worldRules?: WorldRules;
  /** The server whose tools `document` describes. Undefined if it describes an API. */
  readonly mcp?: LockedServer;
  /** True for an MCP server of before 2026-07-28. Default: it speaks that revision too. */
  readonly isLegacyMcp?: boolean;
}

interface ServiceOptions extends SandboxServiceOptions {
  /** The only secret that is accepted from users and clients, or null for any that is not empty. */
  readonly credential: string | null;
  /** Milliseconds since 1970, for the expiry of tokens. */
  readonly now: () => number;
  /** Number of people in the world. Null if answers are the descriptor's examples. */
  readonly worldSize: number | null;
}

interface ServiceAnswer extends PlainAnswer {
  /** The operation of the request; null if the descriptor has none. */
  readonly operation: SandboxOperation | null;
  /** True: the descriptor allows the request. */
  readonly allowed: boolean;
}

export interface SandboxService {
  /** The name of the service on pages. */
  readonly title: string;
  readonly descriptor: SandboxDescriptor;
  readonly checks: DescriptorChecks;
  /** Null if the service does not use OAuth 2.0. */
  readonly oauth: AuthorizationServer | null;
  /** Null if answers are the descriptor's examples. */
  readonly world: World | null;
  /** Null if it has no webhooks. */
  readonly webhooks: Webhooks | null;
  answer(request: SandboxRequest): Promise<ServiceAnswer>;
  /** Null if the service is an API. */
  readonly mcp: McpEndpoint | null;
  /** Returns the refusal of a message of MCP whose credential is missing or wrong. Null if it is right. */
  authorize(request: SandboxRequest): PlainAnswer | null;
}

export function createService(options: ServiceOptions): SandboxService {
  const declared = buildDescriptor(options.document, options.serverVariables);
  const descriptor = addConnectorSecurity(declared, options.oauth ?? null);
  const checks = createChecks(descriptor);
  const oauth = openAuthorizationServer(declared, options);
  const { pages = {}, worldRules: rules = {}, worldSize: size, now } = options;
  const webhooks = rules.webhooks === undefined ? null : new Webhooks(options.document, rules.webhooks);
  const onWrite = (operationId: string, record: JsonObject) => webhooks?.send(operationId, record);
  const world = size === null ? null : new World({ size, descriptor, checks, pages, rules, now, onWrite });
  const mcp =
    options.mcp === undefined
      ? null
      : createMcpEndpoint({ lock: options.mcp, isLegacyOnly: options.isLegacyMcp === true, answer });
  const title = options.title ?? descriptor.title;
  return { title, descriptor, checks, oauth, world, webhooks, mcp, answer, authorize };

  /** The operations of an MCP server differ in scopes only, which are checked when a tool is called. */
  function authorize({ url, headers }: SandboxRequest): PlainAnswer | null {
    const [operation] = descriptor.operations;
    if (operation === undefined) return null;
    const { credential, connectorCredential: { prefixes = {} } = {} } = options;
    const problem = checkCredential({ query: readQuery(url.search), headers }, operation, descriptor, {
      credential,
      oauth,
      prefixes,
    });
    return problem?.status === 401 ? refuseCredential(operation, problem) : null;
  }

  async function answer(request: SandboxRequest): Promise<ServiceAnswer> {
    let query: QueryPair[];
    try {
      query = readQuery(request.url.search);
      decodeURIComponent(request.pathname);
    } catch {
      return refuse(400, 'The URL is not percent-encoded correctly.');
    }
    const match = checks.match({ ...request, query });
    if (match === null) {
      const requestedPath = query.length === 0 ? request.pathname : `${request.pathname} with this query`;
      return refuse(404, `No operation has the path ${requestedPath}.`);
    }
    if ('allow' in match) {
      const allow = match.allow.join(', ');
      const violation: Violation = { in: 'method', name: request.method, message: `is not one of: ${allow}` };
      return refuse(405, `This path takes ${allow}.`, { violations: [violation], headers: { allow } });
    }
    const { operation } = match;
    const { credential, connectorCredential } = options;
    const sentCredentials = { query, headers: request.headers };
    const accepted = {
      credential,
      oauth,
      ...(connectorCredential === undefined ? {} : { prefixes: connectorCredential.prefixes }),
    };
    const problem = checkCredential(sentCredentials, operation, descriptor, accepted);
    if (problem !== null) return refuseCredential(operation, problem);
    const checked = await checks.check({ ...request, query: removeCredentials(query, descriptor) }, operation);
    const decodedRequest = { ...checked, headers: request.headers };
    const targets = connectorCredential === undefined ? [] : credentialTargets(connectorCredential, operation);
    const targetProblem = checked.status === 415 ? null : checkTargets(targets, decodedRequest, accepted);
    if (targetProblem !== null) return refuseCredential(operation, targetProblem);
    const { status, violations } = checked;
    if (status !== 200) return refuse(status, 'The descriptor does not allow this request.', { violations, operation });
    return succeed(operation, request, withoutCredential(targets, decodedRequest));
  }

  function succeed(
    operation: SandboxOperation,
    { url }: SandboxRequest,
    decodedRequest: DecodedRequest,
  ): ServiceAnswer {
    const example = buildAnswer(operation, descriptor, checks, [
      decodedRequest.headers.accept,
      ...Object.values(decodedRequest.query),
    ]);
    const { mediaType } = example;
    const jsonExample = mediaType === null || isJson(mediaType) ? example : buildAnswer(operation, descriptor, checks);
    const worldAnswer = world?.answer({ operation, ...decodedRequest, example: jsonExample.body }) ?? null;
    if (worldAnswer !== null && 'message' in worldAnswer) return refuseByWorld(operation, worldAnswer);
    const status = worldAnswer?.status ?? example.status;
    const verdict = { operation, allowed: true };
    if (mediaType === null) return { status, headers: {}, body: Buffer.alloc(0), ...verdict };
    const headers = { 'content-type': mediaType };
    if (!isJson(mediaType)) {
      const text = isObject(worldAnswer?.body) && isText(mediaType) ? worldAnswer.body.content : undefined;
      return {
        status,
        headers,
        body: typeof text === 'string' ? Buffer.from(text) : (example.body as Buffer),
        ...verdict,
      };
    }
    const isValid = (candidate: unknown): boolean => checks.checkAnswer(operation, status, candidate).length === 0;
    const body =
      worldAnswer?.body ??
      echoRequest(example.body, { operation, path: decodedRequest.path, body: decodedRequest.body }, isValid);
    const rule = options.pages?.[`${operation.method} ${operation.path}`];
    const pageRequest = { operation, query: decodedRequest.query, url, records: worldAnswer?.records };
    const page = rule === undefined ? { body } : buildPage(body, rule, pageRequest, isValid);
    if ('wrong' in page) {
      const violation: Violation = { in: 'query', name: page.parameter, message: page.wrong };
      return refuse(400, 'The cursor is wrong.', { violations: [violation], operation });
    }
    return { status, headers: { ...headers, ...page.headers }, body: toJson(page.body), ...verdict };
  }
}

/** With the descriptor's own example of the status, unless a parameter is to be named. */
function refuseByWorld(operation: SandboxOperation, { status, message, violations }: WorldRefusal): ServiceAnswer {
  const example = violations === undefined ? findErrorExample(operation, status) : null;
  if (example === null) return refuse(status, message, { violations: violations ?? [], operation });
  const headers = { 'content-type': example.mediaType ?? 'application/json' };
  return { status, headers, body: toJson(example.body), operation, allowed: false };
}

function openAuthorizationServer(
  { securitySchemes, title: documentTitle }: SandboxDescriptor,
  { title = documentTitle, oauth, credential, now }: ServiceOptions,
): AuthorizationServer | null {
  const rules = oauth?.rules ?? buildOAuthRules(securitySchemes);
  if (rules.length === 0) return null;
  const knownScopes = buildKnownScopes(securitySchemes, oauth ?? null);
  return createAuthorizationServer({ rules, title, knownScopes, credential, now });
}

function refuseCredential(
  operation: SandboxOperation,
  { status, reason, challenge }: CredentialProblem,
): ServiceAnswer {
  const example = findErrorExample(operation, status);
  const headers = {
    'content-type': example?.mediaType ?? 'application/json',
    'x-sandbox-reason': reason,
    ...(challenge === null ? {} : { 'www-authenticate': challenge }),
  };
  const body = toJson(example?.body ?? { message: `The credential is missing or wrong: ${reason}.` });
  return { status: example?.status ?? status, headers, body, operation, allowed: false };
}

interface Refusal {
  readonly violations?: readonly Violation[];
  readonly operation?: SandboxOperation;
  readonly headers?: Readonly<Record<string, string>>;
}

function refuse(status: number, message: string, refusal: Refusal = {}): ServiceAnswer {
  const { violations = [], operation = null, headers = {} } = refusal;
  const details = violations.map(({ in: place, name, message: why }) => `${[place, name].join(' ').trim()}: ${why}`);
  const body = toJson({ message: `${message} ${details.join('; ')}`.trim(), violations });
  return { status, headers: { 'content-type': 'application/json', ...headers }, body, operation, allowed: false };
}

function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
