/** Which calls need the approval of their user: by what their tool does, and by who requires it. The strictest wins. */

import type { Connector } from '../../../contract/index.ts';
import { type AnyTool, allToolsOf, usedTools } from '../catalogue/permitted.ts';

/** What a call does that a rule can name. A call that destroys, sends or pays also writes. */
export const APPROVAL_KINDS = ['destroy', 'send', 'pay', 'write'] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/** What a partner's rule can name. `each`: no approval is remembered, whatever `APPROVAL_REMEMBER` says. */
export const PARTNER_RULES = [...APPROVAL_KINDS, 'each'] as const;

/** What a partner's rule names, for people. */
export const PARTNER_RULE_TEXTS: Readonly<Record<(typeof PARTNER_RULES)[number], string>> = {
  destroy: 'Calls that delete or overwrite',
  send: 'Calls that send',
  pay: 'Calls that pay',
  write: 'Every call that writes',
  each: 'Each call: no approval is remembered until the next day',
};

/**
 * What a tool does. `required`: its connector requires approval of every call. The others are what a rule of the user names, who may have
 * every writing tool of a service ask, or one of them.
 */
type ApprovalTrait = ApprovalKind | 'required' | OwnRule;
type OwnRule = `service:${string}` | `tool:${string}`;

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
  const own: readonly OwnRule[] = [`service:${connector.name}`, `tool:${tool.name}`];
  return [...traits.flatMap(([trait, has]) => (has ? [trait] : [])), ...(tool.annotations.readOnlyHint ? [] : own)];
}

/** Whether a rule of the operator, the partner or the user names what the tool does, or its connector requires it. */
export function isNamed(
  traits: readonly ApprovalTrait[],
  ...rules: readonly (readonly string[] | null | undefined)[]
): boolean {
  return traits.some((trait) => trait === 'required' || rules.some((rule) => rule?.includes(trait)));
}

/** What the operator says about approvals. */
export interface ApprovalPolicy {
  /** What tools do, by name; a tool that is missing needs no approval. */
  readonly traits: ReadonlyMap<string, readonly ApprovalTrait[]>;
  /** What the operator requires. */
  readonly rule: readonly ApprovalKind[];
  /** Which approvals may hold until the next day (`APPROVAL_REMEMBER`). */
  readonly remember: readonly ApprovalKind[];
}

/** Rules of a user, as the row has them. */
export function ownRulesOf({ approvals }: { readonly approvals: string | null }): readonly string[] {
  return approvals?.split(',') ?? [];
}

/** Whether each call of a tool waits for its user. */
export function asksFirst(
  { traits, rule }: ApprovalPolicy,
  tool: string,
  partner: { readonly approvals: readonly string[] | null },
  user: { readonly approvals: string | null },
): boolean {
  return isNamed(traits.get(tool) ?? [], rule, partner.approvals, ownRulesOf(user));
}

/**
 * Whether a user may approve all calls of a tool until the next day. The operator has to name everything that it does; a tool that neither
 * destroys nor sends nor pays writes. A connector that requires approval means each call.
 *
 * @param rules of the partner and the user.
 */
export function isMemorable(
  traits: readonly ApprovalTrait[],
  remember: readonly ApprovalKind[],
  rules: readonly string[] | null | undefined,
): boolean {
  if (remember.length === 0 || traits.includes('required') || rules?.includes('each')) return false;
  const risks = (['destroy', 'send', 'pay'] as const).filter((kind) => traits.includes(kind));
  return (risks.length === 0 ? (['write'] as const) : risks).every((kind) => remember.includes(kind));
}

/** Whether an answer of the client itself is accepted for the tool. */
export function acceptsClient(traits: readonly ApprovalTrait[], channels: readonly AcceptedChannel[]): boolean {
  if (channels.includes('client-always')) return true;
  return channels.includes('client') && !traits.includes('destroy') && !traits.includes('pay');
}
