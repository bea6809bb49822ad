/** Which calls need the approval of their user: by what their tool does, and by who requires it. The strictest wins. */

import type { Connector } from '../../../contract/index.ts';
import { type AnyTool, allToolsOf, usedTools } from '../catalogue/permitted.ts';

/** What a call does that a rule can name. A call that destroys, sends or pays also writes. */
export const APPROVAL_KINDS = ['destroy', 'send', 'pay', 'write'] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/** Calls of a kind, for people. */
export const APPROVAL_KIND_TEXTS: Readonly<Record<ApprovalKind, string>> = {
  destroy: 'Calls that delete or overwrite',
  send: 'Calls that send',
  pay: 'Calls that pay',
  write: 'Every call that writes',
};

/** What a tool does; `required`: its connector requires approval of every call. */
export type ApprovalTrait = ApprovalKind | 'required';

/**
 * Ways to decide. `client` is an answer to an elicitation: it proves that a client answered, and no person, so it is accepted for calls
 * that destroy or pay only as `client-always`.
 */
export const APPROVAL_CHANNELS = ['page', 'partner', 'client', 'client-always'] as const;
export type AcceptedChannel = (typeof APPROVAL_CHANNELS)[number];

/** What the tools of the connectors do, by name. A tool is missing that only reads and that no connector names. */
export function traitsByTool(connectors: readonly Connector[]): ReadonlyMap<string, readonly ApprovalTrait[]> {
  return new Map(
    connectors.flatMap((connector) =>
      allToolsOf(connector).flatMap((tool) => {
        const traits = traitsOf(connector, tool);
        return traits.length === 0 ? [] : [[tool.name, traits] as const];
      }),
    ),
  );
}

/** A hand-written tool does what the tools do that its code calls. */
function traitsOf(connector: Connector, tool: AnyTool): ApprovalTrait[] {
  const faces = [tool, ...usedTools(connector, tool)];
  const traits: readonly (readonly [ApprovalTrait, boolean])[] = [
    ['destroy', tool.annotations.destructiveHint && !tool.annotations.readOnlyHint],
    ['send', faces.some(({ effect }) => effect === 'send')],
    ['pay', faces.some(({ effect }) => effect === 'pay')],
    ['write', !tool.annotations.readOnlyHint],
    ['required', faces.some(({ approval }) => approval === 'required')],
  ];
  return traits.flatMap(([trait, has]) => (has ? [trait] : []));
}

/** Whether a rule of the operator or of the partner names what the tool does, or its connector requires it. */
export function isNamed(
  traits: readonly ApprovalTrait[],
  ...rules: readonly (readonly string[] | null | undefined)[]
): boolean {
  return traits.some((trait) => trait === 'required' || rules.some((rule) => rule?.includes(trait)));
}

/** Whether an answer of the client itself is accepted for the tool. */
export function acceptsClient(traits: readonly ApprovalTrait[], channels: readonly AcceptedChannel[]): boolean {
  if (channels.includes('client-always')) return true;
  return channels.includes('client') && !traits.includes('destroy') && !traits.includes('pay');
}
