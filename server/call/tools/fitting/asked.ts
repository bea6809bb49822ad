/** Separates the arguments for the gateway from those for the service. */

import type { GatewayArgument, ToolFace } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';

/** The arguments for the gateway. */
export interface Asked {
  /** Dotted paths of members to keep; null: all. */
  readonly fields: readonly string[] | null;
  /** Number of records to gather; null: one page. */
  readonly maxItems: number | null;
  /** A handle from `page.nextArguments`, unverified; null: from the beginning. */
  readonly resume: string | null;
  /** The arguments as given, without `resume`; a call for the next part repeats them. */
  readonly repeated: Arguments;
}

/** Splits valid arguments of a tool. An empty list, an empty text and null count as absent. */
export function splitArguments(tool: ToolFace, args: Arguments): { readonly args: Arguments; readonly asked: Asked } {
  const own: readonly GatewayArgument[] = tool.gatewayArguments ?? [];
  if (own.length === 0) return { args, asked: { fields: null, maxItems: null, resume: null, repeated: args } };
  const without = (names: readonly string[]) =>
    Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
  const { fields, maxItems, resume } = args;
  const asks = (name: GatewayArgument) => own.includes(name);
  return {
    args: without(own),
    asked: {
      fields: asks('fields') && Array.isArray(fields) && fields.length > 0 ? fields.map(String) : null,
      maxItems: asks('maxItems') && typeof maxItems === 'number' ? maxItems : null,
      resume: asks('resume') && typeof resume === 'string' && resume !== '' ? resume : null,
      repeated: asks('resume') ? without(['resume']) : args,
    },
  };
}
