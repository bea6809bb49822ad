/** Changes of the output, judged by their effect on its reader. */

import { isRecord, isSame } from '../../json.ts';
import type { RuleId } from '../rules.ts';
import { compareSchemas, type SchemaEventKind } from '../schema/events.ts';
import type { Finding, Schema, ToolSurface } from '../types.ts';
import { toPlace } from './arguments.ts';
import { checkWithheld, type Reduction } from './withheld.ts';

const RULE: Readonly<Record<SchemaEventKind, RuleId>> = {
  'member-added': 'output-field-added',
  'member-removed': 'output-field-removed',
  'made-required': 'output-schema-changed',
  'made-optional': 'output-schema-changed',
  'type-changed': 'output-field-retyped',
  'type-widened': 'output-field-retyped',
  'type-narrowed': 'output-type-narrowed',
  'enum-narrowed': 'output-schema-changed',
  'enum-widened': 'output-schema-changed',
  tightened: 'output-schema-changed',
  loosened: 'output-schema-changed',
  default: 'output-schema-changed',
  text: 'output-text-changed',
  order: 'order-changed',
  'alternative-added': 'output-field-retyped',
  'alternative-removed': 'output-schema-changed',
  'described-less': 'output-described-less',
  'described-more': 'output-described-more',
  other: 'output-schema-changed',
};

/** Every difference of the output schemas, and of how the gateway turns the upstream's response into its own. */
export function checkOutput(before: ToolSurface, after: ToolSurface): Finding[] {
  const events = compareSchemas(withImpliedTypes(before.outputSchema), withImpliedTypes(after.outputSchema));
  // A schema that describes nothing any more reads as one of a text, which is how texts are written.
  const undescribed = events.filter(({ kind }) => kind === 'described-less').map(({ place }) => ownerOf(place));
  const findings = events
    .filter(({ kind, place }) => kind !== 'type-changed' || !undescribed.includes(ownerOf(place)))
    .map(({ kind, place, pointer, required: _, ...rest }): Finding => {
      const pointerInTool = ['outputSchema', ...pointer];
      const finding: Finding = { rule: RULE[kind], place: toPlace('output', place), pointer: pointerInTool, ...rest };
      return kind === 'type-changed' && isSame(rest.after, UNSTATED) ? { ...finding, note: UNSTATED_NOTE } : finding;
    });
  if (findings.length === 0 && !isSame(before.outputSchema, after.outputSchema)) {
    findings.push({ rule: 'output-schema-rewritten', place: 'outputSchema', pointer: ['outputSchema'] });
  }
  const [old, now] = [resultOf(before), resultOf(after)];
  const allFindings = checkWithheld(old, now, findings);
  return [...allFindings, ...checkKeepPaths(old.keep, now.keep, findings), ...checkShape(old.shape, now.shape)];
}

/** The schema that has a keyword: `data[]` of `data[]#type`. */
function ownerOf(place: string): string {
  return place.slice(0, place.lastIndexOf('#'));
}

/** An answer that is never empty any longer promises more. */
function checkShape(before: Shape, after: Shape): Finding[] {
  if (isSame(before, after)) return [];
  const { mayBeEmpty, ...otherMembers } = before;
  const isFuller = mayBeEmpty === true && isSame(otherMembers, after);
  const change = isFuller
    ? { rule: 'output-type-narrowed' as const, before: 'may be empty', after: 'never empty' }
    : { rule: 'answer-shape-changed' as const, before, after };
  return [{ ...change, place: 'result', pointer: ['result'] }];
}

type Shape = Readonly<Record<string, unknown>>;
type KeepPaths = readonly string[] | undefined;

/** The form of an answer, with defaults filled in, and the members that are returned. */
function resultOf({ members }: ToolSurface): Reduction & { readonly shape: Shape } {
  const { keep, withhold, ...shape } = (members.result ?? {}) as Reduction;
  return { shape: { wrapItems: false, rows: null, ...shape }, keep, withhold };
}

/**
 * Members that are no longer returned, or are returned now. Changes that the output schema shows are already reported;
 * a list that is added or removed is always reported, because answers have members that no schema names.
 */
function checkKeepPaths(before: KeepPaths, after: KeepPaths, reported: readonly Finding[]): Finding[] {
  const isReported = (path: string, rule: RuleId) =>
    reported.some(
      (finding) => finding.rule === rule && isWithin(path, finding.place.replaceAll('[]', '').slice('output.'.length)),
    );
  const hasMissing = (paths: KeepPaths, otherPaths: readonly string[], rule: RuleId): boolean =>
    paths === undefined ||
    paths.some((path) => !otherPaths.some((otherPath) => isWithin(path, otherPath)) && !isReported(path, rule));
  const finding = { place: 'result.keep', before, after, pointer: ['result'] };
  const keepsLess = after !== undefined && hasMissing(before, after, 'output-field-removed');
  const keepsMore = before !== undefined && hasMissing(after, before, 'output-field-added');
  return [
    ...(keepsLess ? [{ rule: 'answer-keeps-less' as const, ...finding }] : []),
    ...(keepsMore ? [{ rule: 'answer-keeps-more' as const, ...finding }] : []),
  ];
}

/** True if a dotted path equals another one, or lies inside it. */
function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}.`);
}

const EXPLICIT_TYPE_KEYWORDS = ['type', '$ref', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'not'];

/**
 * `properties` or `additionalProperties` imply an object, `items` an array, and a schema without any of them text; each
 * may be null. Earlier versions of codegen wrote these types everywhere. `additionalProperties: {}` is the default.
 */
export function withImpliedTypes({ additionalProperties, ...schema }: Schema): Schema {
  const isMap = isRecord(additionalProperties) && Object.keys(additionalProperties).length === 0;
  const result: Record<string, unknown> = { ...impliedType({ additionalProperties, ...schema }), ...schema };
  if (additionalProperties !== undefined && !isMap) result.additionalProperties = additionalProperties;
  for (const keyword of ['items', 'additionalProperties']) {
    const inner = result[keyword];
    if (isRecord(inner)) result[keyword] = withImpliedTypes(inner);
  }
  for (const keyword of ['properties', '$defs']) {
    const members = schema[keyword];
    if (isRecord(members)) result[keyword] = mapValues(members);
  }
  return result;
}

function mapValues(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, isRecord(member) ? withImpliedTypes(member) : member]),
  );
}

/** Implied by a schema without a type. Output schemas of tools write text like that, and what may be anything. */
const UNSTATED = ['string', 'null'];
const UNSTATED_NOTE = 'the schema states no type: a text, or any value';

function impliedType(schema: Schema): Schema {
  if (EXPLICIT_TYPE_KEYWORDS.some((keyword) => schema[keyword] !== undefined)) return {};
  if (isRecord(schema.properties) || isRecord(schema.additionalProperties)) return { type: ['object', 'null'] };
  return { type: isRecord(schema.items) ? ['array', 'null'] : UNSTATED };
}
