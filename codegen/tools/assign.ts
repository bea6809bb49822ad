/** Decides which argument fills which place of a request, and what connector.yaml fixes, leaves out or renames. */

import type { ArgumentConfig, ConnectorConfig, ToolConfig } from '../load/connector-config.ts';
import { nameArguments } from './argument-names.ts';
import { type Report, suggest, toShortList } from './report.ts';
import type { Slot } from './slots.ts';
import { parseWire, toWireText, type WireAddress, type WireKey, wireKey } from './wire.ts';

/** One argument of a tool, before its schema is written. */
export interface Assignment {
  readonly name: string;
  /** Null: not sent by itself. */
  readonly slot: Slot | null;
  /** For one member of an object parameter: its key. */
  readonly key: WireKey | null;
  /** `defaults.arguments` and the tool's own entry merged. */
  readonly config: ArgumentConfig;
  /** Place in connector.yaml; null where it says nothing. */
  readonly path: readonly string[] | null;
}

export interface AssignmentPlan {
  /** Configured ones in connector.yaml's order, then the others in the descriptor's. */
  readonly assignments: readonly Assignment[];
  /** Fixed values by `wireKey`. */
  readonly constants: ReadonlyMap<string, unknown>;
}

/** Remembers which defaults of connector.yaml applied to some tool. */
export interface DefaultsUse {
  readonly arguments: Set<string>;
  readonly fixed: Set<string>;
  readonly omit: Set<string>;
}

export function createDefaultsUse(): DefaultsUse {
  return { arguments: new Set(), fixed: new Set(), omit: new Set() };
}

interface Named {
  readonly name: string;
  readonly config: ArgumentConfig;
  readonly path: readonly string[];
}

/** @param label how problems name the tool and its operation */
export function assignArguments(
  slots: readonly Slot[],
  tool: { readonly name: string; readonly config: ToolConfig | null; readonly label: string; readonly pointer: string },
  defaults: ConnectorConfig['defaults'],
  use: DefaultsUse,
  report: Report,
): AssignmentPlan {
  const bySlot = new Map(slots.map((slot) => [wireKey(slot), slot]));
  const parse = (text: string) => parseWire(text, (slot) => bySlot.has(wireKey(slot)));
  const findSlot = (address: WireAddress | null) => (address === null ? undefined : bySlot.get(wireKey(address)));
  const wireNames = slots.map(toWireText);
  const toolPath = ['tools', tool.name];
  const unknownWire = (path: readonly string[], text: string) =>
    report.config(
      'config-wire-unknown',
      path,
      `${tool.label} has no ${text}.`,
      suggest(text, wireNames, 'The operation has nothing that could be sent there.'),
    );

  const constants = new Map<string, unknown>();
  const omitted = new Set<string>();
  const takeOut = (text: string, path: readonly string[], isDefault: boolean, take: (key: string) => void) => {
    const address = parse(text);
    const slot = address?.key === null ? findSlot(address) : undefined;
    if (slot === undefined) {
      if (!isDefault) unknownWire(path, text);
      return false;
    }
    const key = wireKey(slot);
    if (!isDefault && (constants.has(key) || omitted.has(key))) {
      report.config('config-wire-conflict', path, `${text} is fixed and left out at once in ${tool.name}.`);
    }
    take(key);
    return true;
  };
  for (const [text, value] of Object.entries(tool.config?.fixed ?? {})) {
    takeOut(text, [...toolPath, 'fixed', text], false, (key) => constants.set(key, value));
  }
  for (const [index, text] of (tool.config?.omit ?? []).entries()) {
    takeOut(text, [...toolPath, 'omit', String(index)], false, (key) => omitted.add(key));
  }
  const own = Object.entries(tool.config?.arguments ?? {});
  const claimedByTool = new Set(own.flatMap(([, { wire }]) => (wire === undefined ? [] : [slotKeyOf(parse(wire))])));
  for (const [text, value] of Object.entries(defaults.fixed ?? {})) {
    const isTaken = (key: string) => constants.has(key) || omitted.has(key) || claimedByTool.has(key);
    const applies = takeOut(text, [], true, (key) => isTaken(key) || constants.set(key, value));
    if (applies) use.fixed.add(text);
  }
  for (const text of defaults.omit ?? []) {
    const isTaken = (key: string) => constants.has(key) || claimedByTool.has(key);
    if (takeOut(text, [], true, (key) => isTaken(key) || omitted.add(key))) use.omit.add(text);
  }
  for (const key of omitted) {
    const slot = bySlot.get(key);
    if (slot?.required !== true) continue;
    const index = (tool.config?.omit ?? []).findIndex((text) => slotKeyOf(parse(text)) === key);
    const path = index < 0 ? ['defaults', 'omit'] : [...toolPath, 'omit', String(index)];
    report.config('config-required-omitted', path, `${tool.label} requires ${toWireText(slot)}.`);
  }

  const isOpen = (slot: Slot) => !constants.has(wireKey(slot)) && !omitted.has(wireKey(slot));
  const claims = new Map<string, string>();
  const placed = new Map<string, Assignment>();
  const unplaced: Named[] = [];
  const place = ({ name, config, path }: Named, isDefault: boolean): void => {
    if (config.wire === undefined) {
      if (config.sent === false) placed.set(name, { name, slot: null, key: null, config, path });
      else unplaced.push({ name, config, path });
      return;
    }
    const wirePath = [...path, 'wire'];
    if (config.sent === false) {
      report.config('config-wire-conflict', wirePath, `${name} is sent as ${config.wire} and has \`sent: false\`.`);
      return;
    }
    const address = parse(config.wire);
    const slot = findSlot(address);
    if (address === null || slot === undefined) {
      if (!isDefault) unknownWire(wirePath, config.wire);
      return;
    }
    const claim = claimOf(slot, address.key);
    const beside = [...placed.values()].find(
      (other) => other.slot === slot && (other.key === null) !== (address.key === null),
    );
    const rival = claims.get(claim) ?? beside?.name;
    if (isDefault && (rival !== undefined || !isOpen(slot) || claimedByTool.has(wireKey(slot)))) return;
    if (rival !== undefined) {
      report.config('config-wire-conflict', wirePath, `${rival} and ${name} are both sent as ${config.wire}.`);
      return;
    }
    if (!isOpen(slot)) {
      report.config('config-wire-conflict', wirePath, `${config.wire} is fixed or left out in ${tool.name}.`);
      return;
    }
    claims.set(claim, name);
    placed.set(name, { name, slot, key: address.key, config, path });
  };
  for (const [name, config] of own) {
    const base = defaults.arguments?.[name];
    if (base !== undefined) use.arguments.add(name);
    place({ name, config: { ...base, ...config }, path: [...toolPath, 'arguments', name] }, false);
  }
  const ownNames = new Set(own.map(([name]) => name));
  const common = Object.entries(defaults.arguments ?? {}).filter(([name]) => !ownNames.has(name));
  for (const [name, config] of common) {
    if (config.wire === undefined || config.sent === false) continue;
    place({ name, config, path: ['defaults', 'arguments', name] }, true);
    if (placed.has(name)) use.arguments.add(name);
  }

  const claimed = new Set([...placed.values()].flatMap(({ slot }) => (slot === null ? [] : [wireKey(slot)])));
  const remaining = slots.filter((slot) => isOpen(slot) && !claimed.has(wireKey(slot)));
  const { names, collisions } = nameArguments(remaining, new Set(placed.keys()));
  for (const { name, members } of collisions) {
    const list = members.map((member) => `${member.wire} became ${member.name}`).join(', ');
    report.descriptor(
      'argument-name-collision',
      tool.pointer,
      `In ${tool.name}, the name ${name} is wanted twice: ${list}.`,
    );
  }
  const slotByName = new Map(remaining.map((slot) => [names.get(wireKey(slot)) ?? '', slot]));
  for (const { name, config, path } of unplaced) {
    const slot = slotByName.get(name);
    if (slot !== undefined) placed.set(name, { name, slot, key: null, config, path });
    else {
      const known = [...slotByName.keys(), ...placed.keys()];
      report.config(
        'config-argument-unknown',
        path,
        `${tool.label} has no argument ${name}; it has ${known.length === 0 ? 'none' : toShortList(known)}.`,
        suggest(name, known, 'Say with `wire` where the value travels.'),
      );
    }
  }
  const rest = [...slotByName].flatMap(([name, slot]): readonly Assignment[] => {
    if (placed.has(name)) return [];
    const config = ownNames.has(name) ? undefined : defaults.arguments?.[name];
    const applies = config !== undefined && config.wire === undefined && config.sent !== false;
    if (applies) use.arguments.add(name);
    return [
      { name, slot, key: null, config: applies ? config : {}, path: applies ? ['defaults', 'arguments', name] : null },
    ];
  });
  const configured = own.flatMap(([name]) => placed.get(name) ?? []);
  const shared = common.flatMap(([name]) => placed.get(name) ?? []);
  return { assignments: [...configured, ...inSlotOrder([...shared, ...rest], slots)], constants };
}

function inSlotOrder(assignments: readonly Assignment[], slots: readonly Slot[]): readonly Assignment[] {
  const positions = new Map(slots.map((slot, index) => [wireKey(slot), index]));
  const position = ({ slot }: Assignment) => (slot === null ? -1 : (positions.get(wireKey(slot)) ?? -1));
  return assignments.toSorted((a, b) => position(a) - position(b));
}

function slotKeyOf(address: WireAddress | null): string {
  return address === null ? '' : wireKey(address);
}

function claimOf(slot: Slot, key: WireKey | null): string {
  if (key === null) return wireKey(slot);
  return 'constant' in key ? `${wireKey(slot)}[${key.constant}]` : `${wireKey(slot)}[{${key.argument}}]`;
}
