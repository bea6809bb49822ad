/** The events that a caller has, as its grant leaves them: without withheld members, and within its pins. */

import type { Kysely } from 'kysely';
import { isExactNumber, isNumberText } from '../../../../shared/exact-json.ts';
import { mergeWithheld, type WithheldMembers, withoutFilters, withoutWithheld } from '../../../../shared/withheld.ts';
import type { CredentialVault } from '../../../base/credentials/index.ts';
import type { ValueSealer } from '../../../base/credentials/sealed-value.ts';
import type { PinnedValue } from '../../../base/principal/permission.ts';
import type { Principal } from '../../../base/principal/principal.ts';
import { liveClientId } from '../../../base/realm.ts';
import type { Database, Executor } from '../../../base/store/schema.ts';
import type { FoundConnection } from '../../../base/store/token-lookup.ts';
import type { Catalogue, CatalogueEntry } from '../../../call/tools/catalogue/catalogue.ts';
import { accountArgumentOf, allowsCall, pinsOf, withAccounts } from '../../../call/tools/catalogue/permitted.ts';
import { isScoped, type WithholdRule } from '../../../call/tools/catalogue/withheld.ts';
import { withoutMembers } from '../../../call/tools/results/withheld.ts';
import type { Connector, EventType, ObjectSchema, ToolFace } from '../../../contract/index.ts';

/** The tools of the gateway, and the rules of its operator. */
export interface EventRules {
  readonly catalogue: Catalogue;
  readonly withhold: readonly WithholdRule[];
}

/** Dependencies that the parts of the events share. */
export interface EventsContext {
  readonly db: Kysely<Database>;
  readonly rules: EventRules;
  readonly vault: CredentialVault;
  /** Seals payloads. */
  readonly sealer: ValueSealer;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** An event as one caller has it. */
export interface AvailableEvent {
  readonly connector: Connector;
  readonly type: EventType;
  readonly inputSchema: ObjectSchema;
  readonly payloadSchema: ObjectSchema;
  /** The accounts that have it. */
  readonly accounts: readonly FoundConnection[];
  /** The argument that chooses one of several accounts; null if there is one. */
  readonly account: string | null;
  readonly withheld: WithheldMembers;
  /** The values that the pins of the grant demand, by dotted member. */
  readonly pinned: Readonly<Record<string, PinnedValue>>;
  /** The member that each argument filters by. */
  readonly filters: ReadonlyMap<string, string>;
}

/**
 * Lists the events of a caller, by name. Left out are those of a service without an incoming webhook, those whose tool the grant lacks, and those of
 * accounts with which the allowance does not include that tool.
 */
export async function listAvailable(
  db: Executor,
  caller: Principal,
  { catalogue, withhold }: EventRules,
): Promise<AvailableEvent[]> {
  const webhooks = await db.selectFrom('event_inlets').select('id').where('user_id', '=', caller.userId).execute();
  const connectionIds = new Set(webhooks.map(({ id }) => id));
  if (connectionIds.size === 0) return [];
  const tools = new Set(catalogue.names(caller));
  const ofTools = catalogue.connectors
    .flatMap(({ events }) => events?.types ?? [])
    .flatMap((type) => {
      const entry = tools.has(type.tool) ? catalogue.find(type.tool) : undefined;
      return entry === undefined ? [] : { type, entry, accounts: accountsOf(caller, entry) };
    })
    .filter(({ accounts }) => accounts.some(({ id }) => connectionIds.has(id)));
  if (ofTools.length === 0) return [];
  const rules = await rulesOf(db, caller, withhold);
  return ofTools
    .flatMap((ofTool) => toAvailable(ofTool, caller, rules) ?? [])
    .sort((a, b) => (a.type.name < b.type.name ? -1 : 1));
}

/** Selects the rules that hold for a caller: of its partner and client, or of all. */
async function rulesOf(
  db: Executor,
  { partnerId, clientId }: Principal,
  withhold: readonly WithholdRule[],
): Promise<readonly WithholdRule[]> {
  const scoped = withhold.filter(isScoped);
  if (scoped.length === 0) return [];
  const row = await db.selectFrom('partners').select('client_id').where('id', '=', partnerId).executeTakeFirst();
  const partnerClientId = row && liveClientId(row.client_id);
  return scoped.filter(
    ({ partner, client }) =>
      (partner === undefined || partner === partnerClientId) && (client === undefined || client === clientId),
  );
}

/** An event, the tool that it belongs to, and the accounts that have it. */
interface EventOfTool {
  readonly type: EventType;
  readonly entry: CatalogueEntry;
  readonly accounts: readonly FoundConnection[];
}

/** Returns null if a pin of the grant names an argument that the event has no filter for. */
function toAvailable(
  { type, entry: { connector, tool }, accounts }: EventOfTool,
  caller: Principal,
  withhold: readonly WithholdRule[],
): AvailableEvent | null {
  const pins = pinsOf(caller.permission, connector.name);
  const pinned: Record<string, PinnedValue> = {};
  for (const [member, argument] of Object.entries(type.filters)) {
    const value = Object.hasOwn(pins, argument) ? pins[argument] : undefined;
    if (value !== undefined) pinned[member] = value;
  }
  if (Object.keys(pinned).length < Object.keys(pins).length) return null;

  const withheldOfTool = 'result' in tool ? (tool.result?.withhold ?? {}) : {};
  const rules = withhold.filter(({ service, tool = type.tool }) => service === connector.name && tool === type.tool);
  const withheld = [withheldOfTool, ...rules.map(({ members }) => members)]
    .map(atAnyDepth)
    .reduce(mergeWithheld, type.withhold ?? {});

  const filters = Object.entries(withoutFilters(type.filters, withheld)).filter(
    ([, argument]) => !Object.hasOwn(pins, argument),
  );
  const properties = type.inputSchema.properties as Readonly<Record<string, object>>;
  const inputSchema = {
    ...type.inputSchema,
    properties: Object.fromEntries(filters.map(([, argument]) => [argument, properties[argument]])),
  } as ObjectSchema;
  const accountNames = accounts.length > 1 ? accounts.map(({ name = '' }) => name) : undefined;
  const face = { inputSchema } as ToolFace;
  return {
    connector,
    type,
    inputSchema: accountNames === undefined ? inputSchema : withAccounts(face, connector, accountNames).inputSchema,
    accounts,
    account: accountNames === undefined ? null : accountArgumentOf(face),
    payloadSchema: withoutWithheld(type.payloadSchema, withheld).schema,
    withheld,
    pinned,
    filters: new Map(filters.map(([member, argument]) => [argument, member])),
  };
}

/** Withholds a member wherever its name is: a payload has another shape than the answers of the tool. */
function atAnyDepth(members: WithheldMembers): WithheldMembers {
  return Object.fromEntries(Object.entries(members).map(([path, how]) => [`**.${path.split('.').at(-1)}`, how]));
}

type Arguments = Readonly<Record<string, unknown>>;

/** Returns what is wrong with the arguments of a subscription, in one sentence, or null if nothing is. */
export function findArgumentProblem({ inputSchema, type }: AvailableEvent, args: Arguments): string | null {
  const { properties = {}, required = [] } = inputSchema as {
    readonly properties?: Readonly<Record<string, { readonly type?: string; readonly enum?: readonly unknown[] }>>;
    readonly required?: readonly string[];
  };
  const names = Object.keys(properties).join(', ') || 'none';
  for (const [name, value] of Object.entries(args)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined) return `${type.name} has no argument ${name.slice(0, 64)}. Its arguments: ${names}.`;
    const expected = schema.type === 'integer' ? 'number' : schema.type;
    const isType = typeof value === expected || (expected === 'number' && isLargeNumber(value));
    if (isType && !isRounded(value) && (schema.enum?.includes(value) ?? true)) continue;
    return schema.enum === undefined
      ? `${name} must be a ${schema.type}.`
      : `${name} must be one of ${schema.enum.join(', ')}.`;
  }
  const missing = required.find((name) => !Object.hasOwn(args, name));
  return missing === undefined ? null : `${missing} is missing.`;
}

/** Returns true for the digits of a number that JavaScript would round, as payloads have them. */
function isLargeNumber(value: unknown): boolean {
  return typeof value === 'string' && isNumberText(value) && Number.isFinite(Number(value)) && !isExactNumber(value);
}

/** Returns true for a number that has lost digits, or is not finite. */
function isRounded(value: unknown): boolean {
  return typeof value === 'number' && !isExactNumber(String(value));
}

/** Returns the row id of the connection that the arguments choose. */
export function connectionOf({ accounts, account }: AvailableEvent, args: Arguments): string | undefined {
  return (account === null ? accounts[0] : accounts.find(({ name }) => name === args[account]))?.id;
}

/** The user's own accounts with which the tool may be called. Events of a shared connection are only for its owner. */
function accountsOf({ connections, permission }: Principal, entry: CatalogueEntry): readonly FoundConnection[] {
  const first = connections.get(entry.connector.name);
  const accounts = first === undefined ? [] : [first, ...(first.others ?? [])];
  return accounts.filter((account) => account.share === undefined && allowsCall(permission.allows, entry, account));
}

/**
 * Returns the payload for a subscriber, or null if its arguments or the pins of the grant exclude the event.
 *
 * @param data parsed with every digit.
 */
export function toPayload(
  { filters, pinned, withheld }: AvailableEvent,
  args: Arguments,
  { value }: { readonly value: unknown },
): unknown {
  for (const [member, demanded] of Object.entries(pinned)) if (memberAt(value, member) !== demanded) return null;
  for (const [argument, member] of filters) {
    if (Object.hasOwn(args, argument) && memberAt(value, member) !== args[argument]) return null;
  }
  return withoutMembers(value, withheld);
}

/** Returns the value at a dotted path of own members, or undefined. */
export function memberAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => {
    return typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? at[name as keyof typeof at] : undefined;
  }, value);
}
