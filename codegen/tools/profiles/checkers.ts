import { isRecord } from '../../json.ts';
import type { LocatedValue, ToolFacts } from './facts.ts';
import type { Limit, LimitOf, RuleKind } from './types.ts';

/** The fault, worded to follow the place: `has 70 characters of at most 64`. */
export type Finding = LocatedValue<string>;

type Checker<Kind extends RuleKind> = (rule: LimitOf<Kind>, facts: ToolFacts) => readonly Finding[];

const NAME = '/name';
const INPUT = '/inputSchema';

/** Violations of one rule, in the order of the schema. */
export function findBreaches(rule: Limit, facts: ToolFacts): readonly Finding[] {
  const check = CHECKERS[rule.kind] as (rule: never, facts: ToolFacts) => readonly Finding[];
  return check(rule as never, facts);
}

const CHECKERS: { readonly [Kind in RuleKind]: Checker<Kind> } = {
  'name-pattern': ({ pattern }, { tool }) =>
    pattern.test(tool.name) ? [] : [{ place: NAME, value: `does not match ${pattern.source}` }],

  'name-length': ({ maximum }, { tool }) => overLength(NAME, tool.name.length, maximum),

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

  'array-items': (_rule, { arraysWithoutItems }) =>
    arraysWithoutItems.map((place) => ({ place, value: 'is an array without items' })),

  'boolean-schemas': (_rule, { booleans }) =>
    booleans.map((place) => ({ place, value: 'has a boolean in place of a schema' })),

  'pattern-syntax': ({ forbidden }, { patterns }) =>
    patterns
      .filter(({ value }) => forbidden.test(value))
      .map(({ place, value }) => ({ place, value: `has the pattern ${value}, which looks around` })),
};

function overLength(place: string, length: number, maximum: number): readonly Finding[] {
  return length <= maximum ? [] : [{ place, value: `has ${length} characters of at most ${maximum}` }];
}
