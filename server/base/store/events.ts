/**
 * Events of the core and of modules, in one closed union, and their subscribers.
 *
 * An event is emitted in the transaction of the change, so that subscribers write with the change, or not at all. Emit it after locking the rows of
 * the change: subscribers lock rows of their tables, in the order in which they were given to `subscribe`.
 */

import type { DialectAdapter } from 'kysely';
import type { Executor } from './schema.ts';

/** The events of the core, each in one sentence for people. Null if another event of the same change says it to people. */
export const CORE_EVENTS = {
  partner_added: 'A partner was added.',
  partner_changed: 'Settings of a partner were changed.',
  partner_suspended: 'A partner was suspended.',
  partner_resumed: 'A suspended partner was resumed.',
  partner_removal_begun: 'The removal of a partner with its users began.',
  partner_removed: 'A partner was removed.',
  partner_secret_added: 'A partner got another secret.',
  partner_secret_revoked: 'A secret of a partner was revoked.',
  client_registered: 'An OAuth client registered itself.',
  client_document_changed: 'The metadata document of a client changed.',
  connection_code_minted: 'A partner got a connection code for a user.',
  connection_code_refused: 'A wrong connection code was typed.',
  consent_given: 'A user allowed a client.',
  consent_denied: 'A user denied a client.',
  tool_allowed: 'A user or partner allowed a tool that came to risk more.',
  approval_requested: 'A call waits for the approval of its user.',
  approval_decided: 'A call was approved or denied.',
  standing_approval_ended: 'A user is asked again before calls that were approved for a day.',
  own_rules_changed: 'A user changed before which calls to be asked.',
  writing_stopped: 'An operator stopped everything that writes.',
  writing_resumed: 'An operator let calls write again.',
  tokens_issued: 'A grant got its first tokens.',
  tokens_refreshed: 'Tokens were refreshed.',
  authorization_code_replayed: 'An authorization code was used twice.',
  refresh_token_replayed: 'A refresh token was used twice.',
  refresh_token_shared: 'A refresh token was used from several networks at once.',
  refresh_answer_repeated: 'A parallel or repeated refresh got the answer of the first.',
  access_token_revoked: 'An access token was revoked.',
  grant_given: null,
  grant_ended: null,
  grant_revoked: 'A grant was revoked.',
  grants_revoked: 'Several grants were revoked at once.',
  grant_narrowed: 'Something was taken away from a grant.',
  user_allowance_set: 'A partner changed what a user may use.',
  user_link_minted: "A partner got a link to a user's own page.",
  user_page_entered: 'A user opened the own page.',
  connect_declined: 'A user did not connect a service.',
  connect_credential_refused: 'A service refused the credential that a user gave.',
  connect_code_issued: 'A connect flow ended with a code.',
  connect_code_replayed: 'The code of a connect flow was used twice.',
  connection_created: null,
  connection_recovered: null,
  connection_activated: 'A connection was made, or got another credential.',
  connection_needs_attention: 'A service refused the credential of a connection.',
  connection_removed: 'A connection was removed.',
  connection_renamed: 'An account of a service got another name.',
  connection_shared: 'A connection was shared with a team.',
  connection_share_ended: 'A connection is no longer shared with a team.',
  team_changed: 'A team of a partner was added or renamed.',
  team_removed: 'A team of a partner was removed.',
  team_member_added: 'A user was added to a team.',
  team_member_removed: 'A user was removed from a team.',
  upstream_client_set: 'An OAuth client at an upstream was registered or replaced.',
  upstream_client_removed: 'An OAuth client at an upstream was removed.',
  user_erased: null,
  user_removed: 'A user was removed, with connections and grants.',
  store_restored: 'The store was restored from a backup, and access was ended.',
} as const;

type CoreEventType = keyof typeof CORE_EVENTS;

/**
 * The members of every event. References are row ids, except `clientId`, and except `userId` in the events of a removed user (`RemovedUser`). The
 * rows may no longer exist. No member is a secret.
 */
interface Happened<Type extends string> {
  readonly type: Type;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly partnerId?: string | null;
  readonly userId?: string | null;
  /** `client_id` of the OAuth client. */
  readonly clientId?: string | null;
  readonly grantId?: string | null;
  /** IP address of the request. */
  readonly address?: string | null;
  readonly requestId?: string | null;
  /** Name of the operator who did it in the dashboard. */
  readonly operator?: string;
  /** Anything else that JSON can represent. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** Members of an event about a connection. */
export interface OfConnection {
  readonly userId: string;
  /** Connector name. */
  readonly service: string;
  readonly connectionId: string;
}

/** Members of an event about a grant. */
export interface OfGrant {
  readonly userId: string;
  readonly grantId: string;
  readonly clientId: string | null;
}

/** A call that waits for approval, or that was decided. */
interface OfApproval extends OfConnection {
  readonly approvalId: string;
  readonly tool: string;
}

/** Members of an event about a user that was removed. */
export interface RemovedUser {
  readonly partnerId: string;
  /** The pseudonym that replaces the row id in records that are kept. */
  readonly userId: string;
  /** The partner's own name for the user. */
  readonly externalUserId: string;
}

type OwnMembers =
  | (Happened<'connection_created' | 'connection_recovered'> & OfConnection)
  | (Happened<'connection_needs_attention'> & OfConnection & { readonly reason: 'credential_refused' })
  | (Happened<'connection_removed'> &
      OfConnection & { readonly by: 'operator' | 'partner' | 'user'; readonly accountName: string | null })
  | (Happened<'connection_shared' | 'connection_share_ended'> &
      OfConnection & {
        /** The partner's own name for the team. */
        readonly teamId: string;
        readonly by: 'operator' | 'partner' | 'user';
      })
  | (Happened<'grant_given' | 'refresh_token_shared'> & OfGrant)
  | (Happened<'approval_requested'> & OfApproval & { readonly pageUrl: string | null })
  | (Happened<'approval_decided'> &
      OfApproval & { readonly decision: 'approved' | 'denied'; readonly channel: 'page' | 'partner' | 'client' })
  | (Happened<'grant_ended'> & OfGrant & { readonly reason: string })
  | (Happened<'user_erased'> &
      RemovedUser & {
        /** The row id, by which records that are kept still name the user. */
        readonly formerId: string;
        /** Row ids of the connections that were removed with it. */
        readonly connectionIds: readonly string[];
      })
  | (Happened<'user_removed'> & RemovedUser);

/** An event of the core. */
type CoreEvent = OwnMembers | Happened<Exclude<CoreEventType, OwnMembers['type']>>;

/** An event that a module declares; see `defineEvents`. */
interface ModuleEvent<Type extends string = string> extends Happened<Type> {
  readonly module: string;
  /** The event in one sentence, or null; see `CORE_EVENTS`. */
  readonly text: string | null;
  readonly service?: string;
  readonly connectionId?: string;
  /** Events of one id are one event. Default: every event is another. */
  readonly id?: string;
  /** The event that the user's partner receives, of a type in `EventHooks.toPartners`. Default: none. */
  readonly partner?: { readonly type: string; readonly data: Readonly<Record<string, string | null>> };
}

export type AnyEvent = CoreEvent | ModuleEvent;

/** The events of one module. */
export interface ModuleEvents<Type extends string = string> {
  readonly texts: Readonly<Record<Type, string | null>>;
  readonly emit: (executor: Executor, event: Omit<ModuleEvent<Type>, 'module' | 'text'>) => Promise<void>;
}

/** Declares what can happen in a module, with the sentences of `CORE_EVENTS`. */
export function defineEvents<Type extends string>(
  module: string,
  texts: Readonly<Record<Type, string | null>>,
): ModuleEvents<Type> {
  return { texts, emit: (executor, event) => emit(executor, { ...event, module, text: texts[event.type] }) };
}

/** Returns the text of an event for people: one sentence, or null. */
export function textOf(event: AnyEvent): string | null {
  return 'module' in event ? event.text : CORE_EVENTS[event.type];
}

/** An event that partners can receive. */
export interface PartnerEventText {
  readonly when: string;
  /** True if the event concerns one connection: it then has `service` and `connection_id`, and one of several accounts `account_name`. */
  readonly ofConnection: boolean;
  /** Members of `data` that only this type has, each with its meaning and an example. */
  readonly own: Readonly<Record<string, { readonly meaning: string; readonly example: string | null }>>;
}

/** Handles events in the transaction of their change, and only writes rows. */
export type EventHandler = (transaction: Executor, events: readonly AnyEvent[]) => Promise<void>;

/** Events that callers can cause without credentials issued by the gateway, or repeatedly with the same ones. */
export type AnonymousEventType =
  | 'client_registered'
  | 'client_document_changed'
  | 'connection_code_refused'
  | 'consent_denied'
  | 'credentials_refused'
  | 'grant_refused'
  | 'authorization_code_replayed'
  | 'refresh_token_replayed'
  | 'refresh_answer_repeated'
  | 'identity_assertion_refused'
  | 'connect_declined'
  | 'connect_credential_refused'
  | 'connect_code_issued'
  | 'connect_code_replayed'
  | 'operator_sign_in_refused';

/** One event of a caller without credentials. It is counted, and not part of what happened. */
export interface AnonymousEvent {
  readonly type: AnonymousEventType;
  /** At most as long as an IPv6 address. */
  readonly network: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Counts an event of a caller without credentials. The count is exact under any concurrency. */
type CountAnonymous = (executor: Executor, event: AnonymousEvent) => Promise<void>;

/** A subscriber of the events of a store. */
export interface EventSubscriber {
  /** Called in the transaction of the change, in the order in which the subscribers were given to `subscribe`. Default: no events. */
  readonly onEvents?: EventHandler;
  /** Called with events of callers without credentials. Default: they are not counted. */
  readonly countAnonymous?: CountAnonymous;
}

/** A database and its transactions share one adapter. */
const subscribersOfStores = new WeakMap<DialectAdapter, readonly EventSubscriber[]>();

/** Makes these the subscribers of a store, in place of those before. */
export function subscribe(db: Executor, subscribers: readonly EventSubscriber[]): void {
  subscribersOfStores.set(db.getExecutor().adapter, subscribers);
}

/** Adds a subscriber to those of a store. */
export function addSubscriber(db: Executor, subscriber: EventSubscriber): void {
  subscribe(db, [...subscribersOf(db), subscriber]);
}

function subscribersOf(executor: Executor): readonly EventSubscriber[] {
  return subscribersOfStores.get(executor.getExecutor().adapter) ?? [];
}

/** Emits events to the subscribers. Pass the transaction that makes the change. */
export async function emit(executor: Executor, emitted: AnyEvent | readonly AnyEvent[]): Promise<void> {
  const events = 'type' in emitted ? [emitted] : emitted;
  const handlers = subscribersOf(executor).flatMap(({ onEvents }) => onEvents ?? []);
  if (events.length === 0 || handlers.length === 0) return;
  if (!executor.isTransaction) return executor.transaction().execute((transaction) => emit(transaction, events));
  for (const handle of handlers) await handle(executor, events);
}

/** Emits an event of a caller without credentials. */
export async function emitAnonymous(executor: Executor, event: AnonymousEvent): Promise<void> {
  for (const { countAnonymous } of subscribersOf(executor)) await countAnonymous?.(executor, event);
}
