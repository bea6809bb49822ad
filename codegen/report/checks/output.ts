/** Output: what an answer promises, judged as its reader meets it. */

import { isSame } from '../canonical.ts';
import type { RuleId } from '../rules.ts';
import { compareSchemas, type SchemaEventKind } from '../schema/events.ts';
import { withImpliedTypes } from '../schema/implied-types.ts';
import type { Finding, ToolSurface } from '../types.ts';
import { toPlace } from './arguments.ts';

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

/** Every difference of the output schemas, and of how the gateway makes an answer out of the upstream's. */
export function checkOutput(before: ToolSurface, after: ToolSurface): Finding[] {
  const findings = compareSchemas(withImpliedTypes(before.outputSchema), withImpliedTypes(after.outputSchema)).map(
    ({ kind, place, pointer, required: _, ...rest }): Finding => ({
      rule: RULE[kind],
      place: toPlace('output', place),
      pointer: ['outputSchema', ...pointer],
      ...rest,
    }),
  );
  if (findings.length === 0 && !isSame(before.outputSchema, after.outputSchema)) {
    findings.push({ rule: 'output-schema-rewritten', place: 'outputSchema', pointer: ['outputSchema'] });
  }
  const [old, now] = [resultOf(before), resultOf(after)];
  if (isSame(old, now)) return findings;
  return [...findings, { rule: 'answer-shape-changed', place: 'result', before: old, after: now, pointer: ['result'] }];
}

/** How an answer is shaped, with what is said by default. */
function resultOf({ members }: ToolSurface): object {
  return { wrapItems: false, rows: null, ...(members.result as object | undefined) };
}
