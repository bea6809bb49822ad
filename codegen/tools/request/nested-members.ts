/**
 * Turns members of objects in a JSON body into separate places, if connector.yaml names them: `body.incident.title`.
 */

import type { ConnectorConfig } from '../../load/connector-config.ts';
import { nearest } from '../../nearest.ts';
import type { BodyPlan } from '../body/context.ts';
import { suggest } from '../problems.ts';
import { isReadOnly, mergeAllOf } from '../schema/merge.ts';
import { type Resolve, requiredOf, schemaMap, typesOf } from '../schema/readers.ts';
import type { ConfiguredTool } from './fixed-and-omitted.ts';
import type { Slot } from './slots.ts';
import { toWireText } from './wire.ts';

/** A place inside an object of the body, by the names on the way to it. */
interface MemberAddress {
  readonly path: readonly string[];
  /** Place of the entry in connector.yaml. */
  readonly config: readonly string[];
}

interface FlattenResult {
  readonly slots: readonly Slot[];
  /** The tool without the entries that were reported here. */
  readonly tool: ConfiguredTool;
}

const BODY = 'body.';

/**
 * Replaces a member of the body, which is an object, by those of its members that the tool names in `wire` and `fixed`.
 *
 * Members that the object requires stay places, so that a call can fill them; its other members are not exposed. A
 * member is required if every object on the way to it is. Nested objects follow the same rule; arrays and forms are not
 * split.
 */
export function flattenMembers(
  slots: readonly Slot[],
  body: BodyPlan,
  tool: ConfiguredTool,
  resolve: Resolve,
): FlattenResult {
  const slotTexts = new Set(slots.map(toWireText));
  const memberAddresses = memberAddressesOf(tool).filter(
    ({ path }) => path.length > 1 && !slotTexts.has(BODY + path.join('.')),
  );
  const splitAddresses = memberAddresses.filter(({ path: [first = ''] }) => slotTexts.has(BODY + first));
  if (splitAddresses.length === 0) return { slots, tool };
  const refusedWires = new Set<string>();
  const refuse = ({ path, config }: MemberAddress, message: string, fix?: string) => {
    refusedWires.add(BODY + path.join('.'));
    tool.report.config('config-wire-unknown', config, message, fix);
  };
  const flatSlots = slots.flatMap((slot): readonly Slot[] => {
    const slotAddresses = splitAddresses.filter(({ path }) => slot.in === 'body' && slot.name === path[0]);
    const [first] = slotAddresses;
    if (first === undefined) return [slot];
    if (body.kind === 'members' && body.form !== undefined) {
      for (const memberAddress of slotAddresses)
        refuse(memberAddress, `${tool.label} sends ${toWireText(slot)} in a form, which is not taken apart.`);
      return [slot];
    }
    return membersOf(slot, [slot.name ?? ''], slotAddresses, { resolve, refuse, label: tool.label });
  });
  return { slots: flatSlots, tool: refusedWires.size === 0 ? tool : withoutWires(tool, refusedWires) };
}

interface Context {
  readonly resolve: Resolve;
  readonly label: string;
  refuse(memberAddress: MemberAddress, message: string, fix?: string): void;
}

/** The places inside one object. */
function membersOf(
  slot: Slot,
  path: readonly string[],
  memberAddresses: readonly MemberAddress[],
  context: Context,
): readonly Slot[] {
  const { resolve, label, refuse } = context;
  const { schema } = mergeAllOf(slot.schema, resolve);
  const objectAddress = BODY + path.join('.');
  const members = schemaMap(schema, 'properties').filter(([, member]) => !isReadOnly(member, resolve));
  const names = members.map(([name]) => name);
  if (typesOf(schema).includes('array')) {
    for (const memberAddress of memberAddresses)
      refuse(memberAddress, `${label} has an array at ${objectAddress}: arrays are not taken apart.`);
    return [slot];
  }
  const declaredAddresses = memberAddresses.filter((memberAddress) => {
    const name = memberAddress.path[path.length] ?? '';
    if (names.includes(name)) return true;
    const nearNames = nearest(name, names);
    const suggestions = (nearNames.length > 0 ? nearNames : names).map(
      (memberName) => `${objectAddress}.${memberName}`,
    );
    const none = 'It has no members of its own that a request could send.';
    refuse(memberAddress, `${label} has no ${BODY}${memberAddress.path.join('.')}.`, suggest('', suggestions, none));
    return false;
  });
  if (declaredAddresses.length === 0) return [slot];
  const required = new Set(requiredOf(schema));
  return members.flatMap(([name, member]): readonly Slot[] => {
    const memberPath = [...path, name];
    const addressesInMember = declaredAddresses.filter((memberAddress) => memberAddress.path[path.length] === name);
    if (addressesInMember.length === 0 && !required.has(name)) return [];
    const memberSlot: Slot = {
      ...slot,
      name: memberPath.join('.'),
      path: memberPath,
      required: slot.required && required.has(name),
      schema: member,
      description: '',
    };
    const deeperAddresses = addressesInMember.filter((memberAddress) => memberAddress.path.length > memberPath.length);
    const exactAddress = addressesInMember.find((memberAddress) => memberAddress.path.length === memberPath.length);
    if (exactAddress !== undefined && deeperAddresses.length > 0) {
      for (const memberAddress of deeperAddresses)
        refuse(memberAddress, `${label} sends ${BODY}${memberPath.join('.')} whole as well.`);
      return [memberSlot];
    }
    return deeperAddresses.length > 0 ? membersOf(memberSlot, memberPath, deeperAddresses, context) : [memberSlot];
  });
}

function memberAddressesOf({ name, config }: ConfiguredTool): readonly MemberAddress[] {
  const toMemberAddress = (text: string, configPath: readonly string[]): readonly MemberAddress[] =>
    text.startsWith(BODY) ? [{ path: text.slice(BODY.length).split('.'), config: ['tools', name, ...configPath] }] : [];
  return [
    ...Object.entries(config?.arguments ?? {}).flatMap(([argument, { wire }]) =>
      toMemberAddress(wire ?? '', ['arguments', argument, 'wire']),
    ),
    ...Object.keys(config?.fixed ?? {}).flatMap((text) => toMemberAddress(text, ['fixed', text])),
  ];
}

/** The tool without the arguments and fixed values at these places. */
function withoutWires(tool: ConfiguredTool, wires: ReadonlySet<string>): ConfiguredTool {
  if (tool.config === null) return tool;
  const { arguments: args = {}, fixed = {} } = tool.config;
  const config: ConnectorConfig['tools'][string] = {
    ...tool.config,
    arguments: Object.fromEntries(Object.entries(args).filter(([, { wire }]) => !wires.has(wire ?? ''))),
    fixed: Object.fromEntries(Object.entries(fixed).filter(([text]) => !wires.has(text))),
  };
  return { ...tool, config };
}
