/**
 * Removes values that connector.yaml decides from a tool's arguments: constants of every call, and parameters to leave
 * out.
 */

import type { ConnectorConfig, ToolConfig } from '../../load/connector-config.ts';
import { type Reporter, suggest } from '../problems.ts';
import { toArgumentName } from './argument-names.ts';
import type { Slot } from './slots.ts';
import { parseWire, toWireText, type WireAddress, wireKey } from './wire.ts';

/** The tool whose arguments are decided. */
export interface ConfiguredTool {
  readonly name: string;
  readonly config: ToolConfig | null;
  /** True with `expose: selection`: of the optional places only those that connector.yaml names are offered. Default: false. */
  readonly isSelection?: boolean;
  /** The name of the tool and its operation in messages. */
  readonly label: string;
  /** Pointer of the operation in the descriptor. */
  readonly pointer: string;
  readonly report: Reporter;
}

/** The places of one request, by their addresses. */
export interface SlotDirectory {
  readonly slots: readonly Slot[];
  parse(text: string): WireAddress | null;
  find(address: WireAddress | null): Slot | undefined;
  /** Reports an unknown address. */
  reportUnknown(path: readonly string[], text: string): void;
}

export function createSlotDirectory(slots: readonly Slot[], label: string, report: Reporter): SlotDirectory {
  const byKey = new Map(slots.map((slot) => [wireKey(slot), slot]));
  return {
    slots,
    parse: (text) => parseWire(text, (slot) => byKey.has(wireKey(slot))),
    find: (address) => (address === null ? undefined : byKey.get(wireKey(address))),
    reportUnknown: (path, text) => {
      const fix = suggest(text, slots.map(toWireText), 'The operation has nothing that could be sent there.');
      report.config('config-wire-unknown', path, `${label} has no ${text}.`, fix);
    },
  };
}

export interface FixedAndOmitted {
  /** Fixed values by `wireKey`. */
  readonly constants: ReadonlyMap<string, unknown>;
  /** Omitted places, by `wireKey`. */
  readonly omitted: ReadonlySet<string>;
}

/** Records which defaults applied to some tool; unused ones are reported at the end. */
export interface UsedDefaults {
  readonly arguments: Set<string>;
  readonly fixed: Set<string>;
  readonly omit: Set<string>;
  readonly withhold: Set<string>;
}

export function createUsedDefaults(): UsedDefaults {
  return { arguments: new Set(), fixed: new Set(), omit: new Set(), withhold: new Set() };
}

/**
 * `fixed` and `omit` of a tool and of the service, and transport arguments that connector.yaml does not name. With `expose: selection`: also every
 * optional argument that it does not name. An argument of the tool wins over a default of the service.
 */
export function readFixedAndOmitted(
  directory: SlotDirectory,
  tool: ConfiguredTool,
  defaults: ConnectorConfig['defaults'],
  usedDefaults: UsedDefaults,
): FixedAndOmitted {
  const constants = new Map(
    directory.slots.flatMap((slot) =>
      slot.parameter?.fixed === undefined ? [] : [[wireKey(slot), slot.parameter.fixed.value] as const],
    ),
  );
  const omitted = new Set<string>();
  const omit = (slot: Slot, path: readonly string[]) => {
    omitted.add(wireKey(slot));
    if (slot.required)
      tool.report.config('config-required-omitted', path, `${tool.label} requires ${toWireText(slot)}.`);
  };
  const slotAt = (text: string): Slot | undefined => {
    const address = directory.parse(text);
    return address?.key === null ? directory.find(address) : undefined;
  };
  for (const [text, value] of Object.entries(tool.config?.fixed ?? {})) {
    const slot = slotAt(text);
    if (slot === undefined) directory.reportUnknown(['tools', tool.name, 'fixed', text], text);
    else constants.set(wireKey(slot), value);
  }
  for (const [index, text] of (tool.config?.omit ?? []).entries()) {
    const path = ['tools', tool.name, 'omit', String(index)];
    const slot = slotAt(text);
    if (slot === undefined) directory.reportUnknown(path, text);
    else omit(slot, path);
  }
  const claimedPlaces = placesOfArguments(directory, tool);
  const isDecided = (slot: Slot) => [constants, omitted, claimedPlaces].some((decided) => decided.has(wireKey(slot)));
  for (const [text, value] of Object.entries(defaults.fixed ?? {})) {
    const slot = slotAt(text);
    if (slot === undefined) continue;
    usedDefaults.fixed.add(text);
    if (!isDecided(slot)) constants.set(wireKey(slot), value);
  }
  for (const [index, text] of (defaults.omit ?? []).entries()) {
    const slot = slotAt(text);
    if (slot === undefined) continue;
    usedDefaults.omit.add(text);
    if (!isDecided(slot)) omit(slot, ['defaults', 'omit', String(index)]);
  }
  const configuredNames = namesOfArguments(tool, defaults);
  for (const slot of directory.slots) {
    const isConfigured = configuredNames.has(toArgumentName(slot.name ?? '')) || configuredNames.has(toWireText(slot));
    const isLeftOut = tool.isSelection ? !slot.required : isTransport(slot, directory.slots);
    if (!isConfigured && !isDecided(slot) && isLeftOut) omitted.add(wireKey(slot));
  }
  return { constants, omitted };
}

/** Arguments that connector.yaml configures for the tool: their names, and the places that they claim with `wire`. */
function namesOfArguments(tool: ConfiguredTool, defaults: ConnectorConfig['defaults']): ReadonlySet<string> {
  const entries = [tool.config?.arguments, defaults.arguments].flatMap((args) => Object.entries(args ?? {}));
  return new Set(entries.flatMap(([name, { wire }]) => (wire === undefined ? [name] : [name, wire])));
}

/** Places that the tool's own arguments claim with `wire`. */
export function placesOfArguments(directory: SlotDirectory, tool: ConfiguredTool): ReadonlySet<string> {
  const wires = Object.values(tool.config?.arguments ?? {}).flatMap(({ wire }) => wire ?? []);
  return new Set(
    wires.map((wire) => directory.parse(wire)).flatMap((address) => (address === null ? [] : [wireKey(address)])),
  );
}

interface TransportArgument {
  readonly name: string;
  /** Hidden only if the operation has these query parameters too: they identify one vendor's interface. */
  readonly beside?: readonly string[];
  /** Hidden only if its description matches this. */
  readonly says?: RegExp;
}

/** Query parameters of every method in Google's discovery documents. */
const GOOGLE = ['prettyPrint', 'quotaUser'];

const TRANSPORT_ARGUMENTS: readonly TransportArgument[] = [
  { name: '$.xgafv' },
  { name: 'prettyPrint' },
  { name: 'quotaUser' },
  { name: 'opt_pretty' },
  { name: 'opt_jsonp' },
  { name: 'error_trace' },
  { name: 'pretty', says: /pretty.?print|indent|human.?readable/i },
  { name: 'callback', says: /jsonp|javascript/i },
  { name: 'jsonp', says: /jsonp|callback/i },
  ...['access_token', 'alt', 'callback', 'key', 'oauth_token', 'uploadType', 'upload_protocol', 'userIp'].map(
    (name) => ({ name, beside: GOOGLE }),
  ),
];

const BY_NAME = Map.groupBy(TRANSPORT_ARGUMENTS, ({ name }) => name);

/** True for a place that only concerns transport. A required one never is. */
function isTransport({ in: place, name, required, description }: Slot, slots: readonly Slot[]): boolean {
  if (place !== 'query' || name === null || required) return false;
  const hasQueryParameter = (other: string) => slots.some((slot) => slot.in === 'query' && slot.name === other);
  return (BY_NAME.get(name) ?? []).some(
    ({ beside = [], says }) => beside.every(hasQueryParameter) && (says === undefined || says.test(description)),
  );
}
