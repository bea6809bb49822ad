/**
 * Operations of the partner API as values: each says its shapes, its words and what it does. The routes are made from them, and so is
 * their part of `docs/reference/gateway-openapi.yaml`.
 */

import Router from '@koa/router';
import type { Context } from 'koa';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { ValueSealer } from '../base/credentials/sealed-value.ts';
import type { UpstreamClients } from '../base/credentials/upstream-clients.ts';
import type { CallerLimits } from '../base/http/caller-limits.ts';
import { RequestError } from '../base/http/errors.ts';
import { SLOW_BODY_MS } from '../base/http/exchange.ts';
import { noStore } from '../base/http/headers.ts';
import { originOf } from '../base/http/request-origin.ts';
import type { GatewayContext, RequestState } from '../base/http/state.ts';
import type { Partner } from '../base/store/repositories/partners.ts';
import { findUser, type User } from '../base/store/repositories/users.ts';
import type { Database, Executor } from '../base/store/schema.ts';
import type { ApprovalAccess } from '../call/tools/approvals/decide.ts';
import type { CallRules } from '../call/tools/call/dependencies.ts';
import type { Catalogue } from '../call/tools/catalogue/catalogue.ts';
import type { ToolProvider } from '../call/tools/provider.ts';
import type { CallerOf } from '../call/tools/why.ts';
import type { Revocations } from '../call/upstream/oauth/revocation.ts';
import type { ManagementEvent } from '../identity/partners/manage.ts';
import { receiveFromPartner, requirePartner } from '../identity/partners/secrets.ts';
import { isUserId, USER_ID_RULE } from '../identity/partners/user-id.ts';
import {
  type FormOrJson,
  findUnknownMember,
  findUnknownName,
  readFormOrJson,
  readOAuthForm,
  readOAuthJson,
} from '../identity/protocol/form.ts';
import { type AnswerOf, writeAnswer } from './answer.ts';

/** Path of every operation begins with it. */
export const PARTNER_API_PATH = '/api/partner';

/** Dependencies of every operation. */
interface Serving {
  readonly db: Kysely<Database>;
  readonly callerLimits: CallerLimits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Dependencies of the operations of the core. */
export interface PartnerApi extends Serving {
  /** The gateway's origin, without a final slash. */
  readonly publicUrl: string;
  readonly catalogue: Catalogue;
  readonly upstreamClients: UpstreamClients;
  readonly revocations: { readonly after: Revocations['after'] };
  readonly approvals: ApprovalAccess;
  readonly callRules: CallRules;
  readonly tools: { readonly dryRun: ToolProvider['dryRun'] };
  /** Seals cursors that name rows of others. */
  readonly cursors: ValueSealer;
  readonly callerOf: CallerOf;
  /** The gateway's resource indicator. */
  readonly resource: string;
  /** Titles of the connectors that the gateway serves, by name. */
  readonly services: ReadonlyMap<string, string>;
}

/** A partner's user, and the authenticated partner that owns it. */
export type OwnUser = User & { readonly partner: Partner };

/** One request of an operation. What is invalid in it is refused when it is read. */
export interface PartnerCall<Query, Body> {
  readonly ctx: GatewayContext;
  readonly partner: Partner;
  readonly query: Query;
  readonly body: () => Promise<Body>;
  /** Returns a parameter of the path, or empty text if the path has no such parameter. */
  readonly param: (name: string) => string;
  /** `user_id` of the path. */
  readonly userId: () => string;
  /** The user that `user_id` names. @throws {RequestError} `not_found`, status 404, also for another partner's user. */
  readonly user: () => Promise<OwnUser>;
  /** The sender, time and origin of a change. */
  readonly event: () => ManagementEvent;
}

/** Parameters by name, each a schema with its description. */
type Parameters = Readonly<Record<string, z.ZodType>>;

/** Describes a body, and how it is read. */
export interface RequestBody<Schema extends z.ZodObject = z.ZodObject> {
  readonly schema: Schema;
  /** The sentence that explains the first problem of a body to the partner's developer. */
  readonly explain: (issue: z.core.$ZodIssue | undefined) => string;
  /** True if it may be a form, too. Default: false, JSON only. */
  readonly form?: boolean;
  /** Default: that of OAuth bodies. */
  readonly maxBytes?: number;
  /** True if the request may have no body. Default: false. */
  readonly isOptional?: boolean;
}

/** Describes an operation: its name, input and answers. */
export interface OperationShape {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below `PARTNER_API_PATH`, with `:name` for parameters. */
  readonly path: string;
  /** `operationId`. */
  readonly id: string;
  readonly summary: string;
  /**
   * Place of the partner's credentials if they are not in the `Authorization` header: a form that has nothing else, or the `body` of
   * the operation. `header` accepts only that header. Default: `form`.
   */
  readonly credentials?: 'form' | 'body' | 'header';
  /** True if it changes what holds for the partner in both realms, or in the live one alone, so that a test secret cannot. Default: false. */
  readonly isLiveOnly?: boolean;
  /** Parameters of the path that have more to say than their name. */
  readonly params?: Parameters;
  readonly query?: Parameters;
  readonly body?: RequestBody;
  /** The media types of a body that the operation reads itself, and its description. */
  readonly file?: { readonly types: readonly string[]; readonly description: string };
  /** Status, and the sentence that describes it. */
  readonly answers: Readonly<Record<number, string>>;
  /** Default: no content. */
  readonly answer?: z.ZodType;
  /** Statuses of refusals in addition to 401, 403 and 429, which every operation has, and 400 where anything can be invalid. */
  readonly refusals?: readonly number[];
}

/** An operation that can be served. */
export interface Operation<Context> extends OperationShape {
  readonly serve: (ctx: GatewayContext, context: Context & Serving) => Promise<void>;
}

type Answers<Shape extends OperationShape> = Shape['answer'] extends z.ZodType ? AnswerOf<Shape['answer']> : unknown;
type QueryOf<Shape extends OperationShape> = Shape['query'] extends Parameters
  ? { readonly [Name in keyof Shape['query']]: z.output<Shape['query'][Name]> }
  : Record<never, never>;
type BodyOf<Shape extends OperationShape> = Shape['body'] extends RequestBody
  ? z.output<Shape['body']['schema']>
  : never;

/** Declares operations of the core or a module; `run` gets its dependencies. */
export function operationsOf<Context>(): <const Shape extends OperationShape>(
  shape: Shape,
  run: (call: PartnerCall<QueryOf<Shape>, BodyOf<Shape>>, context: Context & Serving) => Promise<Answers<Shape>>,
) => Operation<Context> {
  return (shape, run) => ({
    ...shape,
    async serve(ctx, context) {
      const call = await receive(ctx, shape, context);
      ctx.status = Number(Object.keys(shape.answers)[0]);
      const answer = await run(call as never, context);
      if (shape.answer !== undefined) ctx.body = writeAnswer(shape.answer, answer);
    },
  });
}

/** Declares an operation of the core. */
export const operation = operationsOf<PartnerApi>();

/**
 * The routes of operations, in the order in which they match. A final slash leads nowhere: HTTP clients shorten `/users/ada/connections/..` to
 * `/users/ada/`, which must not remove the user.
 */
export function toRouter<Context>(
  operations: readonly Operation<Context>[],
  context: Context & Serving,
): Router<RequestState> {
  const router = new Router<RequestState>({ strict: true });
  router.use(PARTNER_API_PATH, context.callerLimits.ofAddress);
  for (const { method, path, serve } of operations) {
    router[method](PARTNER_API_PATH + path, noStore, (ctx) => serve(ctx as GatewayContext, context));
  }
  return router;
}

async function receive(
  ctx: GatewayContext,
  shape: OperationShape,
  serving: Serving,
): Promise<PartnerCall<unknown, unknown>> {
  const { partner, received } = await authenticate(ctx, shape, serving);
  if (partner.realm === 'test') {
    ctx.set('Test-Mode', 'true');
    if (shape.isLiveOnly === true)
      throw new RequestError(403, 'live_secret_required', 'A test secret cannot change this: use your own secret.');
  }
  const param = (name: string): string => (ctx.params as Record<string, string | undefined>)[name] ?? '';
  const userId = () => {
    if (isUserId(param('user_id'))) return param('user_id');
    throw invalid(`user_id ${USER_ID_RULE}.`);
  };
  return {
    ctx,
    partner,
    param,
    userId,
    query: readQuery(shape.query ?? {}, new URLSearchParams(ctx.querystring)),
    async body() {
      if (shape.body === undefined) throw new Error(`${shape.id} declares no body`);
      const begunAt = performance.now();
      const body = await readBody(ctx, shape.body, received);
      if (performance.now() - begunAt >= SLOW_BODY_MS) await requirePartner(serving, ctx.get('Authorization'));
      return body;
    },
    async user() {
      return { ...(await requireUser(serving.db, partner, userId())), partner };
    },
    event: () => ({ now: serving.now(), ...originOf(ctx) }),
  };
}

/** Finds the partner, and reads a body that may have its credentials. */
async function authenticate(
  ctx: Context,
  { credentials = 'form', body }: OperationShape,
  serving: Serving,
): Promise<{ partner: Partner; received?: FormOrJson | null }> {
  const authorization = ctx.get('Authorization');
  if (credentials === 'header') return { partner: await requirePartner(serving, authorization) };
  if (credentials === 'body') {
    const read = async () => (body?.form === true ? readFormOrJson(ctx.req) : { json: await readOAuthJson(ctx.req) });
    const { partner, body: received } = await receiveFromPartner(serving, authorization, read);
    return { partner, received };
  }
  const hasForm = authorization === '' && ctx.get('Content-Type') !== '';
  const read = async () => (hasForm ? { form: await readOAuthForm(ctx.req) } : null);
  return { partner: (await receiveFromPartner(serving, authorization, read)).partner };
}

function readQuery(parameters: Parameters, query: URLSearchParams): Readonly<Record<string, unknown>> {
  const unknown = findUnknownName([...query.keys()], Object.keys(parameters), 'parameter');
  if (unknown !== null) throw invalid(unknown);
  const read = Object.entries(parameters).map(([name, schema]) => {
    const parsed = schema.safeParse(query.get(name) ?? undefined);
    if (!parsed.success) throw invalid(parsed.error.issues[0]?.message ?? `${name} is invalid.`);
    return [name, parsed.data];
  });
  return Object.fromEntries(read);
}

async function readBody(ctx: Context, body: RequestBody, received: FormOrJson | null | undefined): Promise<unknown> {
  const isMissing = body.isOptional === true && ctx.get('Content-Type') === '';
  const content = received ?? { json: isMissing ? {} : await readOAuthJson(ctx.req, body) };
  const names = Object.keys(body.schema.shape);
  const unknown = findUnknownMember(content, names);
  if (unknown !== null) throw invalid(unknown);
  const value =
    'form' in content ? Object.fromEntries(names.map((name) => [name, content.form.get(name)])) : content.json;
  const parsed = body.schema.safeParse(value);
  if (!parsed.success) throw invalid(body.explain(parsed.error.issues[0]));
  return parsed.data;
}

/** The partner's own user of that name. @throws {RequestError} `not_found`, status 404. */
export async function requireUser(executor: Executor, { id }: Partner, externalUserId: string): Promise<User> {
  const user = await findUser(executor, { partnerId: id, externalUserId });
  if (user === undefined) throw missing('There is no such user_id.');
  return user;
}

/** Explains the first problem of a body whose members are texts. */
export function explainTexts(issue: z.core.$ZodIssue | undefined): string {
  const name = issue?.path[0];
  return name === undefined ? 'The body must be a JSON object.' : `${String(name)} must be a string.`;
}

/** `invalid_request`, status 400. */
export function invalid(description: string, options: ErrorOptions = {}): RequestError {
  return new RequestError(400, 'invalid_request', description, options);
}

/** `not_found`, status 404. */
export function missing(description: string): RequestError {
  return new RequestError(404, 'not_found', description);
}
