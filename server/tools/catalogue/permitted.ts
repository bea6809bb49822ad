/** Which tools a permission includes, and how they look then. */

import type { Connector, Tool } from '../../contract/index.ts';
import { everyToolOf, type Permission, type Pins } from '../../principal/permission.ts';
import { honoursPins } from '../pins/places.ts';
import { withoutPinned } from '../pins/schema.ts';

const NO_PINS: Pins = {};

/** The arguments of a service's tools that the gateway sets. */
export function pinsOf(permission: Permission, service: string): Pins {
  return Object.hasOwn(permission.pins, service) ? (permission.pins[service] ?? NO_PINS) : NO_PINS;
}

/**
 * Whether the grant includes the tool, its scopes aside. A tool that was renamed is included, or left out, by its old name
 * too. A tool that cannot honour a pin is not included.
 */
export function isPermitted(
  { connector, tool }: { connector: Connector; tool: Tool },
  permission: Permission,
): boolean {
  const { only, without } = permission;
  const names = [tool.name, ...(tool.aliases ?? []).map(({ name }) => name)];
  if (only !== null && !names.some((name) => only.includes(name))) return false;
  if (without.length > 0 && [everyToolOf(connector.name), ...names].some((name) => without.includes(name)))
    return false;
  if (!permission.destructive && tool.annotations.destructiveHint) return false;
  return honoursPins(tool, pinsOf(permission, connector.name));
}

/** The tool as a model of that grant sees it. */
export function asPermitted(tool: Tool, pins: Pins): Tool {
  return pins === NO_PINS ? tool : { ...tool, inputSchema: withoutPinned(tool.inputSchema, pins) };
}
