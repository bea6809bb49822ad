/**
 * Rules that decide which calls need the approval of their user: by the effect of their tool, and by the person who requires it. The strictest wins.
 */

import type { Connector } from '../../../contract/index.ts';
import { type AnyTool, allToolsOf, usedTools } from '../catalogue/permitted.ts';

/** Effects of a call that a rule can name. A call that destroys, sends or pays also writes. */
export const APPROVAL_KINDS = ['destroy', 'send', 'pay', 'write'] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/** Values of a partner's rule. With `each`, no approval is remembered, even if `APPROVAL_REMEMBER` allows it. */
export const PARTNER_RULES = [...APPROVAL_KINDS, 'each'] as const;

/** Descriptions of the values of a partner's rule, for people. */
export const PARTNER_RULE_TEXTS: Readonly<Record<(typeof PARTNER_RULES)[number], string>> = {
  destroy: 'Calls that delete or overwrite',
  send: 'Calls that send',
  pay: 'Calls that pay',
  write: 'Every call that writes',
  each: 'Each call: no approval is remembered until the next day',
};

/**
 * An effect or a requirement of a tool. `required` means that its connector requires approval of every call. The others are values that a rule of the
 * user can name: a user can require approval of every writing tool of a service, or of a single tool.
 */
type ApprovalTrait = ApprovalKind | 'required' | UserRule;
type UserRule = `service:${string}` | `tool:${string}`;

/**
 * Ways to decide. `client` is an answer to an elicitation: it proves that a client answered, and no person, so it is accepted for calls
 * that destroy or pay only as `client-always`.
 */
export const APPROVAL_CHANNELS = ['page', 'partner', 'client', 'client-always'] as const;
export type AcceptedChannel = (typeof APPROVAL_CHANNELS)[number];

/** Returns the traits of the connectors' tools by name. A tool that only reads and that no connector names is missing. */
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
  const toolTraits = traits.filter(([, has]) => has).map(([trait]) => trait);
  if (tool.annotations.readOnlyHint) return toolTraits;
  return [...toolTraits, `service:${connector.name}`, `tool:${tool.name}`];
}

/** True if a rule of the operator, the partner or the user names one of the traits, or the connector requires approval. */
export function isApprovalRequired(
  traits: readonly ApprovalTrait[],
  ...rules: readonly (readonly string[] | null | undefined)[]
): boolean {
  return traits.some((trait) => trait === 'required' || rules.some((rule) => rule?.includes(trait)));
}

/** The calls for which the operator requires approval. */
export interface ApprovalRule {
  /** Traits of tools by name. A tool that is missing needs no approval. */
  readonly traits: ReadonlyMap<string, readonly ApprovalTrait[]>;
  /** Effects for which the operator requires approval. */
  readonly rule: readonly ApprovalKind[];
}

/** The operator's settings of approvals. */
export interface ApprovalPolicy extends ApprovalRule {
  /** Effects for which an approval may hold until the next day (`APPROVAL_REMEMBER`). */
  readonly remember: readonly ApprovalKind[];
}

/** Rules of a user, as the row has them. */
export function userRulesOf({ approvals }: { readonly approvals: string | null }): readonly string[] {
  return approvals?.split(',') ?? [];
}

/** True if each call of a tool waits for its user. */
export function isToolApprovalRequired(
  { traits, rule }: ApprovalPolicy,
  tool: string,
  partner: { readonly approvals: readonly string[] | null },
  user: { readonly approvals: string | null },
): boolean {
  return isApprovalRequired(traits.get(tool) ?? [], rule, partner.approvals, userRulesOf(user));
}

/**
 * True if a user may approve all calls of a tool until the next day.
 *
 * The operator must have allowed this for every effect of the tool. A tool that neither destroys nor sends nor pays counts as one that writes. If the
 * connector requires approval, each call needs its own.
 *
 * @param rules of the partner and the user.
 */
export function isRememberable(
  traits: readonly ApprovalTrait[],
  remember: readonly ApprovalKind[],
  rules: readonly string[] | null | undefined,
): boolean {
  if (remember.length === 0 || traits.includes('required') || rules?.includes('each')) return false;
  const risks = (['destroy', 'send', 'pay'] as const).filter((kind) => traits.includes(kind));
  return (risks.length === 0 ? (['write'] as const) : risks).every((kind) => remember.includes(kind));
}

/** True if an answer of the client itself is accepted for the tool. */
export function acceptsClient(traits: readonly ApprovalTrait[], channels: readonly AcceptedChannel[]): boolean {
  if (channels.includes('client-always')) return true;
  return channels.includes('client') && !traits.includes('destroy') && !traits.includes('pay');
}
