/** Assigns arguments to the places of a request, by connector.yaml or by default names. */

import { entryOf } from '../../json-pointer.ts';
import type { ArgumentConfig, ConnectorConfig } from '../../load/connector-config.ts';
import { type Reporter, suggest, toShortList } from '../problems.ts';
import { nameArguments } from './argument-names.ts';
import {
  type ConfiguredTool,
  createSlotDirectory,
  type FixedAndOmitted,
  placesOfArguments,
  readFixedAndOmitted,
  type SlotDirectory,
  type UsedDefaults,
} from './fixed-and-omitted.ts';
import type { Slot } from './slots.ts';
import { type ParameterKey, wireKey } from './wire.ts';

/** One argument of a tool, before its schema is written. */
export interface Assignment {
  readonly name: string;
  /** Null if it is not sent by itself. */
  readonly slot: Slot | null;
  /** For one member of an object parameter: its key. */
  readonly key: ParameterKey | null;
  /** `defaults.arguments` and the tool's own entry merged. */
  readonly config: ArgumentConfig;
  /** Place in connector.yaml; null if it has no entry. */
  readonly path: readonly string[] | null;
}

interface AssignmentPlan {
  /** Configured arguments in connector.yaml's order, then the others in the descriptor's. */
  readonly assignments: readonly Assignment[];
  /** Fixed values by `wireKey`. */
  readonly constants: ReadonlyMap<string, unknown>;
}

interface ConfiguredArgument {
  readonly name: string;
  readonly config: ArgumentConfig;
  readonly path: readonly string[];
}

/** The state of one tool's assignment: the arguments placed so far, by name. */
interface AssignmentState {
  readonly directory: SlotDirectory;
  readonly tool: ConfiguredTool;
  readonly fixedAndOmitted: FixedAndOmitted;
  readonly placed: Map<string, Assignment>;
  readonly report: Reporter;
}

/**
 * Fills the places of a request: first `fixed` and `omit`, then the tool's arguments with `wire`, then the service's
 * defaults with `wire`, then everything else under its default name.
 */
export function assignArguments(
  slots: readonly Slot[],
  tool: ConfiguredTool,
  defaults: ConnectorConfig['defaults'],
  usedDefaults: UsedDefaults,
): AssignmentPlan {
  const { report } = tool;
  const directory = createSlotDirectory(slots, tool.label, report);
  const fixedAndOmitted = readFixedAndOmitted(directory, tool, defaults, usedDefaults);
  const state: AssignmentState = { directory, tool, fixedAndOmitted, placed: new Map(), report };
  const toolArguments = readToolArguments(tool, defaults, usedDefaults);
  const unplaced = toolArguments.filter((argument) => !placeToolArgument(state, argument));
  const commonArguments = Object.entries(defaults.arguments ?? {}).filter(
    ([name]) => !toolArguments.some((argument) => argument.name === name),
  );
  for (const [name, config] of commonArguments) {
    if (placeDefault(state, { name, config, path: ['defaults', 'arguments', name] })) usedDefaults.arguments.add(name);
  }
  const slotByName = nameRemaining(state);
  for (const argument of unplaced) placeByName(state, argument, slotByName);
  for (const [name, slot] of slotByName) {
    if (state.placed.has(name)) continue;
    const config = commonArguments.find(([other]) => other === name)?.[1];
    const applies = config !== undefined && config.wire === undefined && config.sent !== false;
    if (applies) usedDefaults.arguments.add(name);
    const path = applies ? ['defaults', 'arguments', name] : null;
    state.placed.set(name, { name, slot, key: null, config: applies ? config : {}, path });
  }
  return { assignments: orderAssignments(state, toolArguments), constants: fixedAndOmitted.constants };
}

function readToolArguments(
  tool: ConfiguredTool,
  defaults: ConnectorConfig['defaults'],
  usedDefaults: UsedDefaults,
): readonly ConfiguredArgument[] {
  return Object.entries(tool.config?.arguments ?? {}).map(([name, config]) => {
    const base = entryOf(defaults.arguments, name);
    if (base !== undefined) usedDefaults.arguments.add(name);
    return { name, config: { ...base, ...config }, path: ['tools', tool.name, 'arguments', name] };
  });
}

/** Places an argument of the tool. False: it has neither `wire` nor `sent: false`, and has to match a default name. */
function placeToolArgument(state: AssignmentState, argument: ConfiguredArgument): boolean {
  const { name, config, path } = argument;
  const { directory, report, tool, fixedAndOmitted } = state;
  const wirePath = [...path, 'wire'];
  if (config.sent === false) {
    if (config.wire !== undefined) {
      report.config('config-wire-conflict', wirePath, `${name} is sent as ${config.wire} and has \`sent: false\`.`);
    } else state.placed.set(name, { name, slot: null, key: null, config, path });
    return true;
  }
  if (config.wire === undefined) return false;
  const address = directory.parse(config.wire);
  const slot = directory.find(address);
  if (address === null || slot === undefined) {
    directory.reportUnknown(wirePath, config.wire);
    return true;
  }
  const occupantName = argumentAt(state, slot, address.key);
  if (occupantName !== null) {
    report.config('config-wire-conflict', wirePath, `${occupantName} and ${name} are both sent as ${config.wire}.`);
  } else if (!isAvailable(fixedAndOmitted, slot)) {
    report.config('config-wire-conflict', wirePath, `${config.wire} is fixed or left out in ${tool.name}.`);
  } else state.placed.set(name, { name, slot, key: address.key, config, path });
  return true;
}

/** Places a default with `wire` if the tool has the place and no other argument claims it. */
function placeDefault(state: AssignmentState, { name, config, path }: ConfiguredArgument): boolean {
  if (config.wire === undefined || config.sent === false) return false;
  const address = state.directory.parse(config.wire);
  const slot = state.directory.find(address);
  if (address === null || slot === undefined || !isAvailable(state.fixedAndOmitted, slot)) return false;
  const isClaimed = placesOfArguments(state.directory, state.tool).has(wireKey(slot));
  if (isClaimed || argumentAt(state, slot, address.key) !== null) return false;
  state.placed.set(name, { name, slot, key: address.key, config, path });
  return true;
}

/** The argument that already fills the place: all of it, the same key, or any key of it. */
function argumentAt({ placed }: AssignmentState, slot: Slot, key: ParameterKey | null): string | null {
  const occupant = [...placed.values()].find(
    (other) => other.slot === slot && (key === null || other.key === null || toKeyText(key) === toKeyText(other.key)),
  );
  return occupant?.name ?? null;
}

function toKeyText(key: ParameterKey): string {
  return 'constant' in key ? key.constant : `{${key.argument}}`;
}

function isAvailable({ constants, omitted }: FixedAndOmitted, slot: Slot): boolean {
  return !constants.has(wireKey(slot)) && !omitted.has(wireKey(slot));
}

/** Default names of the places that no argument claims. */
function nameRemaining({
  directory,
  tool,
  fixedAndOmitted,
  placed,
  report,
}: AssignmentState): ReadonlyMap<string, Slot> {
  const claimed = new Set([...placed.values()].map(({ slot }) => slot));
  const remaining = directory.slots.filter((slot) => isAvailable(fixedAndOmitted, slot) && !claimed.has(slot));
  const { names, collisions } = nameArguments(remaining, new Set(placed.keys()));
  for (const { name, members } of collisions) {
    const list = members.map((member) => `${member.wire} became ${member.name}`).join(', ');
    const message = `In ${tool.name}, the name ${name} is wanted twice: ${list}.`;
    report.descriptor('argument-name-collision', tool.pointer, message);
  }
  return new Map(remaining.map((slot) => [names.get(wireKey(slot)) ?? '', slot]));
}

function placeByName(
  { tool, placed, report }: AssignmentState,
  { name, config, path }: ConfiguredArgument,
  slotByName: ReadonlyMap<string, Slot>,
): void {
  const slot = slotByName.get(name);
  if (slot !== undefined) {
    placed.set(name, { name, slot, key: null, config, path });
    return;
  }
  const names = [...slotByName.keys(), ...placed.keys()];
  const nameList = names.length === 0 ? 'none' : toShortList(names);
  const fix = suggest(name, names, 'Say with `wire` where the value travels.');
  report.config('config-argument-unknown', path, `${tool.label} has no argument ${name}; it has ${nameList}.`, fix);
}

function orderAssignments(
  { directory, placed }: AssignmentState,
  toolArguments: readonly ConfiguredArgument[],
): readonly Assignment[] {
  const configured = toolArguments.flatMap(({ name }) => placed.get(name) ?? []);
  const rest = [...placed.values()].filter(({ name }) => !toolArguments.some((argument) => argument.name === name));
  const position = ({ slot }: Assignment) => (slot === null ? -1 : directory.slots.indexOf(slot));
  return [...configured, ...rest.toSorted((a, b) => position(a) - position(b))];
}
