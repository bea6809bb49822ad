/** Which events a caller has, as its grant leaves them: without withheld members, and within its pins. */

import { isExactNumber, isNumberText } from '../../../shared/exact-json.ts';
import { mergeWithheld, type WithheldMembers, withoutFilters, withoutWithheld } from '../../../shared/withheld.ts';
import type { PinnedValue } from '../../base/principal/permission.ts';
import type { Principal } from '../../base/principal/principal.ts';
import { liveClientId } from '../../base/realm.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { Catalogue } from '../../call/tools/catalogue/catalogue.ts';
import { accountArgumentOf, pinsOf, withAccounts } from '../../call/tools/catalogue/permitted.ts';
import { isScoped, type WithholdRule } from '../../call/tools/catalogue/withheld.ts';
import { withoutMembers } from '../../call/tools/results/withheld.ts';
import type { Connector, EventType, ObjectSchema, ToolFace } from '../../contract/index.ts';

/** The part of a caller that decides what it may know. */
type Holder = Pick<
  Principal,
  'partnerId' | 'userId' | 'clientId' | 'scopes' | 'permission' | 'connections' | 'services' | 'accounts'
>;

/** What the rules of an operator and the tools of the gateway decide with. */
export interface Offering {
  readonly catalogue: Catalogue;
  readonly rules: readonly WithholdRule[];
}

/** An event as one caller has it. */
export interface Offered {
  readonly connector: Connector;
  readonly type: EventType;
  readonly inputSchema: ObjectSchema;
  readonly payloadSchema: ObjectSchema;
  /** The argument that chooses one of several accounts; null: there is one. */
  readonly account: string | null;
  readonly withheld: WithheldMembers;
  /** By dotted member: what the grant's pins demand. */
  readonly pinned: Readonly<Record<string, PinnedValue>>;
  /** By argument: the member that it filters by. */
  readonly filters: ReadonlyMap<string, string>;
}

/** The services of a user whose connections have an address. */
async function listInlets(executor: Executor, userId: string) {
  return executor.selectFrom('event_inlets').select(['id', 'service', 'seq']).where('user_id', '=', userId).execute();
}

/** The events of a caller, by name. None of a service that no connection has an address for, or whose tool the grant lacks. */
export async function listOffered(db: Executor, holder: Holder, { catalogue, rules }: Offering): Promise<Offered[]> {
  const reached = new Set((await listInlets(db, holder.userId)).map(({ id }) => id));
  const connectors = catalogue.connectors.filter(
    ({ events, name }) => events !== undefined && accountsOf(holder, name).some(({ id }) => reached.has(id)),
  );
  if (connectors.length === 0) return [];
  const tools = new Set(catalogue.names(holder));
  const scoped = rules.filter(isScoped);
  const partner = scoped.length === 0 ? undefined : await partnerOf(db, holder.partnerId);
  const own = scoped.filter(
    (one) => (one.partner ?? partner) === partner && (one.client ?? holder.clientId) === holder.clientId,
  );
  return connectors
    .flatMap((connector) => (connector.events?.types ?? []).map((type) => ({ connector, type })))
    .filter(({ type }) => tools.has(type.tool))
    .flatMap(({ connector, type }) => toOffered(connector, type, holder, { catalogue, rules: own }) ?? [])
    .sort((a, b) => (a.type.name < b.type.name ? -1 : 1));
}

/** Null: a pin of the grant names what the event cannot be narrowed by. */
function toOffered(
  connector: Connector,
  type: EventType,
  holder: Holder,
  { catalogue, rules }: Offering,
): Offered | null {
  const pins = pinsOf(holder.permission, connector.name);
  const entries = Object.entries(type.filters);
  const pinned = entries.flatMap(([member, argument]) =>
    Object.hasOwn(pins, argument) ? [[member, pins[argument] as PinnedValue] as const] : [],
  );
  if (pinned.length < Object.keys(pins).length) return null;
  const tool = catalogue.find(type.tool)?.tool;
  const ofTool = tool !== undefined && 'result' in tool ? (tool.result?.withhold ?? {}) : {};
  const withheld = [
    ofTool,
    ...rules
      .filter(({ service, tool = type.tool }) => service === connector.name && tool === type.tool)
      .map(({ members }) => members),
  ]
    .map(anywhere)
    .reduce(mergeWithheld, type.withhold ?? {});
  const filters = Object.entries(withoutFilters(type.filters, withheld)).filter(
    ([, argument]) => !Object.hasOwn(pins, argument),
  );
  const properties = type.inputSchema.properties as Readonly<Record<string, object>>;
  const inputSchema = {
    ...type.inputSchema,
    properties: Object.fromEntries(filters.map(([, argument]) => [argument, properties[argument]])),
  } as ObjectSchema;
  const names = holder.accounts?.get(connector.name);
  const face = { inputSchema } as ToolFace;
  return {
    connector,
    type,
    inputSchema: names === undefined ? inputSchema : withAccounts(face, connector, names).inputSchema,
    account: names === undefined ? null : accountArgumentOf(face),
    payloadSchema: withoutWithheld(type.payloadSchema, withheld).schema,
    withheld,
    pinned: Object.fromEntries(pinned),
    filters: new Map(filters.map(([member, argument]) => [argument, member])),
  };
}

/** A payload has another shape than the tool's answers, so a name that never leaves one of them leaves no place of it. */
function anywhere(members: WithheldMembers): WithheldMembers {
  return Object.fromEntries(Object.entries(members).map(([path, how]) => [`**.${path.split('.').at(-1)}`, how]));
}

async function partnerOf(db: Executor, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('partners').select('client_id').where('id', '=', id).executeTakeFirst();
  return row && liveClientId(row.client_id);
}

type Arguments = Readonly<Record<string, unknown>>;

/** What is wrong with the arguments of a subscription, in one sentence; null: nothing. */
export function findArgumentProblem({ inputSchema, type }: Offered, args: Arguments): string | null {
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
    const isRight = isType && !isRounded(value) && (schema.enum?.includes(value) ?? true);
    if (!isRight)
      return `${name} must be ${schema.enum === undefined ? `a ${schema.type}` : `one of ${schema.enum.join(', ')}`}.`;
  }
  const missing = required.find((name) => !Object.hasOwn(args, name));
  return missing === undefined ? null : `${missing} is missing.`;
}

/** The digits of a number that JavaScript would round, as payloads have them. */
function isLargeNumber(value: unknown): boolean {
  return typeof value === 'string' && isNumberText(value) && Number.isFinite(Number(value)) && !isExactNumber(value);
}

/** Whether a number has lost digits, or is not finite. */
function isRounded(value: unknown): boolean {
  return typeof value === 'number' && !isExactNumber(String(value));
}

/** Row id of the connection that the arguments choose. */
export function connectionOf({ connector, account }: Offered, holder: Holder, args: Arguments): string | undefined {
  const accounts = accountsOf(holder, connector.name);
  return (account === null ? accounts[0] : accounts.find(({ name }) => name === args[account]))?.id;
}

function accountsOf({ connections }: Holder, service: string) {
  const first = connections.get(service);
  return first === undefined ? [] : [first, ...(first.others ?? [])];
}

/** The payload as a subscriber gets it; null: its arguments or the grant's pins leave the event out. @param data parsed with every digit. */
export function toPayload(
  { filters, pinned, withheld }: Offered,
  args: Arguments,
  { value }: { readonly value: unknown },
): unknown {
  const wanted = [
    ...Object.entries(pinned),
    ...[...filters].flatMap(([argument, member]) =>
      Object.hasOwn(args, argument) ? [[member, args[argument]] as const] : [],
    ),
  ];
  return wanted.every(([member, equal]) => memberAt(value, member) === equal) ? withoutMembers(value, withheld) : null;
}

/** The value at a dotted path of own members; undefined: there is none. */
export function memberAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => {
    return typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? at[name as keyof typeof at] : undefined;
  }, value);
}
