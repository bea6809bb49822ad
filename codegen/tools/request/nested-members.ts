/**
 * Turns members of objects in a JSON body into separate places, if connector.yaml names them: `body.incident.title`.
 */

import type { ConnectorConfig } from '../../load/connector-config.ts';
import { nearest } from '../../nearest.ts';
import type { BodyPlan } from '../body/context.ts';
import { suggest } from '../problems.ts';
import { isReadOnly, mergeAllOf } from '../schema/merge.ts';
import { type Resolve, requiredOf, schemaMap, typesOf } from '../schema/readers.ts';
import type { ToolContext } from './fixed-and-omitted.ts';
import type { Slot } from './slots.ts';
import { toWireText } from './wire.ts';

/** A place inside an object of the body, by the names on the way to it. */
interface Wanted {
  readonly path: readonly string[];
  /** Place of the entry in connector.yaml. */
  readonly config: readonly string[];
}

interface Flattened {
  readonly slots: readonly Slot[];
  /** The tool without the entries that were reported here. */
  readonly tool: ToolContext;
}

const BODY = 'body.';

/**
 * Replaces a member of the body, which is an object, by those of its members that the tool names in `wire` and `fixed`.
 *
 * Members that the object requires stay places, so that a call can fill them; its other members are not exposed. A
 * member is required if every object on the way to it is. Nested objects follow the same rule; arrays and forms are not
 * split.
 */
export function flattenMembers(slots: readonly Slot[], body: BodyPlan, tool: ToolContext, resolve: Resolve): Flattened {
  const named = new Set(slots.map(toWireText));
  const wanted = wiresOf(tool).filter(({ path }) => path.length > 1 && !named.has(BODY + path.join('.')));
  const inside = wanted.filter(({ path: [first = ''] }) => named.has(BODY + first));
  if (inside.length === 0) return { slots, tool };
  const wrong = new Set<string>();
  const refuse = ({ path, config }: Wanted, message: string, fix?: string) => {
    wrong.add(BODY + path.join('.'));
    tool.report.config('config-wire-unknown', config, message, fix);
  };
  const flat = slots.flatMap((slot): readonly Slot[] => {
    const wantedHere = inside.filter(({ path }) => slot.in === 'body' && slot.name === path[0]);
    const [first] = wantedHere;
    if (first === undefined) return [slot];
    if (body.kind === 'members' && body.form !== undefined) {
      for (const each of wantedHere)
        refuse(each, `${tool.label} sends ${toWireText(slot)} in a form, which is not taken apart.`);
      return [slot];
    }
    return membersOf(slot, [slot.name ?? ''], wantedHere, { resolve, refuse, label: tool.label });
  });
  return { slots: flat, tool: wrong.size === 0 ? tool : without(tool, wrong) };
}

interface Context {
  readonly resolve: Resolve;
  readonly label: string;
  refuse(wanted: Wanted, message: string, fix?: string): void;
}

/** The places inside one object. */
function membersOf(slot: Slot, path: readonly string[], wanted: readonly Wanted[], context: Context): readonly Slot[] {
  const { resolve, label, refuse } = context;
  const { schema } = mergeAllOf(slot.schema, resolve);
  const address = BODY + path.join('.');
  const members = schemaMap(schema, 'properties').filter(([, member]) => !isReadOnly(member, resolve));
  const names = members.map(([name]) => name);
  if (typesOf(schema).includes('array')) {
    for (const each of wanted) refuse(each, `${label} has an array at ${address}: arrays are not taken apart.`);
    return [slot];
  }
  const declared = wanted.filter((each) => {
    const name = each.path[path.length] ?? '';
    if (names.includes(name)) return true;
    const close = nearest(name, names);
    const offered = (close.length > 0 ? close : names).map((one) => `${address}.${one}`);
    const none = 'It has no members of its own that a request could send.';
    refuse(each, `${label} has no ${BODY}${each.path.join('.')}.`, suggest('', offered, none));
    return false;
  });
  if (declared.length === 0) return [slot];
  const required = new Set(requiredOf(schema));
  return members.flatMap(([name, member]): readonly Slot[] => {
    const here = [...path, name];
    const wantedHere = declared.filter((each) => each.path[path.length] === name);
    if (wantedHere.length === 0 && !required.has(name)) return [];
    const inner: Slot = {
      ...slot,
      name: here.join('.'),
      path: here,
      required: slot.required && required.has(name),
      schema: member,
      description: '',
    };
    const deeper = wantedHere.filter((each) => each.path.length > here.length);
    const whole = wantedHere.find((each) => each.path.length === here.length);
    if (whole !== undefined && deeper.length > 0) {
      for (const each of deeper) refuse(each, `${label} sends ${BODY}${here.join('.')} whole as well.`);
      return [inner];
    }
    return deeper.length > 0 ? membersOf(inner, here, deeper, context) : [inner];
  });
}

function wiresOf({ name, config }: ToolContext): readonly Wanted[] {
  const toWanted = (text: string, place: readonly string[]): readonly Wanted[] =>
    text.startsWith(BODY) ? [{ path: text.slice(BODY.length).split('.'), config: ['tools', name, ...place] }] : [];
  return [
    ...Object.entries(config?.arguments ?? {}).flatMap(([argument, { wire }]) =>
      toWanted(wire ?? '', ['arguments', argument, 'wire']),
    ),
    ...Object.keys(config?.fixed ?? {}).flatMap((text) => toWanted(text, ['fixed', text])),
  ];
}

/** The tool without the arguments and fixed values at these places. */
function without(tool: ToolContext, places: ReadonlySet<string>): ToolContext {
  if (tool.config === null) return tool;
  const { arguments: args = {}, fixed = {} } = tool.config;
  const config: ConnectorConfig['tools'][string] = {
    ...tool.config,
    arguments: Object.fromEntries(Object.entries(args).filter(([, { wire }]) => !places.has(wire ?? ''))),
    fixed: Object.fromEntries(Object.entries(fixed).filter(([text]) => !places.has(text))),
  };
  return { ...tool, config };
}
