/** Which tools a permission includes. */

import type { Tool } from '../../contract/index.ts';
import type { Permission } from '../../principal/permission.ts';

/** Whether the grant includes the tool, its scopes aside. */
export function isPermitted(tool: Tool, permission: Permission): boolean {
  if (permission.only !== null && !permission.only.includes(tool.name)) return false;
  if (permission.without.includes(tool.name)) return false;
  return permission.destructive || !tool.annotations.destructiveHint;
}
