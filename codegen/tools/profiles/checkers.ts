import { isRecord } from '../../json.ts';
import type { Found, ToolFacts } from './facts.ts';
import type { Limit, LimitOf, RuleKind } from './types.ts';

/** The fault, worded to follow the place: `has 70 characters of at most 64`. */
export type Finding = Found<string>;

type Checker<Kind extends RuleKind> = (rule: LimitOf<Kind>, facts: ToolFacts) => readonly Finding[];

/** Kinds of rules about one tool; `tool-count` is about the list of tools. */
type ToolRuleKind = Exclude<RuleKind, 'tool-count'>;

/**
 * Characters reserved for the name that a user gives this server in the client. Our pages suggest one of 13; with 17, a
 * tool name of 40 characters is as long as the strictest clients accept.
 */
const SERVER_NAME_CHARS = 17;

const NAME = '/name';
const INPUT = '/inputSchema';

/** Violations of one rule, in the order of the schema; empty for a rule about the list of tools. */
export function findBreaches(rule: Limit, facts: ToolFacts): readonly Finding[] {
  if (rule.kind === 'tool-count') return [];
  const check = CHECKERS[rule.kind] as (rule: never, facts: ToolFacts) => readonly Finding[];
  return check(rule as never, facts);
}

const CHECKERS: { readonly [Kind in ToolRuleKind]: Checker<Kind> } = {
  'name-pattern': ({ pattern }, { tool }) =>
    pattern.test(tool.name) ? [] : [{ place: NAME, value: `does not match ${pattern.source}` }],

  'name-length': ({ maximum }, { tool }) => overLength(NAME, tool.name.length, maximum),

  'full-name-length': ({ before, after, maximum }, { tool }) => {
    const length = before.length + SERVER_NAME_CHARS + after.length + tool.name.length;
    if (length <= maximum) return [];
    const value =
      `makes ${length} of at most ${maximum} characters in ${before}<server>${after}<tool>, ` +
      `with ${SERVER_NAME_CHARS} for <server>`;
    return [{ place: NAME, value }];
  },

  'description-length': ({ maximum }, { tool }) => overLength('/description', tool.description.length, maximum),

  'input-root-type': (_rule, { tool }) =>
    tool.inputSchema.type === 'object' ? [] : [{ place: INPUT, value: 'is not of type object' }],

  'output-root-type': (_rule, { tool }) =>
    tool.outputSchema.type === 'object' ? [] : [{ place: '/outputSchema', value: 'is not of type object' }],

  'root-keywords': ({ keywords }, { tool }) =>
    keywords
      .filter((keyword) => tool.inputSchema[keyword] !== undefined)
      .map((keyword) => ({ place: INPUT, value: `uses ${keyword} at its root` })),

  'property-keys': ({ pattern }, { tool }) =>
    Object.keys(isRecord(tool.inputSchema.properties) ? tool.inputSchema.properties : {})
      .filter((key) => !pattern.test(key))
      .map((key) => ({ place: `${INPUT}/properties`, value: `has the key ${key}, not like ${pattern.source}` })),

  keywords: ({ keywords }, facts) =>
    keywords.flatMap((keyword) =>
      (facts.keywords.get(keyword) ?? []).map((place) => ({ place, value: `uses ${keyword}` })),
    ),

  'array-items': (_rule, { arraysWithoutItems }) =>
    arraysWithoutItems.map((place) => ({ place, value: 'is an array without items' })),

  'boolean-schemas': (_rule, { booleans }) =>
    booleans.map((place) => ({ place, value: 'has a boolean in place of a schema' })),

  'pattern-syntax': ({ forbidden }, { patterns }) =>
    patterns
      .filter(({ value }) => forbidden.test(value))
      .map(({ place, value }) => ({ place, value: `has the pattern ${value}, which looks around` })),

  'enum-strings': (_rule, { enums }) =>
    enums.flatMap(({ place, value: values }) => {
      const odd = values.find((value) => value !== null && (typeof value !== 'string' || value === ''));
      return odd === undefined ? [] : [{ place, value: `has the enum value ${JSON.stringify(odd)}` }];
    }),

  'schema-depth': ({ maximum }, { depth }) =>
    depth <= maximum ? [] : [{ place: INPUT, value: `nests ${depth} objects, of at most ${maximum}` }],

  'property-count': ({ maximum }, { properties }) =>
    properties <= maximum ? [] : [{ place: INPUT, value: `has ${properties} properties of at most ${maximum}` }],

  'enum-count': ({ maximum }, { enums }) => {
    const count = enums.reduce((sum, { value }) => sum + value.length, 0);
    return count <= maximum ? [] : [{ place: INPUT, value: `lists ${count} enum values of at most ${maximum}` }];
  },
};

function overLength(place: string, length: number, maximum: number): readonly Finding[] {
  return length <= maximum ? [] : [{ place, value: `has ${length} characters of at most ${maximum}` }];
}
