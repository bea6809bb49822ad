/** Which tools a permission includes, and how they look then. */

import type { Connector, Tool } from '../../contract/index.ts';
import type { Permission, Pins } from '../../principal/permission.ts';
import { honoursPins } from '../pins/places.ts';
import { withoutPinned } from '../pins/schema.ts';

const NO_PINS: Pins = {};

/** The arguments of a service's tools that the gateway sets. */
export function pinsOf(permission: Permission, service: string): Pins {
  return Object.hasOwn(permission.pins, service) ? (permission.pins[service] ?? NO_PINS) : NO_PINS;
}

/** Whether the grant includes the tool, its scopes aside. A tool that cannot honour a pin is not included. */
export function isPermitted(
  { connector, tool }: { connector: Connector; tool: Tool },
  permission: Permission,
): boolean {
  if (permission.only !== null && !permission.only.includes(tool.name)) return false;
  if (permission.without.includes(tool.name)) return false;
  if (!permission.destructive && tool.annotations.destructiveHint) return false;
  return honoursPins(tool, pinsOf(permission, connector.name));
}

/** The tool as a model of that grant sees it. */
export function asPermitted(tool: Tool, pins: Pins): Tool {
  return pins === NO_PINS ? tool : { ...tool, inputSchema: withoutPinned(tool.inputSchema, pins) };
}
