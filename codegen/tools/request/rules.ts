/**
 * The rules of a tool that its input schema does not show, because models and clients read that one: what the gateway
 * checks in addition before it sends a request.
 */

import { charsOf } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import type { BodyPlan } from '../body/context.ts';
import { loosenChoices } from '../schema/loosen.ts';
import { mapSchemas } from '../schema/walk.ts';
import { SMALL_SHARED_CHARS, shareParts } from '../size-limits/share.ts';
import type { Assignment } from './assign.ts';
import type { ConfiguredTool } from './fixed-and-omitted.ts';
import type { Slot } from './slots.ts';
import { wireKey } from './wire.ts';

/** The places of a request, and what fills them. */
interface FilledSlots {
  readonly slots: readonly Slot[];
  readonly assignments: readonly Assignment[];
  readonly constants: ReadonlyMap<string, unknown>;
  /** The argument that names members to be sent as null, or null. */
  readonly clear: string | null;
}

/**
 * Alternatives at the root of a body whose members are arguments, as schemas of the arguments.
 *
 * A choice is left out if the caller does not decide it alone: if every call sends one of its members, or a member is not one argument. A group with
 * a member that connector.yaml omits cannot be chosen.
 */
export function toChoiceRules(body: BodyPlan, { slots, assignments, constants, clear }: FilledSlots): Schema[] {
  if (body.kind !== 'members' || !body.required) return [];
  const slotsByName = new Map(slots.flatMap((slot) => (slot.in === 'body' ? [[slot.name ?? '', slot] as const] : [])));
  const assignmentsOf = (slot: Slot) => assignments.filter((assignment) => assignment.slot === slot);
  const isNotUpToCaller = (member: string): boolean => {
    const slot = slotsByName.get(member);
    if (slot === undefined || constants.has(wireKey(slot))) return true;
    return assignmentsOf(slot).some(({ key, config }) => key !== null || config.sent === 'always');
  };
  const toNames = (group: readonly string[]): string[] =>
    group.flatMap((member) => {
      const slot = slotsByName.get(member);
      return slot === undefined ? [] : assignmentsOf(slot).map(({ name }) => name);
    });
  return body.choices.flatMap(({ mode, groups }) => {
    if (groups.flat().some(isNotUpToCaller)) return [];
    const chosen = groups.map(toNames).filter((names, index) => names.length === groups[index]?.length);
    const alternatives = chosen.map((required): Schema => ({ required }));
    if (alternatives.length === 0) return [];
    // A member that is cleared is sent too.
    if (clear !== null) return [{ anyOf: [...alternatives, { required: [clear] }] }];
    return [mode === 'exactly one' ? { oneOf: alternatives } : { anyOf: alternatives }];
  });
}

/** The same schema without `multipleOf` of fractions, which most validators compute wrongly. It is the schema itself if it has none. */
export function withoutFractions(root: Schema): Schema {
  const changed = new Set<unknown>();
  const result = mapSchemas(root, (schema) => {
    const { multipleOf, ...rest } = schema;
    if (multipleOf === undefined || Number.isInteger(multipleOf)) return schema;
    changed.add(rest);
    return rest;
  });
  if (changed.size === 0) return root;
  loosenChoices(result, changed);
  return result;
}

/** More than this takes a noticeable time to compile, in characters of JSON. */
const MAX_RULES_CHARS = 256_000;

/**
 * The rules of a tool as one schema of its arguments; null without rules. Reports `input-rules-left-out`.
 *
 * @param whole The schema of all arguments. Null if the published one says the same.
 */
export function toRules(
  whole: Schema | null,
  choices: readonly Schema[],
  { name, pointer, report }: ConfiguredTool,
): Schema | null {
  const args = whole === null ? {} : toBareArguments(whole);
  const length = charsOf(args);
  if (length > MAX_RULES_CHARS) {
    const message = `The whole schema of the arguments of ${name} has ${length} characters of at most ${MAX_RULES_CHARS}: what its input schema leaves open is not checked.`;
    report.descriptor('input-rules-left-out', pointer, message);
  }
  const rules = {
    ...(length <= MAX_RULES_CHARS ? args : {}),
    ...(choices.length === 0 ? {} : { allOf: choices }),
  };
  return Object.keys(rules).length === 0 ? null : { type: 'object', ...rules };
}

/** Keywords that check nothing. */
const ANNOTATIONS = ['description', 'title', 'default', 'examples', 'contentEncoding'] as const;

/** The arguments without texts. Which of them are required and known, the published schema says. */
function toBareArguments(whole: Schema): Schema {
  const { required: _, additionalProperties: __, ...root } = shareParts(whole, SMALL_SHARED_CHARS);
  return mapSchemas(root, (schema) => {
    const bare: Record<string, unknown> = { ...schema };
    for (const keyword of ANNOTATIONS) delete bare[keyword];
    return bare;
  });
}
