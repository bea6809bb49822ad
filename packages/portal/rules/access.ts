/** The access of a person: the union of the rules for their groups. */

/** Effects of tools that a rule can allow. */
export const EFFECTS = ['reads', 'writes', 'destroys'] as const;
export type Effect = (typeof EFFECTS)[number];

/** Kinds of calls that wait for the approval of the person, as in the partner API. */
export const APPROVALS = ['destroy', 'send', 'pay', 'write', 'each'] as const;
export type Approval = (typeof APPROVALS)[number];

/** How lists show tools, as in the partner API. */
export const CATALOGUES = ['lean', 'full', 'compact', 'search', 'code'] as const;
export type CatalogueMode = (typeof CATALOGUES)[number];

/** One rule of the rules file. */
export interface Rule {
  /** Connector names. Null for every service. */
  readonly services: readonly string[] | null;
  readonly effects: readonly Effect[];
  /** The only tools, by name. Null for every tool. */
  readonly tools: readonly string[] | null;
  /** By service, the only accounts that may be used, by name. */
  readonly accounts: Readonly<Record<string, readonly string[]>>;
  readonly approval: readonly Approval[];
  /** Null for the operator's setting. */
  readonly catalogue: CatalogueMode | null;
  /** True if people of the group see the rules of everyone. */
  readonly admin: boolean;
}

/** Allows everything, as where there are no rules. */
export const EVERYTHING: Rule = {
  services: null,
  effects: ['reads', 'writes', 'destroys'],
  tools: null,
  accounts: {},
  approval: [],
  catalogue: null,
  admin: false,
};

/** The content of the rules file. */
export interface Rules {
  /** By group. */
  readonly groups: ReadonlyMap<string, Rule>;
  /** For people without a group that has a rule. Null: they may use nothing. */
  readonly default: Rule | null;
}

/** What a person may use. */
export interface PersonAccess {
  /** A tool may be called if one of these allows it. Null: there are no rules, so every tool may be called. */
  readonly allows: readonly Rule[] | null;
  /** Kinds of calls that wait for approval in any of the rules. */
  readonly approval: readonly Approval[];
  /** Of the first rule in the file that sets it. */
  readonly catalogue: CatalogueMode | null;
  readonly admin: boolean;
}

/** What one rule gives, and to whom. */
export interface RuleExplanation {
  /** Name of the group. Null for the default rule, and where there are no rules. */
  readonly group: string | null;
  /** One sentence: why the rule counts. */
  readonly why: string;
  /** Null if there are no rules: everything is allowed. */
  readonly rule: Rule | null;
}

/** Returns the access of a person with these groups. @param rules null if there is no rules file. */
export function accessOf(groups: readonly string[], rules: Rules | null): PersonAccess {
  if (rules === null) return { allows: null, approval: [], catalogue: null, admin: false };
  const allows = rulesOf(groups, rules).map(({ rule }) => rule);
  const approvals = new Set(allows.flatMap(({ approval }) => approval));
  return {
    allows,
    approval: APPROVALS.filter((kind) => approvals.has(kind)),
    catalogue: allows.find(({ catalogue }) => catalogue !== null)?.catalogue ?? null,
    admin: allows.some(({ admin }) => admin),
  };
}

/** Returns true if a person with this access may use tools of a service. */
export function mayUseService({ allows }: PersonAccess, service: string): boolean {
  return allows?.some(({ services }) => services?.includes(service) ?? true) ?? true;
}

/** Returns what the rules give a person with these groups. Empty if they give nothing. */
export function explainRules(groups: readonly string[], rules: Rules | null): RuleExplanation[] {
  if (rules === null) return [NO_RULES];
  return rulesOf(groups, rules).map(({ group, rule }) => ({
    group,
    rule,
    why: group === null ? 'No group of yours has a rule, so the default counts.' : `You are in the group ${group}.`,
  }));
}

/** Returns every rule, for an administrator. */
export function explainAllRules(rules: Rules | null): RuleExplanation[] {
  if (rules === null) return [NO_RULES];
  const explained: RuleExplanation[] = [...rules.groups].map(([group, rule]) => ({
    group,
    rule,
    why: `For people in the group ${group}.`,
  }));
  if (rules.default !== null) {
    explained.push({ group: null, rule: rules.default, why: 'For people without a group that has a rule.' });
  }
  return explained;
}

const NO_RULES: RuleExplanation = {
  group: null,
  rule: null,
  why: 'The portal has no rules file, so everyone who signs in may use everything.',
};

/** In the order of the file, so that the order of a provider's groups does not matter. */
function rulesOf(groups: readonly string[], rules: Rules): { group: string | null; rule: Rule }[] {
  const matching = [...rules.groups]
    .filter(([group]) => groups.includes(group))
    .map(([group, rule]) => ({ group, rule }));
  if (matching.length > 0 || rules.default === null) return matching;
  return [{ group: null, rule: rules.default }];
}
